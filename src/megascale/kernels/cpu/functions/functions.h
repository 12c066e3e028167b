#ifndef MEGASCALE_KERNELS_CPU_FUNCTIONS_FUNCTIONS_H_
#define MEGASCALE_KERNELS_CPU_FUNCTIONS_FUNCTIONS_H_

#include <cstdint>
#include <numeric>
#include <optional>
#include <span>

#include "megascale/kernels/cpu/row_blocks.h"
#include "megascale/kernels/function.h"

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

[[nodiscard]] inline float* f32(const TaskArguments& arguments, OperandName auto operand) noexcept {
  return as<float>(arguments, operand);
}
[[nodiscard]] inline std::int32_t* i32(const TaskArguments& arguments,
                                       OperandName auto operand) noexcept {
  return as<std::int32_t>(arguments, operand);
}
[[nodiscard]] inline float* scratch(const TaskArguments& arguments) noexcept {
  return reinterpret_cast<float*>(arguments.operands.back());
}

// How many rows a kernel works on: constant, or counted at run time and then at most the constant.
// Asked once per call. The count was checked before (kernels::prepare).
class Rows {
 public:
  // `operand`: one that has the rows.
  Rows(const KernelSpec& spec, std::size_t operand) : most_(spec.size(operand, 0)) {
    if (!spec.counted.empty()) counted_ = spec.counted.front();
  }
  [[nodiscard]] std::size_t operator()(const TaskArguments& arguments) const noexcept {
    if (!counted_) return most_;
    const auto* counts =
        reinterpret_cast<const std::int64_t*>(arguments.operands[counted_->count_operand]) +
        counted_->first;
    return static_cast<std::size_t>(
        std::accumulate(counts, counts + counted_->terms, std::int64_t{0}));
  }

 private:
  std::size_t most_;
  std::optional<RunTimeRows> counted_;
};

// Scratch of column_sum over the rows of `operand`.
[[nodiscard]] inline std::uint64_t column_sum_scratch(const KernelSpec& spec, std::size_t operand) {
  const std::size_t rows = spec.size(operand, 0), channels = spec.size(operand, 1);
  return spec.counted.empty() ? partial_sum_bytes(rows, channels, 1)
                              : most_partial_sum_bytes(rows, channels, 1);
}

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_FUNCTIONS_FUNCTIONS_H_
