#include "megascale/engine/state_tensors.h"

#include <algorithm>

#include "megascale/base/philox.h"

namespace megascale::engine {

std::vector<StateTensor> state_tensors(Rank& rank, const plan::ModelState& state) {
  std::vector<StateTensor> tensors;
  for (const plan::ParameterPlace& place : state.parameters) {
    const plan::FlatBucket& bucket = state.buckets[place.bucket];
    StateTensor tensor{.name = place.parameter.name};
    for (const graph::Dim& dim : place.shape) tensor.shape.push_back(dim.size);
    if (place.parameter.logical_rows != 0) tensor.shape[0] = place.parameter.logical_rows;
    std::uint64_t count = 1;
    for (const std::int64_t size : tensor.shape) count *= static_cast<std::uint64_t>(size);
    const auto part = [&](plan::BufferId id) {
      return std::span(rank.at<float>(state.buffers[plan::index(id)]) + place.begin, count);
    };
    tensor.weight = part(bucket.masters);
    if (state.training) {
      tensor.first_moment = part(bucket.first_moment);
      tensor.second_moment = part(bucket.second_moment);
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

void initialize(Rank& rank, const plan::ModelState& state, std::int64_t seed) {
  constexpr std::uint64_t kPart = 1U << 16U;  // elements that a thread draws at a time
  const std::vector<StateTensor> tensors = state_tensors(rank, state);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const graph::Initializer& initializer = state.parameters[i].parameter.initializer;
    const PhiloxStream random(static_cast<std::uint64_t>(seed), tensors[i].name);
    const std::span<float> weight = tensors[i].weight;
#pragma omp parallel for schedule(dynamic)
    for (std::uint64_t begin = 0; begin < weight.size(); begin += kPart) {
      const auto part =
          weight.subspan(begin, std::min<std::uint64_t>(kPart, weight.size() - begin));
      if (initializer.kind == graph::Initializer::Kind::normal) {
        random.fill_normal(part, begin, 0.0, initializer.stddev);
      } else {
        std::fill(part.begin(), part.end(),
                  initializer.kind == graph::Initializer::Kind::ones ? 1.0F : 0.0F);
      }
    }
  }
}

}  // namespace megascale::engine
