// The ops of a training on preferences: scores of sequences, the loss of pairs, and cross-entropy with weights.
#include <cmath>

#include "cuda/op_groups.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::testing {
namespace {

using graph::Dim;

// Numbers of float64 around `mean`.
OperandOf doubles(std::int64_t count, double mean, double stddev) {
  OperandOf operand = input32({count}, stddev);
  operand.dtype = DType::float64;
  for (double& value : operand.values) value += mean;
  return operand;
}
OperandOf output64(std::int64_t count) { return {{Dim(count)}, DType::float64}; }

// The sequences have `length` tokens. Every third token does not count, and no token of the first sequence.
OpCase scores_case(std::int64_t sequences, std::int64_t length, std::int64_t ranks) {
  const std::int64_t tokens = sequences * length;
  OperandOf stats = input32({ranks * tokens, 3}), targets = numbers(tokens, 1000);
  for (std::size_t i = 0; i < stats.values.size(); i += 3) {  // maximum, sum, target's logit
    stats.values[i + 1] = 1 + std::abs(stats.values[i + 1]);
    stats.values[i + 2] = stats.values[i] - std::abs(stats.values[i + 2]);
  }
  for (std::int64_t n = 0; n < tokens; ++n) {
    if (n < length || n % 3 == 1) targets.values[static_cast<std::size_t>(n)] = -1;
  }
  return {"sequence_scores",
          &graph::sequence_scores_op(),
          {stats, targets, output64(sequences)},
          {{"sequence", length}, {"ranks", ranks}}};
}

struct PairsSetting {
  std::int64_t pairs = 0, length = 0, contexts = 1;
  std::uint32_t context = 0, tensor = 0;  // this rank
  bool first = true;
};
OpCase pairs_case(const PairsSetting& s) {
  OpCase pairs{"preference_loss",
               &graph::preference_loss_op(),
               {doubles(s.contexts * 2 * s.pairs, -20, 4), doubles(2 * s.pairs, -20, 4),
                output32({2 * s.pairs * s.length}), output64(2), output64(3)},
               {{"sequence", s.length}, {"beta", 0.3}, {"label_smoothing", 0.1}}};
  pairs.axes[graph::Axis::context] = s.contexts;
  pairs.coordinates[static_cast<std::size_t>(graph::Axis::context)] = s.context;
  pairs.axes[graph::Axis::tensor] = 2;
  pairs.coordinates[static_cast<std::size_t>(graph::Axis::tensor)] = s.tensor;
  pairs.first = s.first;
  if (!s.first)  // records of earlier micro-batches
    pairs.operands[graph::preference_loss::record].values = {-3.5, 2.25, 7};
  return pairs;
}

}  // namespace

std::vector<OpCase> preference_cases() {
  // Blocks have 256 threads: sequences and numbers of pairs below that and above.
  std::vector<OpCase> cases{scores_case(4, 7, 1), scores_case(2, 700, 3), pairs_case({1, 5}),
                            pairs_case({300, 2}), pairs_case({2, 600})};
  // Which ranks count in the loss, and which in the record.
  for (const bool first : {true, false}) {
    for (const std::uint32_t context : {0, 1}) {
      for (const std::uint32_t tensor : {0, 1})
        cases.push_back(pairs_case({3, 4, 2, context, tensor, first}));
    }
  }
  // Packs of several elements and single ones; the second rank has padding.
  for (const std::int64_t columns : {48, 13}) {
    OperandOf targets = numbers(20, static_cast<std::uint64_t>(columns + 8));
    targets.values[3] = -1;
    std::vector<OpCase> ranks;
    for (const std::uint32_t rank : {0, 1})
      ranks.push_back(stats_case(input({20, columns}, 3), targets, columns + 8, rank, 2));
    for (const std::size_t rank : {0, 1}) {
      OpCase loss = loss_case(ranks, rank);
      loss.name = "cross_entropy with weights";
      loss.operands[graph::cross_entropy::weights] = input32({20}, 0.1);
      cases.push_back(loss);
    }
  }
  return cases;
}

}  // namespace megascale::testing
