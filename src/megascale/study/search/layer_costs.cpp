// Simulates a step of three micro-batches of a model with one layer, and of one with two. The time
// between the starts of two micro-batches is that of all layers and the rest; the difference of the
// two models is one layer. The first micro-batch is left out, since it writes gradients that the
// others add to. What the step takes beside its micro-batches is the update. Bytes and parameters
// are those of the plans.
#include "megascale/study/search/layer_costs.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <vector>

#include "megascale/config/derived.h"
#include "megascale/study/forecast/simulated_step.h"

namespace megascale::study {
namespace {

constexpr std::int64_t kMicroBatches = 3;

// One simulated model.
struct Sample {
  double micro_batch = 0, update = 0;  // seconds
  double elements = 0, frozen_elements = 0, float8_elements = 0, retained = 0, transient = 0;
};

// Returns when the compute lane begins with a micro-batch.
std::int64_t start_of(const plan::StepPlan& plan, const std::vector<TaskRecord>& records,
                      std::uint16_t micro_batch) {
  for (std::uint32_t id = 0; id < plan.tasks().size(); ++id) {
    const plan::Task& task = plan.tasks()[id];
    const plan::PlanOp& op = plan.op(task);
    if (op.lane == graph::Lane::compute && op.phase == graph::Phase::forward &&
        task.micro_batch == micro_batch)
      return records[id].start_ns;
  }
  return 0;
}

// Returns the loads of the two layers of a simulated model. The busiest of the `ranks` expert ranks has
// the mean of the rows of the busiest ranks of all layers, and so on downwards.
simulate::ExpertLoads mean_of_layers(const simulate::ExpertLoads& loads, std::uint32_t ranks,
                                     std::size_t experts) {
  simulate::ExpertLoads mean;
  if (loads.are_even()) return mean;
  std::vector<double> of_experts(experts);
  const std::size_t own = experts / ranks;
  for (const auto& [layer, unused] : loads.by_layer) {
    std::vector<double> of_ranks;
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      of_ranks.push_back(loads.of_rank(layer, rank, ranks));
    std::sort(of_ranks.begin(), of_ranks.end(), std::greater<>());
    for (std::size_t e = 0; e < experts; ++e) of_experts[e] += of_ranks[e / own];
  }
  // With equal loads each expert would have this. Less is left if choices are dropped.
  const double all = static_cast<double>(experts) * static_cast<double>(loads.by_layer.size());
  for (const std::int64_t layer : {0, 1}) {
    mean.by_layer[layer] = of_experts;
    mean.before_dropping[layer] = all;
  }
  return mean;
}

Sample simulate_model(const Config& config, const simulate::Cluster& cluster,
                      const simulate::ExpertLoads& loads) {
  const StepSimulator simulator(config, cluster);
  const SimulatedStep step = simulator.run(
      {.steps = 2, .keeps_records = true, .jitter = simulate::Jitter{}, .expert_loads = loads});
  const job::StagePlan& stage = simulator.planned().stages.front();
  const auto nbytes = [&](plan::Category category) {
    return static_cast<double>(stage.train.memory.by_category[static_cast<std::size_t>(category)]);
  };
  const plan::StepPlan& plan = *step.plans.front();
  Sample sample{.micro_batch = 1e-9 * static_cast<double>(start_of(plan, step.records.front(), 2) -
                                                          start_of(plan, step.records.front(), 1)),
                .retained = nbytes(plan::Category::retained),
                .transient = nbytes(plan::Category::transients) + nbytes(plan::Category::scratch)};
  sample.update = std::max(step.seconds - kMicroBatches * sample.micro_batch, 0.0);
  for (const plan::FlatBucket& bucket : stage.state.buckets) {
    const auto numel = static_cast<double>(bucket.numel);
    (bucket.is_trained() ? sample.elements : sample.frozen_elements) += numel;
    if (bucket.dtype == DType::float8_e4m3) sample.float8_elements += numel;
  }
  return sample;
}

}  // namespace

const LayerCosts& LayerMeter::costs_of(const Layout& layout) {
  const Key key{layout.tensor,
                layout.context,
                layout.expert,
                layout.micro_batch_size,
                layout.tensor_pieces,
                layout.context_pieces,
                layout.expert_pieces,
                static_cast<std::int64_t>(layout.recompute),
                static_cast<std::int64_t>(layout.dispatcher)};
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  return known_.emplace(key, measure(layout)).first->second;
}

LayerCosts LayerMeter::measure(Layout layout) const {
  layout.pipeline = layout.chunks = 1;
  layout.schedule = "1f1b";
  layout.zero_stage = layout.reduction_pieces = layout.ranks_per_host = 0;
  Config config = with_layout(job_, layout);
  // The fewest ranks that both divisions of a stage fit.
  const std::int64_t of_replica = layout.tensor * layout.context;
  config.parallel.world_size =
      std::lcm(of_replica, layout.expert * expert_tensor_parallel_size(config));
  if (config.model.moe.num_experts == 0) config.parallel.world_size = of_replica;
  const std::int64_t replicas = config.parallel.world_size / of_replica;
  config.train.global_batch_size = replicas * layout.micro_batch_size * kMicroBatches;
  if (cluster_.kernels.threads > 0) config.train.threads_per_rank = cluster_.kernels.threads;
  const simulate::ExpertLoads loads =
      mean_of_layers(loads_, static_cast<std::uint32_t>(layout.expert),
                     static_cast<std::size_t>(config.model.moe.num_experts));
  config.model.num_layers = 1;
  const Sample one = simulate_model(config, cluster_, loads);
  config.model.num_layers = 2;
  const Sample two = simulate_model(config, cluster_, loads);
  const auto part = [&](double Sample::*of) { return std::max(two.*of - one.*of, 0.0); };
  const auto rest = [&](double Sample::*of) { return std::max(2 * (one.*of) - two.*of, 0.0); };
  return {.layer = {.seconds = part(&Sample::micro_batch),
                    .update_seconds = part(&Sample::update),
                    .elements = part(&Sample::elements),
                    .frozen_elements = part(&Sample::frozen_elements),
                    .float8_elements = part(&Sample::float8_elements),
                    .retained_nbytes = part(&Sample::retained)},
          .rest = {.seconds = rest(&Sample::micro_batch),
                   .update_seconds = rest(&Sample::update),
                   .elements = rest(&Sample::elements),
                   .frozen_elements = rest(&Sample::frozen_elements),
                   .float8_elements = rest(&Sample::float8_elements),
                   .retained_nbytes = rest(&Sample::retained)},
          .transient_nbytes = std::max(one.transient, two.transient)};
}

}  // namespace megascale::study
