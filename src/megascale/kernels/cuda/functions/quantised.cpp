// Task functions of the device for products with 8-bit operands (model.fp8 = "hybrid"): the rounding of
// a matrix, and the products of what was rounded.
#include <array>
#include <memory>

#include "megascale/graph/ops/quantised_ops.h"
#include "megascale/kernels/cuda/functions/functions.h"
#include "megascale/kernels/cuda/functions/grouped_products.h"
#include "megascale/kernels/cuda/functions/linear_products.h"
#include "megascale/kernels/cuda/gemm.h"
#include "megascale/kernels/cuda/quantise.h"

namespace megascale::kernels::cuda {
namespace {

// The input is a matrix, or one for each expert.
std::unique_ptr<TaskFunction> prepare_quantise(const KernelSpec& spec) {
  using enum graph::quantise::Operand;
  const std::size_t rows_at = spec.tensors[input]->shape.size() - 2;
  const Quantise matrix{
      .matrices = quantised_matrices(spec),
      .rows = spec.size(input, rows_at),
      .columns = spec.size(input, rows_at + 1),
      .format = spec.attribute(graph::attribute::format) == 0 ? Float8::e4m3 : Float8::e5m2,
      .amax_count = spec.has(amax) ? spec.size(amax, 0) : 0};
  return function([rows = Rows(spec), matrix](const TaskArguments& a) {
    Quantise bound = matrix;
    bound.counted = rows(a);
    bound.x = raw(a, input);
    bound.out = raw(a, codes);
    bound.transposed = raw(a, transposed);
    bound.scale = reinterpret_cast<QuantisedScale*>(raw(a, scale));
    if (bound.amax_count > 0) {
      bound.amax = reinterpret_cast<const float*>(raw(a, amax));
    } else {
      bound.scratch = reinterpret_cast<float*>(scratch(a));
    }
    quantise(bound, a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_matrix_amax(const KernelSpec& spec) {
  using enum graph::matrix_amax::Operand;
  const MatrixAmax matrix{.rows = spec.size(input, 0), .columns = spec.size(input, 1)};
  return function([matrix](const TaskArguments& a) {
    MatrixAmax bound = matrix;
    bound.x = raw(a, input);
    bound.amax = reinterpret_cast<float*>(raw(a, amax));
    bound.scratch = reinterpret_cast<float*>(scratch(a));
    matrix_amax(bound, a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_transpose_codes(const KernelSpec& spec) {
  using enum graph::transpose_codes::Operand;
  return function(
      [rows = spec.size(codes, 0), columns = spec.size(codes, 1)](const TaskArguments& a) {
        transpose_codes(rows, columns, raw(a, codes), raw(a, transposed), a.stream);
      });
}

GemmConfig quantised_linear_product(const KernelSpec& spec) {
  using enum graph::quantised_linear::Operand;
  return {.kind = GemmKind::forward,
          .rows = spec.size(input, 0),
          .in = spec.size(input, 1),
          .out = spec.size(weight, 0),
          .dtype = DType::bfloat16,
          .bias = spec.has(bias),
          .accumulate = spec.has(addend),
          .fp8 = true};
}
GemmConfig quantised_input_gradient_product(const KernelSpec& spec) {
  using enum graph::quantised_input_gradient::Operand;
  return {.kind = GemmKind::input_gradient,
          .rows = spec.size(gradient, 0),
          .in = spec.size(weight, 0),
          .out = spec.size(gradient, 1),
          .dtype = DType::bfloat16,
          .accumulate = spec.has(addend),
          .fp8 = true};
}
GemmConfig quantised_weight_gradient_product(const KernelSpec& spec, bool accumulate) {
  using enum graph::quantised_weight_gradient::Operand;
  return {.kind = GemmKind::weight_gradient,
          .rows = spec.size(gradient, 1),
          .in = spec.size(input, 0),
          .out = spec.size(gradient, 0),
          .dtype = DType::bfloat16,
          .accumulate = accumulate,
          .fp8 = true};
}

// The addresses of both factors of a product.
template <auto kLeft, auto kLeftScale, auto kRight, auto kRightScale>
GemmOperands factors(const TaskArguments& a) {
  const auto inverse = [](const std::byte* scale) {
    return &reinterpret_cast<const QuantisedScale*>(scale)->inverse;
  };
  return {.left = raw(a, kLeft),
          .right = raw(a, kRight),
          .left_inverse = inverse(raw(a, kLeftScale)),
          .right_inverse = inverse(raw(a, kRightScale)),
          .workspace = scratch(a)};
}
GemmOperands quantised_linear_operands(const TaskArguments& a) {
  using enum graph::quantised_linear::Operand;
  GemmOperands operands = factors<input, input_scale, weight, weight_scale>(a);
  operands.bias = raw(a, bias);
  operands.addend = raw(a, addend);
  operands.result = raw(a, output);
  return operands;
}
GemmOperands quantised_input_gradient_operands(const TaskArguments& a) {
  using enum graph::quantised_input_gradient::Operand;
  GemmOperands operands = factors<gradient, gradient_scale, weight, weight_scale>(a);
  operands.addend = raw(a, addend);
  operands.result = raw(a, input_gradient);
  return operands;
}
GemmOperands quantised_weight_gradient_operands(const TaskArguments& a) {
  using enum graph::quantised_weight_gradient::Operand;
  GemmOperands operands = factors<gradient, gradient_scale, input, input_scale>(a);
  operands.result = raw(a, weight_gradient);
  return operands;
}

template <GemmConfig (*kConfig)(const KernelSpec&), GemmOperands (*kOperands)(const TaskArguments&)>
class QuantisedProduct final : public TaskFunction {
 public:
  explicit QuantisedProduct(const KernelSpec& spec) : gemm_(kConfig(spec), choices_of(spec)) {}
  const Error* run(const TaskArguments& a) noexcept override {
    return gemm_.run(kOperands(a), a.stream);
  }

 private:
  Gemm gemm_;
};

class QuantisedWeightGradient final : public TaskFunction {
 public:
  explicit QuantisedWeightGradient(const KernelSpec& spec)
      : write_(quantised_weight_gradient_product(spec, false), choices_of(spec)),
        add_(quantised_weight_gradient_product(spec, true), choices_of(spec)) {}
  const Error* run(const TaskArguments& a) noexcept override {
    return (a.first ? write_ : add_).run(quantised_weight_gradient_operands(a), a.stream);
  }

 private:
  Gemm write_, add_;
};

}  // namespace

std::span<const Prepare> quantised_functions() {
  static constexpr std::array kFunctions{
      Prepare{"matrix_amax", prepare_matrix_amax},
      Prepare{"quantise", prepare_quantise},
      Prepare{"quantise_weight", prepare_quantise},
      Prepare{"transpose_codes", prepare_transpose_codes},
      Prepare{"quantised_linear",
              make<QuantisedProduct<quantised_linear_product, quantised_linear_operands>>},
      Prepare{"quantised_input_gradient",
              make<QuantisedProduct<quantised_input_gradient_product,
                                    quantised_input_gradient_operands>>},
      Prepare{"quantised_weight_gradient", make<QuantisedWeightGradient>}};
  return kFunctions;
}

}  // namespace megascale::kernels::cuda
