#ifndef MEGASCALE_KERNELS_CPU_FUNCTIONS_FUNCTIONS_H_
#define MEGASCALE_KERNELS_CPU_FUNCTIONS_FUNCTIONS_H_

#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>

#include "megascale/kernels/cpu/row_blocks.h"
#include "megascale/kernels/function.h"

// Task functions of the CPU. Each one passes the addresses of a task's operands to a numeric kernel
// of kernels/cpu. Every source of this folder serves one group of ops and returns a table of its
// kernels; kernels/registry.cpp searches the tables.
namespace megascale::kernels::cpu {

[[nodiscard]] std::span<const Kernel> linear_kernels();
[[nodiscard]] std::span<const Kernel> norm_kernels();
[[nodiscard]] std::span<const Kernel> elementwise_kernels();
[[nodiscard]] std::span<const Kernel> attention_kernels();
[[nodiscard]] std::span<const Kernel> latent_decode_kernels();
[[nodiscard]] std::span<const Kernel> head_exchange_kernels();
[[nodiscard]] std::span<const Kernel> router_kernels();
[[nodiscard]] std::span<const Kernel> expert_kernels();
[[nodiscard]] std::span<const Kernel> float8_kernels();
[[nodiscard]] std::span<const Kernel> float8_parameter_kernels();
[[nodiscard]] std::span<const Kernel> loss_kernels();
[[nodiscard]] std::span<const Kernel> optimizer_kernels();
[[nodiscard]] std::span<const Kernel> plain_kernels();  // KernelSet::plain

// Return the address of an operand; null if the op has no such operand.
[[nodiscard]] inline float* f32(const TaskArguments& arguments, OperandName auto operand) noexcept {
  return as<float>(arguments, operand);
}
[[nodiscard]] inline std::int32_t* i32(const TaskArguments& arguments,
                                       OperandName auto operand) noexcept {
  return as<std::int32_t>(arguments, operand);
}
[[nodiscard]] inline std::int64_t* i64(const TaskArguments& arguments,
                                       OperandName auto operand) noexcept {
  return as<std::int64_t>(arguments, operand);
}
// Returns the address of the scratch buffer. If the plan gave the op no scratch, the last operand
// is another one, so the result must not be used then.
[[nodiscard]] inline float* scratch(const TaskArguments& arguments) noexcept {
  return reinterpret_cast<float*>(arguments.operands.back());
}

// Calls a numeric kernel with its operands, and with the task's scratch if the kernel takes it as
// an argument of its own.
template <auto kKernel, class Operands>
void run_kernel(const TaskArguments& arguments, const Operands& operands) noexcept {
  if constexpr (std::is_invocable_v<decltype(kKernel), const Operands&, float*>) {
    kKernel(operands, scratch(arguments));
  } else {
    kKernel(operands);
  }
}

// The number of rows that a task works on. It is the size of axis 0, or a count that an earlier
// task of the step wrote (KernelSpec::counted), which is at most that size. The function that
// kernels::prepare() returns checks counts before it runs the kernel, so they are valid here.
class Rows {
 public:
  // `operand` is any operand whose axis 0 is these rows.
  Rows(const KernelSpec& spec, std::size_t operand) : most_(spec.size(operand, 0)) {
    if (!spec.counted.empty()) counted_ = spec.counted.front();
  }
  // `operand` is of a kernel with several counts: the rows of this operand.
  static Rows of(const KernelSpec& spec, std::size_t operand) {
    Rows rows(spec, operand);
    rows.counted_.reset();
    for (const RunTimeRows& counted : spec.counted) {
      if (counted.operand == operand) rows.counted_ = counted;
    }
    return rows;
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

// Returns the bytes of scratch for column_sum() over operand `operand` (rows, channels). With
// counted rows it is enough for every possible count.
[[nodiscard]] inline std::uint64_t column_sum_scratch(const KernelSpec& spec, std::size_t operand) {
  const std::size_t rows = spec.size(operand, 0), channels = spec.size(operand, 1);
  return spec.counted.empty() ? partial_sum_bytes(rows, channels, 1)
                              : most_partial_sum_bytes(rows, channels, 1);
}

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_FUNCTIONS_FUNCTIONS_H_
