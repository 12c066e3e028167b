#ifndef MEGASCALE_CONTROL_OUTCOME_TEXT_H_
#define MEGASCALE_CONTROL_OUTCOME_TEXT_H_

#include <string>
#include <string_view>

#include "megascale/base/step_outcome.h"

// The outcome of a step as one short text, exact to the bit: hexadecimal numbers between spaces. A
// heartbeat may hold thousands of them, and JSON has no infinite and no 64-bit numbers.
namespace megascale::control {

[[nodiscard]] std::string outcome_to_text(const StepOutcome& outcome);
// Throws Error (bad_input).
[[nodiscard]] StepOutcome outcome_from_text(std::string_view text);

// Likewise for the name of a group of copies.
[[nodiscard]] std::uint64_t group_from_text(std::string_view text);

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_OUTCOME_TEXT_H_
