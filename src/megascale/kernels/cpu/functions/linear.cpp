// Task functions of the CPU for linear layers: the three matrix products (forward, input gradient,
// weight gradient), and the ops that join a product with the op next to it (linear_add, linear_gelu
// and its gradient). Products are prepared once and run by Gemm. The gradient of the bias is a
// column sum in the task of the weight gradient; it runs after the product and uses the same
// scratch.
#include <algorithm>
#include <array>
#include <cstring>

#include "megascale/kernels/cpu/activation.h"
#include "megascale/kernels/cpu/column_sum.h"
#include "megascale/kernels/cpu/dot_rows.h"
#include "megascale/kernels/cpu/elementwise.h"
#include "megascale/kernels/cpu/functions/functions.h"
#include "megascale/kernels/cpu/gemm.h"

namespace megascale::kernels::cpu {
namespace {

// Returns the forward product of linear, linear_add or linear_gelu. `Operand` is the op kind's
// enumeration of operands.
template <class Operand>
GemmConfig forward_config(const KernelSpec& spec) {
  return {.kind = GemmKind::forward,
          .rows = spec.size(Operand::input, 0),
          .in = spec.size(Operand::weight, 1),
          .out = spec.size(Operand::weight, 0),
          .bias = spec.has(Operand::bias),
          .dynamic_rows = !spec.counted.empty(),
          .matrix_unit = spec.matrix_unit,
          .threads = spec.threads};
}

// The address of a product's scratch. If the product needs none, the plan gives the op none; the
// last operand is then another one, and the address is null.
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
  using enum graph::linear::Operand;
  return function([gemm = Gemm(forward_config<graph::linear::Operand>(spec)),
                   separate = spec.attributes->integer(graph::attribute::separate_rows, 0) != 0,
                   rows = Rows(spec, input), scratch = GemmScratch(spec)](const TaskArguments& a) {
    if (separate && rows(a) <= kDotRowsMost) {
      return multiply_dot_rows({.x = f32(a, input),
                                .w = f32(a, weight),
                                .bias = f32(a, bias),
                                .y = f32(a, output),
                                .rows = rows(a),
                                .in = gemm.config().in,
                                .out = gemm.config().out});
    }
    gemm.run({.left = f32(a, input),
              .right = f32(a, weight),
              .bias = f32(a, bias),
              .result = f32(a, output),
              .scratch = scratch(a),
              .rows = rows(a)});
  });
}
template <class Operand>
std::uint64_t scratch_forward(const KernelSpec& spec) {
  return gemm_scratch_bytes(forward_config<Operand>(spec));
}

// linear_add and linear_gelu are fused on devices only. On the CPU the product and the sum (or
// GELU) run one after the other; tests compare the fused kernels of devices with these functions.
std::unique_ptr<TaskFunction> prepare_add_forward(const KernelSpec& spec) {
  using enum graph::linear_add::Operand;
  return function([gemm = Gemm(forward_config<graph::linear_add::Operand>(spec)),
                   scratch = GemmScratch(spec), rows = Rows(spec, output),
                   channels = spec.size(output, 1)](const TaskArguments& a) {
    const std::size_t tokens = rows(a);
    gemm.run({.left = f32(a, input),
              .right = f32(a, weight),
              .bias = f32(a, bias),
              .result = f32(a, output),
              .scratch = scratch(a),
              .rows = tokens});
    add({.tokens = tokens,
         .channels = channels,
         .a = f32(a, addend),
         .b = f32(a, output),
         .y = f32(a, output)});
  });
}
std::unique_ptr<TaskFunction> prepare_gelu_forward(const KernelSpec& spec) {
  using enum graph::linear_gelu::Operand;
  return function([gemm = Gemm(forward_config<graph::linear_gelu::Operand>(spec)),
                   scratch = GemmScratch(spec), rows = Rows(spec, sum),
                   channels = spec.size(sum, 1)](const TaskArguments& a) {
    const std::size_t tokens = rows(a);
    gemm.run({.left = f32(a, input),
              .right = f32(a, weight),
              .bias = f32(a, bias),
              .result = f32(a, sum),
              .scratch = scratch(a),
              .rows = tokens});
    gelu_forward({.tokens = tokens, .channels = channels, .x = f32(a, sum), .y = f32(a, output)});
  });
}

// Returns the product dx = dy W. `accumulate`: the product is added to the old content of dx.
template <class Operand>
GemmConfig input_gradient_config(const KernelSpec& spec, bool accumulate) {
  return {.kind = GemmKind::input_gradient,
          .rows = spec.size(Operand::gradient, 0),
          .in = spec.size(Operand::weight, 1),
          .out = spec.size(Operand::weight, 0),
          .accumulate = accumulate,
          .dynamic_rows = !spec.counted.empty(),
          .matrix_unit = spec.matrix_unit,
          .threads = spec.threads};
}

std::unique_ptr<TaskFunction> prepare_input_gradient(const KernelSpec& spec) {
  using enum graph::linear_input_gradient::Operand;
  using Names = graph::linear_input_gradient::Operand;
  return function([gemm = Gemm(input_gradient_config<Names>(spec, spec.has(addend))),
                   rows = Rows(spec, gradient),
                   row_nbytes = spec.size(input_gradient, 1) * sizeof(float),
                   scratch = GemmScratch(spec)](const TaskArguments& a) {
    const std::size_t tokens = rows(a);
    // The product is added to its result, so the addend must be there first. The plan places both
    // on the same bytes if no later task reads the addend; then no copy is needed.
    if (a.operands[addend] != nullptr && a.operands[addend] != a.operands[input_gradient])
      std::memcpy(a.operands[input_gradient], a.operands[addend], tokens * row_nbytes);
    gemm.run({.left = f32(a, gradient),
              .right = f32(a, weight),
              .result = f32(a, input_gradient),
              .scratch = scratch(a),
              .rows = tokens});
  });
}
std::uint64_t scratch_input_gradient(const KernelSpec& spec) {
  using enum graph::linear_input_gradient::Operand;
  return gemm_scratch_bytes(
      input_gradient_config<graph::linear_input_gradient::Operand>(spec, spec.has(addend)));
}

std::unique_ptr<TaskFunction> prepare_gelu_gradient(const KernelSpec& spec) {
  using enum graph::linear_gelu_gradient::Operand;
  using Names = graph::linear_gelu_gradient::Operand;
  return function([gemm = Gemm(input_gradient_config<Names>(spec, false)),
                   scratch = GemmScratch(spec), rows = Rows(spec, sum_gradient),
                   channels = spec.size(sum_gradient, 1)](const TaskArguments& a) {
    const std::size_t tokens = rows(a);
    gemm.run({.left = f32(a, gradient),
              .right = f32(a, weight),
              .result = f32(a, sum_gradient),
              .scratch = scratch(a),
              .rows = tokens});
    gelu_backward({.tokens = tokens,
                   .channels = channels,
                   .dy = f32(a, sum_gradient),
                   .x = f32(a, sum),
                   .dx = f32(a, sum_gradient)});
  });
}
std::uint64_t scratch_gelu_gradient(const KernelSpec& spec) {
  return gemm_scratch_bytes(
      input_gradient_config<graph::linear_gelu_gradient::Operand>(spec, false));
}

GemmConfig weight_gradient_config(const KernelSpec& spec, bool accumulate) {
  using enum graph::linear_weight_gradient::Operand;
  return {.kind = GemmKind::weight_gradient,
          .rows = spec.size(gradient, 0),
          .in = spec.size(input, 1),
          .out = spec.size(gradient, 1),
          .accumulate = accumulate,
          .dynamic_rows = !spec.counted.empty(),
          .matrix_unit = spec.matrix_unit,
          .threads = spec.threads};
}

std::unique_ptr<TaskFunction> prepare_weight_gradient(const KernelSpec& spec) {
  using enum graph::linear_weight_gradient::Operand;
  return function([write = Gemm(weight_gradient_config(spec, false)),
                   accumulate = Gemm(weight_gradient_config(spec, true)),
                   rows = Rows(spec, gradient), outputs = spec.size(gradient, 1),
                   given = GemmScratch(spec)](const TaskArguments& a) {
    const std::size_t tokens = rows(a);
    (a.first ? write : accumulate)
        .run({.left = f32(a, gradient),
              .right = f32(a, input),
              .result = f32(a, weight_gradient),
              .scratch = given(a),
              .rows = tokens});
    if (a.operands[bias_gradient] == nullptr) return;
    column_sum({.tokens = tokens,
                .channels = outputs,
                .stride = outputs,
                .x = f32(a, gradient),
                .result = f32(a, bias_gradient),
                .accumulate = !a.first,
                .scratch = scratch(a)});
  });
}
std::uint64_t scratch_weight_gradient(const KernelSpec& spec) {
  using enum graph::linear_weight_gradient::Operand;
  const std::size_t gemm = std::max(gemm_scratch_bytes(weight_gradient_config(spec, false)),
                                    gemm_scratch_bytes(weight_gradient_config(spec, true)));
  return spec.has(bias_gradient) ? std::max<std::uint64_t>(gemm, column_sum_scratch(spec, gradient))
                                 : gemm;
}

}  // namespace

std::span<const Kernel> linear_kernels() {
  static constexpr std::array kKernels{
      Kernel{"linear", Device::cpu, prepare_forward, scratch_forward<graph::linear::Operand>,
             kCountedRows},
      Kernel{"linear_input_gradient", Device::cpu, prepare_input_gradient, scratch_input_gradient,
             kCountedRows},
      Kernel{"linear_add", Device::cpu, prepare_add_forward,
             scratch_forward<graph::linear_add::Operand>, kCountedRows},
      Kernel{"linear_gelu", Device::cpu, prepare_gelu_forward,
             scratch_forward<graph::linear_gelu::Operand>, kCountedRows},
      Kernel{"linear_gelu_gradient", Device::cpu, prepare_gelu_gradient, scratch_gelu_gradient,
             kCountedRows},
      Kernel{"linear_weight_gradient", Device::cpu, prepare_weight_gradient,
             scratch_weight_gradient, kCountedRows}};
  return kKernels;
}

}  // namespace megascale::kernels::cpu
