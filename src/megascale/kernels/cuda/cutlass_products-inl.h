#ifndef MEGASCALE_KERNELS_CUDA_CUTLASS_PRODUCTS_INL_H_
#define MEGASCALE_KERNELS_CUDA_CUTLASS_PRODUCTS_INL_H_

#include <cuda_runtime.h>
#include <cutlass/cutlass.h>
#include <cutlass/gemm/device/gemm_universal_adapter.h>

#include <array>
#include <bit>
#include <cutlass/epilogue/collective/collective_builder.hpp>
#include <cutlass/gemm/collective/collective_builder.hpp>
#include <cutlass/gemm/group_array_problem_shape.hpp>
#include <cutlass/gemm/kernel/gemm_universal.hpp>
#include <memory>
#include <optional>
#include <string>

#include "megascale/kernels/cuda/cutlass_grouped.h"

// Grouped products by CUTLASS 4, assembled from a description of types, layouts and tiles (a form).
// CUTLASS's kernels read sizes, addresses and strides of all products from a table on the device
// (grouped_table.h). Blocks stay on their multiprocessor and take one tile after the other; two
// blocks next to each other share what both read (clusters), which keeps the L2 cache from being
// the limit. Only the sources that list forms include this file.
namespace megascale::kernels::cuda {

using cute::Int, cute::Shape;
using Bfloat = cutlass::bfloat16_t;
using Problems = cutlass::gemm::GroupProblemShape<Shape<int, int, int>>;
using Rows = cutlass::layout::RowMajor;
using Columns = cutlass::layout::ColumnMajor;

// A form has these types and constants:
//   LeftItem, Left, RightItem, Right   elements and layouts of left (m, k) and right (k, n)
//   Result, Addend                     elements of the result, which has rows; Addend may be void
//   Tile, Cluster, Schedule            how the blocks of a launch divide the products
//   kScaled                            each product is multiplied by its factor in the table
template <class Form>
struct CutlassParts {
  template <class T>
  static constexpr int kAccess = 16 / sizeof(T);  // elements

  using Epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, typename Form::Tile,
      typename Form::Cluster, cutlass::epilogue::collective::EpilogueTileAuto, float, float,
      typename Form::Addend, Rows*, kAccess<typename Form::Result>, typename Form::Result, Rows*,
      kAccess<typename Form::Result>, cutlass::epilogue::PtrArrayTmaWarpSpecializedCooperative,
      cutlass::epilogue::fusion::LinearCombination<typename Form::Result, float>>::CollectiveOp;
  using Mainloop = typename cutlass::gemm::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, typename Form::LeftItem,
      typename Form::Left*, kAccess<typename Form::LeftItem>, typename Form::RightItem,
      typename Form::Right*, kAccess<typename Form::RightItem>, float, typename Form::Tile,
      typename Form::Cluster,
      cutlass::gemm::collective::StageCountAutoCarveout<static_cast<int>(
          sizeof(typename Epilogue::SharedStorage))>,
      typename Form::Schedule>::CollectiveOp;
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

inline int attribute_of_device(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  (void)cudaGetDevice(&device);
  (void)cudaDeviceGetAttribute(&value, attribute, device);
  return value;
}

template <class Form>
class CutlassProducts final : public CutlassGrouped {
  using Gemm = typename CutlassParts<Form>::Gemm;
  using Kernel = typename Gemm::GemmKernel;

 public:
  // Throws Error(failed).
  explicit CutlassProducts(const GroupedProduct& shape) {
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
        reinterpret_cast<const typename Form::LeftItem**>(table.left),
        stride<typename Kernel::InternalStrideA>(table.left_stride),
        reinterpret_cast<const typename Form::RightItem**>(table.right),
        stride<typename Kernel::InternalStrideB>(table.right_stride),
    };
    using Result = typename Form::Result;
    result.epilogue.ptr_D = reinterpret_cast<Result**>(table.result);
    result.epilogue.dD = stride<typename Kernel::InternalStrideD>(table.result_stride);
    if constexpr (!std::is_void_v<typename Form::Addend>) {
      result.epilogue.ptr_C = const_cast<const float**>(result.epilogue.ptr_D);
      result.epilogue.dC = stride<typename Kernel::InternalStrideC>(table.result_stride);
    }
    if constexpr (Form::kScaled) {
      result.epilogue.thread.alpha_ptr = table.factors;
      result.epilogue.thread.dAlpha = {{}, {}, 1};  // the next product has the next factor
    } else {
      result.epilogue.thread.alpha = 1;
    }
    result.epilogue.thread.beta = a.accumulate ? 1.0F : 0.0F;
    result.hw_info = hardware_;
    return result;
  }

  cutlass::KernelHardwareInfo hardware_;
  Gemm gemm_;
  std::optional<Error> error_;
};

// Returns the products of 8-bit operands; throws as CutlassGrouped::make.
[[nodiscard]] std::unique_ptr<CutlassGrouped> make_cutlass_float8(const GroupedProduct& shape);

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_CUTLASS_PRODUCTS_INL_H_
