#ifndef MEGASCALE_CONFIG_COURSE_RULES_H_
#define MEGASCALE_CONFIG_COURSE_RULES_H_

#include <vector>

#include "megascale/config/rules.h"

// The rules of the course of a training. Internal to this folder; rules.h is the interface.
namespace megascale {

// Data sets, their weights, and what evaluations read.
[[nodiscard]] std::vector<Rule> data_rules();
[[nodiscard]] std::vector<Rule> learning_rate_rules();
// Checkpoints, what may change when a run goes on, and when it goes on with fewer hosts.
[[nodiscard]] std::vector<Rule> restart_rules();
// How ranks add their gradients.
[[nodiscard]] std::vector<Rule> reduction_rules();
[[nodiscard]] std::vector<Rule> recompute_rules();

}  // namespace megascale

#endif  // MEGASCALE_CONFIG_COURSE_RULES_H_
