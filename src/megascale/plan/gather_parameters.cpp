// The start of a step: the part of StageBuilder that gives every rank the parameters that the last
// step has updated. Parameters in 8 bits are quantised from the float32 masters, each part on the rank
// that owns it, and the codes are gathered. A scale may belong to elements of several ranks. So the ranks
// first exchange the largest magnitudes of their parts; each rank then computes all scales by itself, and
// they are those of the whole matrix or row, however it is divided. All magnitudes are exchanged
// before the first bucket is quantised, so that the ranks wait for each other once.
#include <fmt/format.h>

#include "megascale/base/error.h"
#include "megascale/graph/ops/float8_parameter_ops.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/graph/scale_runs.h"
#include "megascale/plan/bucket_schedule.h"
#include "megascale/plan/stage_builder.h"

namespace megascale::plan {

namespace collective = graph::collective;
using graph::Access;

std::vector<BufferId> StageBuilder::share_amax(const std::vector<std::uint32_t>& buckets) {
  std::vector<BufferId> amax(state_->buckets.size(), kNoBuffer);
  for (const std::uint32_t b : buckets) {
    const FlatBucket& bucket = state_->buckets[b];
    if (bucket.scales == 0) continue;
    MEGASCALE_CHECK(bucket.masters != bucket.parameters, "parameters in 8 bits have masters");
    const std::vector<FlatSegment> segments = segments_of(b);
    amax[b] = region(fmt::format("amax/bucket{}", b), Category::results,
                     bucket.shards * sizeof(float) *
                         graph::most_scale_runs(segments, bucket.numel, bucket.shards));
    step_task(graph::float8_amax_op(), fmt::format("data/amax/bucket{}", b),
              {{graph::float8_amax::masters, whole(bucket.masters, Access::read)},
               {graph::float8_amax::amax, shard(bucket, amax[b], Access::write)}},
              of_shard(bucket))
        .segments = segments;
  }
  for (const std::uint32_t b : buckets) {
    const FlatBucket& bucket = state_->buckets[b];
    if (bucket.scales == 0 || bucket.shards == 1) continue;
    transfer(graph::all_gather_op(), fmt::format("data/gather_amax/bucket{}", b),
             bucket.summed_over, graph::Lane::data,
             {{collective::send, shard(bucket, amax[b], Access::read)},
              {collective::receive, whole(amax[b], Access::write)}},
             DType::float32);
  }
  return amax;
}

void StageBuilder::quantise(std::uint32_t b, BufferId amax) {
  const FlatBucket& bucket = state_->buckets[b];
  step_task(graph::quantise_float8_op(), fmt::format("data/quantise/bucket{}", b),
            {{graph::quantise_float8::masters, whole(bucket.masters, Access::read)},
             {graph::quantise_float8::amax, whole(amax, Access::read)},
             {graph::quantise_float8::codes, shard(bucket, bucket.parameters, Access::write)},
             {graph::quantise_float8::scales, whole(bucket.scale_values, Access::write)}},
            of_shard(bucket))
      .segments = segments_of(b);
}

void StageBuilder::gather_parameters() {
  const std::vector<std::uint32_t> buckets = buckets_by_first_use(stage_->chunks, *state_);
  const std::vector<BufferId> amax = share_amax(buckets);
  for (const std::uint32_t b : buckets) {
    const FlatBucket& bucket = state_->buckets[b];
    if (bucket.scales > 0) quantise(b, amax[b]);
    if (bucket.shards == 1 || bucket.divided) continue;
    const std::string path = fmt::format("data/gather/bucket{}", b);
    if (reduces_by_hosts(bucket)) {
      gather_by_hosts(bucket, path);
    } else {
      transfer_at_once(bucket, graph::all_gather_op(), path,
                       {{collective::send, shard(bucket, bucket.parameters, Access::read)},
                        {collective::receive, whole(bucket.parameters, Access::write)}},
                       bucket.dtype);
    }
  }
}

}  // namespace megascale::plan
