#ifndef MEGASCALE_TESTS_SUPPORT_PLAN_WRITER_H_
#define MEGASCALE_TESTS_SUPPORT_PLAN_WRITER_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "megascale/base/task_function.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/plan/verify.h"

// Step plans written by hand: buffers, tasks with small functions of the test's own, transfers,
// waits by task.
namespace megascale::testing {

using graph::Access;
using graph::Lane;
using plan::AxisTerm;
using plan::BufferId;
using plan::CommunicatorId;
using plan::Operand;

using Work = std::function<const Error*(const TaskArguments&)>;

class WorkFunction final : public TaskFunction {
 public:
  explicit WorkFunction(Work work) : work_(std::move(work)) {}
  const Error* run(const TaskArguments& arguments) noexcept override { return work_(arguments); }

 private:
  Work work_;
};

// The op kind of every task that is no transfer.
inline const graph::OpDef& work_op() {
  static const graph::OpDef def{.name = "work", .operands = {}};
  return def;
}

using TaskId = std::uint32_t;

// Tables of one rank and what is needed to run them. Tasks are issued in the order of the calls.
class PlanWriter {
 public:
  struct TaskOptions {
    std::vector<TaskId> after;  // waits, by task
    std::uint16_t micro_batch = 0;
    std::array<std::uint16_t, plan::kTaskSlots> slots{};
    bool first = true;
    bool carried = false;
  };

  // A buffer at the end of the arena.
  BufferId buffer(std::string name, std::uint64_t nbytes) {
    const BufferId id = buffer_at(std::move(name), tables.arena_nbytes, nbytes);
    return id;
  }
  // A buffer at a place of the caller's choice: it may share bytes with others.
  BufferId buffer_at(std::string name, std::uint64_t offset, std::uint64_t nbytes) {
    tables.buffers.push_back({.name = std::move(name), .nbytes = nbytes, .offset = offset});
    const std::uint64_t end = (offset + nbytes + 63) / 64 * 64;
    tables.arena_nbytes = std::max(tables.arena_nbytes, end);
    return BufferId{static_cast<std::uint32_t>(tables.buffers.size() - 1)};
  }
  [[nodiscard]] std::uint64_t offset_of(BufferId id) const {
    return tables.buffers[plan::index(id)].offset;
  }

  // `members`: ranks in group order; this rank is one of them.
  CommunicatorId communicator(const std::string& name, std::vector<std::uint32_t> members,
                              Lane lane) {
    tables.communicators.push_back(
        {.name = name, .axes = {graph::Axis::data}, .edge_offset = 0, .lane = lane});
    keys.emplace_back(name, std::move(members));
    return CommunicatorId{static_cast<std::uint32_t>(keys.size() - 1)};
  }

  [[nodiscard]] Operand whole(BufferId buffer, Access access) const {
    return {.buffer = buffer,
            .offset = 0,
            .nbytes = tables.buffers[plan::index(buffer)].nbytes,
            .access = access};
  }

  TaskId work(Lane lane, std::string name, std::vector<Operand> operands, TaskOptions options,
              Work function) {
    plan::PlanOp op{
        .def = &work_op(), .path = std::move(name), .lane = lane, .operands = std::move(operands)};
    functions.push_back(std::make_shared<WorkFunction>(std::move(function)));
    return issue(std::move(op), options);
  }
  // On the communicator's lane.
  TaskId transfer(const graph::OpDef& def, std::string name, CommunicatorId communicator,
                  std::vector<Operand> operands, TaskOptions options,
                  DType dtype = DType::float32) {
    plan::PlanOp op{.def = &def,
                    .attributes = {{"dtype", static_cast<std::int64_t>(dtype)}},
                    .path = std::move(name),
                    .lane = tables.communicators[plan::index(communicator)].lane,
                    .operands = std::move(operands),
                    .communicator = communicator};
    functions.emplace_back();
    return issue(std::move(op), options);
  }

  // The wait for a task that was issued.
  [[nodiscard]] plan::Wait wait_for(TaskId task) const {
    const Lane lane = tables.ops[plan::index(tables.tasks[task].op)].lane;
    plan::Wait wait{.lane = lane, .count = 0};
    for (TaskId id = 0; id <= task; ++id)
      wait.count += tables.ops[plan::index(tables.tasks[id].op)].lane == lane;
    return wait;
  }

  [[nodiscard]] plan::RankPlan rank_plan(std::uint32_t rank,
                                         const plan::Coordinates& coordinates) const {
    plan::Binding binding{.rank = rank, .coordinates = coordinates, .communicators = {}};
    for (const auto& [key, members] : keys) {
      std::uint32_t mine = 0;
      while (mine < members.size() && members[mine] != rank) ++mine;
      binding.communicators.push_back({.key = key, .members = members, .my_index = mine});
    }
    return {std::make_shared<const plan::StepPlan>(tables), std::move(binding)};
  }
  // The rank's coordinate on the data axis is its number.
  [[nodiscard]] plan::RankPlan rank_plan(std::uint32_t rank) const {
    plan::Coordinates coordinates{};
    coordinates[static_cast<std::size_t>(graph::Axis::data)] = rank;
    return rank_plan(rank, coordinates);
  }

  plan::StepPlan::Tables tables;
  std::vector<std::pair<std::string, std::vector<std::uint32_t>>> keys;  // by communicator
  std::vector<std::shared_ptr<TaskFunction>> functions;  // by op; null for transfers

 private:
  TaskId issue(plan::PlanOp op, const TaskOptions& options) {
    tables.ops.push_back(std::move(op));
    plan::Task task{.op = plan::OpIndex{static_cast<std::uint32_t>(tables.ops.size() - 1)},
                    .first_wait = static_cast<std::uint32_t>(tables.waits.size()),
                    .wait_count = static_cast<std::uint16_t>(options.after.size()),
                    .micro_batch = options.micro_batch,
                    .slots = options.slots,
                    .first = options.first,
                    .carried = options.carried};
    for (const TaskId earlier : options.after) tables.waits.push_back(wait_for(earlier));
    tables.tasks.push_back(task);
    return static_cast<TaskId>(tables.tasks.size() - 1);
  }
};

// The function's operand as floats.
inline float* floats(const TaskArguments& arguments, std::size_t operand) {
  return reinterpret_cast<float*>(arguments.operands[operand]);
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_SUPPORT_PLAN_WRITER_H_
