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

// New tokens of a sequence in a step of decoding.
struct SequenceTokens {
  std::size_t sequence = 0;
  std::span<const std::int32_t> tokens;  // at least one
  std::size_t last_rows = 0;             // logits are wanted after each of so many last tokens
};

// The logits of a step: rows of the vocabulary, in the order of the step.
class LogitRows {
 public:
  LogitRows(const float* data, std::size_t rows, std::size_t vocabulary,
            std::size_t stride) noexcept
      : data_(data), rows_(rows), vocabulary_(vocabulary), stride_(stride) {}
  [[nodiscard]] std::size_t size() const noexcept { return rows_; }
  [[nodiscard]] std::span<const float> operator[](std::size_t row) const noexcept {
    return {data_ + row * stride_, vocabulary_};
  }

 private:
  const float* data_;
  std::size_t rows_, vocabulary_, stride_;
};

// A model for evaluation and text generation on one rank of the CPU. It runs the model code and the
// kernels of training, but has no gradients and no optimizer state. Load the weights into state()
// first. One thread at a time may use it.
class Inference {
 public:
  // A step of at most so many tokens gives each token the bits that it has alone. A larger one does so
  // if all its tokens are of one sequence.
  static constexpr std::size_t kTokensTogether = 64;

  // `config` must be resolved and valid. `data` must outlive this object; it may be null if
  // evaluate() is not called. Throws Error: out_of_memory, unsupported (an op without a kernel), or
  // failed (the plans have violations).
  Inference(const Config& config, const Dataset* data, const model::DecodeShape& decode = {});
  Inference(const Inference&) = delete;
  Inference& operator=(const Inference&) = delete;
  ~Inference();

  // Returns the weights, for the caller to fill. Their memory belongs to this object.
  [[nodiscard]] std::vector<StatePart> state() {
    return state_parts(rank_->memory().state(job_.state), job_.state, {}, {});
  }
  // Returns the parameters of the model and their layout.
  [[nodiscard]] const plan::ModelState& layout() const noexcept { return job_.state; }
  [[nodiscard]] std::size_t sequences() const noexcept { return cached_.size(); }
  // Return the number of tokens of a sequence that the key-value cache holds, and the largest number
  // it can hold of each.
  [[nodiscard]] std::size_t cached(std::size_t sequence) const { return cached_.at(sequence); }
  [[nodiscard]] std::size_t capacity() const noexcept {
    return static_cast<std::size_t>(config_.model.max_position_embeddings);
  }
  // Return the most tokens, and the most rows of logits, of a step.
  [[nodiscard]] std::size_t most_tokens() const noexcept {
    return static_cast<std::size_t>(job_.decode_shape.tokens);
  }
  [[nodiscard]] std::size_t most_rows() const noexcept {
    return static_cast<std::size_t>(job_.decode_shape.last_rows);
  }
  // Forgets all but the first `tokens` tokens of a sequence, which must be cached.
  void keep(std::size_t sequence, std::size_t tokens);
  // Appends tokens to sequences, which must be in ascending order and fit into the cache. Returns the
  // logits after their last rows. They are valid until the next call of feed() or evaluate(). Throws
  // Error.
  LogitRows feed(std::span<const SequenceTokens> step);
  // The same for tokens of the first sequence alone. Returns the logits after the last one.
  std::span<const float> feed(std::span<const std::int32_t> tokens) {
    const SequenceTokens step{.tokens = tokens, .last_rows = 1};
    return feed(std::span(&step, 1))[0];
  }
  // Returns the mean loss (nats per valid token) over the first `steps` global batches of the data.
  // Throws Error.
  double evaluate(std::int64_t steps);

 private:
  // Writes the values of a batch field for a step to its place `to`.
  void fill(const plan::BatchLayout::Field& field, std::byte* to,
            std::span<const SequenceTokens> step, std::size_t tokens, std::size_t rows) const;

  Config config_;
  job::InferencePlan job_;
  std::unique_ptr<BatchLoader> loader_;
  Wakeup wakeup_;
  std::unique_ptr<Rank> rank_;
  std::size_t decode_ = 0, evaluate_ = 0;
  std::vector<std::size_t> cached_;  // by sequence
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_INFERENCE_H_
