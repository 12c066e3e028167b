#ifndef MEGASCALE_CONFIG_ARCHITECTURE_RULES_H_
#define MEGASCALE_CONFIG_ARCHITECTURE_RULES_H_

#include <vector>

#include "megascale/config/rules.h"

// The rules between the keys of [model] in which families of transformers differ: positions, norms,
// windows, scores and activations. Internal to this folder; rules.h is the interface.
namespace megascale {

[[nodiscard]] std::vector<Rule> architecture_rules();

}  // namespace megascale

#endif  // MEGASCALE_CONFIG_ARCHITECTURE_RULES_H_
