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

class Forward final : public TaskFunction {
 public:
  explicit Forward(const KernelSpec& spec)
      : gemm_({.kind = GemmKind::forward,
               .rows = spec.size(0, 0),
               .in = spec.size(1, 1),
               .out = spec.size(1, 0),
               .dtype = dtype_of(spec, 0),
               .bias = spec.has(2)},
              choices_of(spec)) {}
  const Error* run(const TaskArguments& a) noexcept override {
    return gemm_.run({.left = raw(a, 0),
                      .right = raw(a, 1),
                      .bias = raw(a, 2),
                      .result = raw(a, 3),
                      .workspace = scratch(a)},
                     a.stream);
  }

 private:
  Gemm gemm_;
};

class InputGradient final : public TaskFunction {
 public:
  explicit InputGradient(const KernelSpec& spec)
      : gemm_({.kind = GemmKind::input_gradient,
               .rows = spec.size(0, 0),
               .in = spec.size(1, 1),
               .out = spec.size(1, 0),
               .dtype = dtype_of(spec, 0),
               .accumulate = spec.has(2)},
              choices_of(spec)) {}
  const Error* run(const TaskArguments& a) noexcept override {
    return gemm_.run({.left = raw(a, 0),
                      .right = raw(a, 1),
                      .addend = raw(a, 2),
                      .result = raw(a, 3),
                      .workspace = scratch(a)},
                     a.stream);
  }

 private:
  Gemm gemm_;
};

class GeluForward final : public TaskFunction {
 public:
  explicit GeluForward(const KernelSpec& spec)
      : gemm_({.kind = GemmKind::forward,
               .rows = spec.size(0, 0),
               .in = spec.size(1, 1),
               .out = spec.size(1, 0),
               .dtype = dtype_of(spec, 0),
               .bias = spec.has(2),
               .gelu = true},
              choices_of(spec)) {}
  const Error* run(const TaskArguments& a) noexcept override {
    return gemm_.run({.left = raw(a, 0),
                      .right = raw(a, 1),
                      .bias = raw(a, 2),
                      .sum = raw(a, 3),
                      .result = raw(a, 4),
                      .workspace = scratch(a)},
                     a.stream);
  }

 private:
  Gemm gemm_;
};

class GeluGradient final : public TaskFunction {
 public:
  explicit GeluGradient(const KernelSpec& spec)
      : gemm_({.kind = GemmKind::input_gradient,
               .rows = spec.size(0, 0),
               .in = spec.size(1, 1),
               .out = spec.size(1, 0),
               .dtype = dtype_of(spec, 0),
               .gelu = true},
              choices_of(spec)) {}
  const Error* run(const TaskArguments& a) noexcept override {
    return gemm_.run({.left = raw(a, 0),
                      .right = raw(a, 1),
                      .sum = raw(a, 2),
                      .result = raw(a, 3),
                      .workspace = scratch(a)},
                     a.stream);
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
  static constexpr std::array kFunctions{Prepare{"linear", make<Forward>},
                                         Prepare{"linear_input_gradient", make<InputGradient>},
                                         Prepare{"linear_gelu", make<GeluForward>},
                                         Prepare{"linear_gelu_gradient", make<GeluGradient>},
                                         Prepare{"linear_weight_gradient", make<WeightGradient>}};
  return kFunctions;
}

}  // namespace megascale::kernels::cuda
