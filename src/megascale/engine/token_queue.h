#ifndef MEGASCALE_ENGINE_TOKEN_QUEUE_H_
#define MEGASCALE_ENGINE_TOKEN_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "megascale/engine/inference.h"

namespace megascale::engine {

// Tokens of several sequences that wait to be fed to a model, which takes them in steps.
//
// A sequence's tokens are cut into pieces whose sizes depend on that sequence alone. Pieces of at most
// Inference::kTokensTogether tokens share a step up to that number; a larger piece has a step of its
// own. So each sequence gets the same bits whatever else is fed. One thread at a time.
class TokenQueue {
 public:
  // Called for each row of logits that was asked for. `row` counts those of the sequence since it was
  // added.
  using OnLogits =
      std::function<void(std::size_t sequence, std::size_t row, std::span<const float> logits)>;

  // `model` must outlive the object.
  explicit TokenQueue(Inference& model) : model_(model), waiting_(model.sequences()) {}
  // Adds tokens behind those that the model has cached of the sequence, which must have none waiting.
  // The cache must have room for them. Logits are wanted after each of the last `rows` tokens.
  void add(std::size_t sequence, std::vector<std::int32_t> tokens, std::size_t rows);
  // Runs one step; the longest pieces come first. `on_logits` may call add(). Returns false, without a
  // step, if nothing waits. Throws the Error of the step.
  bool step(const OnLogits& on_logits);

 private:
  struct Waiting {
    std::vector<std::int32_t> tokens;
    std::size_t fed = 0, rows = 0, returned = 0;  // tokens; rows of logits
    [[nodiscard]] std::size_t left() const noexcept { return tokens.size() - fed; }
  };
  [[nodiscard]] std::size_t piece(const Waiting& waiting) const noexcept;
  [[nodiscard]] SequenceTokens next_of(std::size_t sequence) const;

  Inference& model_;
  std::vector<Waiting> waiting_;  // by sequence
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_TOKEN_QUEUE_H_
