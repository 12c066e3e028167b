#include "megascale/cli/compare_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "megascale/observe/comparison.h"

namespace megascale::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kShown = 10;  // op kinds that differ most

// Against nothing there is no error in per cent.
std::string percent(const observe::Difference& difference) {
  if (difference.measured <= 0) return "";
  return fmt::format("{:+.1f} %", 100 * (difference.predicted / difference.measured - 1));
}

ordered_json to_json(const observe::Difference& difference) {
  ordered_json json{{"predicted", difference.predicted}, {"measured", difference.measured}};
  if (difference.measured > 0) json["error"] = difference.predicted / difference.measured - 1;
  return json;
}

void print(const observe::Difference& line) {
  fmt::print("{:<28} {:>11.5f} {:>11.5f} {:>+11.5f} {:>10}\n", line.name, line.predicted,
             line.measured, line.seconds(), percent(line));
}

std::vector<observe::Difference> parts(const observe::StepTimes& predicted,
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

// Of the ranks that the run has records of.
observe::StepTimes predicted_times(const SimulatedStep& step,
                                   const std::vector<std::uint32_t>& ranks) {
  std::vector<observe::StepTimes> times;
  times.reserve(ranks.size());
  for (const std::uint32_t rank : ranks)
    times.push_back(observe::step_times(*step.plans[rank], step.records[rank], step.seconds));
  return observe::mean(times);
}

}  // namespace

ordered_json compare_with_run(const SimulatedStep& step, const observe::RunRecords& run,
                              std::size_t last) {
  const observe::StepTimes predicted = predicted_times(step, run.ranks),
                           measured = observe::measured_times(run, step.plans, last);
  const std::size_t kept = run.steps.front().size();
  const std::size_t steps = last == 0 ? kept : std::min(kept, last);
  fmt::print("\npredicted beside the run: medians of {} steps, means of {} of {} ranks; seconds\n",
             steps, run.ranks.size(), step.world_size);
  fmt::print("{:<28} {:>11} {:>11} {:>11} {:>10}\n", "", "predicted", "measured", "difference",
             "error");
  ordered_json json{{"steps", steps}, {"ranks", run.ranks.size()}};
  for (const observe::Difference& line : parts(predicted, measured)) {
    print(line);
    json[line.name + "_seconds"] = to_json(line);
  }
  const auto by_op = observe::differences_by_op(predicted, measured);
  fmt::print("\nop kinds that differ most\n");
  for (std::size_t i = 0; i < by_op.size(); ++i) {
    json["seconds_by_op"][by_op[i].name] = to_json(by_op[i]);
    if (i >= kShown) continue;
    print(by_op[i]);
    json["differ_most"].push_back(by_op[i].name);
  }
  return json;
}

}  // namespace megascale::cli
