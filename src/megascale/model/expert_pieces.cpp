// Experts in pieces, so that transfers run beside products (MegaScale-MoE, arXiv 2505.11432, section
// 6.3: the fused pairs of dispatch and first product, last product and combine). A piece has
// the rows of some experts, or the tokens of some ranks, as the way of dispatch demands.
//
// Tokens that are gathered are cut by the rank that they come from. The ranks form groups of neighbours,
// and each rank starts with the tokens of the group that begins with itself. Meanwhile the tokens of the
// next ranks arrive, in the order in which they are multiplied; so at no time do all ranks read from
// one. The sums for other ranks' tokens are sent back as soon as they are complete, and those of the
// rank's own group are computed last. Every piece reads all weights.
//
// Rows that are sent are cut by the expert that they go to: a piece holds the rows of some neighbouring
// experts of every rank, so each weight is read once. A rank starts with the first piece as soon as it has
// arrived, while those of the next pieces come; results return while the next piece is multiplied.
#include <fmt/format.h>

#include <algorithm>

#include "megascale/config/derived.h"
#include "megascale/model/gpt_builder.h"

namespace megascale::model {

using graph::Axis;
using graph::TensorId;

TensorId GptBuilder::tokens_in_pieces(const ExpertWeights& weights, const Routed& routed) {
  const std::int64_t ranks = shape_.axes[Axis::expert], pieces = expert_pieces_,
                     members = ranks / pieces;
  const auto name = [](std::int64_t k) { return k == 0 ? "/own" : fmt::format("/peer{}", k); };
  const auto piece_name = [](std::int64_t p) {
    return p == 0 ? "/own" : fmt::format("/piece{}", p);
  };
  // The tokens of the rank that is k further.
  const auto tokens_of = [&](std::int64_t k) -> Routed {
    if (k == 0) return routed;
    const auto from_peer = [&](const char* path, TensorId x) {
      return builder_.shift(path + name(k), x, Axis::expert, k);
    };
    const TensorId choices = from_peer("mlp/dispatch_choices", routed.routes.choices),
                   shares = from_peer("mlp/dispatch_weights", routed.routes.weights);
    const TensorId rows = builder_.gathered_input(from_peer("mlp/dispatch", routed.rows));
    return {.rows = rows, .routes = {.choices = choices, .weights = shares}};
  };
  std::vector<Routed> tokens;
  for (std::int64_t k = 0; k < ranks; ++k) tokens.push_back(tokens_of(k));
  const auto join = [&](const char* path, std::int64_t piece, auto member) {
    const auto first = static_cast<std::size_t>(piece * members);
    TensorId joined = member(tokens[first]);
    for (std::size_t i = 1; i < static_cast<std::size_t>(members); ++i)
      joined = builder_.emit_for(graph::join_rows::output, graph::join_rows_op(),
                                 path + name(static_cast<std::int64_t>(first + i)),
                                 {{graph::join_rows::first, joined},
                                  {graph::join_rows::second, member(tokens[first + i])}});
    return joined;
  };
  // The memory for rows is shared out equally.
  const ExpertRows all = expected_rows(routed.rows);
  const std::int64_t bound = (all.bound + pieces - 1) / pieces,
                     mean = std::max<std::int64_t>(all.mean / pieces, 1);
  const auto dispatch = [&](std::int64_t p) {
    const TensorId choices =
        join("mlp/join_choices", p, [](const Routed& of) { return of.routes.choices; });
    const TensorId shares =
        join("mlp/join_weights", p, [](const Routed& of) { return of.routes.weights; });
    const TensorId rows = join("mlp/join", p, [](const Routed& of) { return of.rows; });
    return copies(map_of_rank(choices, bound, mean, piece_name(p)), rows, shares, piece_name(p));
  };
  std::vector<TensorId> sums(static_cast<std::size_t>(ranks));  // for this rank, by giver
  const auto finish = [&](std::int64_t p, const Dispatched& rows, TensorId gated) {
    TensorId rest = sum_rows(rows, expert_outputs(rows, weights, gated));
    const std::int64_t each = builder_.program().tensor(routed.rows).shape[0].size;
    for (std::int64_t k = p * members; k < (p + 1) * members; ++k) {
      TensorId of_rank = rest;
      if (k + 1 < (p + 1) * members) {
        const graph::Op& parts =
            builder_.emit(graph::split_rows_op(), "mlp/split" + name(k),
                          {{graph::split_rows::input, rest}}, {{graph::attribute::rows, each}});
        of_rank = parts.operands[graph::split_rows::first];
        rest = parts.operands[graph::split_rows::second];
      }
      sums[static_cast<std::size_t>(k)] =
          k == 0 ? of_rank
                 : builder_.shift("mlp/combine" + name(k), of_rank, Axis::expert, ranks - k);
    }
  };
  const Dispatched own = dispatch(0);
  const TensorId own_gated = gated_rows(own, weights);
  for (std::int64_t p = 1; p < pieces; ++p) {
    const Dispatched of_peers = dispatch(p);
    finish(p, of_peers, gated_rows(of_peers, weights));
  }
  finish(0, own, own_gated);
  TensorId y = sums.front();
  for (std::int64_t k = 1; k < ranks; ++k)
    y = add("mlp/combine/sum" + name(k), y, sums[static_cast<std::size_t>(k)]);
  return y;
}

TensorId GptBuilder::experts_in_pieces(const ExpertWeights& weights, const Routed& routed) {
  const auto name = [](std::int64_t p) { return fmt::format("/piece{}", p); };
  const std::int64_t tokens = builder_.program().tensor(routed.rows).shape[0].size;
  const ExpertRows expected =
      expert_rows_of_piece(config_.moe, tokens, shape_.axes[Axis::expert], expert_pieces_);
  // Everything is sent as early as possible, in the order in which it is multiplied.
  std::vector<Dispatched> pieces;
  TensorId counts = graph::kNoTensor;
  for (std::int64_t p = 0; p < expert_pieces_; ++p) {
    const graph::Attributes of_experts{{graph::attribute::expert_pieces, expert_pieces_},
                                       {graph::attribute::expert_piece, p}};
    const DispatchMap map = dispatch_map(routed.routes.choices, of_experts, name(p));
    if (p == 0) counts = exchange_counts(map);  // each map counts the choices of all experts
    Dispatched piece = copies(map, routed.rows, routed.routes.weights, name(p));
    piece.of_experts = of_experts;
    regroup(piece, counts, expected.bound);
    piece.rows = send_rows("mlp/dispatch", piece, piece.rows, expected);
    piece.weights = send_rows("mlp/dispatch_weights", piece, piece.weights, expected);
    pieces.push_back(std::move(piece));
  }
  std::vector<TensorId> results;
  for (Dispatched& piece : pieces) {
    piece.rows = sort_rows("mlp/dispatch", piece, piece.rows);
    piece.weights = sort_rows("mlp/dispatch_weights", piece, piece.weights);
    results.push_back(
        return_rows(piece, expert_outputs(piece, weights, gated_rows(piece, weights))));
  }
  // Sums wait for results, so they would delay the products of later pieces.
  TensorId y = graph::kNoTensor;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const TensorId sum = sum_rows(pieces[p], results[p]);
    y = p == 0 ? sum : add("mlp/combine/sum" + pieces[p].piece, y, sum);
  }
  return y;
}

}  // namespace megascale::model
