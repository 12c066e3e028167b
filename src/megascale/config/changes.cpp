// Decides for every key whether a checkpoint fixes it. In [model] and [moe] the rule is the other way round
// than elsewhere: a key that is not listed here describes the model. A new key of [model] is thus
// compared without a line in this file.
#include "megascale/config/changes.h"

#include <algorithm>
#include <optional>

#include "megascale/base/error.h"
#include "megascale/config/derived.h"
#include "megascale/config/fields.h"

namespace megascale {
namespace {

struct KindOfKey {
  std::string_view name;
  std::optional<ChangeKind> kind;  // empty: a run may change the key at any time
};
constexpr std::array kKinds{
    KindOfKey{"model.seq_length", ChangeKind::data},
    KindOfKey{"model.make_vocab_size_divisible_by", {}},  // padding rows are not saved
    KindOfKey{"model.hidden_dropout", {}},
    KindOfKey{"model.attention_dropout", {}},
    KindOfKey{"model.init_method_std", {}},
    KindOfKey{"model.dtype", {}},  // masters are float32 in any case
    KindOfKey{"model.fp8", {}},
    KindOfKey{"model.fp8_recipe", {}},
    KindOfKey{"model.fp8_param_gather", {}},
    KindOfKey{"moe.router_bias_update_rate", {}},
    KindOfKey{"moe.aux_loss_coeff", {}},
    KindOfKey{"moe.z_loss_coeff", {}},
    KindOfKey{"moe.device_groups", {}},
    KindOfKey{"moe.device_aux_loss_coeff", {}},
    KindOfKey{"moe.communication_aux_loss_coeff", {}},
    KindOfKey{"moe.expert_capacity_factor", {}},
    KindOfKey{"moe.capacity_exempt_share", {}},
    KindOfKey{"moe.rows_bound", {}},
    KindOfKey{"moe.rows_overflow", {}},
    KindOfKey{"moe.token_dispatcher_type", {}},
    KindOfKey{"moe.token_dispatcher_rates", {}},
    KindOfKey{"moe.fp8_communication", {}},
    KindOfKey{"moe.fp8_communication_recipe", {}},
    KindOfKey{"moe.routing_replay", {}},
    KindOfKey{"moe.routing_replay_dir", {}},
    KindOfKey{"preference.beta", ChangeKind::optimizer},
    KindOfKey{"preference.label_smoothing", ChangeKind::optimizer},
    KindOfKey{"data.data_weights", ChangeKind::data},
    KindOfKey{"data.valid_data_path", ChangeKind::data},
    KindOfKey{"data.split", ChangeKind::data},
    KindOfKey{"data.split_each_set", ChangeKind::data},
    KindOfKey{"data.shuffle", ChangeKind::data},
    KindOfKey{"data.packed_documents", ChangeKind::data},
    KindOfKey{"data.whole_documents", ChangeKind::data},
    KindOfKey{"data.seed", ChangeKind::data},
    KindOfKey{"train.global_batch_size", ChangeKind::batch},
    KindOfKey{"train.rampup_batch_size", ChangeKind::batch},
    KindOfKey{"optimizer.name", ChangeKind::optimizer},
    KindOfKey{"optimizer.lr", ChangeKind::schedule},
    KindOfKey{"optimizer.min_lr", ChangeKind::schedule},
    KindOfKey{"optimizer.lr_warmup_iters", ChangeKind::schedule},
    KindOfKey{"optimizer.lr_decay_iters", ChangeKind::schedule},
    KindOfKey{"optimizer.lr_decay_style", ChangeKind::schedule},
    KindOfKey{"optimizer.lr_wsd_decay_iters", ChangeKind::schedule},
    KindOfKey{"optimizer.weight_decay", ChangeKind::optimizer},
    KindOfKey{"optimizer.adam_beta1", ChangeKind::optimizer},
    KindOfKey{"optimizer.adam_beta2", ChangeKind::optimizer},
    KindOfKey{"optimizer.adam_eps", ChangeKind::optimizer},
    KindOfKey{"optimizer.clip_grad", ChangeKind::optimizer},
};

std::optional<ChangeKind> kind_of(const Field& field) {
  const std::string name = full_name(field);
  const auto* listed = std::find_if(kKinds.begin(), kKinds.end(),
                                    [&](const KindOfKey& one) { return one.name == name; });
  if (listed != kKinds.end()) return listed->kind;
  if (field.section == "lora") return ChangeKind::adapters;
  const bool of_model = field.section == "model" || field.section == "moe";
  return of_model ? std::optional(ChangeKind::model) : std::nullopt;
}

// Returns whether the key has no effect in this configuration.
bool is_idle(const Config& config, std::string_view key) {
  const bool rope = config.model.position_embedding == PositionEmbedding::rope;
  const bool own_validation = !config.data.valid_data_path.empty();  // all else is training data
  const bool constant = config.optimizer.lr_decay_style == LrDecayStyle::constant;
  if (key.starts_with("moe.") && key != "moe.num_experts") return config.model.moe.num_experts == 0;
  if (key.starts_with("lora.") && key != "lora.rank") return !has_adapters(config.model);
  if (key == "preference.label_smoothing") return !has_preferences(config);
  if (key == "model.max_position_embeddings") return rope;  // rotary positions have no table
  if (key == "model.rotary_base") return !rope;
  if (key == "data.seed") return !config.data.shuffle;
  if (key == "data.split") return own_validation;
  if (key == "data.split_each_set") return own_validation || config.data.data_path.size() <= 1;
  if (key == "optimizer.min_lr" || key == "optimizer.lr_decay_iters") return constant;
  return false;
}

bool is_same(const Field& field, const Config& now, const Config& before) {
  const std::string key = full_name(field);
  if (is_idle(now, key) && is_idle(before, key)) return true;
  // It counts whether there is a validation set of its own: then no training data is split off.
  if (key == "data.valid_data_path")
    return now.data.valid_data_path.empty() == before.data.valid_data_path.empty();
  return toml_value(field, now) == toml_value(field, before);
}

}  // namespace

std::string_view to_string(ChangeKind kind) noexcept {
  switch (kind) {
    case ChangeKind::model:
      return "model";
    case ChangeKind::tokenizer:
      return "tokenizer";
    case ChangeKind::data:
      return "data";
    case ChangeKind::batch:
      return "batch";
    case ChangeKind::schedule:
      return "schedule";
    case ChangeKind::optimizer:
      return "optimizer";
    case ChangeKind::adapters:
      return "adapters";
  }
  return "?";
}

std::vector<ConfigChange> find_changes(const Config& now, const Config& before) {
  std::vector<ConfigChange> changes;
  for (const Field& field : config_fields()) {
    const auto kind = kind_of(field);
    if (!kind || is_same(field, now, before)) continue;
    changes.push_back({.kind = *kind,
                       .key = full_name(field),
                       .now = toml_value(field, now),
                       .before = toml_value(field, before)});
  }
  return changes;
}

}  // namespace megascale
