#include "megascale/kernels/cpu/preference.h"

#include <algorithm>
#include <cmath>

#include "megascale/kernels/cpu/team.h"

namespace megascale::kernels::cpu {
namespace {

// Returns log(1 + exp(x)) = - log sigmoid(-x) without overflow, and without loss of digits for small results.
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }
double sigmoid(double x) {
  const double small = std::exp(-std::abs(x));
  return (x >= 0 ? 1.0 : small) / (1.0 + small);
}

double score_of(const SequenceScores& a, std::size_t sequence) {
  double score = 0;
  for (std::size_t n = sequence * a.length; n < (sequence + 1) * a.length; ++n) {
    if (a.target[n] >= 0) score -= loss_of_token(a.stats, a.ranks, a.sequences * a.length, n);
  }
  return score;
}

}  // namespace

PairLoss pair_loss(const PairScores& scores, const PreferenceShape& shape) noexcept {
  PairLoss pair{.chosen = shape.beta * (scores.chosen - scores.reference_chosen),
                .rejected = shape.beta * (scores.rejected - scores.reference_rejected)};
  const double margin = pair.margin(), wrong = shape.label_smoothing;
  pair.loss = (1 - wrong) * softplus(-margin) + wrong * softplus(margin);
  pair.slope = wrong * sigmoid(margin) - (1 - wrong) * sigmoid(-margin);
  return pair;
}

void PreferenceSums::add(const PairLoss& pair) noexcept {
  loss += pair.loss;
  chosen += pair.chosen;
  rejected += pair.rejected;
  accurate += pair.margin() > 0 ? 1 : 0;
}

void sequence_scores(const SequenceScores& args) noexcept {
  parallel_ranges(args.sequences, 1, args.length * args.ranks * sizeof(LogitStats),
                  [&](std::size_t first, std::size_t last) {
                    for (std::size_t b = first; b < last; ++b) args.scores[b] = score_of(args, b);
                  });
}

PreferenceSums preference_loss(const PreferenceLoss& args) noexcept {
  const auto score = [&](std::size_t sequence) {
    double sum = 0;
    for (std::size_t rank = 0; rank < args.context_ranks; ++rank)
      sum += args.scores[rank * 2 * args.pairs + sequence];
    return sum;
  };
  PreferenceSums sums;
  for (std::size_t i = 0; i < args.pairs; ++i) {
    const PairLoss pair = pair_loss({.chosen = score(2 * i),
                                     .rejected = score(2 * i + 1),
                                     .reference_chosen = args.reference[2 * i],
                                     .reference_rejected = args.reference[2 * i + 1]},
                                    args.shape);
    sums.add(pair);
    const auto weight = static_cast<float>(-args.shape.beta * pair.slope);
    float* const weights = args.weights + 2 * i * args.length;
    std::fill_n(weights, args.length, weight);
    std::fill_n(weights + args.length, args.length, -weight);
  }
  return sums;
}

}  // namespace megascale::kernels::cpu
