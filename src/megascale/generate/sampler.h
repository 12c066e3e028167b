#ifndef MEGASCALE_GENERATE_SAMPLER_H_
#define MEGASCALE_GENERATE_SAMPLER_H_

#include <cstdint>
#include <span>
#include <vector>

namespace megascale::generate {

struct SamplerOptions {
  double temperature = 1.0;  // 0: the most likely token
  std::int64_t top_k = 0;    // of the most likely tokens only; 0: all
  double top_p = 1.0;        // of the smallest set with at least this much probability
  std::uint64_t seed = 0;
};

// Draws token ids from logits. Draw number i of a seed is always the same for the same logits. Not
// thread-safe.
class Sampler {
 public:
  explicit Sampler(SamplerOptions options) : options_(options) {}
  // Ties go to the smaller id. `logits` are finite.
  std::int32_t draw(std::span<const float> logits);

 private:
  SamplerOptions options_;
  std::uint64_t draws_ = 0;
  std::vector<std::int32_t> order_;
  std::vector<double> weights_;
};

}  // namespace megascale::generate

#endif  // MEGASCALE_GENERATE_SAMPLER_H_
