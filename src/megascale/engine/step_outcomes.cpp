// A group is a set of axes. Its name for a rank is made of the set and of the rank's coordinates on
// the other axes of the same factorisation.
#include "megascale/engine/step_outcomes.h"

#include <fmt/format.h>

#include <algorithm>

#include "megascale/base/digest.h"

namespace megascale::engine {
namespace {

std::uint64_t name_of(graph::AxisSet set, const graph::Coordinates& coordinates) {
  const graph::AxisSet all = graph::kExpertAxes.meets(set) ? graph::kExpertAxes : graph::kDenseAxes;
  std::string text = fmt::format("{}", set.bits());
  for (std::size_t i = 0; i < graph::kAxisCount; ++i) {
    const auto axis = static_cast<graph::Axis>(i);
    if (set.contains(axis) || !(all.contains(axis) || axis == graph::Axis::pipeline)) continue;
    text += fmt::format(" {}={}", graph::to_string(axis), coordinates[i]);
  }
  return std::max<std::uint64_t>(digest64(std::as_bytes(std::span(text))), 1);
}

// The bucket that an op of the optimizer updates, or null.
const plan::FlatBucket* bucket_of(const plan::PlanOp& op, const plan::ModelState& state) {
  for (const plan::FlatBucket& bucket : state.buckets) {
    if (std::any_of(op.operands.begin(), op.operands.end(),
                    [&](const plan::Operand& operand) { return operand.buffer == bucket.masters; }))
      return &bucket;
  }
  return nullptr;
}

}  // namespace

StepOutcomes::StepOutcomes(const plan::StepPlan& plan, const plan::ModelState& state,
                           const graph::Coordinates& coordinates,
                           std::span<TaskFunction* const> functions) {
  std::vector<graph::AxisSet> sets;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    auto* const function = dynamic_cast<UpdatesState*>(functions[i]);
    if (function == nullptr) continue;
    Updater own{.function = function};
    const plan::FlatBucket* bucket = bucket_of(plan.ops()[i], state);
    if (bucket != nullptr && bucket->shards == 1 && !bucket->summed_over.empty()) {
      own.group = static_cast<std::size_t>(
          std::find(sets.begin(), sets.end(), bucket->summed_over) - sets.begin());
      if (own.group == sets.size()) sets.push_back(bucket->summed_over);
      own.group = std::min(own.group, kReplicaGroups);
    }
    const auto known = std::find_if(updaters_.begin(), updaters_.end(),
                                    [&](const Updater& one) { return one.function == function; });
    if (known == updaters_.end()) {
      updaters_.push_back(own);
    } else if (known->group != own.group) {
      known->group = kReplicaGroups;  // equal ops on different groups share one function
    }
  }
  for (std::size_t i = 0; i < std::min(sets.size(), kReplicaGroups); ++i)
    groups_[i] = name_of(sets[i], coordinates);
  for (std::uint32_t task = 0; task < plan.tasks().size(); ++task) {
    const plan::PlanOp& op = plan.op(plan.tasks()[task]);
    if (op.def->transfer) {
      transfers_.push_back(task);
    } else if (op.lane == graph::Lane::compute) {
      computations_.push_back(task);
    }
  }
}

StepOutcome StepOutcomes::of(StepOutcome outcome, const UpdateScalars& scalars,
                             std::span<const TaskRecord> records) noexcept {
  outcome.loss = scalars.loss_sum / scalars.valid_tokens;
  outcome.gradient_norm = scalars.gradient_norm;
  for (Updater& one : updaters_) {
    const StateDigests digests = one.function->take_digests();
    if (digests.written == 0) continue;  // the update was skipped, and the state is as it was
    if (one.written != 0 && digests.read != one.written) ++outcome.damaged;
    one.written = digests.written;
    if (one.group < kReplicaGroups) outcome.digests[one.group] += digests.written;
  }
  if (records.empty()) return outcome;
  for (const std::uint32_t task : computations_)
    outcome.compute_ns += std::max<std::int64_t>(records[task].done_ns - records[task].start_ns, 0);
  for (const std::uint32_t task : transfers_) {
    outcome.transfer_ns +=
        std::max<std::int64_t>(records[task].done_ns - moving_since(records[task]), 0);
  }
  return outcome;
}

}  // namespace megascale::engine
