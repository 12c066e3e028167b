#ifndef MEGASCALE_KERNELS_PREFERENCE_FORMULAS_H_
#define MEGASCALE_KERNELS_PREFERENCE_FORMULAS_H_

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "megascale/kernels/host_device.h"
#include "megascale/kernels/token_loss.h"

// The loss of direct preference optimisation (arXiv 2305.18290, with the label smoothing of its authors' later
// "conservative DPO"), as the kernels of all devices compute it. All of it is in double: a batch has few sequences.
namespace megascale::kernels {

// The arguments of a computation of scores: scores[b] = - sum of the losses of the tokens of sequence b that count. A
// sequence without such a token has the score 0. Cost: an exp and a log per token and rank.
struct SequenceScores {
  std::size_t sequences = 0, length = 0;  // B; tokens of one sequence on this rank
  const LogitStats* stats = nullptr;      // (R, B x length), rank by rank
  std::size_t ranks = 1;
  const std::int32_t* target = nullptr;  // (B x length); negative: the token does not count
  double* scores = nullptr;              // (B)
};
// Returns what token n adds to the score of its sequence.
[[nodiscard]] MEGASCALE_HOST_DEVICE inline double score_of_token(const SequenceScores& args,
                                                                 std::size_t n) noexcept {
  if (args.target[n] < 0) return 0;
  return -token_loss(args.stats, args.ranks, args.sequences * args.length, n).loss;
}

// Log-probabilities of the two answers of a pair, each the sum over the counted tokens, by the model that is
// trained and by the reference.
struct PairScores {
  double chosen = 0, rejected = 0, reference_chosen = 0, reference_rejected = 0;
};
struct PreferenceShape {
  double beta = 0, label_smoothing = 0;
};
//   reward   = beta (score - score of the reference), of each answer
//   margin m = reward of the chosen answer - reward of the rejected one
//   loss     = -(1 - label_smoothing) log sigmoid(m) - label_smoothing log sigmoid(-m)
//   slope    = d loss / d m
struct PairLoss {
  double chosen = 0, rejected = 0;  // rewards
  double loss = 0, slope = 0;
  [[nodiscard]] constexpr double margin() const noexcept { return chosen - rejected; }
};

// Returns log(1 + exp(x)) = - log sigmoid(-x) without overflow, and without loss of digits for small results.
[[nodiscard]] MEGASCALE_HOST_DEVICE inline double softplus(double x) noexcept {
  return (x > 0 ? x : 0.0) + std::log1p(std::exp(x > 0 ? -x : x));
}
[[nodiscard]] MEGASCALE_HOST_DEVICE inline double sigmoid(double x) noexcept {
  const double small = std::exp(x > 0 ? -x : x);
  return (x >= 0 ? 1.0 : small) / (1.0 + small);
}
// Loss and slope are exact to a few units in the last place for every finite margin.
[[nodiscard]] MEGASCALE_HOST_DEVICE inline PairLoss pair_loss(
    const PairScores& scores, const PreferenceShape& shape) noexcept {
  PairLoss pair{.chosen = shape.beta * (scores.chosen - scores.reference_chosen),
                .rejected = shape.beta * (scores.rejected - scores.reference_rejected)};
  const double margin = pair.margin(), wrong = shape.label_smoothing;
  pair.loss = (1 - wrong) * softplus(-margin) + wrong * softplus(margin);
  pair.slope = wrong * sigmoid(margin) - (1 - wrong) * sigmoid(-margin);
  return pair;
}

// Of pairs (2i, 2i + 1) of sequences, whose scores are the sums over the context ranks in their order:
//   weights[n] = d loss / d (loss of token n), the same for all tokens of a sequence: - beta slope for the chosen
//                answer, beta slope for the rejected one
struct PreferenceLoss {
  std::size_t pairs = 0, length = 0;  // tokens of one sequence on this rank
  const double* scores = nullptr;     // (context_ranks, 2 pairs)
  std::size_t context_ranks = 1;
  const double* reference = nullptr;  // (2 pairs)
  PreferenceShape shape;
  float* weights = nullptr;  // (2 pairs x length)
};
[[nodiscard]] MEGASCALE_HOST_DEVICE inline PairLoss loss_of_pair(const PreferenceLoss& args,
                                                                 std::size_t pair) noexcept {
  PairScores scores{.reference_chosen = args.reference[2 * pair],
                    .reference_rejected = args.reference[2 * pair + 1]};
  for (std::size_t rank = 0; rank < args.context_ranks; ++rank) {
    const double* const of_rank = args.scores + 2 * (rank * args.pairs + pair);
    scores.chosen += of_rank[0];
    scores.rejected += of_rank[1];
  }
  return pair_loss(scores, args.shape);
}
// Returns the weight of the tokens of the chosen answer. That of the rejected one is its negative.
[[nodiscard]] constexpr float weight_of_chosen(const PairLoss& pair,
                                               const PreferenceShape& shape) noexcept {
  return static_cast<float>(-shape.beta * pair.slope);
}

// Sums over pairs.
struct PreferenceSums {
  double loss = 0, chosen = 0, rejected = 0;  // rewards
  std::int64_t accurate = 0;                  // pairs with a margin above 0
  constexpr void add(const PairLoss& pair) noexcept {
    loss += pair.loss;
    chosen += pair.chosen;
    rejected += pair.rejected;
    accurate += pair.margin() > 0 ? 1 : 0;
  }
};

// Where the sums of a micro-batch go:
//   loss[0], loss[1]   sum of the losses of the pairs, and their number; both 0 unless `counts`
//   record[0 ... 2]    sums of the rewards of the chosen and of the rejected answers, number of accurate pairs. They
//                      are 0 unless `records`. With `accumulate` they are added to what is there.
struct PreferenceResults {
  bool counts = true, records = true, accumulate = false;
  double* loss = nullptr;
  double* record = nullptr;
};
constexpr void write_sums(const PreferenceSums& sums, std::size_t pairs,
                          const PreferenceResults& results) noexcept {
  results.loss[0] = results.counts ? sums.loss : 0.0;
  results.loss[1] = results.counts ? static_cast<double>(pairs) : 0.0;
  const double values[3] = {sums.chosen, sums.rejected, static_cast<double>(sums.accurate)};
  for (int i = 0; i < 3; ++i) {
    const double before = results.accumulate ? results.record[i] : 0.0;
    results.record[i] = before + (results.records ? values[i] : 0.0);
  }
}

}  // namespace megascale::kernels

#endif  // MEGASCALE_KERNELS_PREFERENCE_FORMULAS_H_
