#ifndef MEGASCALE_KERNELS_FUNCTION_H_
#define MEGASCALE_KERNELS_FUNCTION_H_

#include <memory>
#include <type_traits>
#include <utility>

#include "megascale/graph/ops/ops.h"
#include "megascale/kernels/kernel.h"

// What task functions of every device are written with.
namespace megascale::kernels {

// The name of an operand, of the enumeration of its kind. A number is refused: a local variable
// that hides the name would otherwise be taken for it.
template <class T>
concept OperandName = std::is_enum_v<T>;

// An operand as an array of T; null where absent.
template <class T>
[[nodiscard]] T* as(const TaskArguments& arguments, OperandName auto operand) noexcept {
  return reinterpret_cast<T*>(arguments.operands[operand]);
}

inline constexpr bool kCountedRows = true;  // Kernel::counted_rows

// This rank's place among those that a layer's weights are split over.
[[nodiscard]] inline std::size_t tensor_coordinate(const KernelSpec& spec) noexcept {
  return spec.coordinates[static_cast<std::size_t>(graph::Axis::tensor)];
}

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

}  // namespace megascale::kernels

#endif  // MEGASCALE_KERNELS_FUNCTION_H_
