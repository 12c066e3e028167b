#ifndef MEGASCALE_ENGINE_STATE_TENSORS_H_
#define MEGASCALE_ENGINE_STATE_TENSORS_H_

#include <span>
#include <string>
#include <vector>

#include "megascale/engine/rank.h"
#include "megascale/plan/model_state.h"

namespace megascale::engine {

// A tensor of the model's state as it lies in the arena, in logical form: no padding rows.
struct StateTensor {
  std::string name;                 // "layers.0.mlp.up.weight"
  std::vector<std::int64_t> shape;  // global
  std::span<float> weight;
  std::span<float> first_moment, second_moment;  // empty where the state is for inference
};

[[nodiscard]] std::vector<StateTensor> state_tensors(Rank& rank, const plan::ModelState& state);
// Draws initial weights: a pure function of (seed, parameter name, element of the global tensor).
void initialize(Rank& rank, const plan::ModelState& state, std::int64_t seed);

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_STATE_TENSORS_H_
