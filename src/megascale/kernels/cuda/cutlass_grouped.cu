// Grouped products of bfloat16 by CUTLASS, in tiles of 128 x 256, and the choice between these and
// products of 8-bit operands.
#include "megascale/kernels/cuda/cutlass_products-inl.h"

namespace megascale::kernels::cuda {
namespace {

// Clusters of forward and input gradient are two tiles of one row of tiles: an expert with few rows
// has no second row of tiles.
template <GemmKind kKind>
struct BfloatForm {
  static constexpr bool kOfWeights = kKind == GemmKind::weight_gradient, kScaled = false;
  using LeftItem = Bfloat;
  using RightItem = Bfloat;
  using Left = std::conditional_t<kOfWeights, Columns, Rows>;
  using Right = std::conditional_t<kKind == GemmKind::forward, Columns, Rows>;
  using Result = std::conditional_t<kOfWeights, float, Bfloat>;
  using Addend = std::conditional_t<kOfWeights, float, void>;
  using Tile = Shape<Int<128>, Int<256>, Int<64>>;
  using Cluster =
      std::conditional_t<kOfWeights, Shape<Int<2>, Int<1>, Int<1>>, Shape<Int<1>, Int<2>, Int<1>>>;
  using Schedule = cutlass::gemm::KernelPtrArrayTmaWarpSpecializedCooperative;
};
template <GemmKind kKind>
using Products = CutlassProducts<BfloatForm<kKind>>;

}  // namespace

std::unique_ptr<CutlassGrouped> CutlassGrouped::make(const GroupedProduct& shape) {
  if (const int major = attribute_of_device(cudaDevAttrComputeCapabilityMajor); major != 9) {
    throw Error(ErrorCode::unsupported,
                "kernels.cutlass: expected a device of compute capability 9.x (Hopper), found " +
                    std::to_string(major) +
                    ".x; kernels.cutlass = false runs our own grouped products");
  }
  if (shape.fp8) return make_cutlass_float8(shape);
  switch (shape.kind) {
    case GemmKind::forward:
      return std::make_unique<Products<GemmKind::forward>>(shape);
    case GemmKind::input_gradient:
      return std::make_unique<Products<GemmKind::input_gradient>>(shape);
    case GemmKind::weight_gradient:
      return std::make_unique<Products<GemmKind::weight_gradient>>(shape);
  }
  return nullptr;
}

}  // namespace megascale::kernels::cuda
