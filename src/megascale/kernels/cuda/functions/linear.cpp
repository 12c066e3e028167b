// Task functions of the device for linear layers. One op is one product of cuBLASLt, with the bias,
// the residual sum or GELU fused into it. The weight gradient also computes the gradient of the
// bias: in the product, if the op has the attribute sums_bias, else by a column sum after it.
#include <array>

#include "megascale/kernels/cuda/elementwise.h"
#include "megascale/kernels/cuda/functions/functions.h"
#include "megascale/kernels/cuda/functions/linear_products.h"

namespace megascale::kernels::cuda {
namespace {

// The product of an op. If the rows are counted on the device, cuBLASLt computes all rows up to the
// bound. In the forward and the input gradient, rows beyond the count only give rows of the result
// beyond the count, which no task reads. In a weight gradient they would enter the sums, so they are
// set to zero first (decision 0018).
class OpProduct {
 public:
  OpProduct(const KernelSpec& spec, const GemmConfig& config)
      : rows_(spec),
        clears_(config.kind == GemmKind::weight_gradient),
        left_{.tokens = config.rows, .row_nbytes = config.out * itemsize(config.dtype)},
        right_{.tokens = config.rows, .row_nbytes = config.in * itemsize(config.dtype)},
        gemm_(config, choices_of(spec)) {}
  // `left` and `right` are the operands of the product. Their rows beyond the count may be set to
  // zero in a weight gradient.
  const Error* run(GemmOperands operands, std::byte* left, std::byte* right,
                   const TaskArguments& a) const noexcept {
    if (clears_) {
      clear(left_, left, a);
      clear(right_, right, a);
    }
    operands.left = left;
    operands.right = right;
    operands.workspace = scratch(a);
    return gemm_.run(operands, a.stream);
  }

 private:
  void clear(ClearRows rows, std::byte* x, const TaskArguments& a) const noexcept {
    rows.counted = rows_(a);
    rows.x = x;
    clear_uncounted_rows(rows, a.stream);
  }

  Rows rows_;
  bool clears_;
  ClearRows left_, right_;  // of a weight gradient
  Gemm gemm_;
};

// An op that is one product of its operands kLeft and kRight. `kOthers` returns the addresses of
// the other operands.
template <GemmConfig (*kConfig)(const KernelSpec&), auto kLeft, auto kRight,
          GemmOperands (*kOthers)(const TaskArguments&)>
class Product final : public TaskFunction {
 public:
  explicit Product(const KernelSpec& spec) : product_(spec, kConfig(spec)) {}
  const Error* run(const TaskArguments& a) noexcept override {
    return product_.run(kOthers(a), raw(a, kLeft), raw(a, kRight), a);
  }

 private:
  OpProduct product_;
};

GemmOperands forward(const TaskArguments& a) {
  using enum graph::linear::Operand;
  return {.bias = raw(a, bias), .result = raw(a, output)};
}
GemmOperands forward_add(const TaskArguments& a) {
  using enum graph::linear_add::Operand;
  return {.bias = raw(a, bias), .addend = raw(a, addend), .result = raw(a, output)};
}
GemmOperands forward_gelu(const TaskArguments& a) {
  using enum graph::linear_gelu::Operand;
  return {.bias = raw(a, bias), .sum = raw(a, sum), .result = raw(a, output)};
}
GemmOperands input_gradient_operands(const TaskArguments& a) {
  using enum graph::linear_input_gradient::Operand;
  return {.addend = raw(a, addend), .result = raw(a, input_gradient)};
}
GemmOperands gelu_gradient_operands(const TaskArguments& a) {
  using enum graph::linear_gelu_gradient::Operand;
  return {.sum = raw(a, sum), .result = raw(a, sum_gradient)};
}

class WeightGradient final : public TaskFunction {
 public:
  explicit WeightGradient(const KernelSpec& spec)
      : write_(spec, weight_gradient_product(spec, false)),
        add_(spec, weight_gradient_product(spec, true)),
        rows_(spec),
        sums_bias_(sums_bias(spec)),
        bias_{.tokens = spec.size(graph::linear_weight_gradient::gradient, 0),
              .channels = spec.size(graph::linear_weight_gradient::gradient, 1),
              .dtype = dtype_of(spec, graph::linear_weight_gradient::gradient)} {}
  const Error* run(const TaskArguments& a) noexcept override {
    using enum graph::linear_weight_gradient::Operand;
    float* const sum = f32(a, bias_gradient);
    GemmOperands operands{.result = raw(a, weight_gradient)};
    if (sums_bias_) operands.bias_gradient = a.first ? sum : behind_workspace(a);
    const Error* error =
        (a.first ? write_ : add_).run(operands, raw(a, gradient), raw(a, input), a);
    if (error != nullptr || sum == nullptr) return error;
    if (!sums_bias_) {
      add_bias_gradient(sum, a);
    } else if (!a.first) {
      // The epilogue cannot add.
      add_rows({.rows = 1,
                .stride = bias_.channels,
                .channels = bias_.channels,
                .parts = behind_workspace(a),
                .result = sum,
                .accumulate = true},
               a.stream);
    }
    return nullptr;
  }

 private:
  static float* behind_workspace(const TaskArguments& a) noexcept {
    return reinterpret_cast<float*>(scratch(a) + kGemmWorkspaceNbytes);
  }
  void add_bias_gradient(float* result, const TaskArguments& a) const noexcept {
    ColumnSum sum = bias_;
    sum.counted = rows_(a);
    sum.x = raw(a, graph::linear_weight_gradient::gradient);
    sum.result = result;
    sum.accumulate = !a.first;
    sum.scratch = reinterpret_cast<float*>(scratch(a));  // the product no longer needs it
    column_sum(sum, a.stream);
  }

  OpProduct write_, add_;
  Rows rows_;
  bool sums_bias_;
  ColumnSum bias_;
};

}  // namespace

std::span<const Prepare> linear_functions() {
  namespace linear = graph::linear;
  namespace linear_add = graph::linear_add;
  namespace linear_gelu = graph::linear_gelu;
  namespace linear_input_gradient = graph::linear_input_gradient;
  namespace linear_gelu_gradient = graph::linear_gelu_gradient;
  static constexpr std::array kFunctions{
      Prepare{
          "linear",
          make<Product<forward_product<linear::Operand>, linear::input, linear::weight, forward>>},
      Prepare{
          "linear_add",
          make<Product<forward_add_product, linear_add::input, linear_add::weight, forward_add>>},
      Prepare{"linear_gelu", make<Product<forward_gelu_product, linear_gelu::input,
                                          linear_gelu::weight, forward_gelu>>},
      Prepare{"linear_input_gradient",
              make<Product<input_gradient_product, linear_input_gradient::gradient,
                           linear_input_gradient::weight, input_gradient_operands>>},
      Prepare{"linear_gelu_gradient",
              make<Product<input_gradient_gelu_product, linear_gelu_gradient::gradient,
                           linear_gelu_gradient::weight, gelu_gradient_operands>>},
      Prepare{"linear_weight_gradient", make<WeightGradient>}};
  return kFunctions;
}

}  // namespace megascale::kernels::cuda
