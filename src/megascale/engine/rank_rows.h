#ifndef MEGASCALE_ENGINE_RANK_ROWS_H_
#define MEGASCALE_ENGINE_RANK_ROWS_H_

#include <algorithm>
#include <cstdint>

#include "megascale/config/config.h"

namespace megascale::engine {

// The tokens of a micro-batch that the routers of a rank work on: the rank's tensor share of its context
// share of every sequence. Immutable; any thread may use it.
class RankRows {
 public:
  RankRows(const Config& config, std::int64_t context_rank, std::int64_t tensor_rank) noexcept
      : share_(config.model.seq_length / config.parallel.context_parallel_size),
        rows_(config.train.micro_batch_size * share_ / config.parallel.tensor_model_parallel_size),
        context_rank_(context_rank),
        tensor_rank_(tensor_rank) {}

  // Calls visit(first row, rows, sequence in the micro-batch, position in it) for runs of rows whose tokens
  // are consecutive.
  template <class Visit>
  void for_each_run(const Visit& visit) const {
    for (std::int64_t row = 0; row < rows_;) {
      const std::int64_t of_micro_batch = tensor_rank_ * rows_ + row;
      const std::int64_t in_share = of_micro_batch % share_;
      const std::int64_t count = std::min(rows_ - row, share_ - in_share);
      visit(row, count, of_micro_batch / share_, context_rank_ * share_ + in_share);
      row += count;
    }
  }

 private:
  std::int64_t share_, rows_, context_rank_, tensor_rank_;
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_RANK_ROWS_H_
