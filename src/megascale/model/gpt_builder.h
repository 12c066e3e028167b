#ifndef MEGASCALE_MODEL_GPT_BUILDER_H_
#define MEGASCALE_MODEL_GPT_BUILDER_H_

#include <array>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "megascale/config/derived.h"
#include "megascale/graph/builder.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/model/context_attention.h"
#include "megascale/model/gpt.h"

// Writes the program of one chunk of a GPT-2 or Llama style model. Internal to model/: gpt.h is the
// interface. Each part of the model is a source file: gpt.cpp (embedding, head, loss, the whole),
// transformer_block.cpp, parallel_block.cpp, attention_layer.cpp, latent_attention.cpp, mlp.cpp, expert_layer.cpp,
// expert_pieces.cpp, linears.cpp, which cuts products over the tensor ranks, and adapters.cpp.
//
// `name` begins the global names of parameters ("layers.3.attention.qkv" + ".weight"). `path` is
// the name of an op in its scope ("attention/qkv"). Rows are tokens. With sequence parallelism,
// tensors between layers hold this tensor rank's share of the rows, and a gather makes the rows of
// all tensor ranks of them.
namespace megascale::model {

class GptBuilder {
 public:
  // `config` must be validated and resolved. `program` must outlive this object.
  GptBuilder(const Config& config, const ModelShape& shape, graph::Program& program);
  // Writes the whole program, without gradients. Call it once.
  void build();

 private:
  using TensorId = graph::TensorId;

  // gpt.cpp
  void build_decode();  // the program of mode decode
  // Returns the first layer of this chunk, and the end of its layers.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> own_layers() const;
  void make_rope_tables();  // the sines and cosines of all positions
  // Returns the base and the scaling of the frequencies for a context of so many positions.
  [[nodiscard]] graph::Attributes rope_attributes(std::int64_t positions) const;
  // Returns whether a layer with this window rotates with frequencies of its own.
  [[nodiscard]] bool is_local(std::int64_t window) const {
    return window > 0 && config_.rope_local_base_freq > 0;
  }
  // Returns the embedded tokens: this rank's share of the rows.
  TensorId embedding();
  // Returns the weight of the head, [padded vocabulary, hidden_size]; the word table if it is tied.
  TensorId head();
  // Emits head and loss for x, the output of the last norm.
  void loss(TensorId x);
  // Of a training on preferences. score_sequences() returns the scores of this rank's part of each sequence; in an
  // evaluation they are its result. preference_weights() emits the loss and returns the weights of the tokens.
  TensorId score_sequences(TensorId all_stats);
  TensorId preference_weights(TensorId scores);
  [[nodiscard]] std::int64_t length_on_rank() const {  // tokens of a sequence on this rank
    return config_.seq_length / shape_.axes[graph::Axis::context];
  }

  // Returns the output of layer number `layer`, whose input is x.
  TensorId transformer_layer(std::int64_t layer, TensorId x);
  // Emits attention and then the MLP on its result, each with its own norms and residual. Returns
  // the output of the layer, as parallel_block() does.
  TensorId serial_block(std::int64_t layer, const std::string& name, TensorId x);
  // The norms of a branch, "layers.3.mlp" for instance: of its input, and of its output. Both return x if
  // the configuration has no such norm.
  TensorId norm_before(const std::string& branch, const std::string& path, TensorId x);
  TensorId norm_after(const std::string& branch, const std::string& path, TensorId x);
  // Emits attention and the MLP side by side (parallel_block.cpp).
  TensorId parallel_block(std::int64_t layer, const std::string& name, TensorId x);

  // The result of a row-parallel linear. Every tensor rank has a share of the inputs, so with
  // several ranks the product is a partial sum. `bias` is then not added yet: finish_row_linear()
  // adds it after the sum over the ranks. With one rank `bias` is kNoTensor.
  struct RowLinear {
    TensorId partial{}, bias = graph::kNoTensor;
    std::string path;
  };
  // The branches of a layer up to their last product. x holds the rows of all tensor ranks.
  RowLinear attention(std::int64_t layer, const std::string& name, TensorId x);
  // The same with latent attention (latent_attention.cpp). x holds this tensor rank's share of the rows.
  RowLinear latent_attention(std::int64_t layer, const std::string& name, TensorId x);
  // The core of decoding with latent attention. `latent` holds the latent vectors of the rows x.
  TensorId cached_latent_attention(const std::string& name, TensorId x, TensorId latent,
                                   const AttentionShape& shape);
  // Returns the rotated channels of the keys of the rows x, before the rotation; the table of angles.
  TensorId latent_key_rope(const std::string& name, TensorId x);
  [[nodiscard]] TensorId angles_of(const AttentionShape& shape) const {
    return is_local(shape.window) ? local_rope_table_ : rope_table_;
  }
  // Returns the queries of all heads of this tensor rank, [rows of all tensor ranks, heads head_dim].
  TensorId latent_query(const std::string& name, TensorId x);
  // Returns a normalised latent vector of each row of x.
  TensorId latent_vector(const std::string& name, const std::string& path, TensorId x,
                         std::int64_t width);
  [[nodiscard]] AttentionShape attention_shape(std::int64_t layer, const std::string& name) const;
  // Emits the core and the output projection, or the latter alone.
  RowLinear attention_output(const std::string& name, TensorId qkv, const AttentionShape& shape);
  RowLinear attention_projection(const std::string& name, TensorId core,
                                 const AttentionShape& shape);
  // Returns the queries, keys and values of the rows x, as the core takes them: normalised by head
  // and rotated, if the configuration says so.
  TensorId query_key_value(const std::string& name, const AttentionShape& shape, TensorId x);
  // Normalises the queries and keys of qkv. `attributes` are those of its heads.
  TensorId head_norm(const std::string& name, TensorId qkv, graph::Attributes attributes);
  // If tensor ranks divide one norm of all heads: returns the sums of squares of all of them, and adds the ranks
  // to the attributes of the norm. Else it returns kNoTensor.
  TensorId squares_of_all_ranks(TensorId qkv, graph::Attributes& attributes);
  // The core of decoding, and its cache of all sequences.
  TensorId cached_attention(const std::string& name, TensorId qkv, const AttentionShape& shape);
  TensorId attention_cache(const std::string& name);
  // A branch of its own name and width ("layers.3.mlp", "mlp").
  RowLinear mlp(const std::string& name, const std::string& path, std::int64_t width, TensorId x);

  // expert_layer.cpp
  // Returns the output of the experts, shared ones included, for this rank's share of the rows.
  TensorId experts(std::int64_t layer, const std::string& name, TensorId x);
  // Returns the rows of y, the shared expert's output, times the sigmoid of a product of those of x.
  TensorId gate_shared_expert(const std::string& name, TensorId x, TensorId y);
  // The choices of the router, and the weight of each (graph::route).
  struct Routes {
    TensorId choices{}, weights{};
  };
  // The scores of this rank's tokens before softmax or sigmoid, in float32.
  TensorId router_logits(const std::string& name, TensorId x);
  // Which of these tokens are padding; kNoTensor if none can be.
  TensorId padding_of(TensorId scored);
  Routes route(std::int64_t layer, const std::string& name, TensorId x);
  // Returns the losses of the router, or kNoTensor if the configuration asks for none. `scores` are
  // its logits; `loads` and `choices` are what this rank's tokens wanted.
  TensorId router_losses(TensorId scores, TensorId loads, TensorId choices);
  // Returns sent[ranks x D]: on each rank of the micro-batch, the tokens with a choice in each group of
  // experts.
  TensorId tokens_of_groups(TensorId choices);
  // Returns the op graph::drop_choices for this rank's choices.
  graph::Op drop_choices(TensorId choices, TensorId affinities);
  // Returns the op graph::drop_choices that drops this rank's choices over the room for rows. `before`:
  // how many were dropped already, or kNoTensor.
  graph::Op drop_over_rows(TensorId choices, TensorId affinities, TensorId before);
  // The room for rows of groups of neighbouring experts: those of a rank, or of a piece of them. `tokens`:
  // of this rank.
  struct RowRoom {
    std::int64_t groups = 0, rows = 0;
  };
  [[nodiscard]] RowRoom row_room(std::int64_t tokens) const;
  // Returns whether choices are dropped over that room.
  [[nodiscard]] bool fits_rows() const {
    return config_.moe.rows_overflow == RowsOverflow::drop && config_.moe.rows_bound > 0 &&
           shape_.axes[graph::Axis::expert] > 1;
  }
  // Returns whether choices are dropped over a capacity: in training only.
  [[nodiscard]] bool drops() const {
    return is_training() && config_.moe.expert_capacity_factor > 0;
  }
  [[nodiscard]] std::int64_t tokens_of_micro_batch() const {  // on all its ranks
    return shape_.micro_batch_size * config_.seq_length;
  }
  // If several ranks share each expert (`sharers`), every one of them works on the rows of all.
  // Returns these rows and their routes; else x and its own routes.
  struct Routed {
    TensorId rows{};
    Routes routes;
  };
  Routed share_rows(const Routes& own, TensorId x, graph::Axis sharers);
  struct DispatchMap {
    TensorId source{}, place{}, counts{}, sent{};
  };
  // Rows sorted by expert, with the weight of each row; if weights are multiplied behind the products,
  // with those of the tokens of `map`. groups: rows of each of this rank's experts.
  // map: made them, of this rank's tokens or, if `gathered`, of those of all expert ranks. Where rows
  // were sent to other ranks, order, inverse and received tell how those that arrived return. piece:
  // the end of the names of ops, if these are the rows of a piece. of_experts: the piece of each rank's
  // experts that they are for.
  struct Dispatched {
    DispatchMap map;
    TensorId rows{}, weights{}, groups{};
    TensorId order{}, inverse{}, received{};
    bool gathered = false;
    TensorId tokens{};  // all tokens of the expert group, if they are gathered
    std::string piece;
    graph::Attributes of_experts;
  };
  // How many rows to expect of x, the tokens of each expert rank.
  ExpertRows expected_rows(TensorId x);
  [[nodiscard]] ExpertRows expected_rows(std::int64_t tokens) const;
  [[nodiscard]] bool gathers_tokens() const {
    return megascale::gathers_tokens(config_.moe, shape_.axes[graph::Axis::expert]);
  }
  [[nodiscard]] bool cuts_experts() const {
    return megascale::cuts_experts(config_.moe, expert_pieces_, shape_.axes[graph::Axis::expert]);
  }
  DispatchMap dispatch_map(TensorId choices, graph::Attributes attributes,
                           const std::string& piece = {});
  // The map to the experts of this rank only.
  DispatchMap map_of_rank(TensorId choices, std::int64_t bound, std::int64_t mean,
                          const std::string& piece);
  // Copies of the tokens x by a map, on this rank.
  Dispatched copies(const DispatchMap& map, TensorId x, TensorId weights,
                    const std::string& piece = {});
  Dispatched dispatch_by_rows(const Routed& own);
  // Sends counts of rows to all expert ranks. Returns those that arrive.
  TensorId exchange_counts(const DispatchMap& map);
  // Adds the map of the rows that will arrive. `counts` are those that arrived.
  void regroup(Dispatched& dispatched, TensorId counts, std::int64_t bound);
  // Sends rows to the experts; brings those that arrived into the order of experts; the way back.
  TensorId send_rows(const std::string& path, const Dispatched& dispatched, TensorId rows,
                     const ExpertRows& expected);
  TensorId sort_rows(const std::string& path, const Dispatched& dispatched, TensorId rows);
  TensorId return_rows(const Dispatched& dispatched, TensorId y);
  Dispatched dispatch_by_gather(const Routed& own);
  // `beside` are partial sums of the gathered tokens that are added before they are scattered.
  TensorId combine(const Dispatched& dispatched, TensorId y, TensorId beside);
  // The sums of the rows y of each token, on this rank.
  TensorId sum_rows(const Dispatched& dispatched, TensorId y);
  // The adapter of a linear layer or of a stack of experts: A and B; kNoTensor if it has none.
  struct Adapter {
    TensorId a = graph::kNoTensor, b = graph::kNoTensor;
  };
  // A weight of all experts, and their adapters.
  struct ExpertWeight {
    TensorId whole{};
    Adapter adapter;
  };
  struct ExpertWeights {
    ExpertWeight gate_up, down;
  };
  ExpertWeights expert_weights(const std::string& name);
  // The work of the experts on their rows: up to SwiGLU, and the last product.
  TensorId gated_rows(const Dispatched& arrived, const ExpertWeights& weights);
  TensorId expert_outputs(const Dispatched& arrived, const ExpertWeights& weights, TensorId gated);
  // The product of the experts' rows x with their weights.
  TensorId expert_product(const std::string& path, const Dispatched& arrived, TensorId x,
                          const ExpertWeight& weight);
  // The attributes of products of these rows.
  [[nodiscard]] graph::Attributes precision_of(const Dispatched& arrived) const;
  // Dispatch, experts and combination: all rows of a rank's experts together, or in pieces
  // (expert_pieces.cpp).
  // A shared expert of the layer `name_of_shared` (empty: none) takes the gathered tokens.
  TensorId whole_experts(const ExpertWeights& weights, const Routed& routed,
                         const std::string& name_of_shared);
  RowLinear shared_expert(const std::string& name, TensorId tokens);
  // The same with the whole weights on each rank, for the rank's own tokens.
  TensorId whole_shared_expert(const std::string& name, TensorId x);
  // True if the tensor ranks are the expert ranks, and all tokens are gathered for dispatch.
  [[nodiscard]] bool tensor_ranks_dispatch() const;
  // Tokens that travel together, where the pieces are those of ranks.
  struct TokenSource {
    std::int64_t rank = 0;  // distance of their rank from this one, along the axis of experts
    std::string name;
    Routed tokens;
  };
  // Returns all tokens of this rank, then the parts of the next ranks' tokens, in the order of these ranks.
  std::vector<TokenSource> token_sources(const Routed& own, std::int64_t parts);
  TensorId tokens_in_pieces(const ExpertWeights& weights, const Routed& routed);
  // Equal parts of the tokens and their routes.
  std::vector<Routed> parts_of(const Routed& tokens, std::int64_t parts);
  TensorId join_rows(const std::string& path, TensorId first, TensorId second);
  std::pair<TensorId, TensorId> split_rows(const std::string& path, TensorId whole,
                                           std::int64_t rows);
  TensorId experts_in_pieces(const ExpertWeights& weights, const Routed& routed);
  // Adds the weights of all experts, NAME.weight[experts, outputs, inputs], with `extents` for one expert,
  // and the adapters of NAME, if it has some. The ranks that share an expert divide dimension number
  // `divided`, each of its `sections` for itself.
  ExpertWeight expert_weight(const std::string& name, std::array<std::int64_t, 2> extents,
                             std::uint32_t divided, std::vector<std::int64_t> sections,
                             double stddev);
  // Adds a matrix of each expert, of which a rank holds some. With `divided` 0 the ranks that share an
  // expert all have its whole matrix, and each has a part of the gradient.
  TensorId expert_matrix(const std::string& name, std::array<std::int64_t, 2> extents,
                         std::uint32_t divided, std::vector<std::int64_t> sections,
                         graph::Initializer initializer, graph::UpdateRule rule);
  TensorId reorder(const std::string& path, TensorId rows, TensorId order, TensorId inverse);
  // Returns whether the weights of choices are multiplied behind the last product of experts, and not
  // inside SwiGLU: they would widen the range of its result, which 8 bits must hold.
  [[nodiscard]] bool weights_behind_products() const { return config_.fp8 != Fp8Format::none; }
  // Returns x. If a transfer has just brought it and `wanted` is true, x and its gradient travel in 8
  // bits (plan/passes/float8_transfers.h). Rows of experts ask moe.fp8_communication.
  TensorId in_8_bits(TensorId x, bool wanted);
  TensorId in_8_bits(TensorId x) { return in_8_bits(x, config_.moe.fp8_communication); }

  // linears.cpp
  // Adds a parameter whose dimension number `dimension` is divided over the tensor ranks: each rank
  // has its share of each section. `shape` is the whole shape; the sizes of `sections` add up to
  // the divided dimension. Without sections, the whole dimension is one section.
  TensorId sharded(const std::string& name, graph::Shape shape, graph::Initializer initializer,
                   std::uint32_t dimension, std::vector<std::int64_t> sections = {},
                   std::int64_t logical_rows = 0, bool tied = false);
  // Adds a table [padded vocabulary, hidden_size], divided by rows. Padding rows are never used.
  TensorId vocabulary_table(const std::string& name, bool tied);
  // Adds a parameter of `size` values that is equal on all ranks (norms, biases).
  TensorId vector(const std::string& name, std::int64_t size, graph::Initializer::Kind kind);
  // y = rows weight^T + bias
  TensorId linear(const std::string& path, TensorId rows, TensorId weight, TensorId bias,
                  graph::Attributes attributes);
  // y = rows weight^T, plus a bias if the linear has one. Every tensor rank computes its share of
  // the outputs for all rows. The `sections` are the outputs whose shares are cut one by one, such
  // as query, key and value.
  TensorId column_linear(const std::string& name, const std::string& path, TensorId rows,
                         std::int64_t inputs, const std::vector<std::int64_t>& sections,
                         bool has_bias);
  // y = rows weight^T, with a weight that every tensor rank has whole and applies to its share of the rows.
  TensorId whole_linear(const std::string& name, const std::string& path, TensorId rows,
                        std::int64_t outputs, std::int64_t inputs, double stddev);
  // y = x weight^T: x has this tensor rank's share of the inputs.
  RowLinear row_linear(const std::string& name, const std::string& path, TensorId x,
                       std::int64_t inputs, std::int64_t outputs, double stddev);
  // Returns this rank's rows of `partial`, summed over the tensor ranks, plus the biases of the
  // linears that made it.
  TensorId finish_row_linear(const std::string& path, TensorId partial,
                             std::initializer_list<const RowLinear*> linears);
  TensorId finish_row_linear(const std::string& path, const RowLinear& linear);
  // Adds the weights of a norm, which multiplies by 1 at first.
  TensorId norm_weight(const std::string& name, std::int64_t size);
  [[nodiscard]] graph::Initializer::Kind kind_of_norm_weights() const;
  void set_norm_attributes(graph::Attributes& attributes) const;
  // The norm that the configuration selects, in one op or as a chain of ops (unfused_norm).
  TensorId norm(const std::string& name, const std::string& path, TensorId x);
  TensorId norm(const std::string& name, const std::string& path, TensorId x, std::int64_t width);
  // `beta` is kNoTensor for RMSNorm, which does not subtract the mean.
  TensorId unfused_norm(const std::string& path, TensorId x, TensorId gamma, TensorId beta,
                        const graph::Attributes& attributes);
  // Dropout of a branch's output or of the embedding. `name` is that of the random numbers: equal in every
  // layout. Returns x itself if it does not apply.
  TensorId dropout(const std::string& name, const std::string& path, TensorId x);
  // Returns the attributes of a dropout with the random numbers `name`; none if the rate is 0.
  [[nodiscard]] graph::Attributes draws(double rate, const std::string& name) const;
  // Returns the numbers of the sequences; kNoTensor if `draws` is empty.
  TensorId samples_for(const graph::Attributes& draws);
  TensorId add(const std::string& path, TensorId a, TensorId b);
  // Returns the rows of all tensor ranks.
  TensorId gather(const std::string& path, TensorId x);
  // Returns the attributes that select fp8 for the products of layers. The head never uses fp8.
  [[nodiscard]] graph::Attributes precision() const;

  // adapters.cpp
  // Add the adapter of the linear layer `name`, if it has one: return y + alpha / rank (x A^T) B^T, else y.
  // x and y are the input and the result of the layer on this tensor rank. The parameters are
  // NAME.lora_A.weight and NAME.lora_B.weight.
  TensorId add_column_adapter(const std::string& name, const std::string& path, TensorId x,
                              TensorId y, const std::vector<std::int64_t>& sections);
  TensorId add_row_adapter(const std::string& name, const std::string& path, TensorId x, TensorId y,
                           std::int64_t inputs, std::int64_t outputs);
  // Returns y + alpha / rank (x a^T) b^T, where product(path, x, weight) multiplies x with the transpose of
  // a weight, or y if there is no adapter.
  using Product = std::function<TensorId(const std::string&, TensorId, TensorId)>;
  TensorId adapted(const std::string& path, TensorId x, TensorId y, const Adapter& adapter,
                   const Product& product);
  // The same for the product of a linear layer.
  TensorId adapted(const std::string& path, TensorId x, TensorId y, const Adapter& adapter);
  // Returns the adapter of a layer that every tensor rank has whole, if the layer has one.
  Adapter whole_adapter(const std::string& name, std::int64_t outputs, std::int64_t inputs);
  // Add the matrix A[rank, inputs] or B[outputs, rank]; `sections` are those of the dimension of inputs
  // or outputs that the tensor ranks divide, or empty if every rank has all of it.
  TensorId adapter_input(const std::string& name, std::int64_t inputs,
                         std::vector<std::int64_t> sections);
  TensorId adapter_output(const std::string& name, std::int64_t outputs,
                          std::vector<std::int64_t> sections);
  TensorId adapter_matrix(const std::string& name, graph::Shape shape,
                          graph::Initializer initializer, std::uint32_t dimension,
                          std::vector<std::int64_t> sections);
  // A of PEFT begins within this bound.
  [[nodiscard]] static graph::Initializer initial_input(std::int64_t inputs);
  // The rule of the weights of the model: they are frozen if it has adapters.
  [[nodiscard]] graph::UpdateRule rule_of_weights() const noexcept;

  [[nodiscard]] bool is_training() const noexcept { return shape_.mode == Mode::train; }
  [[nodiscard]] bool is_first() const noexcept { return shape_.chunk == 0; }
  [[nodiscard]] bool is_last() const noexcept { return shape_.chunk + 1 == shape_.chunks; }
  // Returns true if the first and the last chunk are different ones and both hold the word table.
  [[nodiscard]] bool is_tied() const;
  // Return the axes over which the gradients of a parameter are summed: of_rows() for parameters
  // that are applied to the rows of all tensor ranks, of_shares() for those applied to this rank's
  // share of rows or, in adapters, of inputs or outputs.
  [[nodiscard]] graph::AxisSet of_rows() const;
  [[nodiscard]] graph::AxisSet of_shares() const;
  [[nodiscard]] static graph::Initializer normal(double stddev);
  // Returns the standard deviation for the last projection of each branch: init_method_std / sqrt(2
  // layers), so that the sum of all branches keeps its scale (GPT-2).
  [[nodiscard]] double output_stddev() const;

  ModelConfig config_;
  bool flash_, fused_norm_;     // attention is one op, a norm is one op
  std::int64_t expert_pieces_;  // overlap.expert_pieces
  bool replicates_shared_;      // parallel.replicate_shared_experts
  bool fp8_sums_;               // parallel.fp8_reduce_scatter
  std::int64_t vocabulary_;     // padded
  ModelShape shape_;
  std::int64_t tensor_;  // ranks that weights are split over
  graph::Builder builder_;
  TensorId tokens_{}, targets_{}, positions_{}, segments_ = graph::kNoTensor, counts_{};
  TensorId word_table_{}, rope_table_{}, local_rope_table_{};
  TensorId exempt_ = graph::kNoTensor;   // sequences of which no choice is dropped
  bool pads_;                            // sequences may end with padding
  TensorId padding_ = graph::kNoTensor;  // which of this rank's tokens are padding
  TensorId counted_ = graph::kNoTensor;  // what the loss counts of the micro-batch
  TensorId samples_ = graph::kNoTensor;  // the numbers of the sequences, for dropout
  std::int64_t seed_;                    // train.seed
  PreferenceConfig preference_;          // with beta above 0 the loss is that of preferences
};

}  // namespace megascale::model

#endif  // MEGASCALE_MODEL_GPT_BUILDER_H_
