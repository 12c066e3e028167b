// What NVIDIA's libraries compute, by plain loops.
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
  emulation::enqueue(stream, [config = impl_->config, operands] { multiply(config, operands); });
  return nullptr;
}

// There is none to emulate: our own kernels compute all attention.
std::unique_ptr<CudnnAttention> CudnnAttention::make(const AttentionShape&, Direction) {
  return nullptr;
}

}  // namespace megascale::kernels::cuda
