#ifndef MEGASCALE_GENERATE_GENERATE_H_
#define MEGASCALE_GENERATE_GENERATE_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "megascale/engine/inference.h"
#include "megascale/generate/sampler.h"

namespace megascale::generate {

struct GenerateOptions {
  SamplerOptions sampler;
  std::int64_t max_tokens = 256;
  bool use_cache =
      true;  // false: every token is computed from all before it (slow; for comparison)
  std::int32_t stop_token = -1;  // ends the text and is not returned; -1: none
};

// Continues `prompt` (at least one token). When the model's positions are used up, the older half
// of the context is forgotten and the rest is fed again, so that a text may be longer than the
// model can see; with and without the cache the context of every token is the same. `on_token` is
// called for each token as it comes.
std::vector<std::int32_t> generate(engine::Inference& model, std::span<const std::int32_t> prompt,
                                   const GenerateOptions& options,
                                   const std::function<void(std::int32_t)>& on_token);

}  // namespace megascale::generate

#endif  // MEGASCALE_GENERATE_GENERATE_H_
