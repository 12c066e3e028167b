// Names of lanes, the lane of an op, and the checks that shape rules use. A failed check names the
// op, the expected shapes and all shapes that were found.
#include "megascale/graph/op.h"

#include <fmt/format.h>

#include <algorithm>

#include "megascale/base/error.h"

namespace megascale::graph {

std::string_view to_string(Lane lane) noexcept {
  switch (lane) {
    case Lane::compute:
      return "compute";
    case Lane::tensor:
      return "tensor";
    case Lane::context:
      return "context";
    case Lane::expert:
      return "expert";
    case Lane::data:
      return "data";
    case Lane::forward_send:
      return "forward_send";
    case Lane::forward_receive:
      return "forward_receive";
    case Lane::backward_send:
      return "backward_send";
    case Lane::backward_receive:
      return "backward_receive";
    case Lane::step:
      return "step";
    case Lane::host_in:
      return "host_in";
    case Lane::host_out:
      return "host_out";
  }
  return "?";
}

bool is_between_stages(const Op& op) noexcept {
  return op.def->transfer != nullptr && op.def->transfer->between_two();
}

Lane lane_of(const Op& op) {
  if (!op.def->transfer) return op.def->lane;
  if (op.def->transfer->between_two()) {
    const bool backward = op.attributes.integer(attribute::backward, 0) != 0;
    if (op.def->transfer->gives) return backward ? Lane::backward_send : Lane::forward_send;
    return backward ? Lane::backward_receive : Lane::forward_receive;
  }
  const auto axes =
      AxisSet::from_bits(static_cast<std::uint8_t>(op.attributes.integer(attribute::axes)));
  if (axes.contains(Axis::tensor)) return Lane::tensor;
  return axes.contains(Axis::context) ? Lane::context : Lane::expert;
}

std::vector<TensorId> counts_of(const Op& op, std::span<const Tensor> tensors) {
  std::vector<TensorId> counts;
  for (const TensorId operand : op.operands) {
    if (operand == kNoTensor) continue;
    for (const Dim& dim : tensors[index(operand)].shape) {
      const bool known = std::find(counts.begin(), counts.end(), dim.count) != counts.end();
      if (dim.bounded() && !known) counts.push_back(dim.count);
    }
  }
  return counts;
}

const Shape& ShapeContext::shape(std::size_t operand) const {
  MEGASCALE_CHECK(has(operand), op_->def->operands[operand].name);
  return (*tensors_)[index(op_->operands[operand])].shape;
}

DType ShapeContext::dtype(std::size_t operand) const {
  return (*tensors_)[index(op_->operands[operand])].dtype;
}

void ShapeContext::output(std::size_t operand, Shape shape, DType dtype, Role role) {
  if (has(operand)) {
    require_shape(operand, shape);
    return;
  }
  const OperandSpec& spec = op_->def->operands[operand];
  op_->operands[operand] = TensorId{static_cast<std::uint32_t>(tensors_->size())};
  tensors_->push_back(Tensor{.name = fmt::format("{}/{}:{}", op_->scope, op_->path, spec.name),
                             .shape = std::move(shape),
                             .dtype = dtype,
                             .role = role});
}

void ShapeContext::require(bool condition, std::string_view expected) const {
  if (condition) return;
  std::string found;
  for (std::size_t i = 0; i < op_->operands.size(); ++i) {
    if (has(i)) found += fmt::format(" {}{}", op_->def->operands[i].name, to_string(shape(i)));
  }
  throw Error(ErrorCode::bad_usage,
              fmt::format("op {} ({}/{}): expected {}, found{}", op_->def->name, op_->scope,
                          op_->path, expected, found));
}

void ShapeContext::require_shape(std::size_t operand, const Shape& expected) const {
  // Only the bounds are compared, not the counts: the gradient of a bounded tensor has the same
  // bound.
  bool same = shape(operand).size() == expected.size();
  for (std::size_t i = 0; same && i < expected.size(); ++i)
    same = shape(operand)[i].size == expected[i].size;
  require(same, fmt::format("{}{}", op_->def->operands[operand].name, to_string(expected)));
}

}  // namespace megascale::graph
