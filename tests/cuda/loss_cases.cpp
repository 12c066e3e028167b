// Statistics of logits and the loss.
#include <array>
#include <utility>

#include "cuda/op_groups.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::testing {

using graph::Dim;

// The columns of rank `rank` of `ranks`, v each.
OpCase stats_case(OperandOf logits, OperandOf targets, std::int64_t valid, std::uint32_t rank,
                  std::int64_t ranks) {
  OpCase stats{"logit_stats",
               &graph::logit_stats_op(),
               {logits, targets, output32({logits.shape[0], 3})},
               {{"valid_vocabulary", valid}, {"ranks", ranks}, {"gradient", std::int64_t{1}}}};
  stats.axes[graph::Axis::tensor] = ranks;
  stats.coordinates[static_cast<std::size_t>(graph::Axis::tensor)] = rank;
  return stats;
}

OpCase loss_case(const std::vector<OpCase>& stats, std::size_t rank) {
  namespace logit_stats = graph::logit_stats;
  OpCase loss = stats[rank];
  OperandOf logits = loss.operands[logit_stats::logits];
  loss.name = "cross_entropy";
  loss.def = &graph::cross_entropy_op();
  const auto rows =
      static_cast<std::int64_t>(loss.operands[logit_stats::targets].values.size() * stats.size());
  OperandOf of_stats = output32({rows, 3});
  for (const OpCase& one : stats) {
    const OpResult found = run_on_cpu(one, DType::bfloat16);
    const auto& of_rank = found.operands[logit_stats::stats];
    of_stats.values.insert(of_stats.values.end(), of_rank.begin(), of_rank.end());
    // Exact in both storage types.
    if (&one == &stats[rank]) logits.values = found.operands[logit_stats::logits];
  }
  loss.operands = {logits,
                   of_stats,
                   loss.operands[logit_stats::targets],
                   output(logits.shape),
                   {{Dim(2)}, DType::float64},
                   absent()};
  loss.alias = {{graph::cross_entropy::gradient, graph::cross_entropy::logits}};
  return loss;
}

std::vector<OpCase> loss_cases() {
  std::vector<OpCase> cases;
  // The last two have several batches of packs for a thread, of whole packs and of single elements.
  for (const auto [n, v, valid] : {std::array<std::int64_t, 3>{37, 48, 45},
                                   {3, 1000, 1000},
                                   {5, 13, 11},
                                   {3, 20000, 19989},
                                   {2, 1501, 1500}}) {
    OperandOf targets = numbers(n, static_cast<std::uint64_t>(valid));
    targets.values[1] = -1;
    targets.values[0] = static_cast<double>(valid - 1);
    cases.push_back(stats_case(input({n, v}, v == 1501 ? 30 : 3), targets, valid));
    cases.push_back(loss_case({cases.back()}, 0));
  }
  // Three ranks: whole, padded, padding only.
  const OperandOf targets = numbers(20, 80);
  std::vector<OpCase> ranks;
  for (const std::uint32_t rank : {0, 1, 2})
    ranks.push_back(stats_case(input({20, 48}, 3), targets, 80, rank, 3));
  for (const std::size_t rank : {0, 1, 2}) {
    cases.push_back(ranks[rank]);
    cases.push_back(loss_case(ranks, rank));
  }
  return cases;
}

}  // namespace megascale::testing
