#ifndef MEGASCALE_GRAPH_SCALE_RUNS_H_
#define MEGASCALE_GRAPH_SCALE_RUNS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "megascale/graph/flat_segment.h"

// Which elements of a flat buffer share a scale. The scales of a bucket are numbered in the order of
// its parameters, and within a parameter in the order of its elements. Shards of ZeRO cut through
// the elements of a scale.
namespace megascale::graph {

// Consecutive elements of a flat buffer with one scale: all of that scale, or those in a range.
struct ScaleRun {
  std::uint64_t begin = 0, count = 0;  // in elements
  std::uint32_t scale = 0;             // number of the scale in the bucket
};

// Returns the runs that lie in elements [begin, begin + numel) of the buffer, in their order.
// Positions in the result are counted from `begin`. `segments` are those of the whole buffer.
[[nodiscard]] std::vector<ScaleRun> scale_runs(std::span<const FlatSegment> segments,
                                               std::uint64_t begin, std::uint64_t numel);

// Returns the largest number of runs in any of `shards` equal parts of a buffer of `numel` elements.
[[nodiscard]] std::uint64_t most_scale_runs(std::span<const FlatSegment> segments,
                                            std::uint64_t numel, std::uint32_t shards);

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_SCALE_RUNS_H_
