// Task numbers beyond any plan are kept as such: records_of() refuses them.
#include "megascale/control/position_text.h"

#include <algorithm>

namespace megascale::control {
namespace {

constexpr std::int64_t kMostTasks = 1 << 26;  // as of a record ring
constexpr const char* kPosition = "the position of a rank";

std::vector<std::uint32_t> task_numbers(const Fields& fields, const char* key) {
  std::vector<std::uint32_t> numbers;
  for (const std::int64_t one : fields.integers(key, 0))
    numbers.push_back(static_cast<std::uint32_t>(std::min(one, kMostTasks)));
  return numbers;
}

}  // namespace

Json position_to_json(const RankPosition& position) {
  return {{"plan", position.plan_digest}, {"tasks", position.tasks},     {"step", position.step},
          {"ended", position.ended},      {"last_ns", position.last_ns}, {"done", position.done},
          {"started", position.started},  {"matched", position.matched}};
}

RankPosition position_from_json(const Parsed& object) {
  const Fields fields(object, kPosition);
  return {.plan_digest = fields.text("plan"),
          .tasks = static_cast<std::uint32_t>(fields.integer("tasks", 0, kMostTasks)),
          .step = fields.at_least("step", -1),
          .ended = fields.boolean("ended"),
          .last_ns = fields.at_least("last_ns", 0),
          .done = task_numbers(fields, "done"),
          .started = task_numbers(fields, "started"),
          .matched = task_numbers(fields, "matched")};
}

}  // namespace megascale::control
