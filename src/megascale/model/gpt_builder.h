#ifndef MEGASCALE_MODEL_GPT_BUILDER_H_
#define MEGASCALE_MODEL_GPT_BUILDER_H_

#include <initializer_list>
#include <string>
#include <vector>

#include "megascale/graph/builder.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/model/context_attention.h"
#include "megascale/model/gpt.h"

// Writes the program of one chunk of a GPT-2 or Llama style model. Internal to model/: gpt.h is the
// interface. Each part of the model is a source file: gpt.cpp (embedding, head, loss, the whole),
// transformer_block.cpp, parallel_block.cpp, attention_layer.cpp, mlp.cpp, and linears.cpp, which
// cuts products over the tensor ranks.
//
// `name` is a parameter's global name ("layers.3.attention.qkv"), `path` the name of an op inside its
// scope ("attention/qkv"). Rows are tokens. "Rows of all tensor ranks" have been gathered; everything
// between layers holds this rank's share of them (sequence parallelism).
namespace megascale::model {

class GptBuilder {
 public:
  // `config`: validated and resolved. Writes into `program`, which must outlive this object.
  GptBuilder(const Config& config, const ModelShape& shape, graph::Program& program);
  void build();

 private:
  using TensorId = graph::TensorId;

  // gpt.cpp
  void build_decode();
  void make_rope_table();
  TensorId embedding();
  TensorId head();
  void loss(TensorId x);

  // Returns the output of layer number `layer`, whose input is x.
  TensorId transformer_layer(std::int64_t layer, TensorId x);
  // Attention, then the MLP on its result, each with a norm and a residual of its own.
  TensorId serial_block(const std::string& name, TensorId x);
  // Attention and the MLP beside each other: parallel_block.cpp.
  TensorId parallel_block(const std::string& name, TensorId x);

  // The result of a row-parallel linear. Every tensor rank has a share of the inputs, so with more
  // than one rank the product is a partial sum. The bias is added where the sum is complete: by
  // finish_row_linear() then.
  struct RowLinear {
    TensorId partial{}, bias = graph::kNoTensor;
    std::string path;
  };
  // x: the rows of all tensor ranks.
  RowLinear attention(const std::string& name, TensorId x);
  TensorId cached_attention(const std::string& name, TensorId qkv, const AttentionShape& shape);
  RowLinear mlp(const std::string& name, TensorId x);

  // linears.cpp
  // A weight [outputs, inputs] of which each tensor rank has its share of each section of one
  // dimension. Without sections the whole dimension is one.
  TensorId sharded(const std::string& name, graph::Shape shape, graph::Initializer initializer,
                   std::uint32_t dimension, std::vector<std::int64_t> sections = {},
                   std::int64_t logical_rows = 0, bool tied = false);
  // One row per vocabulary entry; the padding to a round number of rows never takes part.
  TensorId vocabulary_table(const std::string& name, bool tied);
  // One value per channel, equal on all ranks.
  TensorId vector(const std::string& name, std::int64_t size, graph::Initializer::Kind kind);
  // y = rows weight^T + bias
  TensorId linear(const std::string& path, TensorId rows, TensorId weight, TensorId bias,
                  const graph::Attributes& attributes);
  // y = rows weight^T + bias: every tensor rank computes its share of the outputs, for all rows.
  TensorId column_linear(const std::string& name, const std::string& path, TensorId rows,
                         std::int64_t inputs, const std::vector<std::int64_t>& sections,
                         double stddev);
  RowLinear row_linear(const std::string& name, const std::string& path, TensorId x,
                       std::int64_t inputs, std::int64_t outputs, double stddev);
  // Returns this rank's rows of `partial`, summed over the tensor ranks, plus the biases of the
  // linears that made it.
  TensorId finish_row_linear(const std::string& path, TensorId partial,
                             std::initializer_list<const RowLinear*> linears);
  TensorId finish_row_linear(const std::string& path, const RowLinear& linear);
  TensorId norm(const std::string& name, const std::string& path, TensorId x);
  // RMSNorm has no beta and does not centre.
  TensorId unfused_norm(const std::string& path, TensorId x, TensorId gamma, TensorId beta,
                        const graph::Attributes& attributes);
  // Drops a share of what is added to the residual stream.
  TensorId dropout(const std::string& path, TensorId x);
  TensorId add(const std::string& path, TensorId a, TensorId b);
  // The rows of all tensor ranks.
  TensorId gather(const std::string& path, TensorId x);
  // Attributes of the products of layers. The head's products keep their precision.
  [[nodiscard]] graph::Attributes precision() const;

  [[nodiscard]] bool is_training() const noexcept { return shape_.mode == Mode::train; }
  [[nodiscard]] bool is_first() const noexcept { return shape_.chunk == 0; }
  [[nodiscard]] bool is_last() const noexcept { return shape_.chunk + 1 == shape_.chunks; }
  // The first and the last chunk hold the same table of words.
  [[nodiscard]] bool is_tied() const;
  // Axes whose ranks hold equal values and see different tokens: of_rows() for weights that are
  // applied to the rows of all tensor ranks, of_shares() for those applied to this rank's share.
  [[nodiscard]] graph::AxisSet of_rows() const;
  [[nodiscard]] graph::AxisSet of_shares() const;
  [[nodiscard]] static graph::Initializer normal(double stddev);
  // Residual branches end in projections that are drawn smaller by sqrt(2 layers), so that their sum
  // keeps its scale (GPT-2).
  [[nodiscard]] double output_stddev() const;

  ModelConfig config_;
  bool flash_, fused_norm_;  // attention is one op, a norm is one op
  std::int64_t vocabulary_;  // padded
  ModelShape shape_;
  std::int64_t tensor_;  // ranks that weights are split over
  graph::Builder builder_;
  TensorId tokens_{}, targets_{}, positions_{}, segments_ = graph::kNoTensor, counts_{};
  TensorId word_table_{}, rope_table_{};
};

}  // namespace megascale::model

#endif  // MEGASCALE_MODEL_GPT_BUILDER_H_
