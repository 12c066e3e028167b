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

// What a rank holds of a tensor of the model's state, said without layout:
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

// A part before it is known where its values lie: what is behind the begin of an arena.
struct StatePlace {
  StatePart part;                                                 // its spans are empty
  std::uint64_t numel = 0;                                        // of each span
  std::uint64_t weight = 0, first_moment = 0, second_moment = 0;  // bytes from the arena's begin
  bool has_moments = false;

  // The part with its values. `address_of(offset)` says where the arena's byte `offset` lies.
  template <class AddressOf>
  [[nodiscard]] StatePart at(const AddressOf& address_of) const {
    const auto values = [&](std::uint64_t offset) {
      return std::span(reinterpret_cast<float*>(address_of(offset)), numel);
    };
    StatePart result = part;
    result.weight = values(weight);
    if (has_moments) {
      result.first_moment = values(first_moment);
      result.second_moment = values(second_moment);
    }
    return result;
  }
};

// Where all that the rank at `coordinates` answers for lies; together the ranks answer for
// everything.
[[nodiscard]] std::vector<StatePlace> state_places(const plan::ModelState& state,
                                                   const graph::AxisSizes& axes,
                                                   const graph::Coordinates& coordinates);
// All that the rank at `coordinates` answers for, with its values. `arena`: where the state lies, for the host (RankMemory::state()).
[[nodiscard]] std::vector<StatePart> state_parts(std::byte* arena, const plan::ModelState& state,
                                                 const graph::AxisSizes& axes,
                                                 const graph::Coordinates& coordinates);
// Draws initial weights: a pure function of (seed, parameter name, element of the global tensor).
void initialize(std::span<const StatePart> parts, const plan::ModelState& state, std::int64_t seed);

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_STATE_TENSORS_H_
