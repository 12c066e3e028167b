#ifndef MEGASCALE_GENERATE_GENERATE_H_
#define MEGASCALE_GENERATE_GENERATE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "megascale/engine/inference.h"
#include "megascale/generate/log_probabilities.h"
#include "megascale/generate/sampler.h"

// Generation of text from a trained model, token by token, for several prompts at once.
namespace megascale::generate {

struct GenerateOptions {
  SamplerOptions sampler;
  std::int64_t max_tokens = 256;  // of each prompt
  // true: keys and values of earlier tokens are cached. false: every token is computed from all
  // tokens before it, which is slow (for comparison).
  bool use_cache = true;
  std::int32_t stop_token = -1;    // this token ends a text and is not returned; -1: none
  bool log_probabilities = false;  // of each new token
  std::size_t most_likely = 0;     // so many of the most likely tokens beside each new one
};

enum class FinishReason : std::uint8_t {
  stop,    // the model or the listener ended the text
  length,  // it has max_tokens tokens
};
[[nodiscard]] constexpr std::string_view to_string(FinishReason reason) noexcept {
  return reason == FinishReason::stop ? "stop" : "length";
}

struct NewToken {
  std::int32_t id = 0;
  double log_probability = 0;                    // if asked for
  std::vector<TokenLogProbability> most_likely;  // GenerateOptions::most_likely
};

// Hears of each new token as soon as it is known, and of the end of each text. `prompt` is the number
// of the prompt.
struct Listener {
  std::function<bool(std::size_t prompt, const NewToken& token)> on_token;  // false: the text ends
  std::function<void(std::size_t prompt, FinishReason reason)> on_end;
};

// Continues each prompt, which must hold at least one token. So many prompts as the model has sequences
// are decoded together; when one ends, the next takes its place. A text does not depend on the prompts
// beside it: its logits have the bits that they have alone, and its random numbers are those of its
// prompt's number.
// A text may be longer than the model's number of positions: when they are used up, the older half of
// the context is dropped and the rest is fed again. Of a longer prompt the last positions are used.
// The context of every token is the same with and without the cache. One thread at a time may use
// `model`. Throws Error.
void generate(engine::Inference& model, std::span<const std::vector<std::int32_t>> prompts,
              const GenerateOptions& options, const Listener& listener);

}  // namespace megascale::generate

#endif  // MEGASCALE_GENERATE_GENERATE_H_
