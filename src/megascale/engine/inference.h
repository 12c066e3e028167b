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

// A model for evaluation and text generation on one rank of the CPU. It runs the model code and the
// kernels of training, but has no gradients and no optimizer state. Load the weights into state()
// first. One thread at a time may use it.
class Inference {
 public:
  // `config` must be resolved and valid. `data` must outlive this object; it may be null if
  // evaluate() is not called. Throws Error: out_of_memory, unsupported (an op without a kernel), or
  // failed (the plans have violations).
  Inference(const Config& config, const Dataset* data);
  Inference(const Inference&) = delete;
  Inference& operator=(const Inference&) = delete;
  ~Inference();

  // Returns the weights, for the caller to fill. Their memory belongs to this object.
  [[nodiscard]] std::vector<StatePart> state() {
    return state_parts(rank_->memory().state(job_.state), job_.state, {}, {});
  }
  // Returns the parameters of the model and their layout.
  [[nodiscard]] const plan::ModelState& layout() const noexcept { return job_.state; }
  // Empties the key-value cache, so that feed() starts a new sequence.
  void clear() noexcept { cached_ = 0; }
  // Return the number of tokens that the key-value cache holds, and the largest number it can hold.
  [[nodiscard]] std::size_t cached() const noexcept { return cached_; }
  [[nodiscard]] std::size_t capacity() const noexcept {
    return static_cast<std::size_t>(config_.model.max_position_embeddings);
  }
  // Appends tokens (at least one, at most capacity() - cached()) to the sequence. Returns the
  // logits [vocab_size] of the token after the last one. The span is valid until the next call of
  // feed() or evaluate(). Throws Error.
  std::span<const float> feed(std::span<const std::int32_t> tokens);
  // Returns the mean loss (nats per valid token) over the first `steps` global batches of the data.
  // Throws Error.
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
