#ifndef MEGASCALE_KERNELS_CPU_FUNCTIONS_STEP_COUNTS_H_
#define MEGASCALE_KERNELS_CPU_FUNCTIONS_STEP_COUNTS_H_

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace megascale::kernels::cpu {

// The operand `counts` of a step of decoding: an int64 array whose layout graph/ops/decode.cpp says.
// Another task writes it, so it is checked before its numbers are used as sizes.
class StepCounts {
 public:
  struct Sequence {
    std::int64_t added = 0, kept = 0, last = 0;  // new tokens; tokens in the cache; last rows
  };
  // The largest numbers that the operands of an op have room for.
  struct Bounds {
    std::int64_t rows = 0;                                           // new tokens of all sequences
    std::int64_t places = std::numeric_limits<std::int64_t>::max();  // of a sequence's cache
    std::int64_t last_rows = std::numeric_limits<std::int64_t>::max();  // of all sequences
  };

  [[nodiscard]] static std::size_t sequences_of(std::size_t size) noexcept {
    return (size - 2) / 3;
  }
  // `size`: elements of the array.
  StepCounts(const std::int64_t* counts, std::size_t size) noexcept
      : counts_(counts), sequences_(sequences_of(size)) {}
  [[nodiscard]] std::size_t sequences() const noexcept { return sequences_; }
  [[nodiscard]] Sequence operator[](std::size_t i) const noexcept {
    return {counts_[2 + 3 * i], counts_[3 + 3 * i], counts_[4 + 3 * i]};
  }

  // Returns what is wrong with the counts, or nothing.
  [[nodiscard]] std::string problem(const Bounds& bounds) const {
    std::int64_t rows = 0, last_rows = 0;
    for (std::size_t i = 0; i < sequences_; ++i) {
      const auto [added, kept, last] = (*this)[i];
      if (added < 0 || added > bounds.rows || kept < added || kept > bounds.places || last < 0 ||
          last > added) {
        return fmt::format(
            "the counts of sequence {} are {} new tokens, {} tokens in the cache and {} last rows; "
            "expected 0 to {} new tokens, at most {} in the cache with the new ones, and no more "
            "last rows than new tokens",
            i, added, kept, last, bounds.rows, bounds.places);
      }
      rows += added;
      last_rows += last;
    }
    if (rows == counts_[0] && last_rows == counts_[1] && rows <= bounds.rows &&
        last_rows <= bounds.last_rows)
      return {};
    return fmt::format(
        "the sequences have {} new tokens and {} last rows, and the counts of all are {} and {}; "
        "expected the same numbers, at most {} and {}",
        rows, last_rows, counts_[0], counts_[1], bounds.rows, bounds.last_rows);
  }

 private:
  const std::int64_t* counts_;
  std::size_t sequences_;
};

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_FUNCTIONS_STEP_COUNTS_H_
