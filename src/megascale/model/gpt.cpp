// Writes a chunk of the model from end to end: embedding, layers, head and loss of a training
// program, or the program that decodes with a key-value cache.
#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "megascale/config/derived.h"
#include "megascale/graph/differentiate.h"
#include "megascale/graph/rope_scaling.h"
#include "megascale/model/gpt_builder.h"

namespace megascale::model {

namespace attribute = graph::attribute;
using graph::Axis;
using graph::BatchField;
using graph::Dim;
using graph::kNoTensor;
using graph::Role;
using graph::TensorId;

namespace {

// Returns `value` in the precision of `dtype`.
double rounded(double value, DType dtype) {
  const int bits = dtype == DType::bfloat16 ? 8 : 24;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
}

}  // namespace

GptBuilder::GptBuilder(const Config& config, const ModelShape& shape, graph::Program& program)
    : config_(config.model),
      flash_(config.kernels.flash_attention),
      fused_norm_(config.kernels.fused_norm),
      expert_pieces_(config.overlap.expert_pieces),
      replicates_shared_(config.parallel.replicate_shared_experts),
      fp8_sums_(config.parallel.fp8_reduce_scatter),
      vocabulary_(padded_vocab_size(config)),
      shape_(shape),
      tensor_(shape.axes[Axis::tensor]),
      builder_(program, shape.axes),
      pads_(config.data.whole_documents || has_preferences(config)),
      seed_(config.train.seed),
      preference_(config.preference) {}

void GptBuilder::build() {
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
  if (rope) make_rope_tables();
  TensorId x = is_first() ? embedding()
                          : builder_.receive(tokens / tensor_, config_.hidden_size, config_.dtype);
  const auto [first, end] = own_layers();
  for (std::int64_t layer = first; layer < end; ++layer) x = transformer_layer(layer, x);
  if (!is_last()) {
    builder_.set_scope("send");
    return builder_.send(x);
  }
  builder_.set_scope("final_norm");
  x = norm("final_norm", "norm", x);
  builder_.begin_loss();
  loss(x);
}

std::pair<std::int64_t, std::int64_t> GptBuilder::own_layers() const {
  if (shape_.layers.empty()) {
    const std::int64_t layers = config_.num_layers / shape_.chunks;
    return {shape_.chunk * layers, (shape_.chunk + 1) * layers};
  }
  const auto own = shape_.layers.begin() + shape_.chunk;
  const std::int64_t first = std::accumulate(shape_.layers.begin(), own, std::int64_t{0});
  return {first, first + *own};
}

void GptBuilder::build_decode() {
  const DecodeShape& decode = shape_.decode;
  counts_ = builder_.batch_input(BatchField::counts, {Dim(2 + 3 * decode.sequences)});
  const Dim tokens(decode.tokens, counts_, 0);
  tokens_ = builder_.batch_input(BatchField::tokens, {tokens});
  positions_ = builder_.batch_input(BatchField::positions, {tokens});
  builder_.set_scope("embedding", graph::Region::embedding);
  if (config_.position_embedding == PositionEmbedding::rope) make_rope_tables();
  TensorId x = embedding();
  for (std::int64_t layer = 0; layer < config_.num_layers; ++layer) x = transformer_layer(layer, x);
  builder_.set_scope("final_norm");
  x = builder_.emit_for(graph::last_rows::output, graph::last_rows_op(), "last_rows",
                        {{graph::last_rows::input, x}, {graph::last_rows::counts, counts_}},
                        {{attribute::rows, decode.last_rows}});
  x = norm("final_norm", "norm", x);
  builder_.set_scope("head", graph::Region::head);
  const TensorId logits = builder_.external(
      "logits", {Dim(decode.last_rows, counts_, 1), Dim(vocabulary_)}, config_.dtype, Role::output);
  const graph::Attributes separate{{attribute::separate_rows, std::int64_t{1}}};
  if (config_.final_logit_softcapping > 0) {
    const TensorId plain =
        builder_.emit_for(graph::linear::output, graph::linear_op(), "logits",
                          {{graph::linear::input, x}, {graph::linear::weight, head()}}, separate);
    builder_.emit(graph::soft_cap_op(), "soft_cap",
                  {{graph::soft_cap::input, plain}, {graph::soft_cap::output, logits}},
                  {{attribute::soft_cap, config_.final_logit_softcapping}});
    return;
  }
  builder_.emit(
      graph::linear_op(), "logits",
      {{graph::linear::input, x}, {graph::linear::weight, head()}, {graph::linear::output, logits}},
      separate);
}

void GptBuilder::make_rope_tables() {
  // In training a position is below the sequence length; in decoding, below the size of the cache. A step of
  // decoding computes few tokens of many positions, so its table has theirs only.
  const bool decodes = shape_.mode == Mode::decode;
  const std::int64_t positions = decodes ? config_.max_position_embeddings : config_.seq_length;
  const std::int64_t channels = rotary_channels(config_);
  const auto table = [&](const char* path, graph::Attributes attributes) {
    if (!decodes) attributes.set(attribute::positions, positions);
    attributes.set(attribute::head_dim, channels);
    return builder_.emit_for(graph::rope_table::table, graph::rope_table_op(), path,
                             {{graph::rope_table::positions, decodes ? positions_ : kNoTensor}},
                             std::move(attributes));
  };
  rope_table_ = table("rope_table", rope_attributes(positions));
  if (is_local(config_.sliding_window))
    local_rope_table_ =
        table("local_rope_table", {{attribute::base, config_.rope_local_base_freq}});
}

graph::Attributes GptBuilder::rope_attributes(std::int64_t positions) const {
  graph::Attributes attributes{{attribute::base, config_.rotary_base}};
  if (!config_.use_rope_scaling) return attributes;
  const RopeScalingType type = config_.rope_scaling_type;
  if (type == RopeScalingType::dynamic) {
    attributes.set(
        attribute::base,
        graph::dynamic_base(config_.rotary_base, config_.rope_scaling_factor,
                            static_cast<double>(rotary_channels(config_)),
                            static_cast<double>(config_.original_max_position_embeddings),
                            static_cast<double>(positions)));
    return attributes;
  }
  const auto kind = [&](graph::RopeScalingKind value) {
    attributes.set(attribute::scaling, static_cast<std::int64_t>(value));
  };
  if (type == RopeScalingType::longrope) {
    const std::int64_t original = config_.original_max_position_embeddings;
    kind(graph::RopeScalingKind::longrope);
    attributes.set(attribute::divisors,
                   positions > original ? config_.rope_long_factor : config_.rope_short_factor);
    const double factor = config_.rope_attention_factor;
    attributes.set(attribute::attention_factor,
                   factor > 0 ? factor
                              : graph::longrope_attention_factor(config_.rope_scaling_factor,
                                                                 static_cast<double>(original)));
    return attributes;
  }
  attributes.set(attribute::scaling_factor, config_.rope_scaling_factor);
  if (type == RopeScalingType::linear) {
    kind(graph::RopeScalingKind::linear);
    return attributes;
  }
  const bool yarn = type == RopeScalingType::yarn;
  attributes.set(attribute::low_turns,
                 yarn ? config_.rope_beta_slow : config_.rope_low_freq_factor);
  attributes.set(attribute::high_turns,
                 yarn ? config_.rope_beta_fast : config_.rope_high_freq_factor);
  attributes.set(attribute::original_positions, config_.original_max_position_embeddings);
  if (yarn) {
    kind(graph::RopeScalingKind::yarn);
    attributes.set(attribute::attention_factor, rotated_factor(config_));
  }
  return attributes;
}

bool GptBuilder::is_tied() const {
  return !config_.untie_embeddings_and_output_weights && shape_.chunks > 1;
}

TensorId GptBuilder::embedding() {
  using enum graph::embedding::Operand;
  word_table_ = vocabulary_table("embedding.word.weight", is_tied());
  TensorId learned = kNoTensor;
  if (config_.position_embedding == PositionEmbedding::learned) {
    // Every tensor rank has the gradient of all rows, so it is not summed over the tensor axis.
    learned =
        builder_.parameter("embedding.position.weight",
                           {config_.max_position_embeddings, config_.hidden_size}, config_.dtype,
                           {.initializer = normal(config_.init_method_std),
                            .summed_over = of_rows(),
                            .rule = rule_of_weights()});
  }
  const TensorId x =
      builder_.emit_for(output, graph::embedding_op(), "word",
                        {{table, word_table_},
                         {position_table, learned},
                         {tokens, tokens_},
                         {positions, learned == kNoTensor ? kNoTensor : positions_}});
  TensorId rows = builder_.reduce_scatter("sum", x, Axis::tensor);
  if (config_.scale_embedding) {
    // As transformers does: the factor has the precision of the embedding.
    const double factor =
        rounded(std::sqrt(static_cast<double>(config_.hidden_size)), config_.dtype);
    rows = builder_.emit_for(graph::scale::output, graph::scale_op(), "scale",
                             {{graph::scale::input, rows}}, {{attribute::scale, factor}});
  }
  return dropout("embedding", "dropout", rows);
}

TensorId GptBuilder::head() {
  if (config_.untie_embeddings_and_output_weights) return vocabulary_table("head.weight", false);
  return shape_.chunks == 1 ? word_table_ : vocabulary_table("embedding.word.weight", is_tied());
}

void GptBuilder::loss(TensorId x) {
  builder_.set_scope("head", graph::Region::head);
  const TensorId rows = gather("norm", x);
  TensorId logits = linear("logits", rows, head(), kNoTensor, {});
  if (config_.final_logit_softcapping > 0) {
    logits = builder_.emit_for(graph::soft_cap::output, graph::soft_cap_op(), "soft_cap",
                               {{graph::soft_cap::input, logits}},
                               {{attribute::soft_cap, config_.final_logit_softcapping}});
  }
  const graph::Attributes attributes{{attribute::valid_vocabulary, config_.vocab_size},
                                     {attribute::ranks, tensor_},
                                     {attribute::gradient, std::int64_t{is_training()}}};
  const TensorId stats = builder_.emit_for(
      graph::logit_stats::stats, graph::logit_stats_op(), "logit_stats",
      {{graph::logit_stats::logits, logits}, {graph::logit_stats::targets, targets_}}, attributes);
  const TensorId all_stats = builder_.all_gather("logit_stats/all_gather", stats, Axis::tensor);
  TensorId weights = kNoTensor;
  if (preference_.beta > 0) {
    const TensorId scores = score_sequences(all_stats);
    if (!is_training()) return;
    weights = preference_weights(scores);
  }
  builder_.emit(graph::cross_entropy_op(), "cross_entropy",
                {{graph::cross_entropy::logits, logits},
                 {graph::cross_entropy::stats, all_stats},
                 {graph::cross_entropy::targets, targets_},
                 {graph::cross_entropy::weights, weights}},
                attributes);
}

TensorId GptBuilder::score_sequences(TensorId all_stats) {
  using enum graph::sequence_scores::Operand;
  TensorId result = kNoTensor;
  if (!is_training()) {
    result = builder_.external("sequence_scores", {Dim(shape_.micro_batch_size)}, DType::float64,
                               Role::loss);
  }
  return builder_.emit_for(scores, graph::sequence_scores_op(), "sequence_scores",
                           {{stats, all_stats}, {targets, targets_}, {scores, result}},
                           {{attribute::ranks, tensor_}, {attribute::sequence, length_on_rank()}});
}

TensorId GptBuilder::preference_weights(TensorId own_scores) {
  using enum graph::preference_loss::Operand;
  const TensorId all_scores =
      builder_.gather_numbers("sequence_scores/all_gather", own_scores, {Axis::context});
  return builder_.emit_for(
      weights, graph::preference_loss_op(), "preference_loss",
      {{scores, all_scores},
       {reference,
        builder_.batch_input(BatchField::reference_scores, {Dim(shape_.micro_batch_size)})},
       {record, builder_.record("preferences", kPreferenceRecords, routing_records(config_))}},
      {{attribute::sequence, length_on_rank()},
       {attribute::beta, preference_.beta},
       {attribute::label_smoothing, preference_.label_smoothing}});
}

graph::Program build_gpt(const Config& config, const ModelShape& shape) {
  graph::Program program;
  GptBuilder(config, shape, program).build();
  if (shape.mode == Mode::train) graph::differentiate(program);
  return program;
}

}  // namespace megascale::model
