#ifndef MEGASCALE_PLAN_STEP_PLAN_H_
#define MEGASCALE_PLAN_STEP_PLAN_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "megascale/graph/axis.h"
#include "megascale/graph/flat_segment.h"
#include "megascale/graph/op.h"

// A StepPlan is what every rank of one class does in one training step, fixed before the step
// starts: tasks on lanes in issue order, their waits and the bytes they touch. It holds no device
// pointers and no rank numbers, so one object is verified, executed, simulated, drawn and recorded.
// Invariants (verify() checks them): a task's id is its index in tasks(); it waits for tasks of
// smaller ids only. Thread safety: immutable after construction; share freely.  Ownership: a value;
// owns its tables.
namespace megascale::plan {

enum class BufferId : std::uint32_t {};
enum class OpIndex : std::uint32_t {};
enum class CommunicatorId : std::uint32_t {};
inline constexpr BufferId kNoBuffer{~0U};
inline constexpr CommunicatorId kNoCommunicator{~0U};
[[nodiscard]] constexpr std::size_t index(BufferId id) noexcept {
  return static_cast<std::size_t>(id);
}
[[nodiscard]] constexpr std::size_t index(OpIndex id) noexcept {
  return static_cast<std::size_t>(id);
}
[[nodiscard]] constexpr std::size_t index(CommunicatorId id) noexcept {
  return static_cast<std::size_t>(id);
}

// Which number of a task selects the copy of a buffer that it means.
enum class SlotUse : std::uint8_t {
  retained,          // what the backward of a micro-batch reads, deferred weight gradients included
  receive_forward,   // the activation that came from the stage before
  receive_backward,  // the gradient that came from the stage behind
  send_forward,
  send_backward,
  micro_batch,
  none
};
inline constexpr std::size_t kTaskSlots = 5;  // the first five uses; the sixth is the micro-batch

// What memory is for; the rows of `megascale plan`.
enum class Category : std::uint8_t {
  parameters,
  masters,
  main_gradients,
  optimizer_state,
  batches,
  staging,
  retained,
  transients,
  scratch,
  results,
  caches,
};
inline constexpr std::size_t kCategoryCount = 11;
[[nodiscard]] std::string_view to_string(Category category) noexcept;

struct Buffer {
  std::string name;
  Category category = Category::transients;
  std::uint64_t nbytes = 0;  // of one copy
  std::uint64_t offset = 0;  // in the arena, bytes
  SlotUse slot_use = SlotUse::none;
  std::uint32_t slot_count = 1;
  std::uint64_t slot_stride = 0;  // bytes between copies
  BufferId view_of =
      kNoBuffer;  // the buffer that this one names a part of; data flows between the two
};

// Adds ((place in the group + k) mod n) * stride to an operand's offset; n = 0: constant.
struct AxisTerm {
  graph::AxisSet axes;
  std::uint32_t k = 0;
  std::uint32_t n = 0;
  std::uint64_t stride = 0;
};

struct Operand {
  BufferId buffer = kNoBuffer;
  std::uint64_t offset = 0;  // in the buffer, bytes
  std::uint64_t nbytes = 0;
  graph::Access access = graph::Access::read;
  AxisTerm term;
};

using graph::FlatSegment;
using graph::kFlatAlignment;

// An extent of an operand that is known at run time only: the sum of `terms` elements, from number
// `first` on, of the int64 tensor that is operand `count_operand` of the same op. The extent in the
// operand's shape is its bound.
struct RunTimeExtent {
  std::uint16_t operand = 0, axis = 0;
  std::uint16_t count_operand = 0;
  std::uint32_t first = 0, terms = 1;
  friend bool operator==(const RunTimeExtent&, const RunTimeExtent&) = default;
};

// An op instance that tasks name: once per chunk program, not per micro-batch.
struct PlanOp {
  const graph::OpDef* def = nullptr;
  graph::Attributes attributes;
  std::string scope, path;
  graph::Phase phase = graph::Phase::step;
  std::uint16_t chunk = 0;
  graph::Lane lane = graph::Lane::compute;
  std::vector<std::optional<graph::Tensor>>
      tensors;  // by operand of def: shape, dtype, role; empty where absent
  // By operand of def; then the count tensors that extents refer to and the kind does not name
  // itself; then the scratch, if there is one.
  std::vector<Operand> operands;
  std::vector<RunTimeExtent> extents;
  bool has_scratch = false;
  std::vector<FlatSegment> segments;  // flat ops only
  CommunicatorId communicator = kNoCommunicator;
  // Computation stands still while this transfer runs: how a plan says that a dimension's overlap
  // is switched off. Its tasks wait for all compute tasks before them, and those behind wait for
  // it.
  bool serial = false;
  graph::Cost cost;
};

// Who takes part: all ranks that differ in `axes` only, or a factor of them by hosts; or (edge)
// this rank and the one `offset` further along the axis.
struct Communicator {
  std::string name;
  graph::AxisSet axes;
  graph::HostFactor factor = graph::HostFactor::none;
  std::int32_t edge_offset = 0;  // not 0: a directed edge along the only axis
  graph::Lane lane = graph::Lane::data;
};

struct Wait {
  graph::Lane lane{};
  std::uint32_t count = 0;  // the lane's done counter has reached count (tasks of this step)
};

struct Task {
  OpIndex op{};
  std::uint32_t first_wait = 0;  // into waits()
  std::uint16_t wait_count = 0;
  std::uint16_t micro_batch = 0;
  std::array<std::uint16_t, kTaskSlots> slots{};  // by SlotUse
  bool first = true;                              // accumulators are written, not added to
  bool carried = false;                           // may still run when the next step starts
};
static_assert(sizeof(Task) <= 32);  // 175B on 12,288 ranks: 44 thousand tasks per class of ranks

using graph::Coordinates;

struct ByteRange {
  std::uint64_t begin = 0, end = 0;
};
// Whether they have a byte in common.
[[nodiscard]] constexpr bool overlap(ByteRange a, ByteRange b) noexcept {
  return (a.begin > b.begin ? a.begin : b.begin) < (a.end < b.end ? a.end : b.end);
}

class StepPlan {
 public:
  struct Tables {
    std::vector<Buffer> buffers;
    std::vector<PlanOp> ops;
    std::vector<Communicator> communicators;
    std::vector<Task> tasks;
    std::vector<Wait> waits;
    graph::AxisSizes axes;  // of the job
    std::uint64_t arena_nbytes = 0;
  };
  StepPlan() = default;  // empty
  explicit StepPlan(Tables tables);

  [[nodiscard]] std::span<const Task> tasks() const noexcept { return tables_.tasks; }
  [[nodiscard]] std::span<const PlanOp> ops() const noexcept { return tables_.ops; }
  [[nodiscard]] std::span<const Buffer> buffers() const noexcept { return tables_.buffers; }
  [[nodiscard]] std::span<const Communicator> communicators() const noexcept {
    return tables_.communicators;
  }
  [[nodiscard]] const graph::AxisSizes& axes() const noexcept { return tables_.axes; }
  [[nodiscard]] std::uint64_t arena_nbytes() const noexcept { return tables_.arena_nbytes; }
  [[nodiscard]] const PlanOp& op(const Task& task) const noexcept {
    return tables_.ops[index(task.op)];
  }
  [[nodiscard]] const Buffer& buffer(BufferId id) const noexcept {
    return tables_.buffers[index(id)];
  }
  [[nodiscard]] std::span<const Wait> waits(const Task& task) const noexcept {
    return std::span(tables_.waits).subspan(task.first_wait, task.wait_count);
  }
  // Arena bytes of one operand of a task on the rank with these coordinates. The operand must be
  // present.
  [[nodiscard]] ByteRange range(const Task& task, const Operand& operand,
                                const Coordinates& coordinates) const noexcept;
  // What the task does to the operand: first_writes is resolved to write or accumulate.
  [[nodiscard]] static graph::Access access(const Task& task, const Operand& operand) noexcept;
  // "mb3/chunk1/layer7/bwd/attention/qkv/wgrad": stable, unique within the step.
  [[nodiscard]] std::string task_name(std::size_t task) const;
  // The 128-bit digest of everything in the plan: equal digests, equal plans.
  [[nodiscard]] std::string digest() const;
  [[nodiscard]] const Tables& tables() const noexcept { return tables_; }
  // Gives the tables back, to be changed; the plan is then empty.
  [[nodiscard]] Tables release() && { return std::move(tables_); }

 private:
  Tables tables_;
};

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_STEP_PLAN_H_
