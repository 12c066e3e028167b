// Gradients that are added over hosts step by step (MegaScale-MoE, arXiv 2505.11432, appendix A.1). Inside
// a host every rank gets the sum of one share of the bucket. Between hosts, ranks with the same share add
// theirs: they send a share, not the bucket. Then the ranks of a host gather the shares. Both kinds of
// links work at the same time if the bucket is cut into pieces, since the transfers between hosts have a
// lane of their own: while piece k is between hosts, piece k + 1 is added inside, and piece k - 1 gathered
// (figure 5b of the paper).
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
  const auto members = [&](HostFactor factor) {
    return graph::factor_size(stage_->axes, bucket.summed_over, factor);
  };
  return stage_->hierarchical_pieces > 0 && members(HostFactor::inside) > 1 &&
         members(HostFactor::between) > 1;
}

void StageBuilder::reduce_by_hosts(const FlatBucket& bucket, BufferId gradients,
                                   const std::string& path) {
  const std::uint32_t inside =
      graph::factor_size(stage_->axes, bucket.summed_over, HostFactor::inside);
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

}  // namespace megascale::plan
