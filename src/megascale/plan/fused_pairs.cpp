// Collects the tasks of fused pairs, and checks them. The hazards of a pair are not those that
// check_hazards() looks for: its tasks are ordered, and may yet run at the same time.
#include "megascale/plan/fused_pairs.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "megascale/plan/checks.h"
#include "megascale/plan/coordinates.h"

namespace megascale::plan {
namespace {

bool writes_bytes(const Task& task, const Operand& operand) {
  return StepPlan::access(task, operand) != graph::Access::read;
}

// Looks for the bytes that two tasks of a pair share, at one place.
class SharedBytes {
 public:
  SharedBytes(const StepPlan& plan, const PlaceCover& cover, const Coordinates& place)
      : plan_(plan), cover_(cover), place_(place) {}

  // Returns whether `later` reads bytes that `earlier` writes.
  [[nodiscard]] bool flow(const Task& earlier, const Task& later) const {
    return any(earlier, later, [&](const Operand& x, const Operand& y) {
      return writes_bytes(earlier, x) && y.access != graph::Access::write;
    });
  }
  // Returns whether they share other bytes of which one of them writes.
  [[nodiscard]] bool collide(const Task& earlier, const Task& later) const {
    return any(earlier, later, [&](const Operand& x, const Operand& y) {
      if (!writes_bytes(later, y)) return false;  // reads what was written, or both read
      return !(writes_bytes(earlier, x) && is_in_place(later, y));
    });
  }

 private:
  template <class Predicate>
  [[nodiscard]] bool any(const Task& a, const Task& b, const Predicate& holds) const {
    for (const Operand& x : plan_.op(a).operands) {
      for (const Operand& y : plan_.op(b).operands) {
        if (x.buffer == kNoBuffer || y.buffer == kNoBuffer) continue;
        if (overlap(range(a, x), range(b, y)) && holds(x, y)) return true;
      }
    }
    return false;
  }
  // Returns whether the task also reads exactly the bytes that this operand writes.
  [[nodiscard]] bool is_in_place(const Task& task, const Operand& written) const {
    const ByteRange to = range(task, written);
    const auto& operands = plan_.op(task).operands;
    return std::any_of(operands.begin(), operands.end(), [&](const Operand& other) {
      if (other.buffer == kNoBuffer || other.access != graph::Access::read) return false;
      const ByteRange from = range(task, other);
      return from.begin == to.begin && from.end == to.end;
    });
  }
  [[nodiscard]] ByteRange range(const Task& task, const Operand& operand) const {
    return cover_.range(plan_, task, operand, place_);
  }

  const StepPlan& plan_;
  const PlaceCover& cover_;
  const Coordinates& place_;
};

// Returns what is wrong with the form of a pair; empty if nothing is. `place_on_lane`: by task.
std::string wrong_form(const StepPlan& plan, const FusedPair& pair,
                       const std::vector<std::uint32_t>& place_on_lane) {
  const auto op = [&](std::size_t i) -> const PlanOp& {
    return plan.op(plan.tasks()[pair.tasks[i]]);
  };
  const std::size_t size = pair.tasks.size();
  if (size < 2) return "expected a transfer and a product, found one task";
  std::size_t transfers = 0, products = 0;
  for (std::size_t i = 0; i < size; ++i) {
    transfers += op(i).def->transfer != nullptr ? 1 : 0;
    products += op(i).def->gemm ? 1 : 0;
  }
  const bool first = op(0).def->transfer != nullptr, last = op(size - 1).def->transfer != nullptr;
  if (transfers != 1 || !(first || last))
    return fmt::format("expected one transfer, first or last, found {}", transfers);
  if (products != 1 || !op(first ? size - 1 : 0).def->gemm)
    return fmt::format("expected one product, at the other end than the transfer, found {}",
                       products);
  const std::size_t begin = first ? 1 : 0, end = first ? size : size - 1;
  for (std::size_t i = begin; i < end; ++i) {
    const bool next =
        i == begin || place_on_lane[pair.tasks[i]] == place_on_lane[pair.tasks[i - 1]] + 1;
    if (op(i).lane != graph::Lane::compute || !next)
      return "expected its computation on the compute lane without other tasks between, found "
             "others";
  }
  return "";
}

}  // namespace

std::vector<FusedPair> fused_pairs(const StepPlan& plan) {
  std::vector<FusedPair> pairs;
  // By chunk, number and micro-batch: index of the pair.
  std::map<std::tuple<std::uint16_t, std::uint32_t, std::uint16_t>, std::size_t> known;
  for (std::uint32_t id = 0; id < plan.tasks().size(); ++id) {
    const Task& task = plan.tasks()[id];
    const PlanOp& op = plan.op(task);
    if (op.pair == 0) continue;
    const auto [found, is_new] =
        known.try_emplace({op.chunk, op.pair, task.micro_batch}, pairs.size());
    if (is_new) pairs.emplace_back();
    pairs[found->second].tasks.push_back(id);
  }
  return pairs;
}

void check_fused_pairs(const SharedPlan& shared, std::vector<Violation>& violations) {
  const StepPlan& plan = *shared.first.plan;
  const std::vector<FusedPair> pairs = fused_pairs(plan);
  if (pairs.empty()) return;
  std::vector<Coordinates> coordinates;
  for (const Place& place : shared.places) coordinates.push_back(place.coordinates);
  const PlaceCover cover = cover_places(plan, coordinates);
  std::vector<std::uint32_t> place_on_lane;
  std::array<std::uint32_t, graph::kLaneCount> counts{};
  for (const Task& task : plan.tasks())
    place_on_lane.push_back(counts[static_cast<std::size_t>(plan.op(task).lane)]++);
  Reporter reporter(violations, shared.first);
  for (const FusedPair& pair : pairs) {
    if (reporter.full()) return;
    const std::string wrong = wrong_form(plan, pair, place_on_lane);
    if (!wrong.empty()) {
      reporter.add(ViolationKind::malformed, pair.tasks.front(),
                   "is part of a fused pair: " + wrong);
      continue;
    }
    for (const Coordinates& place : cover.places) {
      const SharedBytes bytes(plan, cover, place);
      for (std::size_t i = 0; i < pair.tasks.size(); ++i) {
        for (std::size_t j = i + 1; j < pair.tasks.size(); ++j) {
          const std::uint32_t a = pair.tasks[i], b = pair.tasks[j];
          const Task &earlier = plan.tasks()[a], &later = plan.tasks()[b];
          const std::string other = fmt::format("task {} ({})", a, plan.task_name(a));
          if (j == i + 1 && !bytes.flow(earlier, later)) {
            reporter.add(
                ViolationKind::malformed, b,
                "is in a fused pair behind " + other + ", and reads nothing of what that writes");
          } else if (bytes.collide(earlier, later)) {
            reporter.add(ViolationKind::hazard, b,
                         "is in a fused pair with " + other +
                             ", may run at the same time, and writes bytes that that touches");
          }
        }
      }
      if (!reporter.clean()) break;
    }
  }
}

}  // namespace megascale::plan
