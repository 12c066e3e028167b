#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "megascale/base/error.h"
#include "megascale/parallel/replay.h"
#include "megascale/parallel/schedule.h"

namespace megascale::parallel {
namespace {

constexpr std::array<std::string_view, kWorkKinds> kWorkNames{"forward", "backward",
                                                              "weight gradient"};

// Checks the items of one stage by themselves.
class StageCheck {
 public:
  StageCheck(const Schedule& schedule, std::uint32_t stage, std::vector<ScheduleProblem>& problems)
      : schedule_(schedule), stage_(stage), problems_(problems) {
    for (std::size_t kind = 0; kind < kinds(); ++kind) {
      place_[kind].assign(std::size_t{schedule.chunks} * schedule.micro_batches, kAbsent);
    }
  }

  void run() {
    const auto& items = schedule_.items[stage_];
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (in_range(i)) place(i);
    }
    for (std::size_t kind = 0; kind < kinds(); ++kind) report_missing(kind);
    for (std::size_t i = 0; i < items.size(); ++i) check_needs(i);
    check_micro_batch_order();
  }

 private:
  static constexpr std::uint32_t kAbsent = ~0U;

  [[nodiscard]] std::size_t kinds() const {
    return schedule_.splits_weight_gradients ? kWorkKinds : kWorkKinds - 1;
  }
  std::uint32_t& place_of(std::size_t kind, const ScheduleItem& item) {
    return place_[kind][std::size_t{item.chunk} * schedule_.micro_batches + item.micro_batch];
  }
  // About the item i: `message` continues its name.
  void problem(std::size_t i, std::string_view message) {
    problems_.push_back(
        {stage_, i, fmt::format("{} {}", to_string(schedule_.items[stage_][i]), message)});
  }

  bool in_range(std::size_t i) {
    const ScheduleItem& item = schedule_.items[stage_][i];
    if (item.chunk >= schedule_.chunks) {
      problem(i, fmt::format("names a chunk that is not below {}", schedule_.chunks));
    } else if (item.micro_batch >= schedule_.micro_batches) {
      problem(i, fmt::format("names a micro-batch that is not below {}", schedule_.micro_batches));
    } else if (static_cast<std::size_t>(item.work) >= kinds()) {
      problem(i, "is a weight gradient in a schedule that does not split them from the backward");
    } else {
      return true;
    }
    return false;
  }

  void place(std::size_t i) {
    const ScheduleItem& item = schedule_.items[stage_][i];
    std::uint32_t& first = place_of(static_cast<std::size_t>(item.work), item);
    if (first == kAbsent) {
      first = static_cast<std::uint32_t>(i);
    } else {
      problem(i, fmt::format("stands a second time; the first is item {}", first));
    }
  }

  void report_missing(std::size_t kind) {
    const auto& places = place_[kind];
    const auto count = std::count(places.begin(), places.end(), kAbsent);
    if (count == 0) return;
    const auto first =
        static_cast<std::size_t>(std::find(places.begin(), places.end(), kAbsent) - places.begin());
    const ScheduleItem item{static_cast<Work>(kind),
                            static_cast<std::uint16_t>(first / schedule_.micro_batches),
                            static_cast<std::uint16_t>(first % schedule_.micro_batches)};
    problems_.push_back({stage_, ScheduleProblem::kNoItem,
                         fmt::format("{} of {} {}s are missing, the first is {}", count,
                                     places.size(), kWorkNames[kind], to_string(item))});
  }

  // A backward stands after its forward, a weight gradient after its backward.
  void check_needs(std::size_t i) {
    const ScheduleItem& item = schedule_.items[stage_][i];
    const auto kind = static_cast<std::size_t>(item.work);
    if (kind == 0 || !is_placed(i)) return;
    const std::uint32_t needed = place_of(kind - 1, item);
    if (needed == kAbsent || needed < i) return;
    problem(i, fmt::format("stands before its {}, which is item {}", kWorkNames[kind - 1], needed));
  }

  void check_micro_batch_order() {
    const auto accumulates = static_cast<Work>(kinds() - 1);
    std::vector<std::int64_t> previous(schedule_.chunks, -1);
    const auto& items = schedule_.items[stage_];
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].work != accumulates || !is_placed(i)) continue;
      std::int64_t& last = previous[items[i].chunk];
      if (items[i].micro_batch < last) {
        problem(i, fmt::format(
                       "stands after micro-batch {} of the same chunk: weight gradients add up in "
                       "micro-batch order, so that the bits do not depend on the schedule",
                       last));
      }
      last = std::max(last, std::int64_t{items[i].micro_batch});
    }
  }

  // In range and the first of its kind.
  bool is_placed(std::size_t i) {
    const ScheduleItem& item = schedule_.items[stage_][i];
    return item.chunk < schedule_.chunks && item.micro_batch < schedule_.micro_batches &&
           static_cast<std::size_t>(item.work) < kinds() &&
           place_of(static_cast<std::size_t>(item.work), item) == i;
  }

  const Schedule& schedule_;
  std::uint32_t stage_;
  std::vector<ScheduleProblem>& problems_;
  // [kind of work][chunk x micro_batches + micro_batch]: its first index in the stage's items.
  std::array<std::vector<std::uint32_t>, kWorkKinds> place_;
};

// The item of another stage that `item` needs: a stage's own items come in the right order here.
std::string needed_elsewhere(const Schedule& schedule, std::uint32_t stage,
                             const ScheduleItem& item) {
  const std::uint32_t chunk = schedule.global_chunk(stage, item.chunk);
  const std::uint32_t needed = item.work == Work::forward ? chunk - 1 : chunk + 1;
  const ScheduleItem producer{item.work, static_cast<std::uint16_t>(needed / schedule.stages),
                              item.micro_batch};
  return fmt::format("{} of stage {}", to_string(producer), needed % schedule.stages);
}

void find_stops(const Schedule& schedule, std::vector<ScheduleProblem>& problems) {
  const auto times = detail::item_times(schedule, Durations{});
  for (std::uint32_t stage = 0; stage < schedule.stages; ++stage) {
    const auto stop = std::find_if(times[stage].begin(), times[stage].end(),
                                   [](const ItemTime& time) { return time.start < 0; });
    if (stop == times[stage].end()) continue;
    const auto index = static_cast<std::size_t>(stop - times[stage].begin());
    const ScheduleItem& item = schedule.items[stage][index];
    problems.push_back({stage, index,
                        fmt::format("{} never starts (deadlock): it waits for {}", to_string(item),
                                    needed_elsewhere(schedule, stage, item))});
  }
}

}  // namespace

std::string to_string(const ScheduleProblem& problem) {
  if (problem.item == ScheduleProblem::kNoItem) {
    return fmt::format("stage {}: {}", problem.stage, problem.message);
  }
  return fmt::format("stage {}, item {}: {}", problem.stage, problem.item, problem.message);
}

std::vector<ScheduleProblem> validate(const Schedule& schedule) {
  const std::string wrong_size =
      size_problem(schedule.stages, schedule.chunks, schedule.micro_batches);
  if (!wrong_size.empty()) return {{0, ScheduleProblem::kNoItem, wrong_size}};
  if (schedule.items.size() != schedule.stages) {
    return {{0, ScheduleProblem::kNoItem,
             fmt::format("expected items for {} stages, found {}", schedule.stages,
                         schedule.items.size())}};
  }
  std::vector<ScheduleProblem> problems;
  std::uint32_t empty = 0, first_empty = 0;
  for (std::uint32_t stage = schedule.stages; stage-- > 0;) {
    if (schedule.items[stage].empty()) ++empty, first_empty = stage;
  }
  // One message for all of them: a file may claim many more stages than it has.
  if (empty > 0) {
    problems.push_back(
        {first_empty, ScheduleProblem::kNoItem,
         fmt::format("has no items; {} of {} stages have none", empty, schedule.stages)});
  }
  for (std::uint32_t stage = 0; stage < schedule.stages; ++stage) {
    if (!schedule.items[stage].empty()) StageCheck(schedule, stage, problems).run();
  }
  if (problems.empty()) find_stops(schedule, problems);
  return problems;
}

void require_valid(const Schedule& schedule) {
  std::vector<Error> errors;
  for (const ScheduleProblem& problem : validate(schedule)) {
    errors.emplace_back(ErrorCode::bad_input,
                        fmt::format("pipeline schedule {}: {}", schedule.name, to_string(problem)));
  }
  if (!errors.empty()) throw join_errors(errors);
}

}  // namespace megascale::parallel
