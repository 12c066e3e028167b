#ifndef MEGASCALE_CONFIG_EXPERT_RULES_H_
#define MEGASCALE_CONFIG_EXPERT_RULES_H_

#include <vector>

#include "megascale/config/rules.h"

// The rules of section [moe] and of what experts need from other keys. Internal to this folder; rules.h is the interface.
namespace megascale {

// Rules on the choices of a token, the balance of loads, and the choices that are dropped.
[[nodiscard]] std::vector<Rule> expert_choice_rules();
// Rules on keys that exclude or need each other.
[[nodiscard]] std::vector<Rule> expert_combination_rules();
// Rules on sizes that the numbers of ranks and pieces must divide.
[[nodiscard]] std::vector<Rule> expert_division_rules();

}  // namespace megascale

#endif  // MEGASCALE_CONFIG_EXPERT_RULES_H_
