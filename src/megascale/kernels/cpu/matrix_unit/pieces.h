#ifndef MEGASCALE_KERNELS_CPU_MATRIX_UNIT_PIECES_H_
#define MEGASCALE_KERNELS_CPU_MATRIX_UNIT_PIECES_H_

#include <algorithm>
#include <cstddef>

#include "megascale/kernels/cpu/matrix_unit/panels.h"

// How products on the matrix unit are cut into pieces that fit the caches.
namespace megascale::kernels::cpu {

// Values of k that are packed at a time. Every product cuts its sum in the same way, which depends
// on k alone; so the bits of an element do not depend on the way in which the rest is divided.
inline constexpr std::size_t kDepth = 768;

// Divides [0, count) into the fewest equal pieces of at most `most`. Borders are multiples of
// `unit`.
struct Pieces {
  std::size_t count, size;
  Pieces(std::size_t whole, std::size_t most, std::size_t unit) noexcept : count(whole) {
    const std::size_t units = (whole + unit - 1) / unit, pieces = (whole + most - 1) / most;
    size = pieces == 0 ? unit : (units + pieces - 1) / pieces * unit;
  }
  template <class Body>  // body(begin, length)
  void each(const Body& body) const noexcept {
    for (std::size_t begin = 0; begin < count; begin += size)
      body(begin, std::min(size, count - begin));
  }
};

[[nodiscard]] constexpr std::size_t panels_of(std::size_t lines) noexcept {
  return (lines + kPanel - 1) / kPanel;
}

// Returns the part of `lines` with `count` lines from `line` on and `depth` values from `k` on.
[[nodiscard]] inline Lines cut(Lines lines, std::size_t line, std::size_t count, std::size_t k,
                               std::size_t depth) noexcept {
  lines.data += line * lines.line_stride + k * lines.k_stride;
  lines.lines = count;
  lines.k = depth;
  return lines;
}

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_MATRIX_UNIT_PIECES_H_
