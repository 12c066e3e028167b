// Gradients that are added over hosts step by step (MegaScale-MoE, arXiv 2505.11432, appendix A.1). Inside
// a host every rank gets the sum of one share of the bucket. Between hosts, ranks with the same share add
// theirs: they send a share, not the bucket. Then the ranks of a host gather the shares. Both kinds of
// links work at the same time if the bucket is cut into pieces, since the transfers between hosts have a
// lane of their own: while piece k is between hosts, piece k + 1 is added inside, and piece k - 1 gathered
// (figure 5b of the paper).
//
// With ZeRO 2 a rank keeps the sum of its shard, which the optimizer expects at one place of the bucket.
// Then a bucket is not cut: while one is between hosts, the next one is added inside. Parameters are
// gathered the other way round.
#include <fmt/format.h>

#include <algorithm>

#include "megascale/base/error.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/plan/stage_builder.h"

namespace megascale::plan {

namespace collective = graph::collective;
using graph::Access;
using graph::HostFactor;
using graph::Lane;

bool StageBuilder::reduces_by_hosts(const FlatBucket& bucket) const {
  return stage_->hierarchical_pieces > 0 && members(bucket, HostFactor::inside) > 1 &&
         members(bucket, HostFactor::between) > 1;
}

bool StageBuilder::is_between_hosts(const FlatBucket& bucket) const {
  return stage_->hierarchical_pieces > 0 && members(bucket, HostFactor::inside) == 1 &&
         members(bucket, HostFactor::between) > 1;
}

void StageBuilder::reduce_by_hosts(const FlatBucket& bucket, BufferId gradients,
                                   const std::string& path) {
  const std::uint32_t inside = members(bucket, HostFactor::inside);
  MEGASCALE_CHECK(kFlatAlignment % inside == 0, "equal shares of every piece");
  // Pieces of whole blocks, so that every piece has equal shares.
  const std::uint64_t blocks = bucket.numel / kFlatAlignment,
                      pieces = std::min<std::uint64_t>(stage_->hierarchical_pieces, blocks);
  const auto piece = [&](std::uint64_t number, Access access) {
    const auto begin = [&](std::uint64_t of) {
      return of * blocks / pieces * kFlatAlignment * sizeof(float);
    };
    return Operand{.buffer = gradients,
                   .offset = begin(number),
                   .nbytes = begin(number + 1) - begin(number),
                   .access = access};
  };
  // The part of a piece whose sum this rank gets inside its host.
  const auto share = [&](std::uint64_t number, Access access) {
    Operand operand = piece(number, access);
    operand.nbytes /= inside;
    operand.term = {.axes = bucket.summed_over, .n = inside, .stride = operand.nbytes};
    return operand;
  };
  const auto gather = [&](std::uint64_t number) {
    transfer(graph::all_gather_op(), fmt::format("{}/piece{}/gather", path, number),
             bucket.summed_over, Lane::data,
             {{collective::send, share(number, Access::read)},
              {collective::receive, piece(number, Access::write)}},
             DType::float32, {}, HostFactor::inside);
  };
  for (std::uint64_t k = 0; k < pieces; ++k) {
    transfer(graph::reduce_scatter_op(), fmt::format("{}/piece{}/scatter", path, k),
             bucket.summed_over, Lane::data,
             {{collective::send, piece(k, Access::read)},
              {collective::receive, share(k, Access::write)}},
             DType::float32, {}, HostFactor::inside);
    transfer(graph::all_reduce_op(), fmt::format("{}/piece{}/between", path, k), bucket.summed_over,
             Lane::step, {{graph::in_place_collective::buffer, share(k, Access::accumulate)}},
             DType::float32, {}, HostFactor::between);
    if (k > 0) gather(k - 1);
  }
  gather(pieces - 1);
}

Operand StageBuilder::shards_of_host(const FlatBucket& bucket, BufferId buffer, std::uint32_t host,
                                     Access access) const {
  const std::uint32_t inside = members(bucket, HostFactor::inside);
  Operand operand = shard(bucket, buffer, access);
  operand.term = {};
  operand.nbytes *= inside;
  operand.offset = host * operand.nbytes;
  return operand;
}

Operand StageBuilder::shard_of_host(const FlatBucket& bucket, BufferId buffer, std::uint32_t host,
                                    Access access) const {
  const std::uint32_t inside = members(bucket, HostFactor::inside);
  Operand operand = shards_of_host(bucket, buffer, host, access);
  operand.nbytes /= inside;
  operand.term = {.axes = bucket.summed_over, .n = inside, .stride = operand.nbytes};
  return operand;
}

// The shards of a host's ranks lie side by side, so the ranks of a host first add those of each host.
void StageBuilder::scatter_inside_hosts(const FlatBucket& bucket, BufferId gradients,
                                        const std::string& path) {
  const std::uint32_t hosts = exchanging(bucket);
  for (std::uint32_t host = 0; host < hosts; ++host) {
    transfer(graph::reduce_scatter_op(), fmt::format("{}/host{}", path, host), bucket.summed_over,
             Lane::data,
             {{collective::send, shards_of_host(bucket, gradients, host, Access::read)},
              {collective::receive, shard_of_host(bucket, gradients, host, Access::write)}},
             DType::float32, {}, HostFactor::inside);
  }
}

// Now the rank has, of each host, the shard of the rank in its own place there. These are packed, since
// other shards lie between them, and added over the ranks in that place.
void StageBuilder::scatter_between_hosts(const FlatBucket& bucket, BufferId gradients,
                                         const std::string& path) {
  const DType dtype = exchanges_bfloat16(bucket) ? DType::bfloat16 : DType::float32;
  graph::Attributes attributes;
  attributes.set(graph::attribute::blocks, std::int64_t{exchanging(bucket)});
  attributes.set(graph::attribute::dtype, static_cast<std::int64_t>(dtype));
  step_task(graph::pack_shares_op(), path + "/pack",
            {{graph::pack_shares::values, whole(gradients, Access::accumulate)},
             {graph::pack_shares::share, shard_of_host(bucket, gradients, 0, Access::read)}},
            std::move(attributes));
  const auto exchange = [&](const graph::OpKind<collective::Operand>& kind, Operand received) {
    transfer(kind, path + "/between", bucket.summed_over, Lane::step,
             {{collective::send, packed(bucket, gradients, 0, Access::read)},
              {collective::receive, received}},
             dtype, {}, HostFactor::between);
  };
  if (dtype == DType::bfloat16) {
    exchange(graph::all_to_all_op(), packed(bucket, gradients, 1, Access::write));
  } else {
    exchange(graph::reduce_scatter_op(), reduced(bucket, gradients, Access::write));
  }
}

// A rank gets, of every other host, the shard of the rank in its own place there, straight to where it
// belongs. Then the ranks of a host have all shards among them.
void StageBuilder::gather_by_hosts(const FlatBucket& bucket, const std::string& path) {
  const std::uint32_t inside = members(bucket, HostFactor::inside),
                      hosts = members(bucket, HostFactor::between);
  for (std::uint32_t distance = 1; distance < hosts; ++distance) {
    Operand received = shard(bucket, bucket.parameters, Access::write);
    received.term.k = distance * inside;
    transfer(graph::shift_op(), fmt::format("{}/between{}", path, distance), bucket.summed_over,
             Lane::step,
             {{collective::send, shard(bucket, bucket.parameters, Access::read)},
              {collective::receive, received}},
             bucket.dtype, {{graph::attribute::offset, std::int64_t{distance}}},
             HostFactor::between);
  }
  for (std::uint32_t host = 0; host < hosts; ++host) {
    transfer(
        graph::all_gather_op(), fmt::format("{}/host{}", path, host), bucket.summed_over,
        Lane::data,
        {{collective::send, shard_of_host(bucket, bucket.parameters, host, Access::read)},
         {collective::receive, shards_of_host(bucket, bucket.parameters, host, Access::write)}},
        bucket.dtype, {}, HostFactor::inside);
  }
}

}  // namespace megascale::plan
