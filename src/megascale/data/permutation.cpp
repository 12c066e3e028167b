// Feistel network over 2 x half_bits_ bits: the smallest even number of bits that holds size - 1.
// The network permutes a domain that is at most four times as large as [0, size). If a result is
// outside of [0, size), the network is applied to it again until a result is inside ("cycle
// walking").
#include "megascale/data/permutation.h"

#include <algorithm>
#include <bit>

#include "megascale/base/error.h"
#include "megascale/base/philox.h"

namespace megascale {

Permutation::Permutation(std::int64_t size, std::uint64_t seed, std::string_view purpose,
                         std::uint64_t epoch) noexcept
    : size_(static_cast<std::uint64_t>(size)),
      half_bits_(std::max(1U, (static_cast<unsigned>(std::bit_width(size_ - 1)) + 1) / 2)) {
  MEGASCALE_CHECK(size >= 1, "a permutation of at least one value");
  const PhiloxStream stream(seed, purpose);
  for (std::size_t round = 0; round < kRounds; ++round) {
    keys_[round] = stream.bits(epoch * kRounds + round);
  }
}

std::int64_t Permutation::operator()(std::int64_t index) const noexcept {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  auto value = static_cast<std::uint64_t>(index);
  do {
    std::uint64_t left = value >> half_bits_, right = value & mask;
    for (const std::uint64_t key : keys_) {
      const auto words =
          philox4x32({static_cast<std::uint32_t>(right), 0, 0, 0},
                     {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)});
      const std::uint64_t next = left ^ (words[0] & mask);
      left = right;
      right = next;
    }
    value = (left << half_bits_) | right;
  } while (value >= size_);
  return static_cast<std::int64_t>(value);
}

}  // namespace megascale
