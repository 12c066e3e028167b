// A kept step gets a ring file with one place, so that readers need to know one format only.
#include "megascale/engine/step_records.h"

#include <tuple>
#include <utility>

namespace megascale::engine {
namespace {

// A reader that looks once a second misses none if a step takes a millisecond. 90 kB.
constexpr std::uint32_t kOutcomes = 1024;

}  // namespace

StepRecords::StepRecords(Options options, const plan::StepPlan& plan, std::uint32_t rank)
    : options_(std::move(options)), plan_(&plan), rank_(rank) {
  if (options_.ring.empty()) memory_.resize(plan.tasks().size());
}

std::optional<Error> StepRecords::open(std::int64_t first_step, std::int64_t end,
                                       StepRecords* before) {
  if (options_.ring.empty() || ring_) return std::nullopt;
  std::optional<Error> error;
  try {
    make_files(first_step, end, before);
  } catch (const Error& found) {
    if (before == nullptr) throw;
    error = found;
    ring_.reset();
    kept_.clear();
    memory_.resize(plan_->tasks().size());
  }
  if (before != nullptr) {
    before->ring_.reset();
    before->kept_.clear();
  }
  return error;
}

void StepRecords::make_files(std::int64_t first_step, std::int64_t end, StepRecords* before) {
  runtime::RecordRing::Options ring{.tasks = static_cast<std::uint32_t>(plan_->tasks().size()),
                                    .steps = options_.ring_steps,
                                    .plan_digest = plan_->digest(),
                                    .rank = rank_,
                                    .outcomes = kOutcomes,
                                    .groups = options_.groups};
  ring_.emplace(options_.ring, ring);
  if (before != nullptr && before->ring_) ring_->take_outcomes(*before->ring_);
  ring.steps = 1;
  ring.outcomes = 0;
  const auto last = options_.kept.lower_bound(end);
  for (auto step = options_.kept.lower_bound(first_step); step != last; ++step) {
    kept_.emplace(std::piecewise_construct, std::forward_as_tuple(step->first),
                  std::forward_as_tuple(step->second, ring));
  }
}

runtime::RecordRing* StepRecords::ring_of(std::int64_t step) noexcept {
  const auto kept = kept_.find(step);
  if (kept != kept_.end()) return &kept->second;
  return ring_ ? &*ring_ : nullptr;
}

std::span<TaskRecord> StepRecords::begin(std::int64_t step) noexcept {
  runtime::RecordRing* const ring = ring_of(step);
  return ring != nullptr ? ring->begin_step(step) : std::span<TaskRecord>(memory_);
}

void StepRecords::end(std::int64_t step) noexcept {
  if (runtime::RecordRing* const ring = ring_of(step); ring != nullptr) ring->end_step(step);
}

void StepRecords::put_outcome(const StepOutcome& outcome) noexcept {
  if (ring_) ring_->put_outcome(outcome);
}

}  // namespace megascale::engine
