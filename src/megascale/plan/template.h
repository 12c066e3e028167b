#ifndef MEGASCALE_PLAN_TEMPLATE_H_
#define MEGASCALE_PLAN_TEMPLATE_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "megascale/plan/derive_waits.h"
#include "megascale/plan/step_plan.h"

// The form in which plans are built and transformed: segments of chunk programs, and the list of
// their instances and of the step's own tasks. The list's order is the issue order.
namespace megascale::plan {

// Consecutive ops of the op table: one segment of a chunk's forward or backward program.
struct Segment {
  std::uint32_t first_op = 0;
  std::uint32_t op_count = 0;
};

// A segment for one micro-batch.
struct Instance {
  std::uint32_t segment = 0;
  std::uint16_t micro_batch = 0;
  std::array<std::uint16_t, kTaskSlots> slots{};
  bool first = true;  // of its chunk in this step: main gradients are written
};

// A task of the step itself: a bucket's collective, a copy, an update.
struct StepTask {
  OpIndex op{};
  bool carried = false;
};

struct PlanTemplate {
  std::vector<Buffer> buffers;
  std::vector<PlanOp> ops;
  std::vector<Communicator> communicators;
  std::vector<Segment> segments;
  std::vector<std::variant<Instance, StepTask>> items;
  std::uint64_t arena_nbytes = 0;

  BufferId add(Buffer buffer);
  OpIndex add(PlanOp op);
  // The communicator of all ranks that differ in `axes` only (or of a factor of them by hosts), and
  // that of a directed edge of the pipeline (Communicator::edge_offset). Each is added when it is
  // first asked for.
  CommunicatorId group(graph::AxisSet axes, graph::Lane lane,
                       graph::HostFactor factor = graph::HostFactor::none);
  CommunicatorId edge(std::string_view name, std::int32_t offset, graph::Lane lane);

 private:
  CommunicatorId find_or_add(Communicator wanted);
};

struct Expansion {
  StepPlan plan;
  std::vector<ReuseWait> reuse_waits;  // waits that only the sharing of memory causes
};
// The flat plan of a class of ranks, with its waits. `axes` are the sizes that operands with an
// axis term refer to.
Expansion expand(const PlanTemplate& plan_template, const graph::AxisSizes& axes);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_TEMPLATE_H_
