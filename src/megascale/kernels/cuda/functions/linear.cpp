#include <array>

#include "megascale/kernels/cuda/elementwise.h"
#include "megascale/kernels/cuda/functions/functions.h"
#include "megascale/kernels/cuda/gemm.h"
#include "megascale/kernels/cuda/gemm_choices.h"

namespace megascale::kernels::cuda {
namespace {

GemmChoices* choices_of(const KernelSpec& spec) {
  return spec.gemm_choices.empty() ? nullptr : &GemmChoices::at(spec.gemm_choices);
}

GemmConfig forward(const KernelSpec& spec) {
  return {.kind = GemmKind::forward,
          .rows = spec.size(0, 0),
          .in = spec.size(1, 1),
          .out = spec.size(1, 0),
          .dtype = dtype_of(spec, 0),
          .bias = spec.has(2)};
}
GemmConfig forward_add(const KernelSpec& spec) {
  GemmConfig config = forward(spec);
  config.accumulate = true;
  return config;
}
GemmConfig forward_gelu(const KernelSpec& spec) {
  GemmConfig config = forward(spec);
  config.gelu = true;
  return config;
}
GemmConfig input_gradient(const KernelSpec& spec) {
  return {.kind = GemmKind::input_gradient,
          .rows = spec.size(0, 0),
          .in = spec.size(1, 1),
          .out = spec.size(1, 0),
          .dtype = dtype_of(spec, 0),
          .accumulate = spec.has(2)};
}
GemmConfig input_gradient_gelu(const KernelSpec& spec) {
  GemmConfig config = input_gradient(spec);
  config.accumulate = false;
  config.gelu = true;
  return config;
}

// What an operand of an op is in the product.
using Operand = void (*)(GemmOperands&, std::byte*);
void as_bias(GemmOperands& o, std::byte* at) { o.bias = at; }
void as_addend(GemmOperands& o, std::byte* at) { o.addend = at; }
void as_sum(GemmOperands& o, std::byte* at) { o.sum = at; }
void as_result(GemmOperands& o, std::byte* at) { o.result = at; }

// An op that is one product: `kOthers` are its operands behind the first two.
template <GemmConfig (*kConfig)(const KernelSpec&), Operand... kOthers>
class Product final : public TaskFunction {
 public:
  explicit Product(const KernelSpec& spec) : gemm_(kConfig(spec), choices_of(spec)) {}
  const Error* run(const TaskArguments& a) noexcept override {
    GemmOperands operands{.left = raw(a, 0), .right = raw(a, 1), .workspace = scratch(a)};
    std::size_t i = 2;
    (kOthers(operands, raw(a, i++)), ...);
    return gemm_.run(operands, a.stream);
  }

 private:
  Gemm gemm_;
};

class WeightGradient final : public TaskFunction {
 public:
  explicit WeightGradient(const KernelSpec& spec)
      : write_(config(spec, false), choices_of(spec)),
        add_(config(spec, true), choices_of(spec)),
        bias_{.tokens = spec.size(0, 0), .channels = spec.size(0, 1), .dtype = dtype_of(spec, 0)} {}
  const Error* run(const TaskArguments& a) noexcept override {
    const Error* error = (a.first ? write_ : add_)
                             .run({.left = raw(a, 0),
                                   .right = raw(a, 1),
                                   .result = raw(a, 2),
                                   .workspace = scratch(a)},
                                  a.stream);
    if (error != nullptr || raw(a, 3) == nullptr) return error;
    ColumnSum sum = bias_;
    sum.x = raw(a, 0);
    sum.result = f32(a, 3);
    sum.accumulate = !a.first;
    sum.scratch = reinterpret_cast<float*>(scratch(a));  // the product before it is done with it
    column_sum(sum, a.stream);
    return nullptr;
  }

 private:
  static GemmConfig config(const KernelSpec& spec, bool accumulate) {
    return {.kind = GemmKind::weight_gradient,
            .rows = spec.size(0, 0),
            .in = spec.size(1, 1),
            .out = spec.size(0, 1),
            .dtype = dtype_of(spec, 0),
            .accumulate = accumulate};
  }
  Gemm write_, add_;
  ColumnSum bias_;
};

}  // namespace

std::span<const Prepare> linear_functions() {
  static constexpr std::array kFunctions{
      Prepare{"linear", make<Product<forward, as_bias, as_result>>},
      Prepare{"linear_add", make<Product<forward_add, as_bias, as_addend, as_result>>},
      Prepare{"linear_gelu", make<Product<forward_gelu, as_bias, as_sum, as_result>>},
      Prepare{"linear_input_gradient", make<Product<input_gradient, as_addend, as_result>>},
      Prepare{"linear_gelu_gradient", make<Product<input_gradient_gelu, as_sum, as_result>>},
      Prepare{"linear_weight_gradient", make<WeightGradient>}};
  return kFunctions;
}

}  // namespace megascale::kernels::cuda
