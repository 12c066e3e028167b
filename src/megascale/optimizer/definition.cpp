// The list of all optimizers, by their names in the configuration.
#include "megascale/optimizer/definition.h"

#include "megascale/optimizer/adamw.h"
#include "megascale/optimizer/lamb.h"

namespace megascale::optimizer {

Norm Definition::add_norm(std::string name) {
  norms.push_back(std::move(name));
  return static_cast<Norm>(norms.size());
}

Definition define(const OptimizerConfig& config) {
  switch (config.name) {
    case OptimizerKind::lamb:
      return lamb(config);
    case OptimizerKind::adamw:
      break;
  }
  return adamw(config);
}

}  // namespace megascale::optimizer
