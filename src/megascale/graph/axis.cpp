#include "megascale/graph/axis.h"

namespace megascale::graph {

std::string_view to_string(Axis axis) noexcept {
  switch (axis) {
    case Axis::tensor:
      return "tensor";
    case Axis::context:
      return "context";
    case Axis::expert:
      return "expert";
    case Axis::data:
      return "data";
    case Axis::pipeline:
      return "pipeline";
  }
  return "?";
}

}  // namespace megascale::graph
