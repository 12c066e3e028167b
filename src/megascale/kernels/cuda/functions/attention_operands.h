#ifndef MEGASCALE_KERNELS_CUDA_FUNCTIONS_ATTENTION_OPERANDS_H_
#define MEGASCALE_KERNELS_CUDA_FUNCTIONS_ATTENTION_OPERANDS_H_

#include <algorithm>
#include <string>

#include "megascale/graph/attention_row.h"
#include "megascale/kernels/cuda/attention.h"
#include "megascale/kernels/cuda/cudnn_parts.h"
#include "megascale/kernels/kernel.h"

// Translates the ops attention and attention_gradient into the shapes of attention.h, and decides
// between cuDNN and our own kernels. It needs no device, since scratch is planned in every build.
namespace megascale::kernels::cuda {

// Returns the sizes of attention, from the op's attributes and the shape of operand number `qkv`.
// Throws Error(unsupported) if heads have more channels than kMostHeadSize.
inline AttentionShape attention_shape(const KernelSpec& spec, std::size_t qkv) {
  const auto sequence = static_cast<std::size_t>(spec.attribute(graph::attribute::sequence));
  const graph::AttentionRow row = graph::attention_row(*spec.attributes);
  const AttentionShape shape{
      .batch = spec.size(qkv, 0) / sequence,
      .sequence = sequence,
      .query_heads = static_cast<std::size_t>(row.heads),
      .kv_heads = static_cast<std::size_t>(row.groups),
      .head_size = static_cast<std::size_t>(row.head_dim),
      .value_size = static_cast<std::size_t>(row.value_dim),
      .window = static_cast<std::size_t>(spec.attribute(graph::attribute::window)),
      .scale = static_cast<float>(spec.attributes->real(graph::attribute::scale, 0)),
      .soft_cap = static_cast<float>(spec.attributes->real(graph::attribute::soft_cap, 0)),
      .dtype = spec.tensors[qkv]->dtype};
  if (const std::size_t size = std::max(shape.head_size, shape.value_size); size > kMostHeadSize) {
    throw Error(ErrorCode::unsupported,
                "attention on a device has heads of at most 256, found " + std::to_string(size));
  }
  return shape;
}

// Returns whether cuDNN runs the op; otherwise our own kernels do. The answer is the same in every
// build.
[[nodiscard]] inline bool by_cudnn(const KernelSpec& spec, const AttentionShape& shape) {
  return spec.cudnn && cudnn_serves(shape);
}

// Returns what one call of cuDNN computes of the op. `segments` is the number of the operand of that
// name, which may be absent.
[[nodiscard]] inline CudnnCall cudnn_call(const KernelSpec& spec, const AttentionShape& shape,
                                          std::size_t segments, Direction direction) {
  const bool masked = spec.has(segments);
  return {.shape = shape,
          .part = cudnn_part(shape, direction, spec.deterministic, masked),
          .direction = direction,
          .deterministic = spec.deterministic,
          .masked = masked};
}

// Returns the bytes of scratch of the op: a mask and cuDNN's workspace, or the scratch of our own
// kernels.
[[nodiscard]] inline std::size_t attention_scratch_bytes(const KernelSpec& spec, std::size_t qkv,
                                                         std::size_t segments,
                                                         Direction direction) {
  const AttentionShape shape = attention_shape(spec, qkv);
  if (by_cudnn(spec, shape)) {
    const CudnnCall call = cudnn_call(spec, shape, segments, direction);
    return cudnn_mask_bytes(call) + cudnn_workspace_bytes(call);
  }
  return direction == Direction::backward ? attention_backward_scratch_bytes(shape) : 0;
}

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_FUNCTIONS_ATTENTION_OPERANDS_H_
