#ifndef MEGASCALE_KERNELS_FUNCTION_H_
#define MEGASCALE_KERNELS_FUNCTION_H_

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "megascale/base/error.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/kernels/kernel.h"

// Helpers with which the task functions of every device are written: typed access to an op's
// operands, and a task function made from a lambda.
namespace megascale::kernels {

// An enumerator that names an operand of an op. Plain integers are refused: a local variable that
// hides the enumerator's name would otherwise be accepted as an operand number.
template <class T>
concept OperandName = std::is_enum_v<T>;

// Returns the operand's address as a pointer to T; null if the op has no such operand.
template <class T>
[[nodiscard]] T* as(const TaskArguments& arguments, OperandName auto operand) noexcept {
  return reinterpret_cast<T*>(arguments.operands[operand]);
}

inline constexpr bool kCountedRows = true;  // Kernel::counted_rows

// Returns this rank's coordinate along the tensor axis: its index among the ranks that a layer's
// weights are split over.
[[nodiscard]] inline std::size_t tensor_coordinate(const KernelSpec& spec) noexcept {
  return spec.coordinates[static_cast<std::size_t>(graph::Axis::tensor)];
}

// A task function made from a callable that cannot fail. function() is its factory.
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

// A task function made from a callable that may fail. The callable returns the message of an Error
// (failed), or an empty string if it has done its work. checked_function() is its factory.
template <class Body>
class CheckedFunction final : public TaskFunction {
 public:
  explicit CheckedFunction(Body body) : body_(std::move(body)) {}
  const Error* run(const TaskArguments& arguments) noexcept override {
    std::string message = body_(arguments);
    if (message.empty()) return nullptr;
    error_.emplace(ErrorCode::failed, std::move(message));
    return &*error_;
  }

 private:
  Body body_;
  std::optional<Error> error_;
};
template <class Body>
std::unique_ptr<TaskFunction> checked_function(Body body) {
  return std::make_unique<CheckedFunction<Body>>(std::move(body));
}

}  // namespace megascale::kernels

#endif  // MEGASCALE_KERNELS_FUNCTION_H_
