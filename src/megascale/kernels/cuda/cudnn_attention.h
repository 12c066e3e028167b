#ifndef MEGASCALE_KERNELS_CUDA_CUDNN_ATTENTION_H_
#define MEGASCALE_KERNELS_CUDA_CUDNN_ATTENTION_H_

#include <cstdint>
#include <memory>
#include <string>

#include "megascale/base/error.h"
#include "megascale/kernels/cuda/cudnn_parts.h"

struct CUstream_st;

// The attention of attention.h by cuDNN's graph API, which uses the matrix units. It serves
// bfloat16; a mask (document_mask.h) stands for the segments. An object computes one direction (forward or backward) of one part of one shape.
// Only the thread that made it may use it.
// Bits  equal from run to run on the same device with the same version of cuDNN, but for a gradient
//       that need not be deterministic; they differ from those of attention.h.
namespace megascale::kernels::cuda {

class CudnnAttention {
 public:
  // Builds the object; the first one takes about a second. Needs cudnn_serves(call.shape). Throws
  // Error(unsupported) if this build has no cuDNN or cuDNN refuses the shape. There is no fallback
  // to attention.h, which is many times slower: the user has to choose it (kernels.cudnn = false).
  [[nodiscard]] static std::unique_ptr<CudnnAttention> make(const CudnnCall& call);
  CudnnAttention() = default;
  CudnnAttention(const CudnnAttention&) = delete;
  CudnnAttention& operator=(const CudnnAttention&) = delete;
  virtual ~CudnnAttention() = default;

  [[nodiscard]] virtual std::size_t workspace_nbytes() const noexcept = 0;
  // Enqueues the computation of one part. `workspace` must have workspace_nbytes() bytes. Returns
  // null, or cuDNN's error, which belongs to the object.
  virtual const Error* run(const CudnnAddresses& addresses, std::byte* workspace,
                           CUstream_st* stream) noexcept = 0;
};

// The answer of cudnn-frontend when it validates the graph of a call. The frontend alone validates, so
// this needs no device; whether cuDNN has an engine for the graph stays open. Builds without
// cudnn-frontend have no such function.
struct CudnnGraphCheck {
  std::string refusal;  // the frontend's reason; empty if it accepts the graph
  std::string graph;    // the graph as JSON, with what the frontend has added to it
};
[[nodiscard]] CudnnGraphCheck check_cudnn_graph(const CudnnCall& call);

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_CUDNN_ATTENTION_H_
