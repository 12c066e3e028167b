#ifndef MEGASCALE_BASE_DIGEST_H_
#define MEGASCALE_BASE_DIGEST_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

// Digests (XXH3) that detect accidental differences: a torn write, a flipped bit, a plan that
// differs on one rank. They do not protect against forged data. All functions may be called from
// any thread.
namespace megascale {

// Returns the 64-bit digest of `bytes`.
[[nodiscard]] std::uint64_t digest64(std::span<const std::byte> bytes) noexcept;
// Returns the 128-bit digest of `bytes` as 32 hexadecimal digits.
[[nodiscard]] std::string digest128(std::span<const std::byte> bytes);

// Computes a 128-bit digest piece by piece. The result equals digest128() of the concatenated
// pieces. The constructor throws std::bad_alloc if no memory is left. One thread at a time.
class DigestStream {
 public:
  DigestStream();
  void update(std::span<const std::byte> bytes);
  void update(std::string_view text);
  // Returns the digest of all pieces so far as 32 hexadecimal digits. More pieces may follow.
  [[nodiscard]] std::string finish() const;

 private:
  struct StateDeleter {
    void operator()(void* state) const noexcept;
  };
  std::unique_ptr<void, StateDeleter> state_;
};

}  // namespace megascale

#endif  // MEGASCALE_BASE_DIGEST_H_
