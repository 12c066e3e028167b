// Grouped products by CUTLASS 4. Its kernels read sizes, addresses and strides of all products from
// a table on the device (grouped_table.h). Blocks stay on their multiprocessor and take one tile of
// 128 x 256 after the other; two blocks next to each other share what both read (clusters), which
// keeps the L2 cache from being the limit.
#include <cuda_runtime.h>
#include <cutlass/cutlass.h>
#include <cutlass/gemm/device/gemm_universal_adapter.h>

#include <array>
#include <bit>
#include <cutlass/epilogue/collective/collective_builder.hpp>
#include <cutlass/gemm/collective/collective_builder.hpp>
#include <cutlass/gemm/group_array_problem_shape.hpp>
#include <cutlass/gemm/kernel/gemm_universal.hpp>
#include <optional>
#include <string>

#include "megascale/kernels/cuda/cutlass_grouped.h"

namespace megascale::kernels::cuda {
namespace {

using cute::Int, cute::Shape;
using Bfloat = cutlass::bfloat16_t;
using Problems = cutlass::gemm::GroupProblemShape<Shape<int, int, int>>;
using Rows = cutlass::layout::RowMajor;
using Columns = cutlass::layout::ColumnMajor;

// The layouts of left (m, k), right (k, n) and the dtype of the result (m, n), which has rows.
// Clusters of forward and input gradient are two tiles of one row of tiles: an expert with few rows
// has no second row of tiles.
template <GemmKind kKind>
struct Form {
  static constexpr bool kOfWeights = kKind == GemmKind::weight_gradient;
  using Left = std::conditional_t<kOfWeights, Columns, Rows>;
  using Right = std::conditional_t<kKind == GemmKind::forward, Columns, Rows>;
  using Result = std::conditional_t<kOfWeights, float, Bfloat>;
  using Addend = std::conditional_t<kOfWeights, float, void>;
  using Tile = Shape<Int<128>, Int<256>, Int<64>>;
  using Cluster =
      std::conditional_t<kOfWeights, Shape<Int<2>, Int<1>, Int<1>>, Shape<Int<1>, Int<2>, Int<1>>>;
  static constexpr int kLoad = 16 / sizeof(Bfloat), kStore = 16 / sizeof(Result);  // elements

  using Epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Tile, Cluster,
      cutlass::epilogue::collective::EpilogueTileAuto, float, float, Addend, Rows*, kStore, Result,
      Rows*, kStore, cutlass::epilogue::PtrArrayTmaWarpSpecializedCooperative,
      cutlass::epilogue::fusion::LinearCombination<Result, float>>::CollectiveOp;
  using Mainloop = typename cutlass::gemm::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Bfloat, Left*, kLoad, Bfloat, Right*,
      kLoad, float, Tile, Cluster,
      cutlass::gemm::collective::StageCountAutoCarveout<static_cast<int>(
          sizeof(typename Epilogue::SharedStorage))>,
      cutlass::gemm::KernelPtrArrayTmaWarpSpecializedCooperative>::CollectiveOp;
  using Kernel = cutlass::gemm::kernel::GemmUniversal<Problems, Mainloop, Epilogue>;
  using Gemm = cutlass::gemm::device::GemmUniversalAdapter<Kernel>;
};

// A kernel of ours writes sizes and strides as plain integers, so CUTLASS's types must be those in
// memory.
constexpr bool are_three_integers(Shape<int, int, int> sizes) {
  return std::bit_cast<std::array<int, 3>>(sizes) == std::array{1, 2, 3};
}
static_assert(are_three_integers({1, 2, 3}));
template <class Stride>
Stride* stride(std::int64_t* of_table) {
  static_assert(sizeof(Stride) == sizeof(std::int64_t));
  return reinterpret_cast<Stride*>(of_table);
}

int attribute_of_device(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  (void)cudaGetDevice(&device);
  (void)cudaDeviceGetAttribute(&value, attribute, device);
  return value;
}

template <GemmKind kKind>
class Products final : public CutlassGrouped {
  using Gemm = typename Form<kKind>::Gemm;
  using Kernel = typename Gemm::GemmKernel;

 public:
  // Throws Error(failed).
  explicit Products(const GroupedProduct& shape) {
    hardware_.sm_count = attribute_of_device(cudaDevAttrMultiProcessorCount);
    (void)cudaGetDevice(&hardware_.device_id);
    const auto wished = arguments(shape, {});
    if (const auto status = Gemm::can_implement(wished); status != cutlass::Status::kSuccess) {
      throw Error(ErrorCode::failed, std::string("CUTLASS refuses grouped products (") +
                                         cutlass::cutlassGetStatusString(status) +
                                         "); kernels.cutlass = false runs our own");
    }
    const std::size_t wanted = Gemm::get_workspace_size(wished);
    const std::size_t granted =
        cutlass_workspace_bytes(shape.experts) - grouped_table_bytes(shape.experts);
    if (wanted <= granted) return;
    throw Error(ErrorCode::failed, "CUTLASS's grouped products ask for " + std::to_string(wanted) +
                                       " bytes of workspace, the plan has " +
                                       std::to_string(granted) +
                                       ": cutlass_workspace_bytes() is wrong for this device");
  }

  const Error* run(const GroupedProduct& a, std::byte* workspace,
                   CUstream_st* stream) noexcept override {
    const GroupedTable table = place_grouped_table(workspace, a.experts);
    write_grouped_table(a, table, stream);
    const auto of_products = arguments(a, table);
    cutlass::Status status =
        gemm_.initialize(of_products, workspace + grouped_table_bytes(a.experts), stream);
    if (status == cutlass::Status::kSuccess) status = gemm_.run(stream);
    if (status == cutlass::Status::kSuccess) return nullptr;
    error_.emplace(ErrorCode::failed, std::string("CUTLASS: cannot run grouped products: ") +
                                          cutlass::cutlassGetStatusString(status));
    return &*error_;
  }

 private:
  [[nodiscard]] typename Gemm::Arguments arguments(const GroupedProduct& a,
                                                   const GroupedTable& table) const {
    typename Gemm::Arguments result{};
    result.mode = cutlass::gemm::GemmUniversalMode::kGrouped;
    result.problem_shape = {static_cast<int>(a.experts),
                            reinterpret_cast<Shape<int, int, int>*>(table.sizes), nullptr};
    result.mainloop = {
        reinterpret_cast<const Bfloat**>(table.left),
        stride<typename Kernel::InternalStrideA>(table.left_stride),
        reinterpret_cast<const Bfloat**>(table.right),
        stride<typename Kernel::InternalStrideB>(table.right_stride),
    };
    using Result = typename Form<kKind>::Result;
    result.epilogue.ptr_D = reinterpret_cast<Result**>(table.result);
    result.epilogue.dD = stride<typename Kernel::InternalStrideD>(table.result_stride);
    if constexpr (Form<kKind>::kOfWeights) {
      result.epilogue.ptr_C = const_cast<const float**>(result.epilogue.ptr_D);
      result.epilogue.dC = stride<typename Kernel::InternalStrideC>(table.result_stride);
    }
    result.epilogue.thread.alpha = 1;
    result.epilogue.thread.beta = a.accumulate ? 1.0F : 0.0F;
    result.hw_info = hardware_;
    return result;
  }

  cutlass::KernelHardwareInfo hardware_;
  Gemm gemm_;
  std::optional<Error> error_;
};

}  // namespace

std::unique_ptr<CutlassGrouped> CutlassGrouped::make(const GroupedProduct& shape) {
  if (const int major = attribute_of_device(cudaDevAttrComputeCapabilityMajor); major != 9) {
    throw Error(ErrorCode::unsupported,
                "kernels.cutlass: expected a device of compute capability 9.x (Hopper), found " +
                    std::to_string(major) +
                    ".x; kernels.cutlass = false runs our own grouped products");
  }
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
