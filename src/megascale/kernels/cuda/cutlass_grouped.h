#ifndef MEGASCALE_KERNELS_CUDA_CUTLASS_GROUPED_H_
#define MEGASCALE_KERNELS_CUDA_CUTLASS_GROUPED_H_

#include <cstddef>
#include <memory>

#include "megascale/base/error.h"
#include "megascale/kernels/cuda/grouped_table.h"

struct CUstream_st;

// The grouped products of grouped_linear.h by CUTLASS's kernels for Hopper: warp groups multiply
// tiles that the tensor memory accelerator brings (wgmma, TMA). An object computes products of one
// kind and one shape. Only the thread that made it may use it.
// Bits  do not depend on timing; each element is one sum, in the order of its terms. They differ
//       from those of grouped_linear.h.
// fp8   the forward keeps about 14 bits of a sum, as cuBLASLt's fast accumulation (gemm.h); the
//       input gradient keeps so many of 128 terms, and adds these sums in float32.
namespace megascale::kernels::cuda {

// bfloat16 or 8-bit operands, with rows of a multiple of 16 bytes, and sizes below 2^31.
[[nodiscard]] constexpr bool cutlass_serves(const GroupedProduct& shape) noexcept {
  constexpr std::size_t kMost = 0x7FFFFFFF;
  const std::size_t multiple = shape.fp8 ? 16 : 8;
  return shape.dtype == DType::bfloat16 && shape.in % multiple == 0 && shape.out % multiple == 0 &&
         shape.rows <= kMost && shape.in <= kMost && shape.out <= kMost;
}
// Bytes of workspace: the same on every device and in every build. The table of products lies in
// front of CUTLASS's own workspace: at most five descriptors of 128 bytes for each multiprocessor,
// of which there may be 256.
[[nodiscard]] constexpr std::size_t cutlass_workspace_bytes(std::size_t experts) noexcept {
  return grouped_table_bytes(experts) + std::size_t{256} * 5 * 128;
}

class CutlassGrouped {
 public:
  // Needs cutlass_serves(shape); reads kind and sizes of `shape` only. Throws Error(unsupported) if
  // this build has no CUTLASS or the thread's device is not a Hopper, and Error(failed) if CUTLASS
  // refuses the shape or needs more workspace than cutlass_workspace_bytes(). The user has to
  // choose our own kernel then (kernels.cutlass = false).
  [[nodiscard]] static std::unique_ptr<CutlassGrouped> make(const GroupedProduct& shape);
  CutlassGrouped() = default;
  CutlassGrouped(const CutlassGrouped&) = delete;
  CutlassGrouped& operator=(const CutlassGrouped&) = delete;
  virtual ~CutlassGrouped() = default;

  // Enqueues the products of `args`, which has the kind and sizes that the object was made for.
  // `workspace`: cutlass_workspace_bytes() bytes, aligned to 128; contents never matter. Returns
  // null, or CUTLASS's error, which belongs to the object.
  virtual const Error* run(const GroupedProduct& args, std::byte* workspace,
                           CUstream_st* stream) noexcept = 0;
};

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_CUTLASS_GROUPED_H_
