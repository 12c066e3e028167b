// Reduces task records of a step to the numbers that a prediction is compared by, and combines them
// over ranks and steps. A mean or median is taken of each number separately, so the medians of the
// parts need not add up to the median of the step.
#include "megascale/observe/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "megascale/observe/blame.h"

namespace megascale::observe {
namespace {

constexpr std::array kParts{&StepTimes::step,   &StepTimes::compute,   &StepTimes::exposed_comm,
                            &StepTimes::bubble, &StepTimes::data_wait, &StepTimes::other};

// Applies `choose` to each number separately: to all parts, and to every op kind that occurs in any
// of `all` (0 where it does not occur).
template <class Choose>
StepTimes combine(std::span<const StepTimes> all, Choose choose) {
  StepTimes result;
  std::vector<double> values(all.size());
  for (const auto part : kParts) {
    for (std::size_t i = 0; i < all.size(); ++i) values[i] = all[i].*part;
    result.*part = choose(values);
  }
  std::set<std::string> kinds;
  for (const StepTimes& times : all) {
    for (const auto& [kind, seconds] : times.by_op) kinds.insert(kind);
  }
  for (const std::string& kind : kinds) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto found = all[i].by_op.find(kind);
      values[i] = found == all[i].by_op.end() ? 0.0 : found->second;
    }
    result.by_op[kind] = choose(values);
  }
  return result;
}

// Adds up seconds by op kind. A plan has tens of kinds and tens of thousands of tasks, whose neighbours
// often are of one kind. So a short list is searched, and names are built at the end only.
class SumsByOp {
 public:
  void add(const graph::OpDef& def, double seconds) {
    if (sums_.empty() || sums_[last_].def != &def) last_ = place_of(def);
    sums_[last_].seconds += seconds;
  }
  [[nodiscard]] std::map<std::string, double> by_name() const {
    std::map<std::string, double> names;
    for (const Sum& sum : sums_) names[std::string(sum.def->name)] += sum.seconds;
    return names;
  }

 private:
  struct Sum {
    const graph::OpDef* def = nullptr;
    double seconds = 0;
  };
  std::size_t place_of(const graph::OpDef& def) {
    const auto found = std::ranges::find(sums_, &def, &Sum::def);
    const std::size_t place = static_cast<std::size_t>(found - sums_.begin());
    if (found == sums_.end()) sums_.push_back({.def = &def});
    return place;
  }
  std::vector<Sum> sums_;
  std::size_t last_ = 0;
};

}  // namespace

StepTimes step_times(const plan::StepPlan& plan, std::span<const TaskRecord> records,
                     double seconds) {
  return step_times(LaneOrder(plan), records, seconds);
}

StepTimes step_times(const LaneOrder& order, std::span<const TaskRecord> records, double seconds) {
  const plan::StepPlan& plan = order.plan();
  const IdleTime idle = blame(order, records);
  StepTimes times{.step = seconds,
                  .exposed_comm = idle.exposed_comm_seconds,
                  .bubble = idle.bubble_seconds,
                  .data_wait = idle.data_wait_seconds,
                  .by_op = {}};
  SumsByOp sums;
  for (std::size_t id = 0; id < records.size(); ++id) {
    const plan::PlanOp& op = plan.op(plan.tasks()[id]);
    const bool computes = op.lane == graph::Lane::compute;
    if (!computes && !op.def->transfer) continue;  // host lanes work beside the step
    const TaskRecord& record = records[id];
    if (record.done_ns == 0) continue;  // a carried task that the end of the run cut off
    const std::int64_t begin = computes ? record.start_ns : moving_since(record);
    const double took = 1e-9 * static_cast<double>(record.done_ns - begin);
    sums.add(*op.def, took);
    if (computes) times.compute += took;
  }
  times.by_op = sums.by_name();
  times.other = seconds - times.compute - times.exposed_comm - times.bubble - times.data_wait;
  return times;
}

StepTimes mean(std::span<const StepTimes> ranks) {
  return combine(ranks, [](const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  });
}

StepTimes median(std::span<const StepTimes> steps) {
  return combine(steps, [](std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  });
}

StepTimes measured_times(const RunRecords& run,
                         std::span<const std::shared_ptr<const plan::StepPlan>> plans,
                         std::size_t last) {
  const std::size_t kept = run.steps.front().size();
  const std::size_t first = last == 0 || last > kept ? 0 : kept - last;
  std::vector<StepTimes> steps;
  for (std::size_t s = first; s < kept; ++s) {
    std::vector<StepTimes> ranks;
    for (std::size_t r = 0; r < run.ranks.size(); ++r) {
      const RingStep& step = run.steps[r][s];
      ranks.push_back(step_times(*plans[run.ranks[r]], step.records,
                                 1e-9 * static_cast<double>(step.end_ns - step.begin_ns)));
    }
    steps.push_back(mean(ranks));
    steps.back().step = ranks.front().step;
  }
  return median(steps);
}

std::vector<Difference> differences_by_op(const StepTimes& predicted, const StepTimes& measured) {
  std::map<std::string, Difference> by_name;
  for (const auto& [name, seconds] : predicted.by_op) by_name[name].predicted = seconds;
  for (const auto& [name, seconds] : measured.by_op) by_name[name].measured = seconds;
  std::vector<Difference> differences;
  for (auto& [name, difference] : by_name) {
    difference.name = name;
    differences.push_back(std::move(difference));
  }
  std::stable_sort(differences.begin(), differences.end(),
                   [](const Difference& a, const Difference& b) {
                     return std::abs(a.seconds()) > std::abs(b.seconds());
                   });
  return differences;
}

}  // namespace megascale::observe
