#ifndef MEGASCALE_KERNELS_EXPERT_FUNCTIONS_H_
#define MEGASCALE_KERNELS_EXPERT_FUNCTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "megascale/kernels/function.h"
#include "megascale/kernels/router_shape.h"

// Code that the task functions of experts share on all devices.
namespace megascale::kernels {

// The piece of each rank's experts that an op works on.
struct ExpertCut {
  std::size_t pieces, piece;
  explicit ExpertCut(const KernelSpec& spec)
      : pieces(
            static_cast<std::size_t>(spec.attributes->integer(graph::attribute::expert_pieces, 1))),
        piece(
            static_cast<std::size_t>(spec.attributes->integer(graph::attribute::expert_piece, 0))) {
  }
};

// Shape and settings of a router whose logits are the operand `logits`; tokens: the bound.
[[nodiscard]] RouterShape router_shape(const KernelSpec& spec, OperandName auto logits) {
  namespace attribute = graph::attribute;
  return {
      .tokens = spec.size(logits, 0),
      .experts = spec.size(logits, 1),
      .top_k = static_cast<std::size_t>(spec.attribute(attribute::top_k)),
      .score_function = spec.attribute(attribute::score_function) == 0 ? ScoreFunction::softmax
                                                                       : ScoreFunction::sigmoid,
      .normalise = spec.attributes->integer(attribute::normalise, 0) != 0,
      .scale = static_cast<float>(spec.attributes->real(attribute::scale, 1.0)),
      .groups = static_cast<std::size_t>(spec.attributes->integer(attribute::expert_groups, 0)),
      .groups_of_token =
          static_cast<std::size_t>(spec.attributes->integer(attribute::groups_of_token, 0)),
      .group_best = static_cast<std::size_t>(spec.attributes->integer(attribute::group_best, 0))};
}

// The arguments of router_losses and of its gradient, without addresses.
[[nodiscard]] RouterLosses router_losses_of(const KernelSpec& spec, OperandName auto logits,
                                            OperandName auto loads) {
  namespace attribute = graph::attribute;
  return {.shape = router_shape(spec, logits),
          .ranks = spec.size(loads, 0) / spec.size(logits, 1),
          .expert_coefficient = spec.attributes->real(attribute::aux_loss),
          .z_coefficient = spec.attributes->real(attribute::z_loss),
          .groups = static_cast<std::size_t>(spec.attributes->integer(attribute::device_groups, 0)),
          .device_coefficient = spec.attributes->real(attribute::device_loss, 0.0),
          .communication_coefficient = spec.attributes->real(attribute::communication_loss, 0.0)};
}

// The tokens of drop_choices: how the gathered ones are ordered, and which of them are this rank's.
struct DropPlace {
  std::size_t sequences, length, contexts;
  std::size_t first, tokens;  // of this rank
};
[[nodiscard]] DropPlace drop_place(const KernelSpec& spec);

// The message of an error if more rows arrive for the experts of this rank than there is room for.
// `pieces`: into which the experts of the rank are cut.
[[nodiscard]] std::string too_many_rows(std::string_view op, std::size_t bound, std::int64_t wanted,
                                        std::size_t pieces = 1);
// The message if choices are to be replayed and none are recorded.
[[nodiscard]] std::string no_recorded_choices();

}  // namespace megascale::kernels

#endif  // MEGASCALE_KERNELS_EXPERT_FUNCTIONS_H_
