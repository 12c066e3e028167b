#ifndef MEGASCALE_KERNELS_CPU_PREFERENCE_H_
#define MEGASCALE_KERNELS_CPU_PREFERENCE_H_

#include <cstddef>
#include <cstdint>

#include "megascale/kernels/cpu/cross_entropy.h"

// The loss of direct preference optimisation (arXiv 2305.18290, with the label smoothing of its authors' later
// "conservative DPO"). All of it is in double: a batch has few sequences.
namespace megascale::kernels::cpu {

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
  [[nodiscard]] double margin() const noexcept { return chosen - rejected; }
};
// Loss and slope are exact to a few units in the last place for every finite margin.
[[nodiscard]] PairLoss pair_loss(const PairScores& scores, const PreferenceShape& shape) noexcept;

// Computes scores[b] = - sum of the losses of the tokens of sequence b that count, in the order of the tokens. A
// sequence without such a token has the score 0. Cost: an exp and a log per token and rank.
struct SequenceScores {
  std::size_t sequences = 0, length = 0;  // B; tokens of one sequence on this rank
  const LogitStats* stats = nullptr;      // (R, B x length), rank by rank
  std::size_t ranks = 1;
  const std::int32_t* target = nullptr;  // (B x length); negative: the token does not count
  double* scores = nullptr;              // (B)
};
void sequence_scores(const SequenceScores& args) noexcept;

// Of pairs (2i, 2i + 1) of sequences, whose scores are the sums over the context ranks in their order:
//   weights[n] = d loss / d (loss of token n), the same for all tokens of a sequence: - beta slope for the chosen
//                answer, beta slope for the rejected one
// Returns the sums over the pairs.
struct PreferenceLoss {
  std::size_t pairs = 0, length = 0;  // tokens of one sequence on this rank
  const double* scores = nullptr;     // (context_ranks, 2 pairs)
  std::size_t context_ranks = 1;
  const double* reference = nullptr;  // (2 pairs)
  PreferenceShape shape;
  float* weights = nullptr;  // (2 pairs x length)
};
struct PreferenceSums {
  double loss = 0, chosen = 0, rejected = 0;  // rewards
  std::int64_t accurate = 0;                  // pairs with a margin above 0
  void add(const PairLoss& pair) noexcept;
};
PreferenceSums preference_loss(const PreferenceLoss& args) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_PREFERENCE_H_
