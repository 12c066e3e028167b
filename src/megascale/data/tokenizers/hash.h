#ifndef MEGASCALE_DATA_TOKENIZERS_HASH_H_
#define MEGASCALE_DATA_TOKENIZERS_HASH_H_

#include <cstdint>
#include <cstring>
#include <string_view>

// Hash functions of the tables. Tables are filled from files and looked up with texts; a file made
// to collide only slows down its own user.
namespace megascale::tokenizers {

[[nodiscard]] inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

[[nodiscard]] inline std::uint64_t hash_of(std::uint64_t key) noexcept {
  return mix(key ^ 0x9E3779B97F4A7C15U, 0xD6E8FEB86659FD93U);
}

[[nodiscard]] inline std::uint64_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = text.size() * 0x9E3779B97F4A7C15U;
  while (text.size() >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), 8);
    hash = mix(hash ^ word, 0xD6E8FEB86659FD93U);
    text.remove_prefix(8);
  }
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    last |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])) << (8 * i);
  }
  return mix(hash ^ last, 0xA0761D6478BD642FU);
}

}  // namespace megascale::tokenizers

#endif  // MEGASCALE_DATA_TOKENIZERS_HASH_H_
