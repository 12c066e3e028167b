// Grouped products of 8-bit operands by CUTLASS. The terms of a sum lie side by side in both
// operands, as Hopper's matrix unit needs them.
#include "megascale/kernels/cuda/cutlass_products-inl.h"

namespace megascale::kernels::cuda {
namespace {

// The forward adds all terms on the matrix unit, which keeps about 14 bits of a sum, as cuBLASLt's
// fast accumulation does (gemm.h). The input gradient moves sums to float32 every 128 terms. That
// takes twice the registers for sums, so its tiles are half as wide.
template <GemmKind kKind>
struct Float8Form {
  static constexpr bool kForward = kKind == GemmKind::forward, kScaled = true;
  using LeftItem = std::conditional_t<kForward, cutlass::float_e4m3_t, cutlass::float_e5m2_t>;
  using RightItem = cutlass::float_e4m3_t;
  using Left = Rows;
  using Right = Columns;
  using Result = Bfloat;
  using Addend = void;
  using Tile = std::conditional_t<kForward, Shape<Int<128>, Int<256>, Int<128>>,
                                  Shape<Int<128>, Int<128>, Int<128>>>;
  using Cluster = Shape<Int<1>, Int<2>, Int<1>>;
  using Schedule =
      std::conditional_t<kForward,
                         cutlass::gemm::KernelPtrArrayTmaWarpSpecializedCooperativeFP8FastAccum,
                         cutlass::gemm::KernelPtrArrayTmaWarpSpecializedCooperative>;
};

}  // namespace

std::unique_ptr<CutlassGrouped> make_cutlass_float8(const GroupedProduct& shape) {
  if (shape.kind == GemmKind::forward)
    return std::make_unique<CutlassProducts<Float8Form<GemmKind::forward>>>(shape);
  MEGASCALE_CHECK(shape.kind == GemmKind::input_gradient,
                  "weight gradients have no 8-bit operands");
  return std::make_unique<CutlassProducts<Float8Form<GemmKind::input_gradient>>>(shape);
}

}  // namespace megascale::kernels::cuda
