#ifndef MEGASCALE_KERNELS_SHARD_SEGMENTS_H_
#define MEGASCALE_KERNELS_SHARD_SEGMENTS_H_

#include <cstdint>
#include <vector>

#include "megascale/kernels/kernel.h"

namespace megascale::kernels {

// A tensor's part of this rank's shard of a flat buffer.
struct ShardSegment {
  // In elements from the start of the shard; begin is a multiple of kFlatAlignment.
  std::uint64_t begin = 0, count = 0;
  bool decay = true;
  std::uint32_t parameter = 0;  // in global order
};

// `numel`: of the shard. The op's segments are those of the whole buffer, its attributes shard_axes
// and shards say which shard is this rank's. In order of begin.
[[nodiscard]] std::vector<ShardSegment> shard_segments(const KernelSpec& spec, std::uint64_t numel);

// Whether this rank is the one that counts the segment's norm, of all ranks that hold the same
// elements and whose norms are added.
[[nodiscard]] bool is_counted_here(const KernelSpec& spec, const graph::FlatSegment& segment);

}  // namespace megascale::kernels

#endif  // MEGASCALE_KERNELS_SHARD_SEGMENTS_H_
