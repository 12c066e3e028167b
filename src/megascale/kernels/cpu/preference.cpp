#include "megascale/kernels/cpu/preference.h"

#include <algorithm>

#include "megascale/kernels/cpu/team.h"

namespace megascale::kernels::cpu {
void sequence_scores(const SequenceScores& args) noexcept {
  parallel_ranges(args.sequences, 1, args.length * args.ranks * sizeof(LogitStats),
                  [&](std::size_t first, std::size_t last) {
                    for (std::size_t b = first; b < last; ++b) {
                      double score = 0;
                      for (std::size_t n = b * args.length; n < (b + 1) * args.length; ++n)
                        score += score_of_token(args, n);
                      args.scores[b] = score;
                    }
                  });
}

PreferenceSums preference_loss(const PreferenceLoss& args) noexcept {
  PreferenceSums sums;
  for (std::size_t i = 0; i < args.pairs; ++i) {
    const PairLoss pair = loss_of_pair(args, i);
    sums.add(pair);
    const float weight = weight_of_chosen(pair, args.shape);
    float* const weights = args.weights + 2 * i * args.length;
    std::fill_n(weights, args.length, weight);
    std::fill_n(weights + args.length, args.length, -weight);
  }
  return sums;
}

}  // namespace megascale::kernels::cpu
