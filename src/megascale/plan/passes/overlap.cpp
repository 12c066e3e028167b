// Sets and clears PlanOp::serial, which stops computation while a transfer runs.
#include "megascale/plan/passes/overlap.h"

#include <algorithm>

namespace megascale::plan {

namespace {

bool is_between_hosts(const PlanTemplate& plan_template, const PlanOp& op) {
  return op.communicator != kNoCommunicator &&
         plan_template.communicators[index(op.communicator)].factor == graph::HostFactor::between;
}

}  // namespace

void make_transfers_serial(PlanTemplate& plan_template) {
  for (PlanOp& op : plan_template.ops)
    op.serial = op.def->transfer != nullptr &&
                (op.lane != graph::Lane::step || is_between_hosts(plan_template, op));
}

void release_transfers(PlanTemplate& plan_template, std::initializer_list<graph::Lane> lanes) {
  for (PlanOp& op : plan_template.ops) {
    if (std::find(lanes.begin(), lanes.end(), op.lane) != lanes.end()) op.serial = false;
  }
}

void release_transfers_between_hosts(PlanTemplate& plan_template) {
  for (PlanOp& op : plan_template.ops) {
    if (is_between_hosts(plan_template, op)) op.serial = false;
  }
}

}  // namespace megascale::plan
