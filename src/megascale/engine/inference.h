#ifndef MEGASCALE_ENGINE_INFERENCE_H_
#define MEGASCALE_ENGINE_INFERENCE_H_

#include <memory>
#include <span>
#include <vector>

#include "megascale/data/dataset.h"
#include "megascale/engine/batch_loader.h"
#include "megascale/engine/rank.h"
#include "megascale/engine/state_tensors.h"
#include "megascale/job/inference_plan.h"

namespace megascale::engine {

// A model that is used, not trained: the same model code and kernels, weights only. Used by one
// thread.
class Inference {
 public:
  // `data` may be null where evaluate() is not called; it must outlive this object. Throws Error.
  Inference(const Config& config, const Dataset* data);
  Inference(const Inference&) = delete;
  Inference& operator=(const Inference&) = delete;
  ~Inference();

  [[nodiscard]] std::vector<StatePart> state() {
    return state_parts(rank_->memory().state(job_.state), job_.state, {}, {});
  }
  [[nodiscard]] const plan::ModelState& layout() const noexcept { return job_.state; }
  // Forgets all tokens.
  void clear() noexcept { cached_ = 0; }
  // Tokens that the cache holds, and can hold.
  [[nodiscard]] std::size_t cached() const noexcept { return cached_; }
  [[nodiscard]] std::size_t capacity() const noexcept {
    return static_cast<std::size_t>(config_.model.max_position_embeddings);
  }
  // Appends tokens (at least one, at most capacity() - cached()) and returns the logits
  // [vocab_size] of what follows the last one. The memory is this object's and holds until the next
  // call.
  std::span<const float> feed(std::span<const std::int32_t> tokens);
  // Mean loss (nats per token) over the first `steps` global batches of the data.
  double evaluate(std::int64_t steps);

 private:
  Config config_;
  job::InferencePlan job_;
  std::unique_ptr<BatchLoader> loader_;
  Wakeup wakeup_;
  std::unique_ptr<Rank> rank_;
  std::size_t decode_ = 0, evaluate_ = 0;
  std::size_t cached_ = 0;
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_INFERENCE_H_
