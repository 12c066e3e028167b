#ifndef MEGASCALE_KERNELS_CPU_MATRIX_UNIT_BLOCK_H_
#define MEGASCALE_KERNELS_CPU_MATRIX_UNIT_BLOCK_H_

#include <cstddef>

#include "megascale/kernels/cpu/matrix_unit/panels.h"

namespace megascale::kernels::cpu {

// The calling thread's tiles are set up for blocks while this lives; no other code of the thread
// uses the unit meanwhile. Afterwards the operating system need not save them.
class TilesInUse {
 public:
  TilesInUse() noexcept;
  ~TilesInUse();
  TilesInUse(const TilesInUse&) = delete;
  TilesInUse& operator=(const TilesInUse&) = delete;
};

// Where the product of two panels goes.
struct Block {
  float* result = nullptr;
  std::size_t stride = 0;             // floats between rows
  std::size_t rows = 0, columns = 0;  // 1 ... 32: what lies behind is neither read nor written
  bool accumulate = false;            // adds to what is there
  const float* bias = nullptr;        // of each column, or null
};

// The product of a left and a right panel over `steps` steps, in six products of parts for each
// step. The three smallest of nine are left out: together at most 2^-24 + 2^-34 of the whole.
void multiply_panels(const std::byte* left, const std::byte* right, std::size_t steps,
                     const Block& block) noexcept;

// Products of tiles without loads, `rounds` times four, for the roof; returns the FLOPs done. The
// sums stay zero.
[[nodiscard]] double multiply_tiles(std::size_t rounds) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_MATRIX_UNIT_BLOCK_H_
