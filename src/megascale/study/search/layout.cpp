// Moves a layout into a configuration and back. The settings name every key of a layout, also those
// that keep their value, so that a printed layout can be used with any file of the same model.
#include "megascale/study/search/layout.h"

#include <fmt/format.h>

#include "megascale/base/error.h"
#include "megascale/config/derived.h"
#include "megascale/config/fields.h"

namespace megascale::study {
namespace {

// Returns the value of a key as --set takes it.
std::string setting_of(const Config& config, std::string_view name) {
  const std::size_t dot = name.find('.');
  const Field* field = find_field(name.substr(0, dot), name.substr(dot + 1));
  MEGASCALE_CHECK(field != nullptr, name);
  std::string value = toml_value(*field, config);
  std::erase(value, '"');
  return value;
}

}  // namespace

Layout layout_of(const Config& config) {
  return {
      .tensor = config.parallel.tensor_model_parallel_size,
      .context = config.parallel.context_parallel_size,
      .expert = config.parallel.expert_model_parallel_size,
      .pipeline = config.parallel.pipeline_model_parallel_size,
      .chunks = config.parallel.virtual_pipeline_size,
      .schedule = config.parallel.pipeline_schedule,
      .zero_stage = config.parallel.zero_stage,
      .micro_batch_size = config.train.micro_batch_size,
      .tensor_pieces = config.overlap.tensor_pieces,
      .context_pieces = config.overlap.context_pieces,
      .expert_pieces = config.overlap.expert_pieces,
      .reduction_pieces = config.parallel.hierarchical_reduction_pieces,
      .ranks_per_host = config.parallel.ranks_per_host,
      .recompute = config.recompute.granularity,
      .dispatcher = config.model.moe.token_dispatcher_type != TokenDispatcher::automatic
                        ? config.model.moe.token_dispatcher_type
                    : gathers_tokens(config.model.moe, config.parallel.expert_model_parallel_size)
                        ? TokenDispatcher::allgather
                        : TokenDispatcher::alltoall};
}

Config with_layout(Config job, const Layout& layout) {
  ParallelConfig& parallel = job.parallel;
  parallel.world_size = world_size(job);
  parallel.tensor_model_parallel_size = layout.tensor;
  parallel.context_parallel_size = layout.context;
  parallel.expert_model_parallel_size = layout.expert;
  parallel.pipeline_model_parallel_size = layout.pipeline;
  parallel.virtual_pipeline_size = layout.chunks;
  parallel.pipeline_schedule = layout.schedule;
  parallel.zero_stage = layout.zero_stage;
  parallel.pipeline_layers.clear();
  parallel.account_for_embedding_in_pipeline_split = false;
  parallel.account_for_loss_in_pipeline_split = false;
  job.train.micro_batch_size = layout.micro_batch_size;
  job.overlap.tensor_pieces = layout.tensor_pieces;
  job.overlap.context_pieces = layout.context_pieces;
  job.overlap.expert_pieces = layout.expert_pieces;
  parallel.hierarchical_reduction_pieces = layout.reduction_pieces;
  parallel.ranks_per_host = layout.ranks_per_host;
  job.recompute.granularity = layout.recompute;
  job.model.moe.token_dispatcher_type = layout.dispatcher;
  job.recompute.ops.clear();
  job.recompute.whole_layers =
      job.recompute.whole_layers && layout.recompute == RecomputeGranularity::full;
  return job;
}

std::string name_of(RecomputeGranularity granularity) {
  Config config;
  config.recompute.granularity = granularity;
  return setting_of(config, "recompute.granularity");
}

std::vector<std::string> overrides_of(const Config& job, const Layout& layout) {
  const Config config = with_layout(job, layout);
  std::vector<std::string> overrides;
  for (const char* name :
       {"parallel.world_size", "parallel.tensor_model_parallel_size",
        "parallel.context_parallel_size", "parallel.expert_model_parallel_size",
        "parallel.pipeline_model_parallel_size", "parallel.virtual_pipeline_size",
        "parallel.pipeline_schedule", "parallel.zero_stage", "train.micro_batch_size",
        "train.global_batch_size", "overlap.tensor_pieces", "overlap.context_pieces",
        "overlap.expert_pieces", "parallel.hierarchical_reduction_pieces",
        "parallel.ranks_per_host", "recompute.granularity"}) {
    overrides.push_back(fmt::format("{}={}", name, setting_of(config, name)));
  }
  if (job.model.moe.num_experts > 0)
    overrides.push_back(fmt::format("moe.token_dispatcher_type={}",
                                    setting_of(config, "moe.token_dispatcher_type")));
  // Keys that go with another layout only.
  if (!job.parallel.pipeline_layers.empty()) overrides.emplace_back("parallel.pipeline_layers=[]");
  if (job.parallel.account_for_embedding_in_pipeline_split)
    overrides.emplace_back("parallel.account_for_embedding_in_pipeline_split=false");
  if (job.parallel.account_for_loss_in_pipeline_split)
    overrides.emplace_back("parallel.account_for_loss_in_pipeline_split=false");
  if (!job.recompute.ops.empty()) overrides.emplace_back("recompute.ops=[]");
  if (job.recompute.whole_layers && !config.recompute.whole_layers)
    overrides.emplace_back("recompute.whole_layers=false");
  return overrides;
}

}  // namespace megascale::study
