// Names of roles and batch fields, and sizes of tensors.
#include "megascale/graph/tensor.h"

#include <fmt/format.h>

namespace megascale::graph {

std::string_view to_string(Role role) noexcept {
  switch (role) {
    case Role::parameter:
      return "parameter";
    case Role::main_gradient:
      return "main_gradient";
    case Role::activation:
      return "activation";
    case Role::state:
      return "state";
    case Role::batch:
      return "batch";
    case Role::loss:
      return "loss";
    case Role::output:
      return "output";
    case Role::record:
      return "record";
  }
  return "?";
}

std::string_view to_string(BatchField field) noexcept {
  switch (field) {
    case BatchField::none:
      return "none";
    case BatchField::tokens:
      return "tokens";
    case BatchField::targets:
      return "targets";
    case BatchField::positions:
      return "positions";
    case BatchField::segments:
      return "segments";
    case BatchField::counts:
      return "counts";
    case BatchField::routes:
      return "routes";
    case BatchField::route_scores:
      return "route_scores";
    case BatchField::exempt:
      return "exempt";
    case BatchField::samples:
      return "samples";
    case BatchField::padding:
      return "padding";
    case BatchField::counted:
      return "counted";
    case BatchField::reference_scores:
      return "reference_scores";
  }
  return "?";
}

std::int64_t numel(const Shape& shape) noexcept {
  std::int64_t count = 1;
  for (const Dim& dim : shape) count *= dim.size;
  return count;
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (const Dim& dim : shape) {
    text += fmt::format("{}{}{}", text.size() > 1 ? ", " : "", dim.bounded() ? "<=" : "", dim.size);
  }
  return text + "]";
}

std::int64_t Tensor::nbytes() const noexcept {
  return numel(shape) * static_cast<std::int64_t>(itemsize(dtype));
}

double Tensor::expected_share() const noexcept {
  double share = 1;
  for (const Dim& dim : shape) {
    if (dim.mean != 0) share *= static_cast<double>(dim.mean) / static_cast<double>(dim.size);
  }
  return share;
}

}  // namespace megascale::graph
