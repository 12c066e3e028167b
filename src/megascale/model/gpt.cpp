#include "megascale/model/gpt.h"

#include <fmt/format.h>

#include <cmath>

#include "megascale/config/derived.h"
#include "megascale/graph/builder.h"
#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/model/context_attention.h"

namespace megascale::model {
namespace {

namespace attribute = graph::attribute;
using graph::Axis;
using graph::BatchField;
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
        flash_(config.kernels.flash_attention),
        fused_norm_(config.kernels.fused_norm),
        vocabulary_(padded_vocab_size(config)),
        shape_(shape),
        tensor_(shape.axes[Axis::tensor]),
        builder_(program, shape.axes) {}

  void build() {
    if (shape_.mode == Mode::decode) return build_decode();
    const std::int64_t all_tokens = shape_.micro_batch_size * config_.seq_length;
    const std::int64_t tokens = all_tokens / shape_.axes[Axis::context];
    const auto batch = [&](BatchField field) { return builder_.batch_input(field, {Dim(tokens)}); };
    const bool rope = config_.position_embedding == PositionEmbedding::rope;
    if (is_first()) tokens_ = batch(BatchField::tokens);
    if (is_last()) targets_ = batch(BatchField::targets);
    if (is_first() || rope) positions_ = batch(BatchField::positions);
    if (shape_.packed_documents) {
      segments_ = builder_.batch_input(BatchField::segments, {Dim(all_tokens)});
    }
    builder_.set_scope("embedding", graph::Region::embedding);
    if (rope) make_rope_table();
    TensorId x = is_first()
                     ? embedding()
                     : builder_.receive(tokens / tensor_, config_.hidden_size, config_.dtype);
    const std::int64_t layers = config_.num_layers / shape_.chunks;
    for (std::int64_t i = 0; i < layers; ++i) x = transformer_layer(shape_.chunk * layers + i, x);
    if (!is_last()) {
      builder_.set_scope("send");
      return builder_.send(x);
    }
    builder_.set_scope("final_norm");
    x = norm("final_norm", "norm", x);
    builder_.begin_loss();
    loss(x);
  }

 private:
  void build_decode() {
    counts_ = builder_.batch_input(BatchField::counts, {Dim(2)});
    const Dim tokens(config_.max_position_embeddings, counts_, 0);
    tokens_ = builder_.batch_input(BatchField::tokens, {tokens});
    positions_ = builder_.batch_input(BatchField::positions, {tokens});
    builder_.set_scope("embedding", graph::Region::embedding);
    if (config_.position_embedding == PositionEmbedding::rope) make_rope_table();
    TensorId x = embedding();
    for (std::int64_t layer = 0; layer < config_.num_layers; ++layer)
      x = transformer_layer(layer, x);
    builder_.set_scope("final_norm");
    x = builder_.emit_for(graph::last_row::output, graph::last_row_op(), "last_row",
                          {{graph::last_row::input, x}, {graph::last_row::counts, counts_}});
    x = norm("final_norm", "norm", x);
    builder_.set_scope("head", graph::Region::head);
    const TensorId logits =
        builder_.external("logits", {Dim(1), Dim(vocabulary_)}, config_.dtype, Role::output);
    builder_.emit(graph::linear_op(), "logits",
                  {{graph::linear::input, x},
                   {graph::linear::weight, head()},
                   {graph::linear::output, logits}});
  }

  [[nodiscard]] bool is_training() const noexcept { return shape_.mode == Mode::train; }
  [[nodiscard]] bool is_first() const noexcept { return shape_.chunk == 0; }
  [[nodiscard]] bool is_last() const noexcept { return shape_.chunk + 1 == shape_.chunks; }
  // What ranks that differ in these axes hold alike, while they see different tokens: weights that
  // are applied to all rows of a tensor group, and those that are applied to every rank's share of
  // them.
  [[nodiscard]] graph::AxisSet of_rows() const {
    return existing(shape_.axes, {Axis::context, Axis::data});
  }
  [[nodiscard]] graph::AxisSet of_shares() const {
    return existing(shape_.axes, graph::kDenseAxes);
  }
  [[nodiscard]] Initializer normal(double stddev) const {
    return {Initializer::Kind::normal, stddev};
  }

  // A weight [outputs, inputs] of which each tensor rank has its share of each section of one
  // dimension; no sections: the whole dimension is one.
  TensorId sharded(const std::string& name, Shape shape, Initializer initializer,
                   std::uint32_t dimension, std::vector<std::int64_t> sections = {},
                   std::int64_t logical_rows = 0, bool tied = false) {
    graph::Dim& dim = shape[dimension];
    if (sections.empty()) sections = {dim.size};
    dim.size /= tensor_;
    std::vector<graph::Sharding> shardings;
    if (tensor_ > 1) shardings = {{{Axis::tensor}, dimension, std::move(sections)}};
    const bool decay = initializer.kind == Initializer::Kind::normal;
    return builder_.parameter(name, std::move(shape), config_.dtype,
                              {.initializer = initializer,
                               .logical_rows = logical_rows,
                               .decay = decay,
                               .shardings = std::move(shardings),
                               .summed_over = of_rows(),
                               .tied = tied});
  }
  // One row per vocabulary entry; the padding to a round number of rows never takes part.
  TensorId vocabulary_table(const std::string& name, bool tied) {
    return sharded(name, {vocabulary_, config_.hidden_size}, normal(config_.init_method_std), 0, {},
                   config_.vocab_size, tied);
  }
  // One value per channel, the same on all ranks.
  TensorId vector(const std::string& name, std::int64_t size, Initializer::Kind kind) {
    return builder_.parameter(
        name, {size}, config_.dtype,
        {.initializer = {kind, 0}, .decay = false, .summed_over = of_shares()});
  }

  void make_rope_table() {
    rope_table_ =
        builder_.emit_for(graph::rope_table::table, graph::rope_table_op(), "rope_table", {},
                          {{attribute::positions, config_.max_position_embeddings},
                           {attribute::head_dim, config_.head_dim},
                           {attribute::base, config_.rotary_base}});
  }

  [[nodiscard]] bool is_tied() const {
    return !config_.untie_embeddings_and_output_weights && shape_.chunks > 1;
  }

  TensorId embedding() {
    using enum graph::embedding::Operand;
    word_table_ = vocabulary_table("embedding.word.weight", is_tied());
    TensorId learned = kNoTensor;
    if (config_.position_embedding == PositionEmbedding::learned) {
      // Every tensor rank sees the gradient of all rows: alike on them, not to be summed.
      learned = builder_.parameter(
          "embedding.position.weight", {config_.max_position_embeddings, config_.hidden_size},
          config_.dtype,
          {.initializer = normal(config_.init_method_std), .summed_over = of_rows()});
    }
    const TensorId x =
        builder_.emit_for(output, graph::embedding_op(), "word",
                          {{table, word_table_},
                           {position_table, learned},
                           {tokens, tokens_},
                           {positions, learned == kNoTensor ? kNoTensor : positions_}});
    return dropout("dropout", builder_.reduce_scatter("sum", x, Axis::tensor));
  }

  // Of the products of layers; the head's stay as they are.
  [[nodiscard]] graph::Attributes precision() const {
    if (config_.fp8 == Fp8Format::none) return {};
    return {{attribute::fp8, std::int64_t{1}}};
  }

  // y = rows weight^T + bias
  TensorId linear(const std::string& path, TensorId rows, TensorId weight, TensorId bias,
                  const graph::Attributes& attributes) {
    return builder_.emit_for(graph::linear::output, graph::linear_op(), path,
                             {{graph::linear::input, rows},
                              {graph::linear::weight, weight},
                              {graph::linear::bias, bias}},
                             attributes);
  }

  // y = x weight^T + bias: every tensor rank computes its share of the outputs, for all rows.
  TensorId column_linear(const std::string& name, const std::string& path, TensorId rows,
                         std::int64_t inputs, const std::vector<std::int64_t>& sections,
                         double stddev) {
    std::int64_t outputs = 0;
    for (const std::int64_t section : sections) outputs += section;
    const TensorId w = sharded(name + ".weight", {outputs, inputs}, normal(stddev), 0, sections);
    const TensorId bias =
        config_.add_bias_linear
            ? sharded(name + ".bias", {outputs}, {Initializer::Kind::zeros, 0}, 0, sections)
            : kNoTensor;
    return linear(path, rows, w, bias, precision());
  }

  // Every tensor rank has its share of the inputs: the product is a partial sum. The bias is added
  // where the sum is complete: here if there is one rank, else by finish_row_linear().
  struct RowLinear {
    TensorId partial{}, bias = kNoTensor;
    std::string path;
  };
  RowLinear row_linear(const std::string& name, const std::string& path, TensorId x,
                       std::int64_t inputs, std::int64_t outputs, double stddev) {
    const TensorId w = sharded(name + ".weight", {outputs, inputs}, normal(stddev), 1);
    const TensorId bias = config_.add_bias_linear
                              ? vector(name + ".bias", outputs, Initializer::Kind::zeros)
                              : kNoTensor;
    const TensorId y = linear(path, x, w, tensor_ == 1 ? bias : kNoTensor, precision());
    return {y, tensor_ == 1 ? kNoTensor : bias, path};
  }
  // This rank's rows of the sum over the tensor ranks, with the biases of the linears that made it.
  TensorId finish_row_linear(const std::string& path, TensorId partial,
                             std::initializer_list<const RowLinear*> linears) {
    TensorId x = builder_.reduce_scatter(path + "/reduce_scatter", partial, Axis::tensor);
    for (const RowLinear* linear : linears) {
      if (linear->bias == kNoTensor) continue;
      x = builder_.emit_for(graph::add_bias::output, graph::add_bias_op(), linear->path + "/bias",
                            {{graph::add_bias::input, x}, {graph::add_bias::bias, linear->bias}});
    }
    return x;
  }
  TensorId finish_row_linear(const std::string& path, const RowLinear& linear) {
    return finish_row_linear(path, linear.partial, {&linear});
  }

  TensorId norm(const std::string& name, const std::string& path, TensorId x) {
    const graph::Attributes attributes{{attribute::epsilon, config_.norm_epsilon}};
    const bool centred = config_.normalization == Normalization::layer_norm;
    const TensorId gamma = vector(name + ".weight", config_.hidden_size, Initializer::Kind::ones);
    const TensorId beta =
        centred ? vector(name + ".bias", config_.hidden_size, Initializer::Kind::zeros) : kNoTensor;
    if (!fused_norm_) return unfused_norm(path, x, gamma, beta, attributes);
    if (!centred) {
      return builder_.emit_for(graph::rms_norm::output, graph::rms_norm_op(), path,
                               {{graph::rms_norm::input, x}, {graph::rms_norm::gamma, gamma}},
                               attributes);
    }
    return builder_.emit_for(graph::layer_norm::output, graph::layer_norm_op(), path,
                             {{graph::layer_norm::input, x},
                              {graph::layer_norm::gamma, gamma},
                              {graph::layer_norm::beta, beta}},
                             attributes);
  }

  // RMSNorm has no beta and does not centre.
  TensorId unfused_norm(const std::string& path, TensorId x, TensorId gamma, TensorId beta,
                        const graph::Attributes& attributes) {
    if (beta != kNoTensor) {
      const TensorId mean = builder_.emit_for(graph::norm_mean::mean, graph::norm_mean_op(),
                                              path + "/mean", {{graph::norm_mean::input, x}});
      x = builder_.emit_for(graph::norm_centre::centred, graph::norm_centre_op(), path + "/centre",
                            {{graph::norm_centre::input, x}, {graph::norm_centre::mean, mean}});
    }
    const TensorId rstd =
        builder_.emit_for(graph::norm_rstd::rstd, graph::norm_rstd_op(), path + "/rstd",
                          {{graph::norm_rstd::centred, x}}, attributes);
    const TensorId normalised = builder_.emit_for(
        graph::norm_normalise::normalised, graph::norm_normalise_op(), path + "/normalise",
        {{graph::norm_normalise::centred, x}, {graph::norm_normalise::rstd, rstd}},
        {{attribute::centred, std::int64_t{beta != kNoTensor}}});
    return builder_.emit_for(graph::norm_scale::output, graph::norm_scale_op(), path,
                             {{graph::norm_scale::normalised, normalised},
                              {graph::norm_scale::gamma, gamma},
                              {graph::norm_scale::beta, beta}});
  }

  // Residual branches end in projections drawn smaller by sqrt(2 layers), so that their sum keeps
  // its scale (GPT-2).
  [[nodiscard]] double output_stddev() const {
    return config_.init_method_std / std::sqrt(2.0 * static_cast<double>(config_.num_layers));
  }

  // x: the rows of all tensor ranks.
  RowLinear attention(const std::string& name, TensorId x) {
    const std::int64_t heads = config_.num_attention_heads, groups = config_.num_query_groups,
                       size = config_.head_dim;
    const AttentionShape shape{.heads = heads / tensor_,
                               .groups = groups / tensor_,
                               .head_dim = size,
                               .sequences = shape_.micro_batch_size,
                               .length = config_.seq_length,
                               .window = config_.sliding_window,
                               .flash = flash_,
                               .dropout = is_training() ? config_.attention_dropout : 0};
    TensorId qkv =
        column_linear(name + ".attention.qkv", "attention/qkv", x, config_.hidden_size,
                      {heads * size, groups * size, groups * size}, config_.init_method_std);
    if (config_.position_embedding == PositionEmbedding::rope) {
      qkv = builder_.emit_for(graph::rope::output, graph::rope_op(), "attention/rope",
                              {{graph::rope::input, qkv},
                               {graph::rope::positions, positions_},
                               {graph::rope::table, rope_table_}},
                              {{attribute::heads, shape.heads},
                               {attribute::groups, shape.groups},
                               {attribute::head_dim, size}});
    }
    const TensorId core = shape_.mode == Mode::decode
                              ? cached_attention(name, qkv, shape)
                              : context_attention(builder_, shape, qkv, segments_);
    return row_linear(name + ".attention.output", "attention/output", core, heads * size,
                      config_.hidden_size, output_stddev());
  }

  TensorId cached_attention(const std::string& name, TensorId qkv, const AttentionShape& shape) {
    const std::int64_t columns = 2 * shape.groups * shape.head_dim;
    const TensorId cache =
        builder_.external(name + ".attention.cache", {config_.max_position_embeddings, columns},
                          config_.dtype, Role::state);
    return builder_.emit_for(graph::cached_attention::output, graph::cached_attention_op(),
                             "attention/core",
                             {{graph::cached_attention::qkv, qkv},
                              {graph::cached_attention::cache, cache},
                              {graph::cached_attention::counts, counts_}},
                             {{attribute::heads, shape.heads},
                              {attribute::groups, shape.groups},
                              {attribute::head_dim, shape.head_dim},
                              {attribute::window, shape.window}});
  }

  // x: the rows of all tensor ranks.
  RowLinear mlp(const std::string& name, TensorId x) {
    const std::int64_t ffn = config_.ffn_hidden_size;
    TensorId hidden{};
    if (config_.activation == Activation::swiglu) {
      hidden = column_linear(name + ".mlp.gate_up", "mlp/gate_up", x, config_.hidden_size,
                             {ffn, ffn}, config_.init_method_std);
      hidden = builder_.emit_for(graph::swiglu::output, graph::swiglu_op(), "mlp/swiglu",
                                 {{graph::swiglu::input, hidden}});
    } else {
      hidden = column_linear(name + ".mlp.up", "mlp/up", x, config_.hidden_size, {ffn},
                             config_.init_method_std);
      hidden = builder_.emit_for(graph::gelu::output, graph::gelu_op(), "mlp/gelu",
                                 {{graph::gelu::input, hidden}});
    }
    return row_linear(name + ".mlp.down", "mlp/down", hidden, ffn, config_.hidden_size,
                      output_stddev());
  }

  // Of what is added to the residual stream.
  TensorId dropout(const std::string& path, TensorId x) {
    if (!is_training() || config_.hidden_dropout == 0) return x;
    return builder_.emit_for(graph::dropout::output, graph::dropout_op(), path,
                             {{graph::dropout::input, x}},
                             {{attribute::rate, config_.hidden_dropout}});
  }

  TensorId add(const std::string& path, TensorId a, TensorId b) {
    return builder_.emit_for(graph::add::output, graph::add_op(), path,
                             {{graph::add::a, a}, {graph::add::b, b}});
  }
  TensorId gather(const std::string& path, TensorId x) {
    return builder_.all_gather(path + "/all_gather", x, Axis::tensor);
  }

  TensorId transformer_layer(std::int64_t layer, TensorId x) {
    builder_.set_scope(fmt::format("layer{}", layer));
    const std::string name = fmt::format("layers.{}", layer);
    if (config_.parallel_block) {
      const TensorId rows = gather("norm", norm(name + ".norm", "norm", x));
      const RowLinear attended = attention(name, rows), fed = mlp(name, rows);
      const TensorId partial = add("branches", attended.partial, fed.partial);
      return add("residual", x,
                 dropout("dropout", finish_row_linear("branches", partial, {&attended, &fed})));
    }
    const TensorId normed =
        gather("attention/norm", norm(name + ".attention.norm", "attention/norm", x));
    const TensorId attended =
        add("attention/residual", x,
            dropout("attention/dropout",
                    finish_row_linear("attention/output", attention(name, normed))));
    const TensorId fed = gather("mlp/norm", norm(name + ".mlp.norm", "mlp/norm", attended));
    return add("mlp/residual", attended,
               dropout("mlp/dropout", finish_row_linear("mlp/down", mlp(name, fed))));
  }

  TensorId head() {
    if (config_.untie_embeddings_and_output_weights) return vocabulary_table("head.weight", false);
    return shape_.chunks == 1 ? word_table_ : vocabulary_table("embedding.word.weight", is_tied());
  }

  void loss(TensorId x) {
    builder_.set_scope("head", graph::Region::head);
    const TensorId rows = gather("norm", x);
    const TensorId logits = linear("logits", rows, head(), kNoTensor, {});
    const graph::Attributes attributes{{attribute::valid_vocabulary, config_.vocab_size},
                                       {attribute::ranks, tensor_},
                                       {attribute::gradient, std::int64_t{is_training()}}};
    const TensorId stats = builder_.emit_for(
        graph::logit_stats::stats, graph::logit_stats_op(), "logit_stats",
        {{graph::logit_stats::logits, logits}, {graph::logit_stats::targets, targets_}},
        attributes);
    const TensorId all_stats = builder_.all_gather("logit_stats/all_gather", stats, Axis::tensor);
    builder_.emit(graph::cross_entropy_op(), "cross_entropy",
                  {{graph::cross_entropy::logits, logits},
                   {graph::cross_entropy::stats, all_stats},
                   {graph::cross_entropy::targets, targets_}},
                  attributes);
  }

  ModelConfig config_;
  bool flash_, fused_norm_;  // attention is one op, a norm is
  std::int64_t vocabulary_;  // padded
  ModelShape shape_;
  std::int64_t tensor_;  // ranks that weights are split over
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
