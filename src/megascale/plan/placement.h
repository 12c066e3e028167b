#ifndef MEGASCALE_PLAN_PLACEMENT_H_
#define MEGASCALE_PLAN_PLACEMENT_H_

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "megascale/graph/program.h"
#include "megascale/plan/step_plan.h"

// Where the activations of a chunk program lie: retained slots, and transients of its segments.
namespace megascale::plan {

// Something that occupies bytes from `first` to `last` (inclusive, places on a timeline).
struct Lifetime {
  std::uint64_t nbytes = 0;
  std::uint32_t first = 0, last = 0;
};
struct Packing {
  std::vector<std::uint64_t> offsets;  // by lifetime
  std::uint64_t nbytes = 0;            // of all together
};
// Gives bytes to lifetimes such that two that overlap in time do not overlap in memory: largest
// first, each at the lowest free offset. Offsets are multiples of kBufferAlignment.
Packing pack(std::span<const Lifetime> lifetimes);
// The largest sum of bytes alive at one time: no packing needs less.
std::uint64_t peak_live_bytes(std::span<const Lifetime> lifetimes);

// What a segment is a part of: one piece of work of a pipeline schedule, or a transfer between
// stages.
enum class SegmentKind : std::uint8_t {
  receive_forward,
  forward,
  send_forward,
  receive_backward,
  backward,  // with the loss unit, and with the weight gradients unless they are split off
  send_backward,
  weight_gradient,
};

// A run of consecutive ops of the timeline that is issued as one: what lives inside only is a
// transient.
struct SegmentRange {
  std::uint32_t begin = 0, end = 0;  // places on the timeline
  SegmentKind kind = SegmentKind::forward;
};

struct ActivationPlace {
  bool placed = false;           // false: a parameter, batch, gradient: not ours
  SlotUse slot = SlotUse::none;  // in which slot; none: in the transients
  std::uint64_t offset = 0;
};

struct ActivationPlacement {
  std::vector<const graph::Op*> ops;  // the timeline, of the program's ops
  std::vector<SegmentRange> segments;
  std::vector<ActivationPlace> places;                  // by tensor
  std::array<std::uint64_t, kTaskSlots> slot_nbytes{};  // by use: of one slot
  std::uint64_t transient_nbytes = 0;
  std::uint64_t peak_live_nbytes = 0;  // of one micro-batch of the graph, before placement
};

// The ops of a program in the order they run for one micro-batch: forward, loss unit, backward.
// With `split_weight_gradients` those, and what is recomputed for them alone, come last
// (zero-bubble schedules); the head's stay where they are.
std::vector<const graph::Op*> timeline(const graph::Program& program,
                                       bool split_weight_gradients = false);

struct PlacementRules {
  bool split_weight_gradients = false;  // zero-bubble schedules
  // Of a program that embeds tokens: what its layers start from has a slot of receive_forward,
  // where the other chunks of the stage have what they receive. Otherwise the slots of all chunks,
  // which are of one size, were larger by it.
  bool input_as_received = false;
};

// Cuts the timeline around transfers between stages, between kinds of work, and where `bucket_of`
// (by op) changes, then places every activation. An output shares the bytes of an input that dies
// at its op where the kind allows it. What one segment alone touches is a transient; what a
// transfer brings or takes has a slot of its own; everything else is retained: a gradient that
// waits for a deferred weight gradient lies where activations died that only the backward read.
ActivationPlacement place_activations(
    const graph::Program& program, const std::function<std::uint32_t(const graph::Op&)>& bucket_of,
    const PlacementRules& rules = {});

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PLACEMENT_H_
