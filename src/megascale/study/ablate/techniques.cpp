// Lists the settings of each technique. The switched-on values are those of the user's configuration.
// A technique that several tables have is defined once, so that they cannot differ.
#include "megascale/study/ablate/techniques.h"

#include <fmt/format.h>

#include <utility>

#include "megascale/base/error.h"
#include "megascale/config/derived.h"

namespace megascale::study {
namespace {

// Returns a technique that one boolean key switches. `on` is the key's value in the job. A
// non-empty `absent` is a reason why the key has no effect there.
Technique switched(std::string name, std::string key, bool on, const std::string& absent = {}) {
  Technique technique{std::move(name), {{key, "true", "false"}}, absent};
  if (absent.empty() && !on) technique.absent = key + " is false";
  return technique;
}

// Returns one technique that switches those of `parts` that the job uses.
Technique joined(std::string name, const std::vector<Technique>& parts) {
  Technique technique{std::move(name), {}, {}};
  std::vector<std::string> reasons;
  for (const Technique& part : parts) {
    if (!part.absent.empty()) {
      reasons.push_back(part.absent);
      continue;
    }
    technique.settings.insert(technique.settings.end(), part.settings.begin(), part.settings.end());
  }
  if (technique.settings.empty()) technique.absent = fmt::format("{}", fmt::join(reasons, "; "));
  return technique;
}

Technique sliding_window(const Config& config) {
  return {"sliding window",
          {{"model.sliding_window", std::to_string(config.model.sliding_window), "0"}},
          config.model.sliding_window == 0 ? "model.sliding_window is 0" : ""};
}

Technique tensor_overlap(const Config& config) {
  const bool alone =
      config.parallel.tensor_model_parallel_size == 1 && config.parallel.context_parallel_size == 1;
  Technique technique = switched(
      "TP overlap", "overlap.tensor", config.overlap.tensor,
      alone ? "parallel.tensor_model_parallel_size and parallel.context_parallel_size are 1" : "");
  if (config.overlap.tensor_pieces > 0) {
    technique.settings.push_back(
        {"overlap.tensor_pieces", std::to_string(config.overlap.tensor_pieces), "0"});
  }
  return technique;
}

// MegaScale-MoE's layout (arXiv 2505.11432, section 3): attention by sequence parallelism and whole
// experts on the same ranks. Without it both are tensor-parallel.
Technique sequence_and_experts(const Config& config) {
  const ParallelConfig& p = config.parallel;
  const std::string ranks = std::to_string(p.context_parallel_size);
  const bool same = p.context_parallel_size > 1 && p.tensor_model_parallel_size == 1 &&
                    p.expert_model_parallel_size == p.context_parallel_size;
  Technique technique{"SP and EP",
                      {{"parallel.context_parallel_size", ranks, "1"},
                       {"parallel.expert_model_parallel_size", ranks, "1"},
                       {"parallel.tensor_model_parallel_size", "1", ranks},
                       {"parallel.expert_tensor_parallel_size",
                        std::to_string(p.expert_tensor_parallel_size), ranks}},
                      same ? "" : "the job does not have sequences and experts on the same ranks"};
  // The retained set is made for this layout: tensor ranks would send all gathered inputs again. So
  // the comparison is with tensor ranks that keep everything.
  const RecomputeConfig& recompute = config.recompute;
  if (recompute.granularity == RecomputeGranularity::selective_moe) {
    technique.settings.push_back({"recompute.granularity", "selective_moe", "none"});
    if (!recompute.keep_gathered_input)
      technique.settings.push_back({"recompute.keep_gathered_input", "false", "true"});
  }
  return technique;
}

Technique layer_order(const Config& config) {
  return switched("order of layers", "overlap.layer_order", config.overlap.layer_order);
}

// Products that are cut around the transfers of context and expert ranks: what can be executed of the
// fused pairs of MegaScale-MoE (arXiv 2505.11432, section 6).
Technique cut_products(const Config& config) {
  const bool attention =
      config.overlap.context_pieces > 0 && config.parallel.context_parallel_size > 1;
  const bool experts = cuts_experts(config.model.moe, config.overlap.expert_pieces,
                                    config.parallel.expert_model_parallel_size);
  Technique technique{"pieces of products", {}, {}};
  if (attention) {
    technique.settings.push_back(
        {"overlap.context_pieces", std::to_string(config.overlap.context_pieces), "0"});
  }
  if (experts) {
    technique.settings.push_back(
        {"overlap.expert_pieces", std::to_string(config.overlap.expert_pieces), "0"});
  }
  if (technique.settings.empty()) {
    technique.absent = "overlap.context_pieces and overlap.expert_pieces cut nothing";
  }
  return technique;
}

// The paper's fused kernels of experts gather tokens (arXiv 2505.11432, section 6.3). Without them the
// way of dispatch follows from the number of choices.
Technique fused_pairs(const Config& config) {
  Technique technique = switched("fused pairs", "overlap.fused_pairs", config.overlap.fused_pairs);
  if (technique.absent.empty() && config.model.moe.num_experts > 0 &&
      config.model.moe.token_dispatcher_type == TokenDispatcher::allgather)
    technique.settings.push_back({"moe.token_dispatcher_type", "allgather", "auto"});
  return technique;
}

// 8-bit rows to and from experts (arXiv 2505.11432, section 7.2).
Technique fp8_communication(const Config& config) {
  const std::int64_t ranks =
      config.parallel.expert_model_parallel_size * expert_tensor_parallel_size(config);
  Technique technique =
      switched("FP8 communication", "moe.fp8_communication", config.model.moe.fp8_communication,
               ranks == 1 ? "one rank has all experts" : "");
  // Without transfers in 8 bits a configuration must not choose their scales.
  if (config.model.moe.fp8_communication_recipe == Fp8CommunicationRecipe::tensorwise)
    technique.settings.push_back({"moe.fp8_communication_recipe", "tensorwise", "blockwise"});
  return technique;
}

// Products whose operands have 8 bits. Scales by row need them.
Technique fp8_products(const Config& config) {
  const ModelConfig& model = config.model;
  Technique technique{"FP8 products",
                      {{"model.fp8", model.fp8 == Fp8Format::hybrid ? "hybrid" : "e4m3", "none"}},
                      {}};
  if (model.fp8_recipe == Fp8Recipe::rowwise)
    technique.settings.push_back({"model.fp8_recipe", "rowwise", "tensorwise"});
  return technique;
}

Technique lamb(const Config& config, std::int64_t batch_factor) {
  const std::int64_t batch = config.train.global_batch_size;
  Technique technique{
      fmt::format("LAMB, batch x {}", batch_factor),
      {{"optimizer.name", "lamb", "adamw"},
       {"train.global_batch_size", std::to_string(batch), std::to_string(batch / batch_factor)}},
      config.optimizer.name == OptimizerKind::lamb ? "" : "optimizer.name is adamw"};
  if (technique.absent.empty() && batch % batch_factor != 0) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("expected train.global_batch_size to be a multiple of --batch-factor, "
                            "since the rows before LAMB divide it by that; found {} and {}",
                            batch, batch_factor));
  }
  return technique;
}

// A plan has fused or unfused norms; kernels of other ops differ only when they run. A simulated
// row can therefore switch only the norms.
Technique efficient_operators(const Config& config, Timing timing) {
  return timing == Timing::simulated
             ? switched("efficient operators", "kernels.fused_norm", config.kernels.fused_norm)
             : switched("efficient operators", "kernels.fused", config.kernels.fused);
}

Technique data_pipeline(const Config& config, Timing timing) {
  return switched("data pipeline", "data.prefetch", config.data.prefetch,
                  timing == Timing::simulated ? "reading is not part of a plan" : "");
}

}  // namespace

std::vector<Technique> all_techniques(const Config& config, std::int64_t batch_factor,
                                      Timing timing) {
  const bool one_stage = config.parallel.pipeline_model_parallel_size == 1;
  const bool one_replica =
      data_parallel_size(config) == 1 && config.parallel.context_parallel_size == 1;
  const bool has_experts = config.model.moe.num_experts > 0;
  std::vector<Technique> techniques;
  if (has_experts) techniques.push_back(sequence_and_experts(config));
  techniques.push_back(
      switched("parallel block", "model.parallel_block", config.model.parallel_block));
  techniques.push_back(sliding_window(config));
  techniques.push_back(tensor_overlap(config));
  // Fused pairs and the order of layers have an effect only beside transfers that computation does not wait for.
  if (has_experts) {
    techniques.push_back(layer_order(config));
    techniques.push_back(cut_products(config));
  }
  if (has_experts || config.overlap.fused_pairs) techniques.push_back(fused_pairs(config));
  if (has_experts) techniques.push_back(fp8_communication(config));
  if (config.parallel.fp8_reduce_scatter)
    techniques.push_back(switched("FP8 sums of tensor ranks", "parallel.fp8_reduce_scatter", true));
  if (config.model.fp8 != Fp8Format::none) techniques.push_back(fp8_products(config));
  // They are kept in the format of the products, so these come first.
  if (config.model.fp8_param_gather)
    techniques.push_back(switched("FP8 parameters", "model.fp8_param_gather", true));
  techniques.push_back(switched("PP overlap", "overlap.pipeline", config.overlap.pipeline,
                                one_stage ? "parallel.pipeline_model_parallel_size is 1" : ""));
  techniques.push_back(switched("DP overlap", "overlap.data", config.overlap.data,
                                one_replica ? "the data-parallel size is 1" : ""));
  techniques.push_back(efficient_operators(config, timing));
  techniques.push_back(data_pipeline(config, timing));
  techniques.push_back(lamb(config, batch_factor));
  return techniques;
}

std::vector<Technique> moe_techniques(const Config& config) {
  if (config.model.moe.num_experts == 0) {
    throw Error(ErrorCode::bad_usage,
                "--rows moe: expected a model with experts, found moe.num_experts = 0; its "
                "techniques are in the rows \"all\"");
  }
  return {sequence_and_experts(config),
          joined("inter-operator overlap", {tensor_overlap(config), layer_order(config)}),
          joined("intra-operator overlap", {cut_products(config), fused_pairs(config)})};
}

}  // namespace megascale::study
