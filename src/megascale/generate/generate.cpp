// The loop of text generation: feed the contexts, sample a token of each, append it. When a context is
// full, its older half is dropped and the rest is fed again, since the positions of the cached keys and
// values would be wrong.
#include "megascale/generate/generate.h"

#include <algorithm>

#include "megascale/engine/token_queue.h"

namespace megascale::generate {
namespace {

class Batch {
 public:
  Batch(engine::Inference& model, std::span<const std::vector<std::int32_t>> prompts,
        const GenerateOptions& options, const Listener& listener)
      : model_(model),
        prompts_(prompts),
        options_(options),
        listener_(listener),
        queue_(model),
        sampler_(options.sampler),
        texts_(model.sequences()) {}

  void run() {
    for (std::size_t sequence = 0; sequence < texts_.size(); ++sequence) start_next(sequence);
    while (queue_.step([this](std::size_t sequence, std::size_t, std::span<const float> logits) {
      take(sequence, logits);
    })) {
    }
  }

 private:
  struct Text {
    std::size_t prompt = 0;
    std::vector<std::int32_t> context;  // that the next token is computed from
    std::int64_t tokens = 0;            // new ones
  };

  // Gives a sequence the next prompt, if there is one.
  void start_next(std::size_t sequence) {
    while (next_ < prompts_.size()) {
      const std::size_t number = next_++;
      if (options_.max_tokens == 0) {
        listener_.on_end(number, FinishReason::length);
        continue;
      }
      const std::vector<std::int32_t>& prompt = prompts_[number];
      const std::size_t used = std::min(prompt.size(), model_.capacity());
      texts_[sequence] = {
          .prompt = number,
          .context = {prompt.end() - static_cast<std::ptrdiff_t>(used), prompt.end()}};
      feed_whole(sequence);
      return;
    }
  }
  void feed_whole(std::size_t sequence) {
    model_.keep(sequence, 0);
    queue_.add(sequence, texts_[sequence].context, 1);
  }
  void end(std::size_t sequence, FinishReason reason) {
    listener_.on_end(texts_[sequence].prompt, reason);
    start_next(sequence);
  }

  void take(std::size_t sequence, std::span<const float> logits) {
    Text& text = texts_[sequence];
    const DrawNumber number{static_cast<std::uint32_t>(text.prompt),
                            static_cast<std::uint32_t>(text.tokens)};
    NewToken token{.id = sampler_.draw(logits, number)};
    if (token.id == options_.stop_token) return end(sequence, FinishReason::stop);
    if (options_.log_probabilities) token.log_probability = log_probability(logits, token.id);
    if (options_.most_likely > 0) token.most_likely = most_likely(logits, options_.most_likely);
    if (!listener_.on_token(text.prompt, token)) return end(sequence, FinishReason::stop);
    if (++text.tokens == options_.max_tokens) return end(sequence, FinishReason::length);
    if (text.context.size() == model_.capacity()) {
      const std::size_t dropped = std::max<std::size_t>(1, model_.capacity() / 2);
      text.context.erase(text.context.begin(),
                         text.context.begin() + static_cast<std::ptrdiff_t>(dropped));
      text.context.push_back(token.id);
      return feed_whole(sequence);
    }
    text.context.push_back(token.id);
    if (!options_.use_cache) return feed_whole(sequence);
    queue_.add(sequence, {token.id}, 1);
  }

  engine::Inference& model_;
  std::span<const std::vector<std::int32_t>> prompts_;
  const GenerateOptions& options_;
  const Listener& listener_;
  engine::TokenQueue queue_;
  Sampler sampler_;
  std::vector<Text> texts_;  // by sequence
  std::size_t next_ = 0;     // prompt
};

}  // namespace

void generate(engine::Inference& model, std::span<const std::vector<std::int32_t>> prompts,
              const GenerateOptions& options, const Listener& listener) {
  Batch(model, prompts, options, listener).run();
}

}  // namespace megascale::generate
