#ifndef MEGASCALE_KERNELS_CUDA_FUNCTIONS_FUNCTIONS_H_
#define MEGASCALE_KERNELS_CUDA_FUNCTIONS_FUNCTIONS_H_

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "megascale/cuda/memory.h"
#include "megascale/kernels/cuda/row_count.h"
#include "megascale/kernels/function.h"

// Task functions of CUDA devices. Each one passes the addresses of a task's operands to a kernel of
// kernels/cuda, which enqueues its work on the task's stream. Every source of this folder serves
// one group of ops; prepare.cpp finds the function of an op. Functions are prepared and run by the
// rank's own thread, on the current device of that thread.
namespace megascale::kernels::cuda {

// How the function of an op is made. `prepare` throws Error if no kernel serves the case.
struct Prepare {
  std::string_view op;
  std::unique_ptr<TaskFunction> (*prepare)(const KernelSpec& spec);
};
[[nodiscard]] std::span<const Prepare> linear_functions();
[[nodiscard]] std::span<const Prepare> quantised_functions();
[[nodiscard]] std::span<const Prepare> norm_functions();
[[nodiscard]] std::span<const Prepare> elementwise_functions();
[[nodiscard]] std::span<const Prepare> attention_functions();
[[nodiscard]] std::span<const Prepare> head_exchange_functions();
[[nodiscard]] std::span<const Prepare> loss_functions();
[[nodiscard]] std::span<const Prepare> optimizer_functions();
[[nodiscard]] std::span<const Prepare> router_functions();
[[nodiscard]] std::span<const Prepare> expert_functions();
[[nodiscard]] std::span<const Prepare> grouped_functions();
[[nodiscard]] std::span<const Prepare> float8_functions();

// Prepare::prepare for a task function that is a class T with the constructor T(spec).
template <class T>
std::unique_ptr<TaskFunction> make(const KernelSpec& spec) {
  return std::make_unique<T>(spec);
}

// Return the address of an operand; null if the op has no such operand.
[[nodiscard]] inline std::byte* raw(const TaskArguments& arguments,
                                    OperandName auto operand) noexcept {
  return arguments.operands[operand];
}
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
// Returns the address of the scratch. Only for ops that have scratch: otherwise the last operand is
// another one.
[[nodiscard]] inline std::byte* scratch(const TaskArguments& arguments) noexcept {
  return arguments.operands.back();
}
[[nodiscard]] inline DType dtype_of(const KernelSpec& spec, std::size_t operand) {
  return spec.tensors[operand]->dtype;
}
[[nodiscard]] inline std::size_t elements(const KernelSpec& spec, std::size_t operand) {
  return static_cast<std::size_t>(graph::numel(spec.tensors[operand]->shape));
}

// Returns, for each task, the address in device memory of the number of rows of an op, if the rows
// are counted at run time (row_count.h). Otherwise the returned RowCount is empty: all rows are
// valid.
class Rows {
 public:
  explicit Rows(const KernelSpec& spec) {
    if (!spec.counted.empty()) counted_ = spec.counted.front();
  }
  // `operand` is of a kernel with several counts: the rows of this operand.
  static Rows of(const KernelSpec& spec, std::size_t operand) {
    Rows rows(spec);
    rows.counted_.reset();
    for (const RunTimeRows& counted : spec.counted) {
      if (counted.operand == operand) rows.counted_ = counted;
    }
    return rows;
  }
  [[nodiscard]] RowCount operator()(const TaskArguments& arguments) const noexcept {
    if (!counted_) return {};
    return {reinterpret_cast<const std::int64_t*>(arguments.operands[counted_->count_operand]) +
                counted_->first,
            counted_->terms};
  }

 private:
  std::optional<RunTimeRows> counted_;
};

// A constant table in device memory. It is copied there when the kernel is prepared, and has its
// own allocation outside the arena. Throws Error (out_of_memory).
template <class T>
class DeviceTable {
 public:
  explicit DeviceTable(std::span<const T> values) {
    if (values.empty()) return;
    memory_ = ::megascale::cuda::DeviceMemory(values.size_bytes());
    ::megascale::cuda::copy_to_device(memory_.bytes().data(), std::as_bytes(values));
  }
  [[nodiscard]] const T* data() const noexcept {
    return reinterpret_cast<const T*>(memory_.bytes().data());
  }

 private:
  ::megascale::cuda::DeviceMemory memory_;
};

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_FUNCTIONS_FUNCTIONS_H_
