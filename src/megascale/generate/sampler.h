#ifndef MEGASCALE_GENERATE_SAMPLER_H_
#define MEGASCALE_GENERATE_SAMPLER_H_

#include <cstdint>
#include <span>
#include <vector>

// Sampling of tokens from a model's logits, with temperature, top-k and top-p.
namespace megascale::generate {

struct SamplerOptions {
  double temperature = 1.0;  // divides the logits; 0: always the most likely token
  std::int64_t top_k = 0;    // sample from the top_k most likely tokens only; 0: from all
  // Sample from the smallest set of most likely tokens whose probabilities sum to top_p or more.
  double top_p = 1.0;
  std::uint64_t seed = 0;
};

// Which random number a draw uses: the prompt it belongs to, and the number of the new token.
struct DrawNumber {
  std::uint32_t prompt = 0, position = 0;
};

// Draws token ids from logits at random. The result of a draw depends only on the options, its number
// and the logits, so it does not matter which prompts are decoded together. One thread at a time.
class Sampler {
 public:
  explicit Sampler(SamplerOptions options) : options_(options) {}
  // Returns a token id. `logits` holds one finite value for each id of the vocabulary. If two
  // logits are equal, the smaller id counts as more likely. Throws Error (failed) if a logit is not
  // finite; the message names the token.
  std::int32_t draw(std::span<const float> logits, DrawNumber number);

 private:
  [[nodiscard]] std::int32_t draw_of_all(std::span<const float> logits, double target);

  SamplerOptions options_;
  std::vector<std::int32_t> order_;
  std::vector<double> weights_;
};

// Throws Error (failed), which names the token, if a logit is not finite.
void require_finite(std::span<const float> logits);

}  // namespace megascale::generate

#endif  // MEGASCALE_GENERATE_SAMPLER_H_
