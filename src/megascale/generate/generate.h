#ifndef MEGASCALE_GENERATE_GENERATE_H_
#define MEGASCALE_GENERATE_GENERATE_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "megascale/engine/inference.h"
#include "megascale/generate/sampler.h"

// Generation of text from a trained model, token by token.
namespace megascale::generate {

struct GenerateOptions {
  SamplerOptions sampler;
  std::int64_t max_tokens = 256;
  // true: keys and values of earlier tokens are cached. false: every token is computed from all
  // tokens before it, which is slow (for comparison).
  bool use_cache = true;
  std::int32_t stop_token = -1;  // this token ends the text and is not returned; -1: none
};

// Returns the tokens that follow `prompt`, which must hold at least one token. Calls `on_token` for
// each new token as soon as it is known. The text may be longer than the model's number of
// positions: when they are used up, the older half of the context is dropped and the rest is fed
// again. The context of every token is the same with and without the cache. One thread at a time
// may use `model`.
std::vector<std::int32_t> generate(engine::Inference& model, std::span<const std::int32_t> prompt,
                                   const GenerateOptions& options,
                                   const std::function<void(std::int32_t)>& on_token);

}  // namespace megascale::generate

#endif  // MEGASCALE_GENERATE_GENERATE_H_
