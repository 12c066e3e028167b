#ifndef MEGASCALE_GRAPH_FLAT_SEGMENT_H_
#define MEGASCALE_GRAPH_FLAT_SEGMENT_H_

#include <cstdint>

#include "megascale/graph/axis.h"

namespace megascale::graph {

// Every tensor and every shard border in a flat buffer falls on a multiple of this many elements,
// so that the blocks of the norms are the same blocks under every sharding.
inline constexpr std::uint64_t kFlatAlignment = 4096;

// A tensor's part of a flat range, as optimizer and norms see it.
struct FlatSegment {
  std::uint64_t begin = 0;  // elements from the start of the range; multiple of kFlatAlignment
  std::uint64_t count = 0;  // elements of the tensor, without padding
  // In global parameter order: the place of its norm.
  std::uint32_t parameter = 0;
  bool decay = true;
  // Ranks along these axes hold the same elements, and their norms are added: the first of the
  // ranks counts them.
  AxisSet replicated_over;
};

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_FLAT_SEGMENT_H_
