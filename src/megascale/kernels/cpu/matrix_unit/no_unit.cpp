// Stand-ins for builds whose compiler or target architecture has no matrix unit: it is never
// available.
#include "megascale/base/error.h"
#include "megascale/kernels/cpu/matrix_unit/block.h"
#include "megascale/kernels/cpu/matrix_unit/part.h"
#include "megascale/kernels/cpu/matrix_unit/product.h"
#include "megascale/kernels/cpu/matrix_unit/unit.h"

namespace megascale::kernels::cpu {

bool matrix_unit_available() noexcept { return false; }

std::size_t split_scratch_bytes(const ProductShape&, std::size_t) noexcept { return 0; }

void split_product(const ProductShape&, const SplitOperands&, std::size_t) noexcept {
  MEGASCALE_CHECK(false, "a product on the matrix unit needs one");
}

std::size_t part_rows(const ProductShape&) noexcept { return 1; }

std::size_t part_scratch_bytes(const ProductShape&) noexcept { return 0; }

void split_part(const ProductShape&, const SplitOperands&, const Rectangle&) noexcept {
  MEGASCALE_CHECK(false, "a part of a product on the matrix unit needs one");
}

TilesInUse::TilesInUse() noexcept = default;
TilesInUse::~TilesInUse() = default;  // NOLINT(performance-trivially-destructible): only here
double multiply_tiles(std::size_t) noexcept { return 0; }

}  // namespace megascale::kernels::cpu
