// Writes a chunk of the model from end to end: embedding, layers, head and loss of a training
// program, or the program that decodes with a key-value cache.
#include <fmt/format.h>

#include <numeric>

#include "megascale/config/derived.h"
#include "megascale/graph/differentiate.h"
#include "megascale/model/gpt_builder.h"

namespace megascale::model {

namespace attribute = graph::attribute;
using graph::Axis;
using graph::BatchField;
using graph::Dim;
using graph::kNoTensor;
using graph::Role;
using graph::TensorId;

GptBuilder::GptBuilder(const Config& config, const ModelShape& shape, graph::Program& program)
    : config_(config.model),
      flash_(config.kernels.flash_attention),
      fused_norm_(config.kernels.fused_norm),
      expert_pieces_(config.overlap.expert_pieces),
      replicates_shared_(config.parallel.replicate_shared_experts),
      vocabulary_(padded_vocab_size(config)),
      shape_(shape),
      tensor_(shape.axes[Axis::tensor]),
      builder_(program, shape.axes),
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
  if (rope) make_rope_table();
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
  counts_ = builder_.batch_input(BatchField::counts, {Dim(2)});
  const Dim tokens(config_.max_position_embeddings, counts_, 0);
  tokens_ = builder_.batch_input(BatchField::tokens, {tokens});
  positions_ = builder_.batch_input(BatchField::positions, {tokens});
  builder_.set_scope("embedding", graph::Region::embedding);
  if (config_.position_embedding == PositionEmbedding::rope) make_rope_table();
  TensorId x = embedding();
  for (std::int64_t layer = 0; layer < config_.num_layers; ++layer) x = transformer_layer(layer, x);
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

void GptBuilder::make_rope_table() {
  // In training a position is below the sequence length; in decoding, below the size of the cache.
  const std::int64_t positions =
      shape_.mode == Mode::decode ? config_.max_position_embeddings : config_.seq_length;
  graph::Attributes attributes{{attribute::positions, positions},
                               {attribute::head_dim, config_.head_dim},
                               {attribute::base, config_.rotary_base}};
  if (config_.use_rope_scaling) {
    attributes.set(attribute::scaling_factor, config_.rope_scaling_factor);
    attributes.set(attribute::low_turns, config_.rope_low_freq_factor);
    attributes.set(attribute::high_turns, config_.rope_high_freq_factor);
    attributes.set(attribute::original_positions, config_.original_max_position_embeddings);
  }
  rope_table_ = builder_.emit_for(graph::rope_table::table, graph::rope_table_op(), "rope_table",
                                  {}, std::move(attributes));
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
  return dropout("embedding", "dropout", builder_.reduce_scatter("sum", x, Axis::tensor));
}

TensorId GptBuilder::head() {
  if (config_.untie_embeddings_and_output_weights) return vocabulary_table("head.weight", false);
  return shape_.chunks == 1 ? word_table_ : vocabulary_table("embedding.word.weight", is_tied());
}

void GptBuilder::loss(TensorId x) {
  builder_.set_scope("head", graph::Region::head);
  const TensorId rows = gather("norm", x);
  const TensorId logits = linear("logits", rows, head(), kNoTensor, {});
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
  return builder_.emit_for(weights, graph::preference_loss_op(), "preference_loss",
                           {{scores, all_scores},
                            {reference, builder_.batch_input(BatchField::reference_scores,
                                                             {Dim(shape_.micro_batch_size)})},
                            {record, builder_.record("preferences", kPreferenceRecords, 0)}},
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
