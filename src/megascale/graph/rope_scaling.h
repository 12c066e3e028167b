#ifndef MEGASCALE_GRAPH_ROPE_SCALING_H_
#define MEGASCALE_GRAPH_ROPE_SCALING_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

// The scaling of rotary frequencies, which makes a model that was trained on a short context usable
// on a longer one. High frequencies tell neighbouring tokens apart; low frequencies do not complete a
// turn within the original context. The kinds, by Hugging Face's names of rope_type:
//   linear  All frequencies are divided by a factor.
//   llama3  (Llama 3.1 and later.) Low frequencies are divided, high ones stay. Between the two the
//           divided and the whole frequency are interpolated, by the number of turns.
//   yarn    (arXiv 2309.00071.) The same, but interpolated by the number of the frequency, which is
//           the logarithm of its turns; and rotated vectors are multiplied by an attention factor.
//   longrope (arXiv 2402.13753.) Every frequency has a divisor of its own, and there are two sets of
//           them: for the original context and for longer ones.
//   dynamic (NTK.) The base grows instead, so it needs no rule here: dynamic_base().
// Kernels of every device take the rule from here. Device code may call scaled_frequency().
namespace megascale::graph {

enum class RopeScalingKind : std::uint8_t { none, llama3, linear, yarn, longrope };
inline constexpr std::size_t kLongRopePairsMax = 256;

// Names of Hugging Face's keys in brackets.
struct RopeScaling {
  RopeScalingKind kind = RopeScalingKind::none;
  double factor = 1;      // [factor]
  double low_turns = 1;   // llama3: [low_freq_factor] fewer turns: the frequency is divided
  double high_turns = 4;  // llama3: [high_freq_factor] more turns: the frequency stays; > low_turns
  double original_positions = 8192;  // llama3: [original_max_position_embeddings] in tokens
  // yarn: numbers of the frequencies at the ends of the ramp (yarn_ramp()).
  double ramp_begin = 0;                    // up to here frequencies stay
  double ramp_end = 1;                      // from here on they are divided
  double attention_factor = 1;              // of cosines and sines
  double divisors[kLongRopePairsMax] = {};  // longrope: of the frequencies, the highest first
};

// Returns the scaled form of `frequency`, in radians per position. Its number among those of a head is
// `index`; 0 is the highest. Pure.
[[nodiscard]] constexpr double scaled_frequency(double frequency, double index,
                                                const RopeScaling& s) noexcept {
  if (s.kind == RopeScalingKind::longrope)
    return frequency / s.divisors[static_cast<std::size_t>(index)];
  const double divided = frequency / s.factor;
  double whole = 0;  // share of the whole frequency
  switch (s.kind) {
    case RopeScalingKind::none:
    case RopeScalingKind::longrope:
      return frequency;
    case RopeScalingKind::linear:
      return divided;
    case RopeScalingKind::llama3: {
      // The number of turns that this frequency makes within the original context.
      const double turns = s.original_positions * frequency / (2 * std::numbers::pi);
      whole = (turns - s.low_turns) / (s.high_turns - s.low_turns);
      break;
    }
    case RopeScalingKind::yarn:
      whole = 1 - (index - s.ramp_begin) / (s.ramp_end - s.ramp_begin);
      break;
  }
  if (whole <= 0) return divided;
  if (whole >= 1) return frequency;
  return (1 - whole) * divided + whole * frequency;
}

// Returns the number, with a fraction, of the frequency that makes `turns` turns within
// `original_positions` tokens. `channels`: the rotated channels of a head, two for each frequency.
[[nodiscard]] inline double frequency_with_turns(double turns, double base, double channels,
                                                 double original_positions) {
  return channels * std::log(original_positions / (turns * 2 * std::numbers::pi)) /
         (2 * std::log(base));
}

// Returns the scaling of YaRN. Frequencies with more than `fast_turns` [beta_fast] stay, those with
// fewer than `slow_turns` [beta_slow] are divided by `factor`. Both ends of the ramp are rounded
// outwards to whole numbers. `attention_factor` 0: 0.1 ln(factor) + 1, as the paper recommends.
[[nodiscard]] inline RopeScaling yarn_scaling(double factor, double fast_turns, double slow_turns,
                                              double base, double channels,
                                              double original_positions, double attention_factor) {
  RopeScaling scaling{.kind = RopeScalingKind::yarn, .factor = factor};
  const auto index = [&](double turns) {
    return frequency_with_turns(turns, base, channels, original_positions);
  };
  scaling.ramp_begin = std::fmax(std::floor(index(fast_turns)), 0.0);
  scaling.ramp_end = std::fmin(std::ceil(index(slow_turns)), channels - 1);
  // A ramp of no length would divide by 0; transformers makes it as long.
  if (scaling.ramp_begin == scaling.ramp_end) scaling.ramp_end += 0.001;
  scaling.attention_factor =
      attention_factor > 0 ? attention_factor : 0.1 * std::log(std::fmax(factor, 1.0)) + 1;
  return scaling;
}

// Returns the attention factor of LongRoPE for a context that grows by `factor`.
[[nodiscard]] inline double longrope_attention_factor(double factor, double original_positions) {
  return factor > 1 ? std::sqrt(1 + std::log(factor) / std::log(original_positions)) : 1.0;
}

// Returns the base of dynamic NTK scaling for a context of `positions` tokens. Up to the original
// context it is `base`.
[[nodiscard]] inline double dynamic_base(double base, double factor, double channels,
                                         double original_positions, double positions) {
  if (positions <= original_positions) return base;
  const double growth = factor * positions / original_positions - (factor - 1);
  return base * std::pow(growth, channels / (channels - 2));
}

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_ROPE_SCALING_H_
