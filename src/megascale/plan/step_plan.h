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

// The step plan: one training step of a rank, written down as data before the step starts. It lists
// tasks in issue order, the lane of each task, the tasks that it waits for, and the bytes of memory
// that it touches. Lane runners execute this plan; the verifier, the simulator, the drawings and
// the recorder read the same object.
//
// Ranks that do the same work form a class (usually all ranks of a pipeline stage) and share one
// plan. So a plan holds no rank numbers and no device pointers: it names groups by axis, peers by
// their offset in a group, and memory by offsets in the arena. A Binding (verify.h) adds the
// numbers of one rank.
//
// The words that every file of plan/ uses:
//   op         a computation or a transfer of a chunk program or of the step itself (PlanOp)
//   chunk      a virtual pipeline stage; its program has ops and tensors (graph::Program)
//   segment    consecutive ops of a chunk program that are always issued together (placement.h)
//   bucket     layers whose parameters share flat buffers and travel together (model_state.h)
//   class      ranks that share one plan (fold.h)
//   task       one run of an op, for one micro-batch (Task); its id is its index in tasks()
//   lane       an in-order queue of a rank: its tasks run one after the other (graph::Lane)
//   wait       a task starts after the first `count` tasks of another lane are done (Wait)
//   arena      the one allocation of a rank; every buffer has a fixed offset in it (Buffer)
//   operand    a byte range of a buffer that an op reads, writes or accumulates into (Operand)
//   slot       one of several equal copies of a buffer, used by one micro-batch in flight (SlotUse)
//   place      a rank's position in the groups that operands refer to (coordinates.h)
//   carried    a carried task may still run when the next step starts (it loads the next batch)
//
// A task starts when the task before it on its lane and all its waits are done. Every wait names a
// task with a smaller id; verify() checks this. A StepPlan may be wrong: only a VerifiedPlan is
// executed or simulated.
//
// Ownership: a value that owns its tables. Threads: immutable after construction; any number of
// threads may read it.
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

// Selects the slot of a buffer that a task uses. Each use has slots of its own, and a task carries
// one slot number for each of the first five uses. A transfer between stages has slots of its own,
// so that it can run beside the computation of another micro-batch.
enum class SlotUse : std::uint8_t {
  retained,  // all that the backward of a micro-batch reads, also for a deferred weight gradient
  receive_forward,   // the activation that arrives from the previous stage
  receive_backward,  // the gradient that arrives from the next stage
  send_forward,      // the activation that leaves to the next stage
  send_backward,     // the gradient that leaves to the previous stage
  micro_batch,       // one slot per micro-batch: batch fields, losses
  none               // one copy only
};
inline constexpr std::size_t kTaskSlots = 5;  // the first five uses; micro_batch has its own number

// The purpose of a buffer. `megascale plan` prints one row of memory per category.
enum class Category : std::uint8_t {
  parameters,  // in the dtype that kernels read: all, or the shard and room for two runs of layers
  masters,     // float32 copies that the optimizer updates, unless parameters are float32
  main_gradients,  // float32 sums of gradients over the micro-batches of a step; with such room, too
  optimizer_state,  // first and second moments, update state
  batches,          // the micro-batches of the current step
  staging,          // the batch of the next step
  retained,         // slots of activations, also those of transfers between stages
  transients,       // activations that live within one segment only
  scratch,          // working memory of kernels
  results,          // losses, norms, logits
  caches,           // key-value caches, 8-bit copies of weights
};
inline constexpr std::size_t kCategoryCount = 11;
[[nodiscard]] std::string_view to_string(Category category) noexcept;

// A named region of the arena.
struct Buffer {
  std::string name;
  Category category = Category::transients;
  std::uint64_t nbytes = 0;  // of one copy (slot)
  std::uint64_t offset = 0;  // in the arena, bytes
  SlotUse slot_use = SlotUse::none;
  std::uint32_t slot_count = 1;
  std::uint64_t slot_stride = 0;  // bytes from one copy to the next
  // The buffer of which this one is a part, or kNoBuffer. A wait between the two is data flow, not
  // memory reuse (ReuseWait).
  BufferId view_of = kNoBuffer;
};

// Makes an operand's offset depend on the rank. Adds ((p + k) mod n) * stride bytes, where p is the
// rank's position in its group over `axes`. If n is 0, nothing is added.
struct AxisTerm {
  graph::AxisSet axes;
  std::uint32_t k = 0;
  std::uint32_t n = 0;
  std::uint64_t stride = 0;
};

// A byte range of a buffer and how the op uses it. It lies in the slot that the task selects.
struct Operand {
  BufferId buffer = kNoBuffer;
  std::uint64_t offset = 0;  // in the buffer, bytes
  std::uint64_t nbytes = 0;
  graph::Access access = graph::Access::read;
  AxisTerm term;
};

using graph::FlatSegment;
using graph::kFlatAlignment;

// A dimension of an operand whose size is known only at run time: the length of dimension `axis` of
// operand number `operand`. It is the sum of `terms` elements, from number `first` on, of an int64
// tensor; operand number `count_operand` of the same op holds that tensor. The operand's shape
// states the upper bound, for which memory is placed.
struct RunTimeExtent {
  std::uint16_t operand = 0, axis = 0;
  std::uint16_t count_operand = 0;
  std::uint32_t first = 0, terms = 1;
  friend bool operator==(const RunTimeExtent&, const RunTimeExtent&) = default;
};

// An op of the plan. It exists once per chunk program, not once per micro-batch: all tasks that run
// it share this record.
struct PlanOp {
  const graph::OpDef* def = nullptr;
  graph::Attributes attributes;
  std::string scope, path;
  graph::Phase phase = graph::Phase::step;
  std::uint16_t chunk = 0;
  graph::Lane lane = graph::Lane::compute;
  // One per operand of def: shape, dtype, role; empty if the operand is absent.
  std::vector<std::optional<graph::Tensor>> tensors;
  // The operands of def in their order; then the count tensors that `extents` refer to and def does
  // not name; then the scratch, if has_scratch.
  std::vector<Operand> operands;
  std::vector<RunTimeExtent> extents;
  bool has_scratch = false;
  std::vector<FlatSegment> segments;  // of ops over flat buffers: the parameters in the range
  CommunicatorId communicator = kNoCommunicator;
  // True if computation stands still while this transfer runs, because overlap is switched off for
  // its dimension. Its tasks then wait for all earlier compute tasks, and all later compute tasks
  // wait for them.
  bool serial = false;
  // True if the op never adds to the gradients that it writes, since each micro-batch reduces its own
  // (ZeRO stage 3).
  bool writes_anew = false;
  // The number of the fused pair of its chunk that the op belongs to (fused_pairs.h). 0: none.
  std::uint32_t pair = 0;
  graph::Cost cost;
};

// Returns the bytes of an operand that a step is expected to use: all of them, or fewer if its rows
// are counted (graph::Dim::mean). Costs and volumes use it; memory is placed for all bytes.
[[nodiscard]] double expected_nbytes(const PlanOp& op, std::size_t operand);

// The ranks that take part in a transfer, seen from one rank. A group consists of all ranks that
// differ in `axes` only, or of a factor of them by hosts. An edge consists of this rank and the
// rank `edge_offset` further along the only axis.
struct Communicator {
  std::string name;
  graph::AxisSet axes;
  graph::HostFactor factor = graph::HostFactor::none;
  std::int32_t edge_offset = 0;  // not 0: a directed edge
  // Transfers of a communicator match by their number, so all of them run on this one lane.
  graph::Lane lane = graph::Lane::data;
};

// Waits until `count` tasks of the lane are done, counted from the start of this step.
struct Wait {
  graph::Lane lane{};
  std::uint32_t count = 0;
};

// One run of an op. Kept small, since a plan of a large job has tens of thousands of them.
struct Task {
  OpIndex op{};
  std::uint32_t first_wait = 0;  // index in the table of waits
  std::uint16_t wait_count = 0;
  std::uint16_t micro_batch = 0;
  std::array<std::uint16_t, kTaskSlots> slots{};  // slot numbers, by SlotUse
  bool first = true;                              // accumulators are written, not added to
  bool carried = false;                           // may still run when the next step starts
};
// 32 bytes. Each plan of configs/megascale-175b.toml (12,288 ranks) has about 42,000 tasks, or
// 130,000 with four tensor pieces.
static_assert(sizeof(Task) <= 32);

using graph::Coordinates;

// Bytes [begin, end) of the arena.
struct ByteRange {
  std::uint64_t begin = 0, end = 0;
};
// Returns whether the two ranges have a byte in common.
[[nodiscard]] constexpr bool overlap(ByteRange a, ByteRange b) noexcept {
  return (a.begin > b.begin ? a.begin : b.begin) < (a.end < b.end ? a.end : b.end);
}

// See the head of this file.
class StepPlan {
 public:
  // All data of a plan. Builders fill it and hand it over.
  struct Tables {
    std::vector<Buffer> buffers;
    std::vector<PlanOp> ops;
    std::vector<Communicator> communicators;
    std::vector<Task> tasks;
    std::vector<Wait> waits;
    graph::AxisSizes axes;  // sizes of the job's axes, for operands with an AxisTerm
    std::uint64_t arena_nbytes = 0;
  };
  StepPlan() = default;  // an empty plan
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
  // Returns the arena bytes of one operand of a task, on the rank with these coordinates. The
  // operand must be present (its buffer is not kNoBuffer).
  [[nodiscard]] ByteRange range(const Task& task, const Operand& operand,
                                const Coordinates& coordinates) const noexcept;
  // Returns how the task uses the operand. Access::first_writes becomes write where Task::first is
  // set, and accumulate elsewhere.
  [[nodiscard]] static graph::Access access(const Task& task, const Operand& operand) noexcept;
  // Returns a stable name that is unique within the step, for instance
  // "mb3/chunk1/layer7/bwd/attention/qkv/wgrad".
  [[nodiscard]] std::string task_name(std::size_t task) const;
  // Returns a 128-bit digest of buffers, ops, communicators, tasks and waits. Plans with equal
  // digests count as equal.
  [[nodiscard]] std::string digest() const;
  [[nodiscard]] const Tables& tables() const noexcept { return tables_; }
  // Moves the tables out so that they can be changed; the plan is then empty.
  [[nodiscard]] Tables release() && { return std::move(tables_); }

 private:
  Tables tables_;
};

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_STEP_PLAN_H_
