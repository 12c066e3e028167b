// Emits the attention core of a layer. With context parallelism a rank has a share of the tokens,
// but causal attention needs all tokens of a head. So all_to_alls change the division from tokens
// to heads before the core and back after it. They move contiguous blocks, one per rank; split and
// join ops bring the rows into that order. docs/decisions/0005-ulysses.md has the reasons.
#include "megascale/model/context_attention.h"

#include <algorithm>
#include <utility>

#include "megascale/graph/ops/ops.h"

namespace megascale::model {
namespace {

namespace attribute = graph::attribute;
using graph::Attributes;
using graph::Axis;
using graph::TensorId;

class ContextAttention {
 public:
  ContextAttention(graph::Builder& builder, const AttentionShape& shape)
      : builder_(&builder),
        shape_(shape),
        ranks_(builder.axes()[Axis::context]),
        sequences_{{attribute::sequence, shape.length}, {attribute::ranks, ranks_}} {}

  TensorId emit(TensorId qkv, TensorId segments, TensorId samples) {
    // With fewer key-value heads than ranks, the rank's one key-value head is a copy. It serves all
    // query heads of the rank.
    Attributes attributes{{attribute::heads, shape_.heads / ranks_},
                          {attribute::groups, std::max<std::int64_t>(shape_.groups / ranks_, 1)},
                          {attribute::head_dim, shape_.head_dim},
                          {attribute::sequence, shape_.length},
                          {attribute::window, shape_.window}};
    set_value_dim(shape_, attributes);
    set_score_attributes(shape_, attributes);
    if (ranks_ > 1) qkv = tokens_for_heads(qkv);
    builder_->set_region(graph::Region::attention_core);
    const TensorId core = shape_.flash ? fused_core(qkv, segments, samples, std::move(attributes))
                                       : unfused_core(qkv, segments, attributes);
    builder_->set_region(graph::Region::layers);
    return ranks_ > 1 ? heads_for_tokens(core) : core;
  }

 private:
  TensorId fused_core(TensorId qkv, TensorId segments, TensorId samples, Attributes attributes) {
    for (const auto& [name, value] : shape_.dropout.values()) attributes.set(name, value);
    return builder_->emit_for(graph::attention::output, graph::attention_op(), "attention/core",
                              {{graph::attention::qkv, qkv},
                               {graph::attention::segments, segments},
                               {graph::attention::samples, samples}},
                              std::move(attributes));
  }

  // Emits the core as separate ops that keep scores and probabilities in memory.
  TensorId unfused_core(TensorId qkv, TensorId segments, const Attributes& attributes) {
    TensorId x = builder_->emit_for(graph::attention_scores::scores, graph::attention_scores_op(),
                                    "attention/core/scores", {{graph::attention_scores::qkv, qkv}},
                                    attributes);
    x = builder_->emit_for(
        graph::masked_softmax::probabilities, graph::masked_softmax_op(), "attention/core/softmax",
        {{graph::masked_softmax::scores, x}, {graph::masked_softmax::segments, segments}},
        attributes);
    if (const double rate = shape_.dropout.real(attribute::rate, 0); rate > 0) {
      x = builder_->emit_for(graph::dropout::output, graph::dropout_op(), "attention/core/dropout",
                             {{graph::dropout::input, x}}, {{attribute::rate, rate}});
    }
    // Selective recomputation drops the results of the region attention_core. The product with the
    // values is kept, so its op stands outside the region.
    builder_->set_region(graph::Region::layers);
    return builder_->emit_for(
        graph::attention_values::output, graph::attention_values_op(), "attention/core/values",
        {{graph::attention_values::probabilities, x}, {graph::attention_values::qkv, qkv}},
        attributes);
  }

  // Attributes of the ops that split and join heads. `groups` is 0 if the rows hold no keys and
  // values.
  [[nodiscard]] Attributes heads(std::int64_t groups, std::int64_t head_dim) const {
    return {{attribute::heads, shape_.heads},
            {attribute::groups, groups},
            {attribute::head_dim, head_dim},
            {attribute::ranks, ranks_}};
  }

  TensorId tokens_for_heads(TensorId qkv) {
    Attributes attributes = heads(shape_.groups, shape_.head_dim);
    set_value_dim(shape_, attributes);
    TensorId x = builder_->emit_for(graph::split_heads::blocks, graph::split_heads_op(),
                                    "attention/qkv/split_heads", {{graph::split_heads::rows, qkv}},
                                    std::move(attributes));
    x = builder_->all_to_all("attention/qkv/all_to_all", x, Axis::context);
    // With one sequence, the received blocks are its tokens in order.
    if (shape_.sequences == 1) return x;
    return builder_->emit_for(graph::join_sequences::rows, graph::join_sequences_op(),
                              "attention/qkv/join_sequences", {{graph::join_sequences::blocks, x}},
                              sequences_);
  }

  TensorId heads_for_tokens(TensorId core) {
    TensorId x = core;
    if (shape_.sequences > 1) {
      x = builder_->gathered_input(builder_->emit_for(
          graph::split_sequences::blocks, graph::split_sequences_op(),
          "attention/core/split_sequences", {{graph::split_sequences::rows, x}}, sequences_));
    }
    x = builder_->gathered_input(
        builder_->all_to_all("attention/core/all_to_all", x, Axis::context));
    return builder_->gathered_input(builder_->emit_for(
        graph::join_heads::rows, graph::join_heads_op(), "attention/core/join_heads",
        {{graph::join_heads::blocks, x}}, heads(/*groups=*/0, value_dim_of(shape_))));
  }

  graph::Builder* builder_;
  AttentionShape shape_;
  std::int64_t ranks_;
  Attributes sequences_;
};

}  // namespace

void set_value_dim(const AttentionShape& shape, Attributes& attributes) {
  if (value_dim_of(shape) != shape.head_dim)
    attributes.set(attribute::value_dim, value_dim_of(shape));
}

void set_score_attributes(const AttentionShape& shape, Attributes& attributes) {
  if (shape.scale > 0) attributes.set(attribute::scale, shape.scale);
  if (shape.soft_cap > 0) attributes.set(attribute::soft_cap, shape.soft_cap);
}

TensorId context_attention(graph::Builder& builder, const AttentionShape& shape, TensorId qkv,
                           TensorId segments, TensorId samples) {
  return ContextAttention(builder, shape).emit(qkv, segments, samples);
}

}  // namespace megascale::model
