#ifndef MEGASCALE_BASE_DIGEST_H_
#define MEGASCALE_BASE_DIGEST_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

// Digests that find accidental changes (XXH3): torn writes, flipped bits, a plan that differs on
// one rank. They are no protection against somebody who forges data.
namespace megascale {

[[nodiscard]] std::uint64_t digest64(std::span<const std::byte> bytes) noexcept;
// 128 bits as 32 hexadecimal digits.
[[nodiscard]] std::string digest128(std::span<const std::byte> bytes);

// The 128-bit digest of a sequence of spans, as of their concatenation.
class DigestStream {
 public:
  DigestStream();
  void update(std::span<const std::byte> bytes);
  void update(std::string_view text);
  [[nodiscard]] std::string finish() const;

 private:
  struct StateDeleter {
    void operator()(void* state) const noexcept;
  };
  std::unique_ptr<void, StateDeleter> state_;
};

}  // namespace megascale

#endif  // MEGASCALE_BASE_DIGEST_H_
