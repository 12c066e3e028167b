// Experts in pieces, so that transfers run beside products (MegaScale-MoE, arXiv 2505.11432, section
// 6.3: the fused pairs of dispatch and first product, last product and combine). A piece has
// the rows of some experts, or the tokens of some ranks, as the way of dispatch demands.
//
// Tokens that are gathered are cut by the rank that they come from. The ranks form groups of neighbours,
// and each rank starts with the tokens of the group that begins with itself. Meanwhile the tokens of the
// next ranks arrive, in the order in which they are multiplied; so at no time do all ranks read from
// one. The sums for other ranks' tokens are sent back as soon as they are complete, and those of the
// rank's own group are computed last. With more pieces than ranks the tokens of every other rank are cut,
// too: the rank's own tokens wait for no transfer, so they stay together. Every piece reads all weights.
//
// Rows that are sent are cut by the expert that they go to: a piece holds the rows of some neighbouring
// experts of every rank, so each weight is read once. A rank starts with the first piece as soon as it has
// arrived, while those of the next pieces come; results return while the next piece is multiplied.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "megascale/config/derived.h"
#include "megascale/model/gpt_builder.h"

namespace megascale::model {

using graph::Axis;
using graph::TensorId;

std::vector<GptBuilder::TokenSource> GptBuilder::token_sources(const Routed& own,
                                                               std::int64_t parts) {
  const auto from_peer = [&](const TokenSource& source, const Routed& part) -> Routed {
    const auto shift = [&](const char* path, TensorId x) {
      return builder_.shift(path + source.name, x, Axis::expert, source.rank);
    };
    const TensorId choices = shift("mlp/dispatch_choices", part.routes.choices),
                   shares = shift("mlp/dispatch_weights", part.routes.weights);
    const TensorId rows = builder_.gathered_input(in_8_bits(shift("mlp/dispatch", part.rows)));
    return {.rows = rows, .routes = {.choices = choices, .weights = shares}};
  };
  std::vector<TokenSource> sources{{.name = "/own", .tokens = own}};
  const std::vector<Routed> own_parts = parts_of(own, parts);
  for (std::int64_t k = 1; k < shape_.axes[Axis::expert]; ++k) {
    for (std::int64_t part = 0; part < parts; ++part) {
      TokenSource source{.rank = k, .name = fmt::format("/peer{}", k)};
      if (parts > 1) source.name += fmt::format("/part{}", part);
      source.tokens = from_peer(source, own_parts[static_cast<std::size_t>(part)]);
      sources.push_back(std::move(source));
    }
  }
  return sources;
}

TensorId GptBuilder::tokens_in_pieces(const ExpertWeights& weights, const Routed& routed) {
  const std::int64_t ranks = shape_.axes[Axis::expert],
                     parts = std::max<std::int64_t>(expert_pieces_ / ranks, 1),
                     members = std::max<std::int64_t>(ranks / expert_pieces_, 1);
  const std::vector<TokenSource> sources = token_sources(routed, parts);
  // A piece has the tokens of `members` sources that follow each other.
  const auto pieces = static_cast<std::int64_t>(sources.size()) / members;
  const auto member = [&](std::int64_t piece, std::int64_t i) -> const TokenSource& {
    return sources[static_cast<std::size_t>(piece * members + i)];
  };
  const auto join = [&](const char* path, std::int64_t piece, auto of) {
    TensorId joined = of(member(piece, 0).tokens);
    for (std::int64_t i = 1; i < members; ++i)
      joined = join_rows(path + member(piece, i).name, joined, of(member(piece, i).tokens));
    return joined;
  };
  // The memory for rows is shared out by tokens.
  const ExpertRows all = expected_rows(routed.rows);
  const auto dispatch = [&](std::int64_t p) {
    const TensorId choices =
        join("mlp/join_choices", p, [](const Routed& of) { return of.routes.choices; });
    const TensorId shares =
        join("mlp/join_weights", p, [](const Routed& of) { return of.routes.weights; });
    const TensorId rows = join("mlp/join", p, [](const Routed& of) { return of.rows; });
    const std::int64_t share = p == 0 ? ranks / members : expert_pieces_;
    const std::string name = p == 0 ? "/own" : fmt::format("/piece{}", p);
    return copies(map_of_rank(choices, (all.bound + share - 1) / share,
                              std::max<std::int64_t>(all.mean / share, 1), name),
                  rows, shares, name);
  };
  std::vector<TensorId> sums(
      sources.size());  // for this rank's tokens, by the source of their copies
  const auto finish = [&](std::int64_t p, const Dispatched& rows, TensorId gated) {
    TensorId rest = sum_rows(rows, expert_outputs(rows, weights, gated));
    for (std::int64_t i = 0; i < members; ++i) {
      const TokenSource& source = member(p, i);
      TensorId sum = rest;
      if (i + 1 < members) {
        const std::int64_t each = builder_.program().tensor(source.tokens.rows).shape[0].size;
        std::tie(sum, rest) = split_rows("mlp/split" + source.name, rest, each);
      }
      if (source.rank != 0)
        sum = in_8_bits(
            builder_.shift("mlp/combine" + source.name, sum, Axis::expert, ranks - source.rank));
      sums[static_cast<std::size_t>(p * members + i)] = sum;
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
  for (std::size_t s = 1; s < sums.size();) {
    TensorId of_rank = sums[s++];
    for (std::int64_t part = 1; part < parts; ++part, ++s)
      of_rank = join_rows("mlp/combine/join" + sources[s].name, of_rank, sums[s]);
    y = add(fmt::format("mlp/combine/sum/peer{}", sources[s - 1].rank), y, of_rank);
  }
  return y;
}

std::vector<GptBuilder::Routed> GptBuilder::parts_of(const Routed& tokens, std::int64_t parts) {
  std::vector<Routed> all;
  const std::int64_t each = builder_.program().tensor(tokens.rows).shape[0].size / parts;
  Routed rest = tokens;
  for (std::int64_t part = 0; part + 1 < parts; ++part) {
    const auto cut = [&](const char* path, TensorId& x) {
      TensorId first{};
      std::tie(first, x) = split_rows(fmt::format("{}/part{}", path, part), x, each);
      return first;
    };
    const TensorId rows = cut("mlp/cut", rest.rows);
    const TensorId choices = cut("mlp/cut_choices", rest.routes.choices);
    const TensorId shares = cut("mlp/cut_weights", rest.routes.weights);
    all.push_back({.rows = rows, .routes = {.choices = choices, .weights = shares}});
  }
  all.push_back(rest);
  return all;
}

TensorId GptBuilder::join_rows(const std::string& path, TensorId first, TensorId second) {
  return builder_.emit_for(graph::join_rows::output, graph::join_rows_op(), path,
                           {{graph::join_rows::first, first}, {graph::join_rows::second, second}});
}

std::pair<TensorId, TensorId> GptBuilder::split_rows(const std::string& path, TensorId whole,
                                                     std::int64_t rows) {
  const graph::Op& parts =
      builder_.emit(graph::split_rows_op(), path, {{graph::split_rows::input, whole}},
                    {{graph::attribute::rows, rows}});
  return {parts.operands[graph::split_rows::first], parts.operands[graph::split_rows::second]};
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
    piece.rows = in_8_bits(send_rows("mlp/dispatch", piece, piece.rows, expected));
    if (!weights_behind_products())
      piece.weights = send_rows("mlp/dispatch_weights", piece, piece.weights, expected);
    pieces.push_back(std::move(piece));
  }
  std::vector<TensorId> results;
  for (Dispatched& piece : pieces) {
    piece.rows = sort_rows("mlp/dispatch", piece, piece.rows);
    if (!weights_behind_products())
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
