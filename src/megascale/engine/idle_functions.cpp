// Chooses by what an op writes whether it may be idle.
#include "megascale/engine/idle_functions.h"

#include <algorithm>
#include <limits>

#include "megascale/graph/ops/expert_ops.h"
#include "megascale/kernels/even_choice.h"

namespace megascale::engine {
namespace {

bool writes_counts(const plan::PlanOp& op) {
  for (std::size_t o = 0; o < op.tensors.size(); ++o) {
    if (op.tensors[o] && op.tensors[o]->dtype == DType::int64 &&
        op.operands[o].access != graph::Access::read) {
      return true;
    }
  }
  return false;
}

}  // namespace

void IdleFunctions::add(const plan::StepPlan& plan,
                        std::map<std::string, TaskFunction*>& functions) {
  routes_.slots = std::numeric_limits<std::size_t>::max();
  for (const plan::PlanOp& op : plan.ops()) {
    if (op.def->transfer) continue;
    const std::string name(op.def->name);
    if (op.def == &graph::route_op()) {
      const auto& choices = op.tensors[graph::route::choices]->shape;
      routes_.slots =
          std::min(routes_.slots, static_cast<std::size_t>(choices[0].size * choices[1].size));
      routes_.experts = static_cast<std::size_t>(op.tensors[graph::route::logits]->shape[1].size);
      functions.try_emplace(name, &routes_);
    } else if (!writes_counts(op)) {
      functions.try_emplace(name, &idle_);
    }
  }
}

const Error* IdleFunctions::EvenRoutes::run(const TaskArguments& arguments) noexcept {
  auto* choices = reinterpret_cast<std::int32_t*>(arguments.operands[graph::route::choices]);
  for (std::size_t slot = 0; slot < slots; ++slot)
    choices[slot] = kernels::even_choice(slot, experts);
  return nullptr;
}

}  // namespace megascale::engine
