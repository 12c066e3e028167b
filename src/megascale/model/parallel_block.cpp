// The parallel transformer block (MegaScale, arXiv 2402.15627, section 3.1): attention and the MLP
// read the same norm of the layer's input, and their results are added to it. Both branches share one
// gather before and one reduce-scatter after, half of a serial block's tensor-parallel transfers. In
// GPT-NeoX the MLP has a norm of its own, and so a gather. Switches: model.parallel_block,
// model.parallel_block_mlp_norm.
#include "megascale/model/gpt_builder.h"

namespace megascale::model {

using graph::TensorId;

TensorId GptBuilder::parallel_block(std::int64_t layer, const std::string& name, TensorId x) {
  const TensorId rows = gather("norm", norm(name + ".norm", "norm", x));
  const TensorId mlp_rows = config_.parallel_block_mlp_norm
                                ? gather("mlp/norm", norm(name + ".mlp.norm", "mlp/norm", x))
                                : rows;
  const RowLinear attended = attention(layer, name, rows),
                  fed = mlp(name + ".mlp", "mlp", config_.ffn_hidden_size, mlp_rows);
  const TensorId partial = add("branches", attended.partial, fed.partial);
  return add("residual", x,
             dropout(name, "dropout", finish_row_linear("branches", partial, {&attended, &fed})));
}

}  // namespace megascale::model
