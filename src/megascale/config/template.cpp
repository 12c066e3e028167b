// Writes a configuration to begin with. The keys, their meaning and their defaults come from the table
// of keys; here are only the values of a small model of each family.
#include "megascale/config/template.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "megascale/base/error.h"
#include "megascale/config/fields.h"

namespace megascale {
namespace {

using Values = std::map<std::string, std::string>;  // TOML by full name of the key

// A model of four layers over bytes, which trains on the cores of a laptop.
Values small_model(const std::string& family) {
  return {{"model.num_layers", "4"},          {"model.hidden_size", "192"},
          {"model.num_attention_heads", "6"}, {"model.seq_length", "256"},
          {"model.vocab_size", "256"},        {"data.data_path", "\"corpus\""},
          {"data.tokenizer", "\"byte\""},     {"train.run_dir", fmt::format("\"runs/{}\"", family)},
          {"train.train_iters", "500"},       {"train.micro_batch_size", "8"},
          {"train.global_batch_size", "16"},  {"train.eval_interval", "100"},
          {"train.log_interval", "10"},       {"optimizer.lr", "0.002"},
          {"optimizer.min_lr", "0.0002"},     {"optimizer.lr_warmup_iters", "50"},
          {"checkpoint.interval", "100"}};
}

// A family that is more than a model.type.
struct Variant {
  std::string_view name, type;
  Values values;  // that the family is known for, at the size of the small model
};
const std::vector<Variant>& variants() {
  static const Values gated{{"model.ffn_hidden_size", "512"}};
  static const Values experts{{"moe.num_experts", "8"},
                              {"moe.router_topk", "2"},
                              {"moe.ffn_hidden_size", "256"},
                              {"moe.aux_loss_coeff", "0.01"}};
  const auto with = [](Values values, const Values& more) {
    values.insert(more.begin(), more.end());
    return values;
  };
  static const std::vector<Variant> all{
      {"gpt2", "gpt2", {}},
      {"llama", "llama", gated},
      {"llama3", "llama",
       with(gated, {{"model.num_query_groups", "2"}, {"model.rotary_base", "500000.0"}})},
      {"mistral", "mistral",
       with(gated, {{"model.num_query_groups", "2"}, {"model.sliding_window", "128"}})},
      {"qwen2", "qwen2",
       with(gated, {{"model.num_query_groups", "2"}, {"model.rotary_base", "1000000.0"}})},
      {"qwen3", "qwen3",
       with(gated, {{"model.num_query_groups", "2"}, {"model.rotary_base", "1000000.0"}})},
      {"mixtral", "mixtral", with(with(gated, experts), {{"model.num_query_groups", "2"}})},
      {"qwen2_moe", "qwen2_moe",
       with(with(gated, experts), {{"moe.shared_expert_intermediate_size", "256"},
                                   {"moe.shared_expert_gate", "true"},
                                   {"moe.norm_topk_prob", "false"}})},
      {"qwen3_moe", "qwen3_moe", with(with(gated, experts), {{"model.num_query_groups", "2"}})},
  };
  return all;
}

// Breaks a text into lines of comment.
std::string comment(std::string_view text) {
  constexpr std::size_t kWidth = 100;
  std::istringstream words{std::string(text)};
  std::string lines = "#";
  std::size_t width = 1;
  for (std::string word; words >> word; width += 1 + word.size()) {
    if (width > 1 && width + 1 + word.size() > kWidth) {
      lines += "\n#";
      width = 1;
    }
    lines += ' ';
    lines += word;
  }
  lines += '\n';
  return lines;
}

const EnumAccess& model_types() {
  return std::get<EnumAccess>(find_field("model", "type")->access);
}

}  // namespace

std::vector<std::string> template_families() {
  std::vector<std::string> names = model_types().names();
  for (const Variant& variant : variants()) {
    if (std::find(names.begin(), names.end(), variant.name) == names.end())
      names.emplace_back(variant.name);
  }
  return names;
}

std::string configuration_template(std::string_view family) {
  const std::string name(family.empty() ? "gpt2" : family);
  Values values = small_model(name);
  std::string type = name;
  for (const Variant& variant : variants()) {
    if (variant.name != name) continue;
    type = variant.type;
    values.insert(variant.values.begin(), variant.values.end());
  }
  Config defaults;
  if (!model_types().set(defaults, type)) {
    throw Error(ErrorCode::bad_usage, fmt::format("expected a family, one of {}; found \"{}\"",
                                                  fmt::join(template_families(), ", "), family));
  }
  apply_model_type_defaults(defaults.model);
  values["model.type"] = fmt::format("\"{}\"", type);
  std::string out = comment(fmt::format(
      "A small {} over bytes. `megascale prepare TEXT --tokenizer byte --output corpus` makes its "
      "data. Every key is here; those behind # have the default that they show.",
      name));
  std::string_view section;
  for (const Field& field : config_fields()) {
    if (field.section != section) {
      section = field.section;
      out += fmt::format("\n[{}]\n", section);
    }
    const auto given = values.find(full_name(field));
    out += fmt::format("\n{}{}", comment(field.meaning), comment(describe_type(field)));
    out += given != values.end()
               ? fmt::format("{} = {}\n", field.key, given->second)
               : fmt::format("#{} = {}\n", field.key, toml_value(field, defaults));
  }
  return out;
}

}  // namespace megascale
