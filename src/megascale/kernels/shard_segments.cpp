// Intersects the tensors of a flat buffer with the range of elements that this rank's shard covers.
#include "megascale/kernels/shard_segments.h"

#include <algorithm>

namespace megascale::kernels {

std::uint64_t shard_begin(const KernelSpec& spec, std::uint64_t numel) {
  const auto axes = graph::AxisSet::from_bits(
      static_cast<std::uint8_t>(spec.attributes->integer(graph::attribute::shard_axes, 0)));
  const bool sharded = spec.attributes->integer(graph::attribute::shards, 1) > 1;
  return sharded ? numel * axes.group_index(spec.axes, spec.coordinates) : 0;
}

std::vector<ShardSegment> shard_segments(const KernelSpec& spec, std::uint64_t numel) {
  const std::uint64_t begin = shard_begin(spec, numel), end = begin + numel;
  std::vector<ShardSegment> segments;
  for (const graph::FlatSegment& s : spec.segments) {
    const std::uint64_t first = std::max(s.begin, begin), last = std::min(s.begin + s.count, end);
    if (first >= last) continue;
    segments.push_back({first - begin, last - first, s.decay, s.parameter});
  }
  return segments;
}

std::vector<FlatRange> padding(const KernelSpec& spec, std::uint64_t numel) {
  std::vector<FlatRange> ranges;
  std::uint64_t end = 0;
  const auto until = [&](std::uint64_t begin) {
    if (begin > end) ranges.push_back({end, begin - end});
  };
  for (const ShardSegment& s : shard_segments(spec, numel)) {
    until(s.begin);
    end = s.begin + s.count;
  }
  until(numel);
  return ranges;
}

bool is_counted_here(const KernelSpec& spec, const graph::FlatSegment& segment) {
  return segment.replicated_over.group_index(spec.axes, spec.coordinates) == 0;
}

}  // namespace megascale::kernels
