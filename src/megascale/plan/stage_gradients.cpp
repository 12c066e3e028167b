// The part of StageBuilder that reduces the gradients of a stage: by one collective, by hosts, or
// rounded to bfloat16 and summed in float32.
#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <variant>

#include "megascale/graph/ops/ops.h"
#include "megascale/plan/bucket_schedule.h"
#include "megascale/plan/stage_builder.h"

namespace megascale::plan {

namespace collective = graph::collective;
using graph::Access;

namespace {

// Calls body(bucket, gradients, path) for the main gradients of a bucket, and for those of a second use.
template <class Body>
void each_gradients(const ModelState& state, std::uint32_t number, std::string_view prefix,
                    const Body& body) {
  const FlatBucket& bucket = state.buckets[number];
  const std::string path = fmt::format("{}/bucket{}", prefix, number);
  body(bucket, bucket.gradients, path);
  if (bucket.second_use_gradients != kNoBuffer)
    body(bucket, bucket.second_use_gradients, path + "/second_use");
}

}  // namespace

// Appends the reductions of all buckets. A bucket whose gradients are complete earlier comes first.
void StageBuilder::reduce_gradients() {
  const std::vector<std::uint32_t> last = last_writers(template_, *state_);
  std::vector<std::uint32_t> buckets;
  std::optional<std::uint32_t> inside;  // a bucket that was added inside hosts only
  const auto scatter_between = [&] {
    if (!inside) return;
    each_gradients(*state_, *inside, "data/reduce",
                   [&](const auto&... of) { scatter_between_hosts(of...); });
    inside.reset();
  };
  // Appends tasks that may run once a segment has.
  const auto append = [&](std::uint32_t segment, const auto& tasks) {
    const std::size_t before = template_.items.size();
    tasks();
    BucketReduction reduction{.segment = segment, .tasks = {}};
    for (std::size_t i = before; i < template_.items.size(); ++i)
      reduction.tasks.push_back(std::get<StepTask>(template_.items[i]).op);
    reductions_.push_back(std::move(reduction));
  };
  for (std::uint32_t segment = 0; segment < template_.segments.size(); ++segment) {
    for (std::uint32_t b = 0; b < last.size(); ++b) {
      if (last[b] != segment) continue;
      append(segment, [&] {
        reduce_gradients(b);
        // Packing waits for the sums inside hosts. Those of the bucket before had a segment's time.
        scatter_between();
        if (scatters_by_hosts(state_->buckets[b])) inside = b;
      });
      buckets.push_back(b);
    }
  }
  if (inside) append(reductions_.back().segment, scatter_between);
  // Sums come behind all reductions, so that no computation waits for a transfer that runs beside it.
  for (const std::uint32_t b : buckets) {
    if (!exchanges_bfloat16(state_->buckets[b])) continue;
    each_gradients(*state_, b, "data/sum", [&](const auto&... of) { sum_exchanged(of...); });
  }
}

void StageBuilder::reduce_gradients(std::uint32_t b) {
  each_gradients(
      *state_, b, "data/reduce",
      [&](const FlatBucket& bucket, BufferId gradients, const std::string& path) {
        if (scatters_by_hosts(bucket)) {
          scatter_inside_hosts(bucket, gradients, path);
        } else if (exchanges_bfloat16(bucket)) {
          exchange_gradients(bucket, gradients, path);
        } else if (stage_->zero_stage >= 2 && bucket.shards > 1) {
          transfer_at_once(bucket, graph::reduce_scatter_op(), path,
                           {{collective::send, whole(gradients, Access::read)},
                            {collective::receive, shard(bucket, gradients, Access::write)}},
                           DType::float32);
        } else if (reduces_by_hosts(bucket)) {
          reduce_by_hosts(bucket, gradients, path);
        } else {
          transfer_at_once(
              bucket, graph::all_reduce_op(), path,
              {{graph::in_place_collective::buffer, whole(gradients, Access::accumulate)}},
              DType::float32);
        }
      });
}

void StageBuilder::exchange_gradients(const FlatBucket& bucket, BufferId gradients,
                                      const std::string& path) {
  step_task(graph::pack_bfloat16_op(), path + "/pack",
            {{graph::pack_bfloat16::values, whole(gradients, Access::accumulate)}});
  transfer_at_once(bucket, graph::all_to_all_op(), path,
                   {{collective::send, packed(bucket, gradients, 0, Access::read)},
                    {collective::receive, packed(bucket, gradients, 1, Access::write)}},
                   DType::bfloat16);
}

void StageBuilder::sum_exchanged(const FlatBucket& bucket, BufferId gradients,
                                 const std::string& path) {
  step_task(graph::add_bfloat16_blocks_op(), path,
            {{graph::add_bfloat16_blocks::blocks, packed(bucket, gradients, 1, Access::read)},
             {graph::add_bfloat16_blocks::sum, reduced(bucket, gradients, Access::write)}});
}

// Packing leaves other values between the gradients of a bucket, where norms expect zeros.
void StageBuilder::clear_packed() {
  for (std::uint32_t b = 0; b < state_->buckets.size(); ++b) {
    if (!packs_main_gradients(state_->buckets[b])) continue;
    each_gradients(*state_, b, "data/clear",
                   [&](const FlatBucket&, BufferId gradients, const std::string& path) {
                     step_task(
                         graph::clear_padding_op(), path,
                         {{graph::clear_padding::values, whole(gradients, Access::accumulate)}})
                         .segments = segments_of(b);
                   });
  }
}

std::uint32_t StageBuilder::exchanging(const FlatBucket& bucket) const {
  return scatters_by_hosts(bucket) ? members(bucket, graph::HostFactor::between) : bucket.shards;
}

// Gradients that are rounded take half of the bytes of the float32 gradients, so they are packed into
// the first half of the buffer, and the second half receives. The sum is written into the first half,
// which is free by then: no other memory is needed. Between hosts fewer shards are exchanged.
Operand StageBuilder::packed(const FlatBucket& bucket, BufferId gradients, std::uint32_t number,
                             Access access) const {
  Operand operand = shard(bucket, gradients, access);
  operand.term = {};
  operand.nbytes *= exchanging(bucket);
  if (exchanges_bfloat16(bucket)) operand.nbytes /= 2;
  operand.offset = number * operand.nbytes;
  return operand;
}

}  // namespace megascale::plan
