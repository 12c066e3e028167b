// What NVIDIA's libraries compute, by plain loops.
#include <algorithm>
#include <optional>

#include "cuda/emulation/device_words.h"
#include "megascale/kernels/cuda/cudnn_attention.h"
#include "megascale/kernels/cuda/gemm.h"

namespace megascale::kernels::cuda {
namespace {

float value_at(const void* data, DType dtype, std::size_t i) {
  if (dtype == DType::float32) return static_cast<const float*>(data)[i];
  return __uint_as_float(static_cast<unsigned>(static_cast<const std::uint16_t*>(data)[i]) << 16U);
}
void put(void* data, DType dtype, std::size_t i, float value) {
  if (dtype == DType::float32) {
    static_cast<float*>(data)[i] = value;
    return;
  }
  const unsigned bits = __float_as_uint(value);
  static_cast<std::uint16_t*>(data)[i] =
      static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U);
}

// By tanh.
constexpr float kFactor = 0.7978845608F, kCube = 0.044715F;
float gelu(float x) { return 0.5F * x * (1 + std::tanh(kFactor * (x + kCube * x * x * x))); }
float gelu_slope(float x) {
  const float t = std::tanh(kFactor * (x + kCube * x * x * x));
  return 0.5F * (1 + t) + 0.5F * x * (1 - t * t) * kFactor * (1 + 3 * kCube * x * x);
}

float value_of(std::uint8_t bits, bool is_e5m2) {
  const int mantissa = is_e5m2 ? 2 : 3, bias = is_e5m2 ? 15 : 7;
  const int digits = bits & ((1 << mantissa) - 1), exponent = (bits & 0x7F) >> mantissa;
  const float sign = (bits & 0x80U) != 0 ? -1.0F : 1.0F;
  if (is_e5m2 ? exponent == 31 : (bits & 0x7F) == 0x7F) return NAN;
  const int hidden = exponent == 0 ? 0 : 1 << mantissa;
  return sign *
         std::ldexp(static_cast<float>(hidden + digits), std::max(exponent, 1) - bias - mantissa);
}

// Of fp8: both operands with the terms side by side.
void multiply_fp8(const GemmConfig& c, const GemmOperands& o) {
  std::memset(o.workspace, 0xFF, 64);
  const bool forward = c.kind == GemmKind::forward, weight = c.kind == GemmKind::weight_gradient;
  const std::size_t rows = weight ? c.out : c.rows, columns = forward ? c.out : c.in,
                    terms = forward  ? c.in
                            : weight ? c.rows
                                     : c.out;
  const auto* left = static_cast<const std::uint8_t*>(o.left);
  const auto* right = static_cast<const std::uint8_t*>(o.right);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t n = 0; n < columns; ++n) {
      float sum = 0;
      for (std::size_t k = 0; k < terms; ++k)
        sum += value_of(left[r * terms + k], !forward) * value_of(right[n * terms + k], false);
      sum *= *o.left_inverse * *o.right_inverse;
      const std::size_t at = r * columns + n;
      const DType type = weight ? DType::float32 : c.dtype;
      if (c.bias) sum += value_at(o.bias, c.dtype, n);
      if (c.accumulate) sum += value_at(weight ? o.result : o.addend, type, at);
      put(o.result, type, at, sum);
    }
  }
}

void multiply(const GemmConfig& c, const GemmOperands& o) {
  // Not what is in the workspace, nor before it.
  std::memset(o.workspace, 0xFF, 64);
  const bool weight = c.kind == GemmKind::weight_gradient;
  const std::size_t rows = weight ? c.out : c.rows,
                    columns = c.kind == GemmKind::forward ? c.out : c.in,
                    terms = c.kind == GemmKind::forward          ? c.in
                            : c.kind == GemmKind::input_gradient ? c.out
                                                                 : c.rows;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t n = 0; n < columns; ++n) {
      float sum = 0;
      for (std::size_t k = 0; k < terms; ++k) {
        const std::size_t left = weight ? k * c.out + r : r * terms + k;
        const std::size_t right = c.kind == GemmKind::forward ? n * c.in + k : k * c.in + n;
        sum += value_at(o.left, c.dtype, left) * value_at(o.right, c.dtype, right);
      }
      const std::size_t at = r * columns + n;
      const DType type = weight ? DType::float32 : c.dtype;
      if (c.bias) sum += value_at(o.bias, c.dtype, n);
      if (c.accumulate) sum += value_at(weight ? o.result : o.addend, type, at);
      if (c.gelu && c.kind == GemmKind::forward) {
        put(o.sum, type, at, sum);
        sum = gelu(sum);
      } else if (c.gelu) {
        sum *= gelu_slope(value_at(o.sum, type, at));
      }
      put(o.result, type, at, sum);
    }
  }
}

}  // namespace

struct Gemm::Impl {
  GemmConfig config;
};
Gemm::Gemm(const GemmConfig& config, GemmChoices*) : impl_(std::make_unique<Impl>(Impl{config})) {}
Gemm::~Gemm() = default;
Gemm::Gemm(Gemm&&) noexcept = default;
const Error* Gemm::run(const GemmOperands& operands, CUstream_st* stream) const noexcept {
  emulation::enqueue(stream, [config = impl_->config, operands] {
    (config.fp8 ? multiply_fp8 : multiply)(config, operands);
  });
  return nullptr;
}

// There is none to emulate: our own kernels compute all attention.
std::unique_ptr<CudnnAttention> CudnnAttention::make(const AttentionShape&, Direction) {
  return nullptr;
}

}  // namespace megascale::kernels::cuda
