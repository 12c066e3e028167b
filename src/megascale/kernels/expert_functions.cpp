#include "megascale/kernels/expert_functions.h"

#include <fmt/format.h>

namespace megascale::kernels {

DropPlace drop_place(const KernelSpec& spec) {
  namespace attribute = graph::attribute;
  using enum graph::drop_choices::Operand;
  const auto count = [&](attribute::Name name) {
    return static_cast<std::size_t>(spec.attribute(name));
  };
  const auto coordinate = [&](graph::Axis axis) {
    return std::size_t{spec.coordinates[static_cast<std::size_t>(axis)]};
  };
  const std::size_t tokens = spec.size(kept, 0), length = count(attribute::sequence),
                    contexts = count(attribute::context_ranks),
                    sharers = count(attribute::ranks) / contexts;  // of a context share
  const bool of_experts = spec.attributes->integer(attribute::of_expert_group, 0) != 0;
  const std::size_t rank =
      of_experts ? coordinate(graph::Axis::expert) * count(attribute::expert_tensor_ranks) +
                       coordinate(graph::Axis::expert_tensor)
                 : coordinate(graph::Axis::context) * sharers + coordinate(graph::Axis::tensor);
  return {.sequences = spec.size(choices, 0) / length,
          .length = length,
          .contexts = contexts,
          .first = rank * tokens,
          .tokens = tokens};
}

std::string too_many_rows(std::string_view op, std::size_t bound, std::int64_t wanted,
                          std::size_t pieces) {
  return fmt::format(
      "{}: there is room for {} rows, but {} arrive for the experts of {}this rank; give more room "
      "by moe.rows_bound (0: for as many as can ever arrive), or balance the routing by "
      "moe.aux_loss_coeff, or drop what is too much (moe.rows_overflow){}",
      op, bound, wanted, pieces == 1 ? "" : fmt::format("one of {} pieces of ", pieces),
      pieces == 1 ? "" : ", or cut the experts into fewer pieces (overlap.expert_pieces)");
}

std::string no_recorded_choices() {
  return "route: expected recorded choices to replay, found none: the file of this step in "
         "moe.routing_replay_dir is missing or lacks tokens; record the same steps with "
         "moe.routing_replay = \"record\"";
}

}  // namespace megascale::kernels
