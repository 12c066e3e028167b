// Overlap of data parallelism. Without it, every reduction of whole main gradients stands at the end of the
// schedule, since a serial transfer in the middle would also delay the previous stages. With it, a reduction starts
// as soon as the gradients of its bucket are complete. The backward of earlier layers goes on
// meanwhile. Packing in the last backward of a stage would delay all stages before it, each by as much.
#include "megascale/plan/passes/data_overlap.h"

#include <algorithm>
#include <set>

#include "megascale/plan/passes/overlap.h"

namespace megascale::plan {

void overlap_data(PlanTemplate& plan_template, const std::vector<BucketReduction>& reductions,
                  std::uint16_t last_micro_batch, bool in_pipeline) {
  release_transfers(plan_template, {graph::Lane::data});
  release_transfers_between_hosts(plan_template);
  const auto computes = [&](OpIndex op) {
    return plan_template.ops[index(op)].def->transfer == nullptr;
  };
  std::set<OpIndex> moved;
  for (const BucketReduction& reduction : reductions) {
    const auto end = in_pipeline
                         ? std::find_if(reduction.tasks.begin(), reduction.tasks.end(), computes)
                         : reduction.tasks.end();
    moved.insert(reduction.tasks.begin(), end);
  }
  std::vector<std::variant<Instance, StepTask>> items;
  for (const auto& item : plan_template.items) {
    const auto* step = std::get_if<StepTask>(&item);
    if (step != nullptr && moved.contains(step->op)) continue;
    items.push_back(item);
    const auto* instance = std::get_if<Instance>(&item);
    if (instance == nullptr || instance->micro_batch != last_micro_batch) continue;
    for (const BucketReduction& reduction : reductions) {
      if (reduction.segment != instance->segment) continue;
      for (const OpIndex task : reduction.tasks) {
        if (moved.contains(task)) items.emplace_back(StepTask{.op = task});
      }
    }
  }
  plan_template.items = std::move(items);
}

}  // namespace megascale::plan
