// Finds all defects of a schedule. The items of each stage are checked by themselves first: range,
// uniqueness, order, completeness. Only if they are right, a replay decides whether the whole
// completes; the first item of a stage that never starts is where the deadlock shows.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "megascale/base/error.h"
#include "megascale/parallel/replay.h"
#include "megascale/parallel/schedule.h"

namespace megascale::parallel {
namespace {

constexpr std::array<std::string_view, kWorkKinds> kWorkNames{"forward", "backward",
                                                              "weight gradient"};

// Checks the items of one stage by themselves. Memory grows with the items that are present, not
// with the sizes that a file claims.
class StageCheck {
 public:
  StageCheck(const Schedule& schedule, std::uint32_t stage, std::vector<ScheduleProblem>& problems)
      : schedule_(schedule), items_(schedule.items[stage]), stage_(stage), problems_(problems) {
    for (std::uint32_t i = 0; i < items_.size(); ++i) {
      if (range_problem(items_[i]).empty()) {
        places_[kind_of(items_[i])].push_back({key(items_[i]), i});
      }
    }
    for (auto& places : places_) std::sort(places.begin(), places.end());
  }

  void run() {
    for (std::uint32_t i = 0; i < items_.size(); ++i) {
      const std::string problem = range_problem(items_[i]);
      if (!problem.empty()) {
        report(i, problem);
      } else if (const std::uint32_t first = first_place(kind_of(items_[i]), items_[i]);
                 first != i) {
        report(i, fmt::format("stands a second time; the first is item {}", first));
      } else {
        check_need(i);
        if (items_[i].work != Work::forward) check_micro_batch_order(i);
      }
    }
    for (std::size_t kind = 0; kind < kinds(); ++kind) report_missing(kind);
  }

 private:
  static constexpr std::uint32_t kAbsent = ~0U;
  struct Place {
    std::uint32_t key, index;
    auto operator<=>(const Place&) const = default;
  };

  static std::size_t kind_of(const ScheduleItem& item) {
    return static_cast<std::size_t>(item.work);
  }
  [[nodiscard]] std::size_t kinds() const {
    return schedule_.splits_weight_gradients ? kWorkKinds : kWorkKinds - 1;
  }
  [[nodiscard]] std::uint32_t key(const ScheduleItem& item) const {
    return item.chunk * schedule_.micro_batches + item.micro_batch;
  }
  // Returns the index of the first item with this chunk and micro-batch; kAbsent if there is none.
  [[nodiscard]] std::uint32_t first_place(std::size_t kind, const ScheduleItem& item) const {
    const Place sought{key(item), 0};
    const auto found = std::lower_bound(places_[kind].begin(), places_[kind].end(), sought);
    return found != places_[kind].end() && found->key == sought.key ? found->index : kAbsent;
  }
  // Reports a defect of item i. `message` follows the item's name in the sentence.
  void report(std::uint32_t i, std::string_view message) {
    problems_.push_back({stage_, i, fmt::format("{} {}", to_string(items_[i]), message)});
  }

  [[nodiscard]] std::string range_problem(const ScheduleItem& item) const {
    if (item.chunk >= schedule_.chunks) {
      return fmt::format("names a chunk that is not below {}", schedule_.chunks);
    }
    if (item.micro_batch >= schedule_.micro_batches) {
      return fmt::format("names a micro-batch that is not below {}", schedule_.micro_batches);
    }
    if (kind_of(item) >= kinds()) {
      return "is a weight gradient in a schedule that does not split them from the backward";
    }
    return "";
  }

  // A backward must stand after its forward, a weight gradient after its backward.
  void check_need(std::uint32_t i) {
    const std::size_t kind = kind_of(items_[i]);
    if (kind == 0) return;
    const std::uint32_t needed = first_place(kind - 1, items_[i]);
    if (needed == kAbsent || needed < i) return;
    report(i, fmt::format("stands before its {}, which is item {}", kWorkNames[kind - 1], needed));
  }

  void report_missing(std::size_t kind) {
    const std::uint32_t expected = schedule_.chunks * schedule_.micro_batches;
    // `first` is the smallest key that is missing. Duplicates are counted once.
    std::uint32_t present = 0, first = 0;
    for (const Place& place : places_[kind]) {
      if (&place != places_[kind].data() && (&place - 1)->key == place.key) continue;
      ++present;
      if (place.key == first) ++first;
    }
    if (present == expected) return;
    const ScheduleItem item{static_cast<Work>(kind),
                            static_cast<std::uint16_t>(first / schedule_.micro_batches),
                            static_cast<std::uint16_t>(first % schedule_.micro_batches)};
    problems_.push_back(
        {stage_, ScheduleProblem::kNoItem,
         fmt::format("{} of {} {}s are missing, the first is {}", expected - present, expected,
                     kWorkNames[kind], to_string(item))});
  }

  // Items that add to gradients of parameters must come in micro-batch order. Backwards are checked
  // too: they contain the gradients of norms and the head even if weight gradients are split off.
  void check_micro_batch_order(std::uint32_t i) {
    const ScheduleItem& item = items_[i];
    std::uint16_t& largest =
        largest_.try_emplace({item.work, item.chunk}, item.micro_batch).first->second;
    if (item.micro_batch < largest) {
      report(i,
             fmt::format("stands after micro-batch {} of the same chunk: weight gradients add up "
                         "in micro-batch order, so that the bits do not depend on the schedule",
                         largest));
    }
    largest = std::max(largest, item.micro_batch);
  }

  const Schedule& schedule_;
  const std::vector<ScheduleItem>& items_;
  std::uint32_t stage_;
  std::vector<ScheduleProblem>& problems_;
  std::array<std::vector<Place>, kWorkKinds> places_;  // for each kind of work; sorted
  // The largest micro-batch so far, for each kind of work and chunk.
  std::map<std::pair<Work, std::uint16_t>, std::uint16_t> largest_;
};

// Returns the item of another stage that `item` needs. The items of the own stage are already known
// to be in the right order, so only another stage can be missing.
std::string needed_elsewhere(const Schedule& schedule, std::uint32_t stage,
                             const ScheduleItem& item) {
  const std::uint32_t chunk = schedule.global_chunk(stage, item.chunk);
  const std::uint32_t needed = item.work == Work::forward ? chunk - 1 : chunk + 1;
  const ScheduleItem producer{item.work, static_cast<std::uint16_t>(needed / schedule.stages),
                              item.micro_batch};
  return fmt::format("{} of stage {}", to_string(producer), needed % schedule.stages);
}

// Reports the first item that never starts, for each stage that does not complete.
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
  // One message for all of them, because a damaged file may claim many stages that it does not
  // have.
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
