#include "megascale/model/gpt.h"

#include <fmt/format.h>

#include <cmath>

#include "megascale/config/derived.h"
#include "megascale/graph/builder.h"
#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::model {
namespace {

using graph::Dim;
using graph::Initializer;
using graph::kNoTensor;
using graph::Role;
using graph::Shape;
using graph::TensorId;

class GptBuilder {
 public:
  GptBuilder(const Config& config, const ModelShape& shape, graph::Program& program)
      : config_(config.model),
        vocabulary_(padded_vocab_size(config)),
        shape_(shape),
        builder_(program, graph::AxisSizes{}) {}

  void build() {
    if (shape_.mode == Mode::decode) return build_decode();
    const Dim tokens(shape_.micro_batch_size * config_.seq_length);
    tokens_ = builder_.external("tokens", {tokens}, DType::int32, Role::batch);
    targets_ = builder_.external("targets", {tokens}, DType::int32, Role::batch);
    positions_ = builder_.external("positions", {tokens}, DType::int32, Role::batch);
    if (shape_.packed_documents)
      segments_ = builder_.external("segments", {tokens}, DType::int32, Role::batch);
    TensorId x = embedding();
    for (std::int64_t layer = 0; layer < config_.num_layers; ++layer)
      x = transformer_layer(layer, x);
    builder_.set_scope("final_norm");
    x = norm("final_norm", "norm", x);
    builder_.begin_loss();
    loss(x);
  }

 private:
  void build_decode() {
    counts_ = builder_.external("counts", {Dim(2)}, DType::int64, Role::count);
    const Dim tokens(config_.max_position_embeddings, counts_, 0);
    tokens_ = builder_.external("tokens", {tokens}, DType::int32, Role::batch);
    positions_ = builder_.external("positions", {tokens}, DType::int32, Role::batch);
    TensorId x = embedding();
    for (std::int64_t layer = 0; layer < config_.num_layers; ++layer)
      x = transformer_layer(layer, x);
    builder_.set_scope("final_norm");
    x = builder_.emit_for(2, graph::last_row_op(), "last_row", {x, counts_});
    x = norm("final_norm", "norm", x);
    builder_.set_scope("head");
    const TensorId logits =
        builder_.external("logits", {Dim(1), Dim(vocabulary_)}, config_.dtype, Role::result);
    builder_.emit(graph::linear_op(), "logits", {x, head(), kNoTensor, logits});
  }

  TensorId weight(const std::string& name, Shape shape, double stddev,
                  std::int64_t logical_rows = 0) {
    return builder_.parameter(name, std::move(shape), config_.dtype,
                              {.initializer = {Initializer::Kind::normal, stddev},
                               .logical_rows = logical_rows,
                               .decay = true});
  }
  // One row per vocabulary entry; the padding to a round number of rows never takes part.
  TensorId vocabulary_table(const std::string& name) {
    return weight(name, {vocabulary_, config_.hidden_size}, config_.init_method_std,
                  config_.vocab_size);
  }
  TensorId vector(const std::string& name, std::int64_t size, Initializer::Kind kind) {
    return builder_.parameter(name, {size}, config_.dtype,
                              {.initializer = {kind, 0}, .decay = false});
  }

  TensorId embedding() {
    builder_.set_scope("embedding");
    word_table_ = vocabulary_table("embedding.word.weight");
    if (config_.position_embedding == PositionEmbedding::rope) {
      rope_table_ = builder_.emit_for(0, graph::rope_table_op(), "rope_table", {},
                                      {{"positions", config_.max_position_embeddings},
                                       {"head_dim", config_.head_dim},
                                       {"base", config_.rotary_base}});
      return builder_.emit_for(4, graph::embedding_op(), "word",
                               {word_table_, kNoTensor, tokens_, kNoTensor});
    }
    const TensorId table =
        weight("embedding.position.weight", {config_.max_position_embeddings, config_.hidden_size},
               config_.init_method_std);
    return builder_.emit_for(4, graph::embedding_op(), "word",
                             {word_table_, table, tokens_, positions_});
  }

  // y = x weight^T + bias
  TensorId linear(const std::string& name, const std::string& path, TensorId x, std::int64_t inputs,
                  std::int64_t outputs, double stddev) {
    const TensorId w = weight(name + ".weight", {outputs, inputs}, stddev);
    const TensorId bias = config_.add_bias_linear
                              ? vector(name + ".bias", outputs, Initializer::Kind::zeros)
                              : kNoTensor;
    return builder_.emit_for(3, graph::linear_op(), path, {x, w, bias});
  }

  TensorId norm(const std::string& name, const std::string& path, TensorId x) {
    const graph::Attributes attributes{{"epsilon", config_.norm_epsilon}};
    const TensorId gamma = vector(name + ".weight", config_.hidden_size, Initializer::Kind::ones);
    if (config_.normalization == Normalization::rms_norm) {
      return builder_.emit_for(2, graph::rms_norm_op(), path, {x, gamma}, attributes);
    }
    const TensorId beta = vector(name + ".bias", config_.hidden_size, Initializer::Kind::zeros);
    return builder_.emit_for(3, graph::layer_norm_op(), path, {x, gamma, beta}, attributes);
  }

  // Residual branches end in projections drawn smaller by sqrt(2 layers), so that their sum keeps
  // its scale (GPT-2).
  [[nodiscard]] double output_stddev() const {
    return config_.init_method_std / std::sqrt(2.0 * static_cast<double>(config_.num_layers));
  }

  TensorId attention(const std::string& name, TensorId x) {
    const std::int64_t heads = config_.num_attention_heads, groups = config_.num_query_groups,
                       size = config_.head_dim;
    const graph::Attributes attributes{{"heads", heads},
                                       {"groups", groups},
                                       {"head_dim", size},
                                       {"sequence", config_.seq_length},
                                       {"window", config_.sliding_window}};
    TensorId qkv = linear(name + ".attention.qkv", "attention/qkv", x, config_.hidden_size,
                          (heads + 2 * groups) * size, config_.init_method_std);
    if (config_.position_embedding == PositionEmbedding::rope) {
      qkv = builder_.emit_for(3, graph::rope_op(), "attention/rope", {qkv, positions_, rope_table_},
                              attributes);
    }
    const TensorId core = attention_core(name, qkv, attributes);
    return linear(name + ".attention.output", "attention/output", core, heads * size,
                  config_.hidden_size, output_stddev());
  }

  TensorId attention_core(const std::string& name, TensorId qkv,
                          const graph::Attributes& attributes) {
    if (shape_.mode != Mode::decode) {
      return builder_.emit_for(2, graph::attention_op(), "attention/core", {qkv, segments_},
                               attributes);
    }
    const Shape shape{config_.max_position_embeddings,
                      2 * config_.num_query_groups * config_.head_dim};
    const TensorId cache =
        builder_.external(name + ".attention.cache", shape, config_.dtype, Role::state);
    return builder_.emit_for(3, graph::cached_attention_op(), "attention/core",
                             {qkv, cache, counts_}, attributes);
  }

  TensorId mlp(const std::string& name, TensorId x) {
    const std::int64_t ffn = config_.ffn_hidden_size;
    TensorId hidden{};
    if (config_.activation == Activation::swiglu) {
      hidden = linear(name + ".mlp.gate_up", "mlp/gate_up", x, config_.hidden_size, 2 * ffn,
                      config_.init_method_std);
      hidden = builder_.emit_for(1, graph::swiglu_op(), "mlp/swiglu", {hidden});
    } else {
      hidden =
          linear(name + ".mlp.up", "mlp/up", x, config_.hidden_size, ffn, config_.init_method_std);
      hidden = builder_.emit_for(1, graph::gelu_op(), "mlp/gelu", {hidden});
    }
    return linear(name + ".mlp.down", "mlp/down", hidden, ffn, config_.hidden_size,
                  output_stddev());
  }

  TensorId add(const std::string& path, TensorId a, TensorId b) {
    return builder_.emit_for(2, graph::add_op(), path, {a, b});
  }

  TensorId transformer_layer(std::int64_t layer, TensorId x) {
    builder_.set_scope(fmt::format("layer{}", layer));
    const std::string name = fmt::format("layers.{}", layer);
    if (config_.parallel_block) {
      const TensorId n = norm(name + ".norm", "norm", x);
      const TensorId branches = add("branches", attention(name, n), mlp(name, n));
      return add("residual", x, branches);
    }
    const TensorId attended =
        add("attention/residual", x,
            attention(name, norm(name + ".attention.norm", "attention/norm", x)));
    return add("mlp/residual", attended, mlp(name, norm(name + ".mlp.norm", "mlp/norm", attended)));
  }

  TensorId head() {
    return config_.untie_embeddings_and_output_weights ? vocabulary_table("head.weight")
                                                       : word_table_;
  }

  void loss(TensorId x) {
    builder_.set_scope("head");
    const TensorId logits = builder_.emit_for(3, graph::linear_op(), "logits", {x, head()});
    const graph::Attributes attributes{{"valid_vocabulary", config_.vocab_size},
                                       {"gradient", std::int64_t{shape_.mode == Mode::train}}};
    const TensorId stats = builder_.emit_for(2, graph::logit_stats_op(), "logit_stats",
                                             {logits, targets_}, attributes);
    builder_.emit(graph::cross_entropy_op(), "cross_entropy", {logits, stats, targets_},
                  attributes);
  }

  ModelConfig config_;
  std::int64_t vocabulary_;  // padded
  ModelShape shape_;
  graph::Builder builder_;
  TensorId tokens_{}, targets_{}, positions_{}, segments_ = kNoTensor, counts_{}, word_table_{},
                                                rope_table_{};
};

}  // namespace

graph::Program build_gpt(const Config& config, const ModelShape& shape) {
  graph::Program program;
  GptBuilder(config, shape, program).build();
  if (shape.mode == Mode::train) graph::differentiate(program);
  return program;
}

}  // namespace megascale::model
