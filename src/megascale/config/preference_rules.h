#ifndef MEGASCALE_CONFIG_PREFERENCE_RULES_H_
#define MEGASCALE_CONFIG_PREFERENCE_RULES_H_

#include <vector>

#include "megascale/config/rules.h"

namespace megascale {

// Returns the rules of section [preference].
[[nodiscard]] std::vector<Rule> preference_rules();

}  // namespace megascale

#endif  // MEGASCALE_CONFIG_PREFERENCE_RULES_H_
