#ifndef MEGASCALE_PLAN_PLACEMENT_H_
#define MEGASCALE_PLAN_PLACEMENT_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "megascale/graph/program.h"

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

// A run of consecutive ops of the timeline that is issued as one: what lives inside only is a
// transient.
struct SegmentRange {
  std::uint32_t begin = 0, end = 0;  // places on the timeline
  bool backward = false;
};

struct ActivationPlace {
  bool placed = false;    // false: a parameter, batch, gradient: not ours
  bool retained = false;  // in the slot; else in the transients
  std::uint64_t offset = 0;
};

struct ActivationPlacement {
  std::vector<SegmentRange> segments;
  std::vector<ActivationPlace> places;  // by tensor
  std::uint64_t slot_nbytes = 0;        // of one in-flight micro-batch
  std::uint64_t transient_nbytes = 0;
  std::uint64_t peak_live_nbytes = 0;  // of the graph, before placement
};

// The ops of a program in the order they run for one micro-batch: forward, loss unit, backward.
std::vector<const graph::Op*> timeline(const graph::Program& program);

// Cuts the timeline where `bucket_of` (by op) changes, and between forward and backward, then
// places every activation. An output shares the bytes of an input that dies at its op where the
// kind allows it.
ActivationPlacement place_activations(
    const graph::Program& program, const std::function<std::uint32_t(const graph::Op&)>& bucket_of);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PLACEMENT_H_
