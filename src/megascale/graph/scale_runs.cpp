// Intersects the groups of elements that share a scale with a range of the flat buffer.
#include "megascale/graph/scale_runs.h"

#include <algorithm>

namespace megascale::graph {
namespace {

// Calls visit(segment, its first scale, first, last) for every segment with scales that has the
// elements [first, last) in the range, counted from the start of the buffer.
template <class Visit>
void for_each_part(std::span<const FlatSegment> segments, std::uint64_t begin, std::uint64_t numel,
                   const Visit& visit) {
  std::uint32_t scale = 0;
  for (const FlatSegment& segment : segments) {
    const std::uint64_t first = std::max(segment.begin, begin),
                        last = std::min(segment.begin + segment.count, begin + numel);
    if (segment.scales > 0 && first < last) visit(segment, scale, first, last);
    scale += segment.scales;
  }
}

}  // namespace

std::vector<ScaleRun> scale_runs(std::span<const FlatSegment> segments, std::uint64_t begin,
                                 std::uint64_t numel) {
  std::vector<ScaleRun> runs;
  for_each_part(segments, begin, numel,
                [&](const FlatSegment& segment, std::uint32_t scale, std::uint64_t first,
                    std::uint64_t last) {
                  const std::uint64_t group = segment.count / segment.scales;
                  while (first < last) {
                    const std::uint64_t number = (first - segment.begin) / group;
                    const std::uint64_t end = std::min(last, segment.begin + (number + 1) * group);
                    runs.push_back({.begin = first - begin,
                                    .count = end - first,
                                    .scale = scale + static_cast<std::uint32_t>(number)});
                    first = end;
                  }
                });
  return runs;
}

std::uint64_t most_scale_runs(std::span<const FlatSegment> segments, std::uint64_t numel,
                              std::uint32_t shards) {
  const std::uint64_t shard = numel / shards;
  std::uint64_t most = 0;
  for (std::uint64_t s = 0; s < shards; ++s) {
    std::uint64_t runs = 0;
    for_each_part(
        segments, s * shard, shard,
        [&](const FlatSegment& segment, std::uint32_t, std::uint64_t first, std::uint64_t last) {
          const std::uint64_t group = segment.count / segment.scales;
          runs += (last - 1 - segment.begin) / group - (first - segment.begin) / group + 1;
        });
    most = std::max(most, runs);
  }
  return most;
}

}  // namespace megascale::graph
