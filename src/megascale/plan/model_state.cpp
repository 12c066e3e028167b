#include "megascale/plan/model_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "megascale/base/error.h"
#include "megascale/base/step_numbers.h"

namespace megascale::plan {
namespace {

// The buffers of a model state, laid one after the other.
class BufferList {
 public:
  explicit BufferList(ModelState& state) : state_(&state) {}
  BufferId add(std::string name, Category category, std::uint64_t nbytes) {
    state_->buffers.push_back({.name = std::move(name),
                               .category = category,
                               .nbytes = nbytes,
                               .offset = state_->nbytes});
    state_->nbytes += align_buffer(nbytes);
    return BufferId{static_cast<std::uint32_t>(state_->buffers.size() - 1)};
  }

 private:
  ModelState* state_;
};

// The scope of the first forward op that reads each parameter: parameters of a scope stay together.
std::vector<std::string> scopes_of(const graph::Program& program) {
  std::map<graph::TensorId, std::string> scope;
  for (const graph::Op& op : program.forward) {
    for (const graph::TensorId operand : op.operands) scope.try_emplace(operand, op.scope);
  }
  std::vector<std::string> scopes;
  for (const graph::Parameter& parameter : program.parameters)
    scopes.push_back(scope[parameter.tensor]);
  return scopes;
}

// Consecutive scopes in runs of about equal numbers of scopes: the run of each parameter.
std::vector<std::uint32_t> runs_of(const std::vector<std::string>& scopes, std::uint32_t most) {
  std::vector<std::uint32_t> place(scopes.size());
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    if (i == 0 || scopes[i] != scopes[i - 1]) ++count;
    place[i] = count - 1;
  }
  const std::uint32_t runs = std::min(most, count);
  for (auto& run : place) run = static_cast<std::uint32_t>(std::uint64_t{run} * runs / count);
  return place;
}

bool used_twice(const graph::Parameter& parameter) {
  return parameter.tied || parameter.main_gradients.size() > 1;
}

// Appends the parameters of a chunk and its buckets, without memory.
void add_chunk_parameters(ModelState& state, const graph::Program& program, std::uint32_t chunk,
                          std::uint32_t most, const ParameterNumbers& numbers,
                          const ModelStateOptions& options) {
  const auto run_of = runs_of(scopes_of(program), most);
  std::map<std::tuple<std::uint32_t, std::uint8_t, bool>, std::uint32_t> bucket_of;
  for (std::uint32_t i = 0; i < program.parameters.size(); ++i) {
    const graph::Parameter& parameter = program.parameters[i];
    const graph::Tensor& tensor = program.tensor(parameter.tensor);
    const auto key = std::tuple(run_of[i], parameter.summed_over.bits(), used_twice(parameter));
    const auto [entry, added] =
        bucket_of.try_emplace(key, static_cast<std::uint32_t>(state.buckets.size()));
    if (added) {
      const std::uint32_t group = parameter.summed_over.group_size(options.axes);
      state.buckets.push_back({.chunk = chunk,
                               .summed_over = parameter.summed_over,
                               .shards = options.shard_optimizer ? group : 1,
                               .tied = parameter.tied});
    }
    FlatBucket& bucket = state.buckets[entry->second];
    const auto count = static_cast<std::uint64_t>(graph::numel(tensor.shape));
    state.parameters.push_back({.parameter = parameter,
                                .shape = tensor.shape,
                                .chunk = chunk,
                                .in_chunk = i,
                                .global = numbers.at(parameter.name),
                                .bucket = entry->second,
                                .begin = bucket.numel,
                                .count = count});
    bucket.numel += pad_flat(count);
  }
}

}  // namespace

ParameterNumbers number_parameters(std::span<const graph::Program* const> chunks) {
  ParameterNumbers numbers;
  for (const graph::Program* chunk : chunks) {
    for (const graph::Parameter& parameter : chunk->parameters) {
      numbers.try_emplace(parameter.name, static_cast<std::uint32_t>(numbers.size()));
    }
  }
  return numbers;
}

ModelState place_model_state(std::span<const graph::Program* const> chunks,
                             const ParameterNumbers& numbers, const ModelStateOptions& options) {
  ModelState state{.training = options.training,
                   .global_parameters = static_cast<std::uint32_t>(numbers.size())};
  const auto most =
      std::max(1U, options.buckets / std::max(1U, static_cast<std::uint32_t>(chunks.size())));
  for (std::uint32_t c = 0; c < chunks.size(); ++c) {
    add_chunk_parameters(state, *chunks[c], c, most, numbers, options);
  }
  for (FlatBucket& bucket : state.buckets) {
    const std::uint64_t unit = kFlatAlignment * bucket.shards;
    bucket.numel = (bucket.numel + unit - 1) / unit * unit;
  }
  const DType dtype = state.parameters.empty()
                          ? DType::float32
                          : chunks[0]->tensor(chunks[0]->parameters[0].tensor).dtype;
  const bool mixed = dtype != DType::float32;
  BufferList list(state);
  const auto for_each_bucket = [&](const char* name, Category category, DType type, bool shard,
                                   BufferId FlatBucket::*member) {
    for (std::size_t b = 0; b < state.buckets.size(); ++b) {
      FlatBucket& bucket = state.buckets[b];
      const std::uint64_t numel = shard ? bucket.shard_numel() : bucket.numel;
      bucket.*member =
          list.add(fmt::format("{}/bucket{}", name, b), category, numel * itemsize(type));
    }
  };
  for_each_bucket("parameters", Category::parameters, dtype, false, &FlatBucket::parameters);
  for (FlatBucket& bucket : state.buckets) bucket.masters = bucket.parameters;
  if (!options.training) return state;
  constexpr DType kFloat = DType::float32;
  if (mixed) for_each_bucket("masters", Category::masters, kFloat, true, &FlatBucket::masters);
  for_each_bucket("gradients", Category::main_gradients, kFloat, false, &FlatBucket::gradients);
  for (const ParameterPlace& place : state.parameters) {
    if (place.parameter.main_gradients.size() < 2) continue;
    MEGASCALE_CHECK(place.parameter.main_gradients.size() == 2, place.parameter.name);
    FlatBucket& bucket = state.buckets[place.bucket];
    bucket.second_use_gradients =
        list.add(fmt::format("gradients_of_second_use/{}", place.parameter.name),
                 Category::main_gradients, bucket.numel * sizeof(float));
  }
  for_each_bucket("first_moment", Category::optimizer_state, kFloat, true,
                  &FlatBucket::first_moment);
  for_each_bucket("second_moment", Category::optimizer_state, kFloat, true,
                  &FlatBucket::second_moment);
  state.update_state = list.add("update_state", Category::optimizer_state, sizeof(UpdateState));
  state.staging = list.add("staging", Category::staging, options.staging_nbytes);
  return state;
}

}  // namespace megascale::plan
