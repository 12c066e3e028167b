#ifndef MEGASCALE_DATA_PERMUTATION_H_
#define MEGASCALE_DATA_PERMUTATION_H_

#include <array>
#include <cstdint>
#include <string_view>

namespace megascale {

// A pseudo-random permutation of [0, size) without a table, for shuffling samples. It is a pure
// function of (seed, purpose, epoch, size). The method is a Feistel network with Philox4x32 as
// round function and cycle walking (Black and Rogaway 2002, "Ciphers with arbitrary finite
// domains"). Construction costs eight Philox blocks at any size. One look-up costs at most 32
// blocks on average. Thread safety: immutable after construction; threads may share it.
class Permutation {
 public:
  // size >= 1. Permutations of one seed with different purposes are independent.
  Permutation(std::int64_t size, std::uint64_t seed, std::string_view purpose,
              std::uint64_t epoch) noexcept;
  // Returns the value at `index`, 0 <= index < size.
  [[nodiscard]] std::int64_t operator()(std::int64_t index) const noexcept;

 private:
  // Four rounds suffice in theory (Luby and Rackoff 1988), if the halves are large. Eight leave a
  // margin for small halves.
  static constexpr std::size_t kRounds = 8;

  std::uint64_t size_;
  unsigned half_bits_;
  std::array<std::uint64_t, kRounds> keys_;
};

}  // namespace megascale

#endif  // MEGASCALE_DATA_PERMUTATION_H_
