#ifndef MEGASCALE_PLAN_CHUNK_OPS_H_
#define MEGASCALE_PLAN_CHUNK_OPS_H_

#include <array>
#include <functional>
#include <vector>

#include "megascale/graph/program.h"
#include "megascale/plan/model_state.h"
#include "megascale/plan/placement.h"
#include "megascale/plan/template.h"

// Writes the ops of a chunk program into a plan template. Tensors become operands: activations at
// the offsets that placement chose, all other tensors where the caller says.
namespace megascale::plan {

// Returns the bytes of scratch that an op needs on the device that will run it. It depends on the
// op's shapes only, so no device is needed.
using ScratchSizer = std::function<std::uint64_t(const PlanOp& op)>;

// The position of a tensor that is no activation: a parameter, a main gradient, a batch field, ...
struct ExternalTensor {
  graph::TensorId tensor{};
  BufferId buffer{};
  std::uint64_t offset = 0;
  AxisTerm term;
};

// The positions in the arena of the slots of each use and of the transients. Bytes.
struct ActivationMemory {
  struct Slots {
    std::uint64_t offset = 0;
    std::uint64_t nbytes = 0;  // of one slot
    std::uint32_t count = 0;
  };
  std::array<Slots, kTaskSlots> slots;  // by use
  std::uint64_t transient_offset = 0;
};

// Adds the ops of a program, in the order of its timeline, and one segment for each of
// placement.segments. Activations get buffers in `memory`; every other tensor must be in
// `external`. Returns the index of the first added segment.
std::uint32_t add_chunk(PlanTemplate& plan_template, const graph::Program& program,
                        const ActivationPlacement& placement,
                        const std::vector<ExternalTensor>& external, const ActivationMemory& memory,
                        std::uint16_t chunk);

// Gives every op the scratch that it needs. One buffer per lane suffices, since a lane runs one
// task at a time. The buffers are appended to the arena.
void add_scratch(PlanTemplate& plan_template, const ScratchSizer& scratch);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_CHUNK_OPS_H_
