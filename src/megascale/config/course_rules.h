#ifndef MEGASCALE_CONFIG_COURSE_RULES_H_
#define MEGASCALE_CONFIG_COURSE_RULES_H_

#include <vector>

#include "megascale/config/rules.h"

// The rules of the course of a training: data, evaluations, learning rate, checkpoints. Internal to this folder; rules.h is the interface.
namespace megascale {

[[nodiscard]] std::vector<Rule> course_rules();

}  // namespace megascale

#endif  // MEGASCALE_CONFIG_COURSE_RULES_H_
