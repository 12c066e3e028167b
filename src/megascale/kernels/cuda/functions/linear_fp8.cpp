// Rounds both operands of a product to 8 bits, with the summed dimension contiguous, and multiplies
// them by Gemm.
#include "megascale/kernels/cuda/functions/linear_fp8.h"

#include <fmt/format.h>

namespace megascale::kernels::cuda {
namespace {

GemmConfig as_fp8(GemmConfig config) {
  if (config.rows % 16 != 0 || config.in % 16 != 0 || config.out % 16 != 0 ||
      config.dtype != DType::bfloat16) {
    throw Error(ErrorCode::unsupported,
                fmt::format("a product with 8-bit operands (model.fp8): expected bfloat16 and "
                            "multiples of 16, found {} of {} rows, {} inputs, {} outputs",
                            to_string(config.dtype), config.rows, config.in, config.out));
  }
  config.fp8 = true;
  return config;
}

}  // namespace

Fp8Product::Fp8Product(GemmConfig config, GemmChoices* choices)
    : config_(as_fp8(config)), layout_(config_), gemm_(config_, choices) {}

// The summed dimension must be contiguous in both operands. In the forward that is so already. The
// weight of an input gradient, and both operands of a weight gradient, are transposed.
void Fp8Product::round(const GemmOperands& from, std::byte* scratch,
                       CUstream_st* stream) const noexcept {
  const bool is_forward = config_.kind == GemmKind::forward;
  const bool is_weight = config_.kind == GemmKind::weight_gradient;
  auto* scales = reinterpret_cast<QuantisedScale*>(scratch + layout_.scales);
  auto* parts = reinterpret_cast<float*>(scratch + layout_.parts);
  std::byte* const left = scratch + layout_.left;
  std::byte* const right = scratch + layout_.right;
  quantise({.rows = config_.rows,
            .columns = is_forward ? config_.in : config_.out,
            .format = is_forward ? Float8::e4m3 : Float8::e5m2,
            .x = from.left,
            .out = is_weight ? nullptr : left,
            .transposed = is_weight ? left : nullptr,
            .scale = &scales[0],
            .scratch = parts},
           stream);
  quantise({.rows = is_weight ? config_.rows : config_.out,
            .columns = config_.in,
            .format = Float8::e4m3,
            .x = from.right,
            .out = is_forward ? right : nullptr,
            .transposed = is_forward ? nullptr : right,
            .scale = &scales[1],
            .scratch = parts},
           stream);
}

const Error* Fp8Product::run(GemmOperands operands, std::byte* scratch,
                             CUstream_st* stream) const noexcept {
  round(operands, scratch, stream);
  const auto* scales = reinterpret_cast<const QuantisedScale*>(scratch + layout_.scales);
  operands.left = scratch + layout_.left;
  operands.right = scratch + layout_.right;
  operands.left_inverse = &scales[0].inverse;
  operands.right_inverse = &scales[1].inverse;
  operands.workspace = scratch;
  return gemm_.run(operands, stream);
}

}  // namespace megascale::kernels::cuda
