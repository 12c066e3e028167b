// The list of all optimizers, by their names in the configuration.
#include "megascale/optimizer/definition.h"

#include "megascale/optimizer/adamw.h"
#include "megascale/optimizer/choice_bias.h"
#include "megascale/optimizer/lamb.h"

namespace megascale::optimizer {

Norm Definition::add_norm(std::string name) {
  norms.push_back(std::move(name));
  return static_cast<Norm>(norms.size());
}

Definition define(const OptimizerConfig& config, const MoeConfig& moe) {
  Definition result = config.name == OptimizerKind::lamb ? lamb(config) : adamw(config);
  if (moe.num_experts > 0 && moe.router_enable_expert_bias)
    result.steps.emplace_back(move_choice_biases(moe.router_bias_update_rate));
  return result;
}

}  // namespace megascale::optimizer
