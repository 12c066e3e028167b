#ifndef MEGASCALE_ENGINE_STATE_TENSORS_H_
#define MEGASCALE_ENGINE_STATE_TENSORS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "megascale/graph/axis.h"
#include "megascale/plan/model_state.h"

namespace megascale::engine {

// What a rank holds of a tensor of the model's state, as it lies in the arena, said without layout:
// a box of the logical tensor (no padding rows), and of the box's elements, counted row by row,
// those from `begin` on that this rank answers for. A tensor that is cut in several boxes (query,
// key and value heads) gives several.
struct StatePart {
  std::string name;                         // "layers.0.mlp.up.weight"
  std::vector<std::int64_t> global_shape;   // without padding
  std::vector<std::int64_t> offset, shape;  // the box
  std::uint64_t begin = 0;
  std::span<float> weight;
  std::span<float> first_moment,
      second_moment;  // as weight; empty where the state is for inference
  bool saved = true;  // of the ranks that hold the same elements, one saves them
};

// All that the rank at `coordinates` answers for; together the ranks answer for everything.
// `arena`: where the state lies, for the host (RankMemory::state()).
[[nodiscard]] std::vector<StatePart> state_parts(std::byte* arena, const plan::ModelState& state,
                                                 const graph::AxisSizes& axes,
                                                 const graph::Coordinates& coordinates);
// Draws initial weights: a pure function of (seed, parameter name, element of the global tensor).
void initialize(std::span<const StatePart> parts, const plan::ModelState& state, std::int64_t seed);

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_STATE_TENSORS_H_
