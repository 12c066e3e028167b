// Task functions of the device for attention and its gradient, by cuDNN or by our own kernels
// (attention_operands.h decides). cuDNN's graphs are built when the op is prepared.
#include "megascale/kernels/cuda/attention.h"

#include <fmt/format.h>

#include <array>

#include "megascale/kernels/cuda/cudnn_attention.h"
#include "megascale/kernels/cuda/document_mask.h"
#include "megascale/kernels/cuda/functions/attention_operands.h"
#include "megascale/kernels/cuda/functions/functions.h"

namespace megascale::kernels::cuda {
namespace {

// The common part of the forward and the backward function. `cudnn_` is null if our own kernel runs
// the op.
class AttentionFunction : public TaskFunction {
 protected:
  // `qkv` and `segments` are operand numbers. Throws Error(unsupported) if cuDNN refuses the shape,
  // and Error(failed) if cuDNN needs more workspace than the plan has reserved.
  AttentionFunction(const KernelSpec& spec, std::size_t qkv, std::size_t segments,
                    Direction direction)
      : shape_(attention_shape(spec, qkv)), has_scratch_(spec.scratch_nbytes > 0) {
    if (!by_cudnn(spec, shape_)) return;
    const CudnnCall call = cudnn_call(spec, shape_, segments, direction);
    part_ = call.part;
    mask_nbytes_ = cudnn_mask_bytes(call);
    cudnn_ = CudnnAttention::make(call);
    if (mask_nbytes_ + cudnn_->workspace_nbytes() <= spec.scratch_nbytes) return;
    throw Error(ErrorCode::failed,
                fmt::format("cuDNN's attention asks for {} bytes of workspace, the plan has {}: "
                            "cudnn_workspace_bytes() is wrong for this shape",
                            cudnn_->workspace_nbytes(), spec.scratch_nbytes - mask_nbytes_));
  }
  // Returns the address of the scratch or workspace, or null if the op has none.
  [[nodiscard]] std::byte* room(const TaskArguments& a) const noexcept {
    return has_scratch_ ? scratch(a) : nullptr;
  }
  // Runs all parts by cuDNN, one after the other in the same workspace.
  template <class Operands>
  const Error* run_parts(const Operands& operands, const TaskArguments& a) noexcept {
    for (std::size_t batch = 0; batch < shape_.batch; batch += part_.batch) {
      if (mask_nbytes_ > 0) {
        document_mask({.batch = part_.batch,
                       .sequence = shape_.sequence,
                       .window = shape_.window,
                       .segments = operands.segments + batch * shape_.sequence,
                       .mask = room(a)},
                      a.stream);
      }
      for (std::size_t head = 0; head < shape_.kv_heads; head += part_.kv_heads) {
        CudnnAddresses addresses = addresses_of(shape_, operands, batch, head);
        if (mask_nbytes_ > 0) addresses.mask = room(a);
        const Error* error = cudnn_->run(addresses, room(a) + mask_nbytes_, a.stream);
        if (error != nullptr) return error;
      }
    }
    return nullptr;
  }
  AttentionShape shape_;
  bool has_scratch_;
  AttentionPart part_;
  std::size_t mask_nbytes_ = 0;  // in front of cuDNN's workspace; 0: no segments
  std::unique_ptr<CudnnAttention> cudnn_;
};

class Forward final : public AttentionFunction {
 public:
  explicit Forward(const KernelSpec& spec)
      : AttentionFunction(spec, graph::attention::qkv, graph::attention::segments,
                          Direction::forward) {}
  const Error* run(const TaskArguments& a) noexcept override {
    using enum graph::attention::Operand;
    const AttentionForward bound{.qkv = raw(a, qkv),
                                 .segments = i32(a, segments),
                                 .o = raw(a, output),
                                 .lse = f32(a, logsumexp)};
    if (cudnn_ != nullptr) return run_parts(bound, a);
    attention_forward(shape_, bound, a.stream);
    return nullptr;
  }
};

class Gradient final : public AttentionFunction {
 public:
  explicit Gradient(const KernelSpec& spec)
      : AttentionFunction(spec, graph::attention_gradient::qkv, graph::attention_gradient::segments,
                          Direction::backward) {}
  const Error* run(const TaskArguments& a) noexcept override {
    using enum graph::attention_gradient::Operand;
    const AttentionBackward bound{.grad_o = raw(a, gradient),
                                  .qkv = raw(a, qkv),
                                  .segments = i32(a, segments),
                                  .o = raw(a, output),
                                  .lse = f32(a, logsumexp),
                                  .grad_qkv = raw(a, qkv_gradient),
                                  .scratch = reinterpret_cast<float*>(room(a))};
    if (cudnn_ != nullptr) return run_parts(bound, a);
    attention_backward(shape_, bound, a.stream);
    return nullptr;
  }
};

}  // namespace

std::span<const Prepare> attention_functions() {
  static constexpr std::array kFunctions{Prepare{"attention", make<Forward>},
                                         Prepare{"attention_gradient", make<Gradient>}};
  return kFunctions;
}

}  // namespace megascale::kernels::cuda
