// Experts whose rows are cut by the rank that the tokens come from, so that transfers run beside
// products (MegaScale-MoE, arXiv 2505.11432, section 6.3: the fused pairs all_gather + scatter +
// grouped product and grouped product + gather + reduce_scatter). Each rank starts with the rows of
// its own tokens. Meanwhile the tokens of the next rank arrive, then those of the rank after it, in the
// order in which they are multiplied; so at no time do all ranks read from one. The sums for other
// ranks' tokens are sent back as soon as they are complete, and the rank's own are computed last.
#include <fmt/format.h>

#include <algorithm>

#include "megascale/config/derived.h"
#include "megascale/model/gpt_builder.h"

namespace megascale::model {

using graph::Axis;
using graph::TensorId;

TensorId GptBuilder::experts_in_pieces(const ExpertWeights& weights, const Routed& routed) {
  const std::int64_t ranks = shape_.axes[Axis::expert];
  const auto name = [](std::int64_t k) { return k == 0 ? "/own" : fmt::format("/peer{}", k); };
  // The tokens of the rank that is k further.
  std::vector<Routed> tokens{routed};
  for (std::int64_t k = 1; k < ranks; ++k) {
    const auto from_peer = [&](const char* path, TensorId x) {
      return builder_.shift(path + name(k), x, Axis::expert, k);
    };
    const TensorId choices = from_peer("mlp/dispatch_choices", routed.routes.choices),
                   shares = from_peer("mlp/dispatch_weights", routed.routes.weights);
    const TensorId rows = builder_.gathered_input(from_peer("mlp/dispatch", routed.rows));
    tokens.push_back({.rows = rows, .routes = {.choices = choices, .weights = shares}});
  }
  // The memory for rows is shared out equally.
  const ExpertRows all = expected_rows(routed.rows);
  const std::int64_t bound = (all.bound + ranks - 1) / ranks,
                     mean = std::max<std::int64_t>(all.mean / ranks, 1);
  const auto dispatch = [&](std::int64_t k) {
    const Routed& of = tokens[static_cast<std::size_t>(k)];
    return copies(map_of_rank(of.routes.choices, bound, mean, name(k)), of.rows, of.routes.weights,
                  name(k));
  };
  const auto finish = [&](const Dispatched& rows, TensorId gated) {
    return sum_rows(rows, expert_outputs(rows, weights, gated));
  };
  const Dispatched own = dispatch(0);
  const TensorId own_gated = gated_rows(own, weights);
  std::vector<TensorId> returned;
  for (std::int64_t k = 1; k < ranks; ++k) {
    const Dispatched peer = dispatch(k);
    const TensorId sums = finish(peer, gated_rows(peer, weights));
    returned.push_back(builder_.shift("mlp/combine" + name(k), sums, Axis::expert, ranks - k));
  }
  TensorId y = finish(own, own_gated);
  for (std::size_t i = 0; i < returned.size(); ++i)
    y = add("mlp/combine/sum" + name(static_cast<std::int64_t>(i) + 1), y, returned[i]);
  return y;
}

}  // namespace megascale::model
