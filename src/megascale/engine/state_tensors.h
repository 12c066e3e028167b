#ifndef MEGASCALE_ENGINE_STATE_TENSORS_H_
#define MEGASCALE_ENGINE_STATE_TENSORS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "megascale/graph/axis.h"
#include "megascale/plan/model_state.h"

namespace megascale::engine {

// A part of a tensor of the model's state that lies on one rank, described independently of the
// layout of ranks. It is a run of elements of a box of the logical tensor: the elements of the box
// are counted in row-major order, and the part holds weight.size() of them, from number `begin` on.
// A rank may hold several parts of a tensor, for instance of query, key and value heads.
struct StatePart {
  std::string name;                         // "layers.0.mlp.up.weight"
  std::vector<std::int64_t> global_shape;   // without padding
  std::vector<std::int64_t> offset, shape;  // the box
  std::uint64_t begin = 0;                  // elements, from the start of the box
  std::span<float> weight;                  // float32; the masters if the dtype is another
  // As weight; empty if the state is for inference or the parameter is frozen.
  std::span<float> first_moment, second_moment;
  bool saved = true;  // this rank saves the part; true on one of the ranks that hold its elements
};

// A part whose values are given by their offsets in an arena.
struct StatePlace {
  StatePart part;                                                 // its spans are empty
  std::uint64_t numel = 0;                                        // of each span
  std::uint64_t weight = 0, first_moment = 0, second_moment = 0;  // bytes from the arena's begin
  // Of frozen weights in bfloat16: where they lie in the arena. Then `weight` is an offset in the image of
  // WideWeights.
  std::optional<std::uint64_t> narrow_weight;
  bool has_moments = false;

  // Returns the part with spans for its values. `address_of(offset)` returns the address of byte
  // `offset` of the arena, or of its copy.
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

// Returns all parts that the rank at `coordinates` holds in float32 (its shard under ZeRO), and its frozen
// weights in bfloat16.
// Together the ranks hold every element of the model, some of them on several ranks
// (StatePart::saved).
[[nodiscard]] std::vector<StatePlace> state_places(const plan::ModelState& state,
                                                   const graph::AxisSizes& axes,
                                                   const graph::Coordinates& coordinates);
// Returns the same parts with their values. `arena`: the host's address of the state
// (RankMemory::state()).
[[nodiscard]] std::vector<StatePart> state_parts(std::byte* arena, const plan::ModelState& state,
                                                 const graph::AxisSizes& axes,
                                                 const graph::Coordinates& coordinates);
// Writes the initial weights and leaves the moments as they are. Each value is a function of seed,
// parameter name and element of the global tensor alone, so it does not depend on the layout of
// ranks. `parts` are those of state_parts(). All threads of the OpenMP team draw.
void initialize(std::span<const StatePart> parts, const plan::ModelState& state, std::int64_t seed);

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_STATE_TENSORS_H_
