#ifndef MEGASCALE_KERNELS_SHARD_SEGMENTS_H_
#define MEGASCALE_KERNELS_SHARD_SEGMENTS_H_

#include <cstdint>
#include <vector>

#include "megascale/kernels/kernel.h"

// The tensors inside this rank's shard of a flat buffer. Shards cut through tensors, so an
// optimizer kernel needs to know to which tensor each range of its shard belongs.
namespace megascale::kernels {

// The part of one tensor that lies in this rank's shard of a flat buffer.
struct ShardSegment {
  // In elements from the start of the shard; begin is a multiple of kFlatAlignment.
  std::uint64_t begin = 0, count = 0;
  bool decay = true;            // weight decay applies to the tensor
  std::uint32_t parameter = 0;  // the tensor's index in the global order of parameters
};

// Returns the first element of this rank's shard in the flat buffer. `numel` is the number of elements of
// a shard.
[[nodiscard]] std::uint64_t shard_begin(const KernelSpec& spec, std::uint64_t numel);

// Returns the segments of this rank's shard, in order of begin. `numel` is the number of elements
// of a shard. spec.segments are those of the whole buffer; the op's attributes shard_axes and
// shards, with this rank's coordinates, say which shard is this rank's.
[[nodiscard]] std::vector<ShardSegment> shard_segments(const KernelSpec& spec, std::uint64_t numel);

// Elements of a flat buffer.
struct FlatRange {
  std::uint64_t begin = 0, count = 0;
};
// Returns the ranges between the segments of this rank's shard, which has `numel` elements. An op without the
// attributes of a shard has one shard, the whole buffer. A range ends at a multiple of kFlatAlignment.
[[nodiscard]] std::vector<FlatRange> padding(const KernelSpec& spec, std::uint64_t numel);

// Several ranks may hold the same elements, and the ranks' norms are added up. Returns whether this
// rank is the one whose norm includes the segment.
[[nodiscard]] bool is_counted_here(const KernelSpec& spec, const graph::FlatSegment& segment);

}  // namespace megascale::kernels

#endif  // MEGASCALE_KERNELS_SHARD_SEGMENTS_H_
