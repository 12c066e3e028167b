// The loop of text generation: feed the context, sample a token, append it. When the context is
// full, its older half is dropped and the rest is fed again, since the positions of the cached keys
// and values would be wrong.
#include "megascale/generate/generate.h"

#include <algorithm>

namespace megascale::generate {

std::vector<std::int32_t> generate(engine::Inference& model, std::span<const std::int32_t> prompt,
                                   const GenerateOptions& options,
                                   const std::function<void(std::int32_t)>& on_token) {
  const std::size_t capacity = model.capacity();
  // If the prompt is too long, only its last `capacity` tokens are used.
  std::vector<std::int32_t> context(
      prompt.end() - static_cast<std::ptrdiff_t>(std::min(prompt.size(), capacity)), prompt.end());
  std::vector<std::int32_t> text;
  Sampler sampler(options.sampler);
  model.clear();
  while (static_cast<std::int64_t>(text.size()) < options.max_tokens) {
    if (!options.use_cache) model.clear();
    const std::int32_t token =
        sampler.draw(model.feed(std::span<const std::int32_t>(context).subspan(model.cached())));
    if (token == options.stop_token) break;
    text.push_back(token);
    on_token(token);
    if (context.size() == capacity) {
      context.erase(context.begin(), context.begin() + static_cast<std::ptrdiff_t>(
                                                           std::max<std::size_t>(1, capacity / 2)));
      model.clear();
    }
    context.push_back(token);
  }
  return text;
}

}  // namespace megascale::generate
