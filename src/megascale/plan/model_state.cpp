// Lays out parameters, gradients and optimizer state in flat buffers. The scopes ("layer7") of a
// chunk are divided into runs of about equal length. Within a run, parameters with the same dtype,
// the same summed axes and the same rule form a bucket. Each parameter starts at a multiple of kFlatAlignment,
// and the padded bucket divides into equal shards. So the blocks over which norms are computed are
// the same for every number of shards.
#include "megascale/plan/model_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "megascale/base/error.h"
#include "megascale/base/step_numbers.h"
#include "megascale/plan/placement.h"

namespace megascale::plan {
namespace {

// Appends buffers to a model state, one behind the other.
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

// Returns, for each parameter, the scope of the first forward op that reads it. Parameters of a
// scope stay together.
std::vector<std::string> scopes_of(const graph::Program& program) {
  std::map<graph::TensorId, std::string> scope;
  for (const graph::Op& op : program.forward) {
    for (const graph::TensorId operand : op.operands) {
      if (operand != graph::kNoTensor) scope.try_emplace(program.owner(operand), op.scope);
    }
  }
  std::vector<std::string> scopes;
  for (const graph::Parameter& parameter : program.parameters)
    scopes.push_back(scope[parameter.tensor]);
  return scopes;
}

// Divides consecutive scopes into at most `most` runs with about equal numbers of scopes. Returns
// the run of each parameter.
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

// The parameters of a program that ZeRO stage 3 treats in their own way, by tensor.
struct DividedParameters {
  std::set<graph::TensorId> whole;  // that are not divided
  std::set<graph::TensorId> apart;  // whose gradients come apart from the backward
};

// Not divided are parameters that other stages hold too, that a chunk uses twice, or whose main gradients are
// counts. An op either adds to all gradients that it writes or to none. So the others that share
// an op with one of these stay whole too: the positions beside the words of a tied head.
DividedParameters find_divided(const graph::Program& program, const ModelStateOptions& options) {
  DividedParameters found;
  if (!options.shard_parameters) return found;
  std::map<graph::TensorId, graph::TensorId> parameter_of;  // by main gradient
  for (const graph::Parameter& parameter : program.parameters) {
    for (const graph::TensorId sum : parameter.main_gradients) parameter_of[sum] = parameter.tensor;
    if (used_twice(parameter) || parameter.rule == graph::UpdateRule::choice_bias)
      found.whole.insert(parameter.tensor);
  }
  std::vector<std::set<graph::TensorId>> together;  // whose gradients an op writes
  for (const graph::Op& op : program.backward) {
    std::set<graph::TensorId> written;
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      if (op.operands[i] == graph::kNoTensor || op.def->operands[i].access == graph::Access::read)
        continue;
      const auto parameter = parameter_of.find(program.owner(op.operands[i]));
      if (parameter != parameter_of.end()) written.insert(parameter->second);
    }
    if (options.splits_weight_gradients && is_weight_gradient_apart(op))
      found.apart.insert(written.begin(), written.end());
    if (written.size() > 1) together.push_back(std::move(written));
  }
  for (bool changed = true; changed;) {
    const std::size_t before = found.whole.size();
    for (const std::set<graph::TensorId>& written : together) {
      if (std::any_of(written.begin(), written.end(),
                      [&](graph::TensorId one) { return found.whole.contains(one); }))
        found.whole.insert(written.begin(), written.end());
    }
    changed = found.whole.size() != before;
  }
  return found;
}

// Appends the parameters of a chunk and its buckets; memory is assigned later.
void add_chunk_parameters(ModelState& state, const graph::Program& program, std::uint32_t chunk,
                          std::uint32_t most, const ParameterNumbers& numbers,
                          const ModelStateOptions& options) {
  const std::uint32_t first_run = state.buckets.empty() ? 0 : state.buckets.back().run + 1;
  const auto run_of = runs_of(scopes_of(program), most);
  const DividedParameters divided = find_divided(program, options);
  std::map<std::tuple<std::uint32_t, std::uint8_t, DType, bool, bool, bool, graph::UpdateRule>,
           std::uint32_t>
      bucket_of;
  for (std::uint32_t i = 0; i < program.parameters.size(); ++i) {
    const graph::Parameter& parameter = program.parameters[i];
    const graph::Tensor& tensor = program.tensor(parameter.tensor);
    const auto key = std::tuple(run_of[i], parameter.summed_over.bits(), tensor.dtype,
                                used_twice(parameter), divided.whole.contains(parameter.tensor),
                                divided.apart.contains(parameter.tensor), parameter.rule);
    const auto [entry, added] =
        bucket_of.try_emplace(key, static_cast<std::uint32_t>(state.buckets.size()));
    if (added) {
      const std::uint32_t group = parameter.summed_over.group_size(options.axes);
      const bool is_divided =
          options.shard_parameters && group > 1 && !divided.whole.contains(parameter.tensor);
      state.buckets.push_back(
          {.chunk = chunk,
           .dtype = tensor.dtype,
           .summed_over = parameter.summed_over,
           .shards = options.shard_optimizer && (parameter.is_trained() || is_divided) ? group : 1,
           .run = first_run + run_of[i],
           .divided = is_divided,
           .tied = parameter.tied,
           .rule = parameter.rule});
    }
    FlatBucket& bucket = state.buckets[entry->second];
    const auto count = static_cast<std::uint64_t>(graph::numel(tensor.shape));
    const auto scales =
        parameter.scales == graph::kNoTensor
            ? 0U
            : static_cast<std::uint32_t>(graph::numel(program.tensor(parameter.scales).shape));
    state.parameters.push_back({.parameter = parameter,
                                .shape = tensor.shape,
                                .chunk = chunk,
                                .in_chunk = i,
                                .global = numbers.by_name.at(parameter.name),
                                .bucket = entry->second,
                                .begin = bucket.numel,
                                .count = count,
                                .scales = scales,
                                .first_scale = bucket.scales});
    bucket.numel += pad_flat(count);
    bucket.scales += scales;
  }
}

}  // namespace

std::vector<std::int64_t> global_shape(const ParameterPlace& place) {
  std::vector<std::int64_t> shape;
  for (const graph::Dim& dim : place.shape) shape.push_back(dim.size);
  for (const graph::Sharding& sharding : place.parameter.shardings) {
    const auto& sections = sharding.sections;
    shape[sharding.dimension] = std::accumulate(sections.begin(), sections.end(), std::int64_t{0});
  }
  if (place.parameter.logical_rows != 0) shape[0] = place.parameter.logical_rows;
  return shape;
}

ParameterNumbers number_parameters(std::span<const graph::Program* const> chunks) {
  ParameterNumbers numbers;
  for (const bool of_experts : {false, true}) {
    for (const graph::Program* chunk : chunks) {
      for (const graph::Parameter& parameter : chunk->parameters) {
        if (parameter.is_of_experts() != of_experts) continue;
        numbers.by_name.try_emplace(parameter.name,
                                    static_cast<std::uint32_t>(numbers.by_name.size()));
      }
    }
    if (!of_experts) numbers.dense = static_cast<std::uint32_t>(numbers.by_name.size());
  }
  return numbers;
}

ModelState place_model_state(std::span<const graph::Program* const> chunks,
                             const ParameterNumbers& numbers, const ModelStateOptions& options) {
  ModelState state{.training = options.training,
                   .global_parameters = static_cast<std::uint32_t>(numbers.by_name.size()),
                   .dense_parameters = numbers.dense};
  const auto most =
      std::max(1U, options.buckets / std::max(1U, static_cast<std::uint32_t>(chunks.size())));
  for (std::uint32_t c = 0; c < chunks.size(); ++c) {
    add_chunk_parameters(state, *chunks[c], c, most, numbers, options);
  }
  for (FlatBucket& bucket : state.buckets) {
    const std::uint64_t unit = kFlatAlignment * bucket.shards;
    bucket.numel = (bucket.numel + unit - 1) / unit * unit;
  }
  BufferList list(state);
  const auto add = [&](const char* name, std::size_t b, Category category, std::uint64_t nbytes) {
    return list.add(fmt::format("{}/bucket{}", name, b), category, nbytes);
  };
  std::vector<FlatBucket>& buckets = state.buckets;
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    buckets[b].parameters = add("parameters", b, Category::parameters,
                                buckets[b].kept_numel() * itemsize(buckets[b].dtype));
    buckets[b].masters = buckets[b].parameters;
    if (buckets[b].scales == 0) continue;
    buckets[b].scale_values =
        add("scales", b, Category::parameters, buckets[b].scales * sizeof(float));
  }
  if (!options.training) return state;
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    if (buckets[b].dtype == DType::float32 || !buckets[b].is_trained()) continue;
    buckets[b].masters =
        add("masters", b, Category::masters, buckets[b].shard_numel() * sizeof(float));
  }
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    if (!buckets[b].is_trained()) continue;
    buckets[b].gradients =
        add("gradients", b, Category::main_gradients, buckets[b].kept_numel() * sizeof(float));
  }
  for (const ParameterPlace& place : state.parameters) {
    if (place.parameter.main_gradients.size() < 2) continue;
    MEGASCALE_CHECK(place.parameter.main_gradients.size() == 2, place.parameter.name);
    FlatBucket& bucket = state.buckets[place.bucket];
    bucket.second_use_gradients =
        list.add(fmt::format("gradients_of_second_use/{}", place.parameter.name),
                 Category::main_gradients, bucket.numel * sizeof(float));
  }
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    if (!buckets[b].is_trained()) continue;
    buckets[b].first_moment =
        add("first_moment", b, Category::optimizer_state, buckets[b].shard_numel() * sizeof(float));
  }
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    if (!buckets[b].is_trained()) continue;
    buckets[b].second_moment = add("second_moment", b, Category::optimizer_state,
                                   buckets[b].shard_numel() * sizeof(float));
  }
  state.update_state = list.add("update_state", Category::optimizer_state, sizeof(UpdateState));
  state.staging = list.add("staging", Category::staging, options.staging_nbytes);
  return state;
}

}  // namespace megascale::plan
