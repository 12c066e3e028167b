#ifndef MEGASCALE_GRAPH_FLAT_SEGMENT_H_
#define MEGASCALE_GRAPH_FLAT_SEGMENT_H_

#include <cstdint>

#include "megascale/graph/axis.h"

// The place of one tensor in a flat buffer. A flat buffer holds the parameters of several layers,
// one after the other. The optimizer and the norms work on ranges of flat buffers.
namespace megascale::graph {

// In a flat buffer, every tensor and every shard begins at a multiple of this many elements. Norms
// are computed over blocks of this size, so the blocks are the same under every sharding.
inline constexpr std::uint64_t kFlatAlignment = 4096;

// The part of a flat range that belongs to one tensor.
struct FlatSegment {
  std::uint64_t begin = 0;  // elements from the start of the range; multiple of kFlatAlignment
  std::uint64_t count = 0;  // elements of the tensor, without padding
  // Number of the parameter in global order; the index of its norm.
  std::uint32_t parameter = 0;
  bool decay = true;
  // Of a parameter that is kept in 8 bits: how many scales it has. Each belongs to count / scales
  // consecutive elements (scale_runs.h).
  std::uint32_t scales = 0;
  // Ranks along these axes hold the same elements, and the norms of all ranks are added. So only
  // the first of these ranks counts the elements.
  AxisSet replicated_over;
};

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_FLAT_SEGMENT_H_
