#ifndef MEGASCALE_DATA_PERMUTATION_H_
#define MEGASCALE_DATA_PERMUTATION_H_

#include <array>
#include <cstdint>
#include <string_view>

namespace megascale {

// A pseudo-random permutation of [0, size) that stores no table: a Feistel network over the next
// even number of bits whose round function is Philox4x32, walked until the value falls inside [0,
// size) (Black and Rogaway 2002, "Ciphers with arbitrary finite domains"). Starting costs eight
// Philox blocks at any size; a look-up at most 32 on average. A pure function of (seed, purpose,
// epoch, size). Thread safety: immutable; share freely.
class Permutation {
 public:
  // size >= 1. `purpose` separates the permutations of one seed.
  Permutation(std::int64_t size, std::uint64_t seed, std::string_view purpose,
              std::uint64_t epoch) noexcept;
  // 0 <= index < size
  [[nodiscard]] std::int64_t operator()(std::int64_t index) const noexcept;

 private:
  // Four rounds look random to an observer of all values (Luby and Rackoff 1988); eight leave
  // margin for small halves.
  static constexpr std::size_t kRounds = 8;

  std::uint64_t size_;
  unsigned half_bits_;
  std::array<std::uint64_t, kRounds> keys_;
};

}  // namespace megascale

#endif  // MEGASCALE_DATA_PERMUTATION_H_
