#ifndef MEGASCALE_KERNELS_CPU_MATRIX_UNIT_BLOCK_H_
#define MEGASCALE_KERNELS_CPU_MATRIX_UNIT_BLOCK_H_

#include <cstddef>

#include "megascale/kernels/cpu/matrix_unit/panels.h"

// The inner kernel of products on the matrix unit: the product of two packed panels.
namespace megascale::kernels::cpu {

// While an object lives, the calling thread's tiles are configured for blocks; no other code of the
// thread may use the unit. The destructor releases the tiles, so that the operating system need not
// save them.
class TilesInUse {
 public:
  TilesInUse() noexcept;
  ~TilesInUse();
  TilesInUse(const TilesInUse&) = delete;
  TilesInUse& operator=(const TilesInUse&) = delete;
};

// The destination of the product of two panels.
struct Block {
  float* result = nullptr;
  std::size_t stride = 0;             // floats between rows
  std::size_t rows = 0, columns = 0;  // 1 ... 32; memory beyond them is not accessed
  bool accumulate = false;            // add to the old content of the result
  const float* bias = nullptr;        // one value per column, or null
};

// Memory that is read soon: `rows` rows of `columns` floats, `stride` floats apart. A block brings
// the cache lines [begin, end) of it, counted row by row, into the second-level cache while the
// unit multiplies.
struct Ahead {
  const float* data = nullptr;
  std::size_t stride = 0, columns = 0;
  std::size_t begin = 0, end = 0;

  static constexpr std::size_t kLine = 16;  // floats of a cache line
  [[nodiscard]] std::size_t row_lines() const noexcept { return columns / kLine + 1; }
};

// Multiplies a left and a right panel over `steps` steps and writes the result to `block`. Each
// step takes six products of parts. The three smallest of the nine possible products are left out;
// together they are at most 2^-24 + 2^-34 of the whole. Needs a TilesInUse on this thread.
void multiply_panels(const std::byte* left, const std::byte* right, std::size_t steps,
                     const Block& block, const Ahead& ahead = {}) noexcept;

// Multiplies tiles without loads, 4 * `rounds` times, to measure the peak rate; returns the FLOPs
// done. All tiles are zero. Needs a TilesInUse on this thread.
[[nodiscard]] double multiply_tiles(std::size_t rounds) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_MATRIX_UNIT_BLOCK_H_
