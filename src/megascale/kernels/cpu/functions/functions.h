#ifndef MEGASCALE_KERNELS_CPU_FUNCTIONS_FUNCTIONS_H_
#define MEGASCALE_KERNELS_CPU_FUNCTIONS_FUNCTIONS_H_

#include <memory>
#include <span>
#include <utility>

#include "megascale/kernels/kernel.h"

// Task functions over the CPU's numeric kernels: operands in, one call. One file per subject;
// registry.cpp lists them.
namespace megascale::kernels::cpu {

[[nodiscard]] std::span<const Kernel> linear_kernels();
[[nodiscard]] std::span<const Kernel> norm_kernels();
[[nodiscard]] std::span<const Kernel> elementwise_kernels();
[[nodiscard]] std::span<const Kernel> attention_kernels();
[[nodiscard]] std::span<const Kernel> head_exchange_kernels();
[[nodiscard]] std::span<const Kernel> loss_kernels();
[[nodiscard]] std::span<const Kernel> optimizer_kernels();
[[nodiscard]] std::span<const Kernel> plain_kernels();  // KernelSet::plain

// An operand as an array of T; null where absent.
template <class T>
[[nodiscard]] T* as(const TaskArguments& arguments, std::size_t operand) noexcept {
  return reinterpret_cast<T*>(arguments.operands[operand]);
}
[[nodiscard]] inline float* f32(const TaskArguments& arguments, std::size_t operand) noexcept {
  return as<float>(arguments, operand);
}
[[nodiscard]] inline std::int32_t* i32(const TaskArguments& arguments,
                                       std::size_t operand) noexcept {
  return as<std::int32_t>(arguments, operand);
}
[[nodiscard]] inline float* scratch(const TaskArguments& arguments) noexcept {
  return f32(arguments, arguments.operands.size() - 1);
}

// This rank's place among those that a layer's weights are split over.
[[nodiscard]] inline std::size_t tensor_coordinate(const KernelSpec& spec) noexcept {
  return spec.coordinates[static_cast<std::size_t>(graph::Axis::tensor)];
}

// The rows of a tensor: constant, or read from the count tensor at run time.
class Rows {
 public:
  // Of axis 0 of `operand`.
  Rows(const KernelSpec& spec, std::size_t operand)
      : most_(spec.size(operand, 0)),
        count_operand_(spec.has_count ? spec.def->operands.size() : 0),
        element_(spec.count_element) {}
  [[nodiscard]] std::size_t most() const noexcept { return most_; }
  [[nodiscard]] bool dynamic() const noexcept { return count_operand_ != 0; }
  [[nodiscard]] std::size_t operator()(const TaskArguments& arguments) const noexcept {
    return dynamic()
               ? static_cast<std::size_t>(as<std::int64_t>(arguments, count_operand_)[element_])
               : most_;
  }

 private:
  std::size_t most_;
  std::size_t count_operand_;  // 0: constant
  std::uint32_t element_;
};

// A task function from a callable that cannot fail.
template <class Body>
class Function final : public TaskFunction {
 public:
  explicit Function(Body body) : body_(std::move(body)) {}
  const Error* run(const TaskArguments& arguments) noexcept override {
    body_(arguments);
    return nullptr;
  }

 private:
  Body body_;
};
template <class Body>
std::unique_ptr<TaskFunction> function(Body body) {
  return std::make_unique<Function<Body>>(std::move(body));
}

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_FUNCTIONS_FUNCTIONS_H_
