// Compares prediction and measurement part by part. Both sides are task records, so the same
// functions of observe/ reduce them to the same numbers.
#include "megascale/study/forecast/run_comparison.h"

#include <algorithm>

namespace megascale::study {
namespace {

std::vector<observe::Difference> parts_of(const observe::StepTimes& predicted,
                                          const observe::StepTimes& measured) {
  using observe::StepTimes;
  std::vector<observe::Difference> lines;
  const auto add = [&](const char* name, double StepTimes::*part) {
    lines.push_back({name, predicted.*part, measured.*part});
  };
  add("step", &StepTimes::step);
  add("compute", &StepTimes::compute);
  add("exposed_comm", &StepTimes::exposed_comm);
  add("bubble", &StepTimes::bubble);
  add("data_wait", &StepTimes::data_wait);
  add("other", &StepTimes::other);
  return lines;
}

// Returns the simulated times, averaged over `ranks`: the ranks that have records in the run.
observe::StepTimes predicted_times(const SimulatedStep& step,
                                   const std::vector<std::uint32_t>& ranks) {
  std::vector<observe::StepTimes> times;
  times.reserve(ranks.size());
  for (const std::uint32_t rank : ranks)
    times.push_back(observe::step_times(*step.plans[rank], step.records[rank], step.seconds));
  return observe::mean(times);
}

}  // namespace

RunComparison compare_with_run(const SimulatedStep& step, const observe::RunRecords& run,
                               std::size_t last) {
  const observe::StepTimes predicted = predicted_times(step, run.ranks),
                           measured = observe::measured_times(run, step.plans, last);
  const std::size_t kept = run.steps.front().size();
  return {.steps = last == 0 ? kept : std::min(kept, last),
          .ranks = run.ranks.size(),
          .parts = parts_of(predicted, measured),
          .by_op = observe::differences_by_op(predicted, measured)};
}

}  // namespace megascale::study
