#ifndef MEGASCALE_PLAN_PLACEMENT_H_
#define MEGASCALE_PLAN_PLACEMENT_H_

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "megascale/graph/program.h"
#include "megascale/plan/step_plan.h"

// Places the activations of a chunk program in memory. The ops of one micro-batch stand on a
// timeline, which is cut into segments. An activation that lives within one segment (or, by
// PlacementRules::transients_by_kind, within one piece of work) is a transient: its bytes are free
// again at the end of it. All other activations lie in a slot, which the micro-batch keeps until
// its last reader. Pure functions; any thread may call them.
namespace megascale::plan {

// A tensor that occupies `nbytes` bytes from position `first` to position `last` (inclusive) of a
// timeline.
struct Lifetime {
  std::uint64_t nbytes = 0;
  std::uint32_t first = 0, last = 0;
};
// Result of pack().
struct Packing {
  std::vector<std::uint64_t> offsets;  // bytes, by lifetime
  std::uint64_t nbytes = 0;            // of all lifetimes together
};
// Gives every lifetime an offset such that no two that overlap in time overlap in memory. Places
// the largest first, each at the lowest free offset. Offsets are multiples of kBufferAlignment.
Packing pack(std::span<const Lifetime> lifetimes);
// Returns the largest sum of bytes that are alive at one time. No packing needs less.
std::uint64_t peak_live_bytes(std::span<const Lifetime> lifetimes);

// The work that a segment is part of: a piece of work of a pipeline schedule, or a transfer between
// stages.
enum class SegmentKind : std::uint8_t {
  receive_forward,
  forward,
  send_forward,
  receive_backward,
  backward,  // with the loss unit; also with weight gradients, unless they are split off
  send_backward,
  weight_gradient,
};
constexpr std::size_t kSegmentKinds = 7;

// A segment: consecutive ops of a timeline that are issued together. Segments end at transfers
// between stages, where the kind of work changes, and where the bucket of parameters changes.
struct SegmentRange {
  std::uint32_t begin = 0, end = 0;  // positions on the timeline, [begin, end)
  SegmentKind kind = SegmentKind::forward;
};

// The position of one tensor in memory.
struct ActivationPlace {
  bool placed = false;           // false: no activation (a parameter, a batch tensor, a gradient)
  SlotUse slot = SlotUse::none;  // none: a transient
  std::uint64_t offset = 0;      // bytes, in the slot or in the memory of transients
};

// Result of place_activations().
struct ActivationPlacement {
  std::vector<const graph::Op*> ops;  // the timeline; points into the program
  std::vector<SegmentRange> segments;
  std::vector<ActivationPlace> places;                  // by tensor
  std::array<std::uint64_t, kTaskSlots> slot_nbytes{};  // size of one slot, by use
  std::uint64_t transient_nbytes = 0;                   // of the largest segment or kind
  std::uint64_t peak_live_nbytes = 0;                   // of one micro-batch, before placement
};

// Returns the ops of a program in the order in which they run for one micro-batch: forward, loss
// unit, backward. With `split_weight_gradients` (zero-bubble schedules), weight gradients come
// last, and so do the ops that are recomputed for them alone. The head's weight gradients stay
// where they are.
std::vector<const graph::Op*> timeline(const graph::Program& program,
                                       bool split_weight_gradients = false);

// Returns whether zero-bubble schedules run the op, a weight gradient, apart from its backward.
[[nodiscard]] bool is_weight_gradient_apart(const graph::Op& op);

struct PlacementRules {
  bool split_weight_gradients = false;  // for zero-bubble schedules
  // For a program that embeds tokens: the output of the embedding lies in a slot of
  // receive_forward, as the received input does in the other chunks of the stage. Without this, the
  // embedding output would occupy a retained slot of chunk 0. All chunks share one slot size, so
  // every slot would grow by that tensor.
  bool input_as_received = false;
  // Segments of one kind run directly after each other. True: an activation that lives in several
  // of them and in no other kind is a transient too. False: it lies in the retained slot, where it
  // may use bytes that are free at that time. If none are free, every slot grows by it: so the
  // gradient of the head's gathered input, which is alive while all activations still are.
  bool transients_by_kind = false;
};

// Cuts the timeline into segments and places every activation. `bucket_of` returns the bucket of
// the parameters that an op reads. An output takes over the bytes of an input that dies at the same
// op, if the kind allows it (OpDef::in_place).
//
// - Activations that only one segment touches are transients (see transients_by_kind).
// - Activations that a transfer between stages receives or sends lie in a slot of that transfer.
// - All others lie in the retained slot. A gradient that is kept for a deferred weight gradient may
//   use the bytes of activations that only the backward read.
ActivationPlacement place_activations(
    const graph::Program& program, const std::function<std::uint32_t(const graph::Op&)>& bucket_of,
    const PlacementRules& rules = {});

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PLACEMENT_H_
