// One layer of the model, as a serial or as a parallel block.
#include <fmt/format.h>

#include "megascale/config/derived.h"
#include "megascale/model/gpt_builder.h"

namespace megascale::model {

using graph::TensorId;

TensorId GptBuilder::transformer_layer(std::int64_t layer, TensorId x) {
  builder_.set_scope(fmt::format("layer{}", layer));
  const std::string name = fmt::format("layers.{}", layer);
  return config_.parallel_block ? parallel_block(layer, name, x) : serial_block(layer, name, x);
}

TensorId GptBuilder::norm_before(const std::string& branch, const std::string& path, TensorId x) {
  if (config_.norm_position == NormPosition::after) return x;
  return norm(branch + ".norm", path + "/norm", x);
}

TensorId GptBuilder::norm_after(const std::string& branch, const std::string& path, TensorId x) {
  if (config_.norm_position == NormPosition::before) return x;
  return norm(branch + ".post_norm", path + "/post_norm", x);
}

TensorId GptBuilder::serial_block(std::int64_t layer, const std::string& name, TensorId x) {
  const std::string attention_name = name + ".attention", mlp_name = name + ".mlp";
  const TensorId shares = norm_before(attention_name, "attention", x);
  const RowLinear heads = config_.multi_latent_attention
                              ? latent_attention(layer, name, shares)
                              : attention(layer, name, gather("attention/norm", shares));
  const TensorId output =
      norm_after(attention_name, "attention", finish_row_linear("attention/output", heads));
  const TensorId attended =
      add("attention/residual", x, dropout(attention_name, "attention/dropout", output));
  const TensorId normed = norm_before(mlp_name, "mlp", attended);
  const auto dense = [&] {
    return finish_row_linear(
        "mlp/down", mlp(mlp_name, "mlp", config_.ffn_hidden_size, gather("mlp/norm", normed)));
  };
  const TensorId fed = norm_after(
      mlp_name, "mlp", has_experts(config_, layer) ? experts(layer, mlp_name, normed) : dense());
  return add("mlp/residual", attended, dropout(mlp_name, "mlp/dropout", fed));
}

}  // namespace megascale::model
