// The part of StageBuilder that reduces the gradients of a stage: by one collective, by hosts, or
// rounded to bfloat16 and summed in float32.
#include <fmt/format.h>

#include <variant>

#include "megascale/graph/ops/ops.h"
#include "megascale/plan/bucket_schedule.h"
#include "megascale/plan/stage_builder.h"

namespace megascale::plan {

namespace collective = graph::collective;
using graph::Access;

// Appends the reductions of all buckets. A bucket whose gradients are complete earlier comes first.
void StageBuilder::reduce_gradients() {
  const std::vector<std::uint32_t> last = last_writers(template_, *state_);
  std::vector<std::uint32_t> buckets;
  for (std::uint32_t segment = 0; segment < template_.segments.size(); ++segment) {
    for (std::uint32_t b = 0; b < last.size(); ++b) {
      if (last[b] != segment) continue;
      const std::size_t before = template_.items.size();
      reduce_gradients(b);
      BucketReduction reduction{.segment = segment, .tasks = {}};
      for (std::size_t i = before; i < template_.items.size(); ++i)
        reduction.tasks.push_back(std::get<StepTask>(template_.items[i]).op);
      reductions_.push_back(std::move(reduction));
      buckets.push_back(b);
    }
  }
  // Sums come behind all reductions, so that no computation waits for a transfer that runs beside it.
  for (const std::uint32_t b : buckets) {
    const FlatBucket& bucket = state_->buckets[b];
    if (!exchanges_bfloat16(bucket)) continue;
    sum_exchanged(bucket.gradients, bucket, fmt::format("data/sum/bucket{}", b));
    if (bucket.second_use_gradients != kNoBuffer) {
      sum_exchanged(bucket.second_use_gradients, bucket,
                    fmt::format("data/sum/bucket{}/second_use", b));
    }
  }
}

void StageBuilder::reduce_gradients(std::uint32_t b) {
  const FlatBucket& bucket = state_->buckets[b];
  const auto reduce = [&](BufferId gradients, const std::string& path) {
    if (exchanges_bfloat16(bucket)) {
      exchange_gradients(bucket, gradients, path);
    } else if (stage_->zero_stage == 2 && bucket.shards > 1) {
      transfer(graph::reduce_scatter_op(), path, bucket.summed_over, graph::Lane::data,
               {{collective::send, whole(gradients, Access::read)},
                {collective::receive, shard(bucket, gradients, Access::write)}},
               DType::float32);
    } else if (reduces_by_hosts(bucket)) {
      reduce_by_hosts(bucket, gradients, path);
    } else {
      transfer(graph::all_reduce_op(), path, bucket.summed_over, graph::Lane::data,
               {{graph::in_place_collective::buffer, whole(gradients, Access::accumulate)}},
               DType::float32);
    }
  };
  reduce(bucket.gradients, fmt::format("data/reduce/bucket{}", b));
  if (bucket.second_use_gradients != kNoBuffer) {
    reduce(bucket.second_use_gradients, fmt::format("data/reduce/bucket{}/second_use", b));
  }
}

// The rounded gradients take half of the bytes of the float32 gradients, so they are packed into the
// first half of the buffer, and the second half receives. The sum is written into the first half,
// which is free by then: no other memory is needed.
void StageBuilder::exchange_gradients(const FlatBucket& bucket, BufferId gradients,
                                      const std::string& path) {
  step_task(graph::pack_bfloat16_op(), path + "/pack",
            {{graph::pack_bfloat16::values, whole(gradients, Access::accumulate)}});
  transfer(graph::all_to_all_op(), path, bucket.summed_over, graph::Lane::data,
           {{collective::send, half(gradients, 0, Access::read)},
            {collective::receive, half(gradients, 1, Access::write)}},
           DType::bfloat16);
}

void StageBuilder::sum_exchanged(BufferId gradients, const FlatBucket& bucket,
                                 const std::string& path) {
  step_task(graph::add_bfloat16_blocks_op(), path,
            {{graph::add_bfloat16_blocks::blocks, half(gradients, 1, Access::read)},
             {graph::add_bfloat16_blocks::sum, reduced(bucket, gradients, Access::write)}});
}

// An exchange leaves other values between the gradients of a bucket, where norms expect zeros.
void StageBuilder::clear_exchanged() {
  for (std::uint32_t b = 0; b < state_->buckets.size(); ++b) {
    const FlatBucket& bucket = state_->buckets[b];
    if (!exchanges_bfloat16(bucket)) continue;
    step_task(graph::clear_op(), fmt::format("data/clear/bucket{}", b),
              {{graph::clear::values, whole(bucket.gradients, Access::write)}});
    if (bucket.second_use_gradients != kNoBuffer) {
      step_task(graph::clear_op(), fmt::format("data/clear/bucket{}/second_use", b),
                {{graph::clear::values, whole(bucket.second_use_gradients, Access::write)}});
    }
  }
}

Operand StageBuilder::half(BufferId buffer, std::uint32_t number, Access access) const {
  Operand operand = whole(buffer, access);
  operand.nbytes /= 2;
  operand.offset = number * operand.nbytes;
  return operand;
}

}  // namespace megascale::plan
