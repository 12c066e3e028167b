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
  explicit Product(const KernelSpec& spec) : product_(spec, kConfig(spec)) {}
  const Error* run(const TaskArguments& a) noexcept override {
    GemmOperands operands{.left = raw(a, 0), .right = raw(a, 1)};
    std::size_t i = 2;
    (kOthers(operands, raw(a, i++)), ...);
    return product_.run(operands, a);
  }

 private:
  OpProduct product_;
};

class WeightGradient final : public TaskFunction {
 public:
  explicit WeightGradient(const KernelSpec& spec)
      : write_(spec, weight_gradient_product(spec, false)),
        add_(spec, weight_gradient_product(spec, true)),
        bias_{.tokens = spec.size(0, 0), .channels = spec.size(0, 1), .dtype = dtype_of(spec, 0)} {}
  const Error* run(const TaskArguments& a) noexcept override {
    const Error* error = (a.first ? write_ : add_)
                             .run({.left = raw(a, 0), .right = raw(a, 1), .result = raw(a, 2)}, a);
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
  OpProduct write_, add_;
  ColumnSum bias_;
};

}  // namespace

std::span<const Prepare> linear_functions() {
  static constexpr std::array kFunctions{
      Prepare{"linear", make<Product<forward_product, as_bias, as_result>>},
      Prepare{"linear_add", make<Product<forward_add_product, as_bias, as_addend, as_result>>},
      Prepare{"linear_gelu", make<Product<forward_gelu_product, as_bias, as_sum, as_result>>},
      Prepare{"linear_input_gradient", make<Product<input_gradient_product, as_addend, as_result>>},
      Prepare{"linear_gelu_gradient",
              make<Product<input_gradient_gelu_product, as_sum, as_result>>},
      Prepare{"linear_weight_gradient", make<WeightGradient>}};
  return kFunctions;
}

}  // namespace megascale::kernels::cuda
