#ifndef MEGASCALE_GRAPH_ROPE_SCALING_H_
#define MEGASCALE_GRAPH_ROPE_SCALING_H_

#include <numbers>

// The scaling of rotary frequencies in Llama 3.1 and later, which makes a model that was trained on
// a short context usable on a longer one. High frequencies tell neighbouring tokens apart and stay
// as they are. Low frequencies, which do not complete a turn within the original context, are
// divided by a factor. Between the two the divided and the whole frequency are interpolated.
// Kernels of every device take the rule from here. The function is pure; device code may call it.
// Source: the rope_type "llama3" of Hugging Face, with the names of its keys in brackets.
namespace megascale::graph {

struct RopeScaling {
  double factor = 1;      // [factor]; 1: no scaling
  double low_turns = 1;   // [low_freq_factor] fewer turns: the frequency is divided
  double high_turns = 4;  // [high_freq_factor] more turns: the frequency stays; > low_turns
  double original_positions = 8192;  // [original_max_position_embeddings] in tokens
};

// Returns the scaled form of `frequency`, in radians per position.
[[nodiscard]] constexpr double scaled_frequency(double frequency, const RopeScaling& s) noexcept {
  if (s.factor == 1) return frequency;
  // The number of turns that this frequency makes within the original context.
  const double turns = s.original_positions * frequency / (2 * std::numbers::pi);
  if (turns < s.low_turns) return frequency / s.factor;
  if (turns > s.high_turns) return frequency;
  const double whole = (turns - s.low_turns) / (s.high_turns - s.low_turns);
  return (1 - whole) * (frequency / s.factor) + whole * frequency;
}

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_ROPE_SCALING_H_
