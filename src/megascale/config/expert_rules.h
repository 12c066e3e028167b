#ifndef MEGASCALE_CONFIG_EXPERT_RULES_H_
#define MEGASCALE_CONFIG_EXPERT_RULES_H_

#include <vector>

#include "megascale/config/rules.h"

// The rules of section [moe] and of what experts need from other keys. Internal to this folder; rules.h is the interface.
namespace megascale {

// Which experts a token chooses, how loads are balanced, and which choices are dropped.
[[nodiscard]] std::vector<Rule> expert_choice_rules();
// Which keys go together.
[[nodiscard]] std::vector<Rule> expert_combination_rules();
// What ranks and pieces must divide.
[[nodiscard]] std::vector<Rule> expert_division_rules();

}  // namespace megascale

#endif  // MEGASCALE_CONFIG_EXPERT_RULES_H_
