#include <array>
#include <optional>

#include "megascale/kernels/cuda/elementwise.h"
#include "megascale/kernels/cuda/functions/linear_fp8.h"
#include "megascale/kernels/cuda/functions/linear_products.h"
#include "megascale/kernels/cuda/gemm_choices.h"

namespace megascale::kernels::cuda {
namespace {

GemmChoices* choices_of(const KernelSpec& spec) {
  return spec.gemm_choices.empty() ? nullptr : &GemmChoices::at(spec.gemm_choices);
}

// The product of an op, by way of 8-bit operands where the op says so.
class OpProduct {
 public:
  OpProduct(const KernelSpec& spec, const GemmConfig& config) {
    if (is_fp8(spec)) {
      fp8_.emplace(config, choices_of(spec));
    } else {
      gemm_.emplace(config, choices_of(spec));
    }
  }
  const Error* run(GemmOperands operands, const TaskArguments& a) const noexcept {
    if (fp8_) return fp8_->run(operands, scratch(a), a.stream);
    operands.workspace = scratch(a);
    return gemm_->run(operands, a.stream);
  }

 private:
  std::optional<Gemm> gemm_;
  std::optional<Fp8Product> fp8_;
};

// An op that is one product. `kOperands` lists the operands of its kind.
template <GemmConfig (*kConfig)(const KernelSpec&), GemmOperands (*kOperands)(const TaskArguments&)>
class Product final : public TaskFunction {
 public:
  explicit Product(const KernelSpec& spec) : product_(spec, kConfig(spec)) {}
  const Error* run(const TaskArguments& a) noexcept override {
    return product_.run(kOperands(a), a);
  }

 private:
  OpProduct product_;
};

GemmOperands forward(const TaskArguments& a) {
  using enum graph::linear::Operand;
  return {.left = raw(a, input),
          .right = raw(a, weight),
          .bias = raw(a, bias),
          .result = raw(a, output)};
}
GemmOperands forward_add(const TaskArguments& a) {
  using enum graph::linear_add::Operand;
  return {.left = raw(a, input),
          .right = raw(a, weight),
          .bias = raw(a, bias),
          .addend = raw(a, addend),
          .result = raw(a, output)};
}
GemmOperands forward_gelu(const TaskArguments& a) {
  using enum graph::linear_gelu::Operand;
  return {.left = raw(a, input),
          .right = raw(a, weight),
          .bias = raw(a, bias),
          .sum = raw(a, sum),
          .result = raw(a, output)};
}
GemmOperands input_gradient_operands(const TaskArguments& a) {
  using enum graph::linear_input_gradient::Operand;
  return {.left = raw(a, gradient),
          .right = raw(a, weight),
          .addend = raw(a, addend),
          .result = raw(a, input_gradient)};
}
GemmOperands gelu_gradient_operands(const TaskArguments& a) {
  using enum graph::linear_gelu_gradient::Operand;
  return {.left = raw(a, gradient),
          .right = raw(a, weight),
          .sum = raw(a, sum),
          .result = raw(a, sum_gradient)};
}

class WeightGradient final : public TaskFunction {
 public:
  explicit WeightGradient(const KernelSpec& spec)
      : write_(spec, weight_gradient_product(spec, false)),
        add_(spec, weight_gradient_product(spec, true)),
        bias_{.tokens = spec.size(graph::linear_weight_gradient::gradient, 0),
              .channels = spec.size(graph::linear_weight_gradient::gradient, 1),
              .dtype = dtype_of(spec, graph::linear_weight_gradient::gradient)} {}
  const Error* run(const TaskArguments& a) noexcept override {
    using enum graph::linear_weight_gradient::Operand;
    const Error* error = (a.first ? write_ : add_)
                             .run({.left = raw(a, gradient),
                                   .right = raw(a, input),
                                   .result = raw(a, weight_gradient)},
                                  a);
    if (error != nullptr || raw(a, bias_gradient) == nullptr) return error;
    ColumnSum sum = bias_;
    sum.x = raw(a, gradient);
    sum.result = f32(a, bias_gradient);
    sum.accumulate = !a.first;
    sum.scratch = reinterpret_cast<float*>(scratch(a));  // the product before it is done with it
    column_sum(sum, a.stream);
    return nullptr;
  }

 private:
  OpProduct write_, add_;
  ColumnSum bias_;
};

}  // namespace

std::span<const Prepare> linear_functions() {
  static constexpr std::array kFunctions{
      Prepare{"linear", make<Product<forward_product<graph::linear::Operand>, forward>>},
      Prepare{"linear_add", make<Product<forward_add_product, forward_add>>},
      Prepare{"linear_gelu", make<Product<forward_gelu_product, forward_gelu>>},
      Prepare{"linear_input_gradient",
              make<Product<input_gradient_product, input_gradient_operands>>},
      Prepare{"linear_gelu_gradient",
              make<Product<input_gradient_gelu_product, gelu_gradient_operands>>},
      Prepare{"linear_weight_gradient", make<WeightGradient>}};
  return kFunctions;
}

}  // namespace megascale::kernels::cuda
