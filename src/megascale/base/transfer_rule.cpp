// Derives from a rule what the transfer moves, and finds a rule's name by its code for messages.
#include "megascale/base/transfer_rule.h"

#include <array>

namespace megascale {

double TransferRule::handed_over(double given_nbytes, double n,
                                 std::int64_t offset) const noexcept {
  if (!gives) return 0;
  const double to_others = given_nbytes * (n - 1) / n;
  switch (source) {
    case Source::partner:
      return given_nbytes;
    case Source::ahead:
      return offset == 0 ? 0 : given_nbytes;
    case Source::root:
      return to_others;
    case Source::all:
      break;
  }
  if (given == Share::block) return to_others;
  return sum ? 2 * to_others : given_nbytes * (n - 1);
}

std::string_view transfer_rules::name_of(std::uint16_t code) noexcept {
  constexpr std::array kKnown{&all_gather, &reduce_scatter, &all_reduce, &all_to_all, &all_to_all_v,
                              &broadcast,  &shift,          &send,       &recv,       &barrier};
  for (const TransferRule* rule : kKnown) {
    if (rule->code() == code) return rule->name;
  }
  return "another kind";
}

}  // namespace megascale
