#ifndef MEGASCALE_TESTS_JOB_SEEDED_FAULT_H_
#define MEGASCALE_TESTS_JOB_SEEDED_FAULT_H_

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "megascale/plan/template.h"
#include "megascale/plan/verify.h"

// Faults put into a plan that is right, at random places.
namespace megascale::testing {

enum class Fault { swapped_collectives, wrong_count, missing_receive, early_reuse };
inline constexpr std::array kFaults{Fault::swapped_collectives, Fault::wrong_count,
                                    Fault::missing_receive, Fault::early_reuse};
inline const char* name(Fault fault) {
  constexpr std::array kNames{"swapped_collectives", "wrong_count", "missing_receive",
                              "early_reuse"};
  return kNames[static_cast<std::size_t>(fault)];
}

struct SeededFault {
  bool possible = false;  // a stage without receives has none to miss
  plan::StepPlan::Tables tables;
  std::string task;  // the first task that is not as it should be
};

class FaultSeeder {
 public:
  FaultSeeder(const plan::Expansion& expansion, std::uint64_t seed)
      : expansion_(&expansion), plan_(&expansion.plan), engine_(seed) {}

  SeededFault seed(Fault fault) {
    result_ = {.possible = true, .tables = plan_->tables(), .task = ""};
    switch (fault) {
      case Fault::swapped_collectives:
        swap_collectives();
        break;
      case Fault::wrong_count:
        count_wrong();
        break;
      case Fault::missing_receive:
        miss_receive();
        break;
      case Fault::early_reuse:
        reuse_early();
        break;
    }
    return std::move(result_);
  }

 private:
  const plan::PlanOp& op(std::uint32_t task) const { return plan_->op(plan_->tasks()[task]); }
  template <class Items>
  std::uint32_t pick(const Items& items) {
    return items[engine_() % items.size()];
  }
  template <class Wanted>
  std::vector<std::uint32_t> tasks(Wanted&& wanted) const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t id = 0; id < plan_->tasks().size(); ++id) {
      if (wanted(op(id))) found.push_back(id);
    }
    return found;
  }

  // With the next one on its communicator, which is often as large.
  void swap_collectives() {
    const auto collectives = tasks([](const plan::PlanOp& o) {
      return o.def->transfer && o.def->name != "send" && o.def->name != "recv";
    });
    std::vector<std::uint32_t> firsts;
    std::map<std::uint32_t, std::uint32_t> second;
    std::map<plan::CommunicatorId, std::uint32_t> last;
    for (const std::uint32_t id : collectives) {
      const auto [before, is_first] = last.try_emplace(op(id).communicator, id);
      if (is_first) continue;
      firsts.push_back(before->second);
      second[before->second] = id;
      before->second = id;
    }
    result_.possible = !firsts.empty();
    if (firsts.empty()) return;
    const std::uint32_t first = pick(firsts);
    plan::Task &a = result_.tables.tasks[first], &b = result_.tables.tasks[second[first]];
    std::swap(a.op, b.op);
    std::swap(a.micro_batch, b.micro_batch);
    std::swap(a.slots, b.slots);
    result_.task = plan::StepPlan(result_.tables).task_name(first);
  }

  void count_wrong() {
    const auto collectives = tasks([](const plan::PlanOp& o) { return o.def->transfer; });
    result_.possible = !collectives.empty();
    if (collectives.empty()) return;
    std::uint32_t id = pick(collectives);
    const plan::OpIndex number = plan_->tasks()[id].op;
    plan::PlanOp& wrong = result_.tables.ops[plan::index(number)];
    // A smaller part of everything: what is sent still fits what is received.
    std::uint64_t unit = ~std::uint64_t{0};
    for (const plan::Operand& x : wrong.operands) unit = std::min(unit, x.nbytes);
    for (plan::Operand& x : wrong.operands) x.nbytes -= x.nbytes / unit * 8;
    const auto of_op =
        tasks([&](const plan::PlanOp& o) { return &o == &plan_->ops()[plan::index(number)]; });
    result_.task = plan_->task_name(of_op.front());
  }

  void miss_receive() {
    const auto receives = tasks([](const plan::PlanOp& o) { return o.def->name == "recv"; });
    result_.possible = !receives.empty();
    if (receives.empty()) return;
    const std::uint32_t gone = pick(receives);
    std::uint32_t place = 0;
    for (std::uint32_t id = 0; id <= gone; ++id) place += op(id).lane == op(gone).lane;
    // Waits behind it count one task less of its lane.
    for (plan::Wait& wait : result_.tables.waits) {
      if (wait.lane == op(gone).lane && wait.count >= place) --wait.count;
    }
    for (plan::Task& task : result_.tables.tasks) {
      drop_empty_waits(task);
    }
    result_.tables.tasks.erase(result_.tables.tasks.begin() + gone);
    // The partner's side of it is what is left over.
    result_.task = fmt::format("mb{}/", plan_->tasks()[gone].micro_batch);
  }
  // A wait for the first task of a lane that is gone.
  void drop_empty_waits(plan::Task& task) {
    const auto begin = result_.tables.waits.begin() + task.first_wait;
    const auto end = std::remove_if(begin, begin + task.wait_count,
                                    [](const plan::Wait& wait) { return wait.count == 0; });
    task.wait_count = static_cast<std::uint16_t>(end - begin);
  }

  // A wait that only the reuse of memory asks for is left out.
  void reuse_early() {
    const auto& reuses = expansion_->reuse_waits;
    result_.possible = !reuses.empty();
    if (reuses.empty()) return;
    const plan::ReuseWait& reuse = reuses[engine_() % reuses.size()];
    plan::Task& task = result_.tables.tasks[reuse.task];
    const auto begin = result_.tables.waits.begin() + task.first_wait;
    const auto wait = std::find_if(begin, begin + task.wait_count, [&](const plan::Wait& w) {
      return w.lane == op(reuse.earlier).lane;
    });
    std::iter_swap(wait, begin + task.wait_count - 1);
    --task.wait_count;
    result_.task = plan_->task_name(reuse.task);
  }

  const plan::Expansion* expansion_;
  const plan::StepPlan* plan_;
  std::mt19937_64 engine_;
  SeededFault result_;
};

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_JOB_SEEDED_FAULT_H_
