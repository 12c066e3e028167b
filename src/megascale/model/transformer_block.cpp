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

TensorId GptBuilder::serial_block(std::int64_t layer, const std::string& name, TensorId x) {
  const TensorId normed =
      gather("attention/norm", norm(name + ".attention.norm", "attention/norm", x));
  const RowLinear attention_output = attention(layer, name, normed);
  const TensorId attended =
      add("attention/residual", x,
          dropout(name + ".attention", "attention/dropout",
                  finish_row_linear("attention/output", attention_output)));
  const TensorId normed_again = norm(name + ".mlp.norm", "mlp/norm", attended);
  const auto dense = [&] {
    return finish_row_linear("mlp/down", mlp(name + ".mlp", "mlp", config_.ffn_hidden_size,
                                             gather("mlp/norm", normed_again)));
  };
  const TensorId fed =
      has_experts(config_, layer) ? experts(layer, name + ".mlp", normed_again) : dense();
  return add("mlp/residual", attended, dropout(name + ".mlp", "mlp/dropout", fed));
}

}  // namespace megascale::model
