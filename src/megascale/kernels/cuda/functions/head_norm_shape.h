#ifndef MEGASCALE_KERNELS_CUDA_FUNCTIONS_HEAD_NORM_SHAPE_H_
#define MEGASCALE_KERNELS_CUDA_FUNCTIONS_HEAD_NORM_SHAPE_H_

#include "megascale/kernels/cuda/functions/functions.h"
#include "megascale/kernels/cuda/head_norm.h"

// Translates the ops head_norm and head_norm_gradient into the shapes of head_norm.h. It needs no device:
// table.cpp sizes their scratch in every build.
namespace megascale::kernels::cuda {

// What is added to the weights of a norm.
[[nodiscard]] inline float gamma_offset(const KernelSpec& spec) {
  return static_cast<float>(spec.attributes->real(graph::attribute::gamma_offset, 0));
}
// `input`: the operand that holds the packed rows.
[[nodiscard]] inline HeadNormShape head_norm_shape(const KernelSpec& spec, std::size_t input) {
  namespace attribute = graph::attribute;
  return {.tokens = spec.size(input, 0),
          .query_heads = static_cast<std::size_t>(spec.attribute(attribute::heads)),
          .key_heads = static_cast<std::size_t>(spec.attribute(attribute::groups)),
          .head_size = static_cast<std::size_t>(spec.attribute(attribute::head_dim)),
          .whole = spec.attributes->integer(attribute::whole, 0) != 0,
          .gamma_offset = gamma_offset(spec),
          .ranks = static_cast<std::size_t>(spec.attributes->integer(attribute::ranks, 1)),
          .dtype = dtype_of(spec, input)};
}

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_FUNCTIONS_HEAD_NORM_SHAPE_H_
