#include "megascale/plan/model_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "megascale/base/step_numbers.h"

namespace megascale::plan {
namespace {

// Hands out consecutive buffers.
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

// Consecutive scopes in buckets of about equal numbers of scopes.
std::vector<std::uint32_t> buckets_of(const std::vector<std::string>& scopes, std::uint32_t most) {
  std::vector<std::uint32_t> run(scopes.size());
  std::uint32_t runs = 0;
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    if (i == 0 || scopes[i] != scopes[i - 1]) ++runs;
    run[i] = runs - 1;
  }
  const std::uint32_t buckets = std::min(most, runs);
  for (auto& r : run) r = static_cast<std::uint32_t>(std::uint64_t{r} * buckets / runs);
  return run;
}

}  // namespace

ModelState place_model_state(const graph::Program& program, const ModelStateOptions& options) {
  ModelState state{.training = options.training};
  const auto bucket_of = buckets_of(scopes_of(program), options.buckets);
  std::vector<DType> dtypes;
  for (std::size_t i = 0; i < program.parameters.size(); ++i) {
    const graph::Parameter& parameter = program.parameters[i];
    const graph::Tensor& tensor = program.tensor(parameter.tensor);
    if (bucket_of[i] >= state.buckets.size()) {
      state.buckets.emplace_back();
      dtypes.push_back(tensor.dtype);
    }
    FlatBucket& bucket = state.buckets[bucket_of[i]];
    const auto count = static_cast<std::uint64_t>(graph::numel(tensor.shape));
    state.parameters.push_back({parameter, tensor.shape, bucket_of[i], bucket.numel, count});
    bucket.numel += pad_flat(count);
  }
  BufferList list(state);
  const auto for_each_bucket = [&](const char* name, Category category, DType dtype,
                                   BufferId FlatBucket::*member) {
    for (std::size_t b = 0; b < state.buckets.size(); ++b) {
      const DType type = dtype == DType::float32 ? dtype : dtypes[b];
      state.buckets[b].*member = list.add(fmt::format("{}/bucket{}", name, b), category,
                                          state.buckets[b].numel * itemsize(type));
    }
  };
  const bool mixed = std::any_of(dtypes.begin(), dtypes.end(),
                                 [](DType dtype) { return dtype != DType::float32; });
  for_each_bucket("parameters", Category::parameters, mixed ? dtypes[0] : DType::float32,
                  &FlatBucket::parameters);
  for (FlatBucket& bucket : state.buckets) bucket.masters = bucket.parameters;
  if (!options.training) return state;
  if (mixed) for_each_bucket("masters", Category::masters, DType::float32, &FlatBucket::masters);
  for_each_bucket("gradients", Category::main_gradients, DType::float32, &FlatBucket::gradients);
  for (std::uint32_t i = 0; i < state.parameters.size(); ++i) {
    const auto& uses = state.parameters[i].parameter.main_gradients;
    for (std::size_t use = 1; use < uses.size(); ++use) {
      const std::uint64_t nbytes = pad_flat(state.parameters[i].count) * sizeof(float);
      state.extra_gradients.push_back(
          {uses[use], i,
           list.add(program.tensor(uses[use]).name, Category::main_gradients, nbytes)});
    }
  }
  for_each_bucket("first_moment", Category::optimizer_state, DType::float32,
                  &FlatBucket::first_moment);
  for_each_bucket("second_moment", Category::optimizer_state, DType::float32,
                  &FlatBucket::second_moment);
  state.update_state = list.add("update_state", Category::optimizer_state, sizeof(UpdateState));
  state.staging = list.add("staging", Category::staging, options.staging_nbytes);
  return state;
}

}  // namespace megascale::plan
