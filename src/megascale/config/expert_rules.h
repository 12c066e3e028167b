#ifndef MEGASCALE_CONFIG_EXPERT_RULES_H_
#define MEGASCALE_CONFIG_EXPERT_RULES_H_

#include <vector>

#include "megascale/config/rules.h"

// The rules of section [moe] and of what experts need from other keys. Internal to this folder; rules.h is the interface.
namespace megascale {

[[nodiscard]] std::vector<Rule> expert_rules();

}  // namespace megascale

#endif  // MEGASCALE_CONFIG_EXPERT_RULES_H_
