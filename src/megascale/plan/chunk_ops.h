#ifndef MEGASCALE_PLAN_CHUNK_OPS_H_
#define MEGASCALE_PLAN_CHUNK_OPS_H_

#include <array>
#include <functional>
#include <vector>

#include "megascale/graph/program.h"
#include "megascale/plan/model_state.h"
#include "megascale/plan/placement.h"
#include "megascale/plan/template.h"

namespace megascale::plan {

// Bytes of scratch an op needs on the device that will run it, from its shapes alone.
using ScratchSizer = std::function<std::uint64_t(const PlanOp& op)>;

// Where the tensors that are no activations lie.
struct ExternalTensor {
  graph::TensorId tensor{};
  BufferId buffer{};
  std::uint64_t offset = 0;
  AxisTerm term;
};

// Where in the arena activations lie: the slots of each use, and the transients.
struct ActivationMemory {
  struct Slots {
    std::uint64_t offset = 0;
    std::uint64_t nbytes = 0;  // of one
    std::uint32_t count = 0;
  };
  std::array<Slots, kTaskSlots> slots;  // by use
  std::uint64_t transient_offset = 0;
};

// Adds the ops of a program, in the order of its timeline, and a segment for each of
// placement.segments. Activations get buffers in `memory`; everything else must be in `external`.
// Returns the number of the first segment.
std::uint32_t add_chunk(PlanTemplate& plan_template, const graph::Program& program,
                        const ActivationPlacement& placement,
                        const std::vector<ExternalTensor>& external, const ActivationMemory& memory,
                        std::uint16_t chunk);

// Gives every op the scratch it needs: one buffer per lane at the end of the arena, since a lane
// does one task at a time.
void add_scratch(PlanTemplate& plan_template, const ScratchSizer& scratch);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_CHUNK_OPS_H_
