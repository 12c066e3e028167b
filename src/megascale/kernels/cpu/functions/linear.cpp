#include <algorithm>
#include <array>
#include <cstring>

#include "megascale/kernels/cpu/activation.h"
#include "megascale/kernels/cpu/column_sum.h"
#include "megascale/kernels/cpu/elementwise.h"
#include "megascale/kernels/cpu/functions/functions.h"
#include "megascale/kernels/cpu/gemm.h"

namespace megascale::kernels::cpu {
namespace {

GemmConfig forward_config(const KernelSpec& spec) {
  return {.kind = GemmKind::forward,
          .rows = spec.size(0, 0),
          .in = spec.size(1, 1),
          .out = spec.size(1, 0),
          .bias = spec.has(2),
          .dynamic_rows = !spec.counted.empty(),
          .matrix_unit = spec.matrix_unit,
          .threads = spec.threads};
}

// A product may need no scratch; then the plan gives none, and the last operand is another one.
class GemmScratch {
 public:
  explicit GemmScratch(const KernelSpec& spec) : given_(spec.scratch_nbytes > 0) {}
  [[nodiscard]] std::byte* operator()(const TaskArguments& a) const noexcept {
    return given_ ? a.operands.back() : nullptr;
  }

 private:
  bool given_;
};

std::unique_ptr<TaskFunction> prepare_forward(const KernelSpec& spec) {
  return function([gemm = Gemm(forward_config(spec)), rows = Rows(spec, 0),
                   scratch = GemmScratch(spec)](const TaskArguments& a) {
    gemm.run({.left = f32(a, 0),
              .right = f32(a, 1),
              .bias = f32(a, 2),
              .result = f32(a, 3),
              .scratch = scratch(a),
              .rows = rows(a)});
  });
}
std::uint64_t scratch_forward(const KernelSpec& spec) {
  return gemm_scratch_bytes(forward_config(spec));
}

// One after the other: what a device fuses is checked against these.
std::unique_ptr<TaskFunction> prepare_add_forward(const KernelSpec& spec) {
  return function([gemm = Gemm(forward_config(spec)), scratch = GemmScratch(spec),
                   rows = spec.size(4, 0), channels = spec.size(4, 1)](const TaskArguments& a) {
    gemm.run({.left = f32(a, 0),
              .right = f32(a, 1),
              .bias = f32(a, 2),
              .result = f32(a, 4),
              .scratch = scratch(a)});
    add({.tokens = rows, .channels = channels, .a = f32(a, 3), .b = f32(a, 4), .y = f32(a, 4)});
  });
}
std::unique_ptr<TaskFunction> prepare_gelu_forward(const KernelSpec& spec) {
  return function([gemm = Gemm(forward_config(spec)), scratch = GemmScratch(spec),
                   rows = spec.size(3, 0), channels = spec.size(3, 1)](const TaskArguments& a) {
    gemm.run({.left = f32(a, 0),
              .right = f32(a, 1),
              .bias = f32(a, 2),
              .result = f32(a, 3),
              .scratch = scratch(a)});
    gelu_forward({.tokens = rows, .channels = channels, .x = f32(a, 3), .y = f32(a, 4)});
  });
}

// `accumulate`: the op has an addend.
GemmConfig input_gradient_config(const KernelSpec& spec, bool accumulate) {
  return {.kind = GemmKind::input_gradient,
          .rows = spec.size(0, 0),
          .in = spec.size(1, 1),
          .out = spec.size(1, 0),
          .accumulate = accumulate,
          .matrix_unit = spec.matrix_unit,
          .threads = spec.threads};
}

std::unique_ptr<TaskFunction> prepare_input_gradient(const KernelSpec& spec) {
  return function([gemm = Gemm(input_gradient_config(spec, spec.has(2))), nbytes = spec.nbytes[3],
                   scratch = GemmScratch(spec)](const TaskArguments& a) {
    // The plan lays result and addend on the same bytes wherever nobody reads the addend
    // afterwards.
    if (a.operands[2] != nullptr && a.operands[2] != a.operands[3])
      std::memcpy(a.operands[3], a.operands[2], nbytes);
    gemm.run({.left = f32(a, 0), .right = f32(a, 1), .result = f32(a, 3), .scratch = scratch(a)});
  });
}
std::uint64_t scratch_input_gradient(const KernelSpec& spec) {
  return gemm_scratch_bytes(input_gradient_config(spec, spec.has(2)));
}

std::unique_ptr<TaskFunction> prepare_gelu_gradient(const KernelSpec& spec) {
  return function([gemm = Gemm(input_gradient_config(spec, false)), scratch = GemmScratch(spec),
                   rows = spec.size(3, 0), channels = spec.size(3, 1)](const TaskArguments& a) {
    gemm.run({.left = f32(a, 0), .right = f32(a, 1), .result = f32(a, 3), .scratch = scratch(a)});
    gelu_backward(
        {.tokens = rows, .channels = channels, .dy = f32(a, 3), .x = f32(a, 2), .dx = f32(a, 3)});
  });
}
std::uint64_t scratch_gelu_gradient(const KernelSpec& spec) {
  return gemm_scratch_bytes(input_gradient_config(spec, false));
}

GemmConfig weight_gradient_config(const KernelSpec& spec, bool accumulate) {
  return {.kind = GemmKind::weight_gradient,
          .rows = spec.size(0, 0),
          .in = spec.size(1, 1),
          .out = spec.size(0, 1),
          .accumulate = accumulate,
          .matrix_unit = spec.matrix_unit,
          .threads = spec.threads};
}

std::unique_ptr<TaskFunction> prepare_weight_gradient(const KernelSpec& spec) {
  return function([write = Gemm(weight_gradient_config(spec, false)),
                   add = Gemm(weight_gradient_config(spec, true)), tokens = spec.size(0, 0),
                   outputs = spec.size(0, 1), given = GemmScratch(spec)](const TaskArguments& a) {
    (a.first ? write : add)
        .run({.left = f32(a, 0), .right = f32(a, 1), .result = f32(a, 2), .scratch = given(a)});
    if (a.operands[3] == nullptr) return;
    column_sum({.tokens = tokens,
                .channels = outputs,
                .stride = outputs,
                .x = f32(a, 0),
                .result = f32(a, 3),
                .accumulate = !a.first,
                .scratch = scratch(a)});
  });
}
std::uint64_t scratch_weight_gradient(const KernelSpec& spec) {
  const std::size_t gemm = std::max(gemm_scratch_bytes(weight_gradient_config(spec, false)),
                                    gemm_scratch_bytes(weight_gradient_config(spec, true)));
  return spec.has(3) ? std::max(gemm, column_sum_scratch_bytes(spec.size(0, 0), spec.size(0, 1)))
                     : gemm;
}

}  // namespace

std::span<const Kernel> linear_kernels() {
  static constexpr std::array kKernels{
      Kernel{"linear", Device::cpu, prepare_forward, scratch_forward},
      Kernel{"linear_input_gradient", Device::cpu, prepare_input_gradient, scratch_input_gradient},
      Kernel{"linear_add", Device::cpu, prepare_add_forward, scratch_forward},
      Kernel{"linear_gelu", Device::cpu, prepare_gelu_forward, scratch_forward},
      Kernel{"linear_gelu_gradient", Device::cpu, prepare_gelu_gradient, scratch_gelu_gradient},
      Kernel{"linear_weight_gradient", Device::cpu, prepare_weight_gradient,
             scratch_weight_gradient}};
  return kKernels;
}

}  // namespace megascale::kernels::cpu
