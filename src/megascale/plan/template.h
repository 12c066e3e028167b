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

// The plan template: the form in which plans are built and transformed. A chunk program is cut into
// segments; its ops stand in the template once. A list of items says in which order segments run
// for which micro-batches, and where the tasks of the step itself stand. The order of the list is
// the issue order. expand() turns a template into a flat StepPlan.
namespace megascale::plan {

// Consecutive ops of the op table that are always issued together: a part of a chunk's forward or
// backward program (placement.h says where segments end).
struct Segment {
  std::uint32_t first_op = 0;
  std::uint32_t op_count = 0;
};

// One run of a segment, for one micro-batch.
struct Instance {
  std::uint32_t segment = 0;
  std::uint16_t micro_batch = 0;
  std::array<std::uint16_t, kTaskSlots> slots{};  // slot numbers, by SlotUse
  // First run of its chunk in this step: main gradients are written, not added to.
  bool first = true;
};

// A task outside the programs of chunks: the collective of a bucket, a copy, an update.
struct StepTask {
  OpIndex op{};
  bool carried = false;
  std::uint16_t micro_batch = 0;  // of a task that is repeated for each of them
};

// The template. Passes change it; add() appends to a table and returns the new index.
struct PlanTemplate {
  std::vector<Buffer> buffers;
  std::vector<PlanOp> ops;
  std::vector<Communicator> communicators;
  std::vector<Segment> segments;
  std::vector<std::variant<Instance, StepTask>> items;
  std::uint64_t arena_nbytes = 0;

  BufferId add(Buffer buffer);
  OpIndex add(PlanOp op);
  // Return the communicator of a group, and of a directed edge of the pipeline (Communicator). The
  // first call for a communicator adds it.
  CommunicatorId group(graph::AxisSet axes, graph::Lane lane,
                       graph::HostFactor factor = graph::HostFactor::none);
  CommunicatorId edge(std::string_view name, std::int32_t offset, graph::Lane lane);

 private:
  CommunicatorId find_or_add(Communicator wanted);
};

// Result of expand().
struct Expansion {
  StepPlan plan;
  std::vector<ReuseWait> reuse_waits;  // waits that only the reuse of memory causes
};
// Returns the flat plan of a class of ranks, with its waits. `axes` are the sizes of the job's
// axes, for operands with an AxisTerm.
Expansion expand(const PlanTemplate& plan_template, const graph::AxisSizes& axes);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_TEMPLATE_H_
