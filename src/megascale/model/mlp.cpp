// The feed-forward branch of a layer: GELU, or SwiGLU or GeGLU with gate and up projection in one
// product.
#include "megascale/model/gpt_builder.h"

namespace megascale::model {

GptBuilder::RowLinear GptBuilder::mlp(const std::string& name, const std::string& path,
                                      std::int64_t ffn, TensorId x) {
  namespace attribute = graph::attribute;
  TensorId hidden{};
  if (is_gated(config_.activation)) {
    const TensorId rows = column_linear(name + ".gate_up", path + "/gate_up", x,
                                        config_.hidden_size, {ffn, ffn}, config_.add_bias_linear);
    hidden = config_.activation == Activation::swiglu
                 ? builder_.emit_for(graph::swiglu::output, graph::swiglu_op(), path + "/swiglu",
                                     {{graph::swiglu::input, rows}})
                 : builder_.emit_for(graph::geglu::output, graph::geglu_op(), path + "/geglu",
                                     {{graph::geglu::input, rows}});
  } else {
    graph::Attributes attributes;
    if (config_.activation == Activation::gelu_erf)
      attributes.set(attribute::exact, std::int64_t{1});
    hidden = column_linear(name + ".up", path + "/up", x, config_.hidden_size, {ffn},
                           config_.add_bias_linear);
    hidden = builder_.emit_for(graph::gelu::output, graph::gelu_op(), path + "/gelu",
                               {{graph::gelu::input, hidden}}, std::move(attributes));
  }
  return row_linear(name + ".down", path + "/down", hidden, ffn, config_.hidden_size,
                    output_stddev());
}

}  // namespace megascale::model
