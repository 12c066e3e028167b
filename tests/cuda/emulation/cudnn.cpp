// Attention as cuDNN's graphs compute it, by plain loops over the strides of one part. It checks the
// rules that NVIDIA documents for the engines of Hopper, and asks for the workspace that they need.
#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "cuda/emulation/emulation.h"
#include "cuda/emulation/numbers.h"
#include "megascale/kernels/cuda/cudnn_attention.h"

namespace megascale::kernels::cuda {
namespace {

using emulation::of_bfloat16, emulation::to_bfloat16;

// The tensors of one part, in the order (batch, heads, sequence, head size).
struct Heads {
  void* data = nullptr;
  std::size_t batch = 0, head = 0, row = 0;  // strides, in elements

  [[nodiscard]] std::uint16_t* at(std::size_t b, std::size_t h, std::size_t i) const {
    return static_cast<std::uint16_t*>(data) + b * batch + h * head + i * row;
  }
};

// Computes a part; it has all that it needs, since it runs later.
class Part {
 public:
  Part(const CudnnCall& call, const CudnnAddresses& a)
      : call_(call),
        a_(a),
        q_(packed(a.q)),
        k_(packed(a.k)),
        v_(packed(a.v)),
        o_(output(a.o)),
        grad_o_(output(a.grad_o)) {}

  void operator()() const {
    const std::size_t of_group = s_.query_heads / s_.kv_heads;
    for (std::size_t b = 0; b < call_.part.batch; ++b) {
      for (std::size_t g = 0; g < call_.part.kv_heads; ++g) {
        if (call_.direction == Direction::forward) {
          for (std::size_t h = g * of_group; h < (g + 1) * of_group; ++h) forward(b, h, g);
        } else {
          backward(b, g, of_group);
        }
      }
    }
  }

 private:
  [[nodiscard]] Heads packed(void* data) const {
    return {data, s_.sequence * s_.row(), s_.head_size, s_.row()};
  }
  [[nodiscard]] Heads output(void* data) const {
    const std::size_t row = s_.query_heads * s_.head_size;
    return {data, s_.sequence * row, s_.head_size, row};
  }
  [[nodiscard]] float* stats(std::size_t b, std::size_t h) const {
    return static_cast<float*>(a_.stats) + (b * s_.query_heads + h) * s_.sequence;
  }
  [[nodiscard]] float dot(const std::uint16_t* x, const std::uint16_t* y) const {
    float sum = 0;
    for (std::size_t c = 0; c < s_.head_size; ++c) sum += of_bfloat16(x[c]) * of_bfloat16(y[c]);
    return sum;
  }
  // A graph with a mask does not know the window.
  [[nodiscard]] std::size_t first_key(std::size_t query) const {
    return !call_.masked && s_.window > 0 && query + 1 > s_.window ? query + 1 - s_.window : 0;
  }
  [[nodiscard]] float scale() const { return s_.factor(); }
  // Read when the part runs, like all that is in device memory.
  [[nodiscard]] float score(std::size_t b, std::size_t h, std::size_t g, std::size_t i,
                            std::size_t j) const {
    const float plain = scale() * dot(q_.at(b, h, i), k_.at(b, g, j));
    if (!call_.masked) return plain;
    const auto* mask = static_cast<const std::uint16_t*>(a_.mask);
    return plain + of_bfloat16(mask[(b * s_.sequence + i) * s_.sequence + j]);
  }

  void forward(std::size_t b, std::size_t h, std::size_t g) const {
    std::vector<float> scores(s_.sequence), sums(s_.head_size);
    for (std::size_t i = 0; i < s_.sequence; ++i) {
      float largest = -std::numeric_limits<float>::infinity(), total = 0;
      for (std::size_t j = first_key(i); j <= i; ++j) {
        scores[j] = score(b, h, g, i, j);
        largest = std::max(largest, scores[j]);
      }
      std::fill(sums.begin(), sums.end(), 0.0F);
      for (std::size_t j = first_key(i); j <= i; ++j) {
        const float weight = std::exp(scores[j] - largest);
        total += weight;
        for (std::size_t c = 0; c < s_.head_size; ++c)
          sums[c] += weight * of_bfloat16(v_.at(b, g, j)[c]);
      }
      for (std::size_t c = 0; c < s_.head_size; ++c)
        o_.at(b, h, i)[c] = to_bfloat16(sums[c] / total);
      stats(b, h)[i] = largest + std::log(total);
    }
  }

  // Of the keys of one head, and of all queries that read them.
  void backward(std::size_t b, std::size_t g, std::size_t of_group) const {
    const std::size_t width = s_.head_size;
    std::vector<float> grad_k(s_.sequence * width), grad_v(grad_k.size()), grad_q(width);
    for (std::size_t h = g * of_group; h < (g + 1) * of_group; ++h) {
      for (std::size_t i = 0; i < s_.sequence; ++i) {
        const float along_o = dot(grad_o_.at(b, h, i), o_.at(b, h, i));
        std::fill(grad_q.begin(), grad_q.end(), 0.0F);
        for (std::size_t j = first_key(i); j <= i; ++j) {
          const float p = std::exp(score(b, h, g, i, j) - stats(b, h)[i]);
          const float ds = p * (dot(grad_o_.at(b, h, i), v_.at(b, g, j)) - along_o) * scale();
          for (std::size_t c = 0; c < width; ++c) {
            grad_q[c] += ds * of_bfloat16(k_.at(b, g, j)[c]);
            grad_k[j * width + c] += ds * of_bfloat16(q_.at(b, h, i)[c]);
            grad_v[j * width + c] += p * of_bfloat16(grad_o_.at(b, h, i)[c]);
          }
        }
        put(packed(a_.grad_q).at(b, h, i), grad_q.data());
      }
    }
    for (std::size_t j = 0; j < s_.sequence; ++j) {
      put(packed(a_.grad_k).at(b, g, j), &grad_k[j * width]);
      put(packed(a_.grad_v).at(b, g, j), &grad_v[j * width]);
    }
  }
  void put(std::uint16_t* to, const float* values) const {
    for (std::size_t c = 0; c < s_.head_size; ++c) to[c] = to_bfloat16(values[c]);
  }

  CudnnCall call_;
  AttentionShape s_ = call_.shape;
  CudnnAddresses a_;
  Heads q_, k_, v_, o_, grad_o_;
};

class PartAttention final : public CudnnAttention {
 public:
  explicit PartAttention(const CudnnCall& call) : call_(call) {}

  // The sizes that cudnn_workspace_bytes() bounds, without its reserve.
  [[nodiscard]] std::size_t workspace_nbytes() const noexcept override {
    if (call_.direction == Direction::forward) return 0;
    const AttentionShape& s = call_.shape;
    const std::size_t heads = call_.part.batch * call_.part.kv_heads * (s.query_heads / s.kv_heads);
    const std::size_t padded = (s.sequence + 63) / 64 * 64;
    const std::size_t scores = call_.deterministic ? heads * padded * padded * 2 : 0;
    const std::size_t sums = s.kv_heads < s.query_heads ? 3 : 1;
    return scores + heads * s.sequence * (sums * s.head_size + 1) * sizeof(float);
  }
  const Error* run(const CudnnAddresses& a, std::byte* workspace,
                   CUstream_st* stream) noexcept override {
    if (emulation::is_refused("cudnnBackendExecute"))
      return refuse("cuDNN: cannot run attention: refused");
    if (call_.masked != (a.mask != nullptr))
      return refuse("cuDNN: cannot run attention: a mask that the graph does not have, or none");
    for (const void* address :
         {a.q, a.k, a.v, a.o, a.grad_o, a.grad_q, a.grad_k, a.grad_v, a.mask}) {
      if (!emulation::is_aligned(address, 16))
        return refuse("cuDNN: cannot run attention: an address is not a multiple of 16");
    }
    const std::size_t nbytes = workspace_nbytes();
    if (nbytes > 0 && (workspace == nullptr || !emulation::is_aligned(workspace, 16)))
      return refuse("cuDNN: cannot run attention: its workspace is not a multiple of 16");
    emulation::enqueue(stream, [part = Part(call_, a), workspace, nbytes] {
      if (nbytes > 0) std::memset(workspace, 0xFF, nbytes);  // parts leave nothing for each other
      part();
    });
    return nullptr;
  }

 private:
  const Error* refuse(const char* why) {
    error_ = Error(ErrorCode::failed, why);
    return &*error_;
  }
  CudnnCall call_;
  std::optional<Error> error_;
};

}  // namespace

std::unique_ptr<CudnnAttention> CudnnAttention::make(const CudnnCall& call) {
  const AttentionShape& s = call.shape;
  // cudnn-frontend 1.23, validation in scaled_dot_product_flash_attention.h.
  if (call.direction == Direction::backward && s.sequence == 1)
    throw Error(ErrorCode::unsupported, "cuDNN refuses attention: s_q = s_kv = 1 is not supported");
  const bool is_whole = s.batch % call.part.batch == 0 && s.kv_heads % call.part.kv_heads == 0 &&
                        s.query_heads % s.kv_heads == 0;
  if (!cudnn_serves(s) || !is_whole || emulation::is_refused("cudnnBackendFinalize")) {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("cuDNN refuses attention of {} x {} tokens, {} heads in {} groups, size {}; "
                    "kernels.cudnn = false runs our own kernels",
                    s.batch, s.sequence, s.query_heads, s.kv_heads, s.head_size));
  }
  return std::make_unique<PartAttention>(call);
}

}  // namespace megascale::kernels::cuda
