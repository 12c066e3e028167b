#ifndef MEGASCALE_GRAPH_OP_H_
#define MEGASCALE_GRAPH_OP_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/base/transfer_rule.h"
#include "megascale/graph/attributes.h"
#include "megascale/graph/axis.h"
#include "megascale/graph/operand_table.h"
#include "megascale/graph/tensor.h"

// Ops and op kinds. An OpDef holds all facts about one kind: operands, shape rule, backward rule,
// FLOPs, lane and aliasing. It is defined in one file under graph/ops/, and all other code asks the
// OpDef.
//
// The operands of a kind have names: an enumeration beside the kind's declaration, for instance
// linear::input (ops/ops.h). The value of a name is the operand's index in Op::operands.
namespace megascale::graph {

// The lanes of a rank: queues whose tasks run in order. The lane runner decides which thread,
// stream or simulated resource serves a lane.
enum class Lane : std::uint8_t {
  compute,           // all computation
  tensor,            // transfers of tensor groups
  context,           // transfers of context groups
  expert,            // transfers of expert groups
  data,              // gathers and reductions of buckets
  forward_send,      // activations to the next stage
  forward_receive,   // activations from the previous stage
  backward_send,     // gradients to the previous stage
  backward_receive,  // gradients from the next stage
  step,              // norms and losses over stages, gradients of a tied head
  host_in,           // the host loads and copies batches
  host_out,          // copies to the host
};
inline constexpr std::size_t kLaneCount = 12;
[[nodiscard]] std::string_view to_string(Lane lane) noexcept;

// The part of a micro-batch's work to which an op belongs. `loss` ops (head, cross-entropy) run at
// the start of the backward. `step` ops belong to no micro-batch.
enum class Phase : std::uint8_t { forward, loss, backward, weight_gradient, recompute, step };

// The part of a model to which an op belongs. Passes use it to treat some parts differently.
enum class Region : std::uint8_t {
  layers,  // all ops that belong to none of the others
  embedding,
  // Scores, softmax and dropout. If attention is not fused, the product with the values is not
  // included.
  attention_core,
  head,   // the projection to the vocabulary, and the loss
  router  // of experts: the product of tokens and router weight, choices and losses
};

struct OpDef;

// The place of an op in the model. The names are for people and for grouping ops by scope.
struct OpOrigin {
  // "layer7". A bucket of parameters holds whole scopes. Empty for ops of the step itself.
  std::string scope;
  std::string path;  // for instance "attention/qkv" or "attention/qkv/wgrad"
  Phase phase = Phase::forward;
  Region region = Region::layers;
};

// One op of a chunk program.
struct Op : OpOrigin {
  const OpDef* def = nullptr;
  // In the order of def->operands; kNoTensor if an optional operand is absent.
  std::vector<TensorId> operands;
  Attributes attributes;
  // The output was gathered from other ranks and is the input of a product. The backward gathers it
  // again, unless it is kept (RecomputePolicy::keep_gathered_input).
  bool gathers_input = false;
  // Ops of a program with the same number form a fused pair (plan/passes/fuse_pairs.h). 0: none.
  std::uint32_t pair = 0;
};

// Returns whether the op sends or receives between stages of the pipeline.
[[nodiscard]] bool is_between_stages(const Op& op) noexcept;
// Returns the lane of an op of a chunk program. The lane of a transfer depends on its axes (a
// group) or on its direction (a pair); all other ops have the lane of their kind.
[[nodiscard]] Lane lane_of(const Op& op);

// Returns the tensors that hold the run-time extents of the op's operands, each once, in the order
// of the operands. The op reads them even if its kind does not name them as operands.
[[nodiscard]] std::vector<TensorId> counts_of(const Op& op, std::span<const Tensor> tensors);

// The costs of an op. Bounded extents count with their maximum, or in ops of experts with the extent
// that is expected.
struct Cost {
  double flops = 0;  // a multiplication counts 1, an addition counts 1
  // Credited by MFU: GEMMs, and attention over the keys that a query may see (half of the square).
  double model_flops = 0;
  double megatron_flops = 0;  // as model_flops, but with the full square of attention
};

// An op together with the tensors of its program.
class OpView {
 public:
  OpView(const Op& op, std::span<const Tensor> tensors) : op_(&op), tensors_(tensors) {}
  [[nodiscard]] const Op& op() const noexcept { return *op_; }
  [[nodiscard]] bool has(std::size_t operand) const noexcept {
    return op_->operands[operand] != kNoTensor;
  }
  [[nodiscard]] const Tensor& tensor(std::size_t operand) const {
    return tensors_[index(op_->operands[operand])];
  }
  [[nodiscard]] std::int64_t size(std::size_t operand, std::size_t axis) const {
    return tensor(operand).shape[axis].size;
  }
  [[nodiscard]] std::int64_t expected_size(std::size_t operand, std::size_t axis) const {
    return tensor(operand).shape[axis].expected();
  }
  [[nodiscard]] const Attributes& attributes() const noexcept { return op_->attributes; }

 private:
  const Op* op_;
  std::span<const Tensor> tensors_;
};

// The argument of a shape rule (OpDef::infer). With it the rule reads the shapes of the inputs,
// sets those of the outputs and rejects operands that do not fit.
class ShapeContext {
 public:
  ShapeContext(Op& op, std::vector<Tensor>& tensors) : op_(&op), tensors_(&tensors) {}
  [[nodiscard]] bool has(std::size_t operand) const noexcept {
    return op_->operands[operand] != kNoTensor;
  }
  [[nodiscard]] const Shape& shape(std::size_t operand) const;
  [[nodiscard]] DType dtype(std::size_t operand) const;
  [[nodiscard]] TensorId tensor(std::size_t operand) const noexcept {
    return op_->operands[operand];
  }
  [[nodiscard]] const Attributes& attributes() const noexcept { return op_->attributes; }
  // Sets an output. Creates the tensor if the caller left it out; else checks the shape of the
  // tensor that the caller named.
  void output(std::size_t operand, Shape shape, DType dtype, Role role = Role::activation);
  // Both throw Error (bad_usage) if the condition or the shape is wrong. The message names the op,
  // `expected` and the shapes that were found.
  void require(bool condition, std::string_view expected) const;
  void require_shape(std::size_t operand, const Shape& expected) const;

 private:
  Op* op_;
  std::vector<Tensor>* tensors_;
};

class BackwardContext;

// An output that may use the bytes of an input, if no later op reads the input.
struct InPlace {
  std::size_t output = 0;
  std::size_t input = 0;
};

// The operands of a matrix product in which each output row depends only on the input row with the
// same number. Such a product can be cut into row blocks.
struct RowProduct {
  std::size_t input = 0, output = 0;
  std::optional<std::size_t> addend;  // added to the output, row by row
};

// For ops that can work tile by tile: a tile of the output needs only the tiles of an input that have
// come, in whatever order they come. Matrix products do, and ops that move, change or add rows or heads.
struct TileFlow {
  std::size_t input = 0, output = 0;
  std::optional<std::size_t> second_input;  // if two inputs are added
};

// The operands of a transfer: the bytes that this rank gives and takes. Both may be the same
// operand.
struct TransferOperands {
  std::optional<std::size_t> given, taken;
  // For transfers with a row count per member (TransferRule::counted): int64 numbers of rows that
  // go to and come from each member.
  std::optional<std::size_t> given_counts, taken_counts;
};

// All facts about one op kind. Kinds are constants that live as long as the process.
struct OpDef {
  std::string_view name;
  std::vector<OperandSpec> operands;
  void (*infer)(ShapeContext&) = nullptr;
  // Emits the ops of the gradient. The forward tensors that those ops read are retained. Null: the
  // kind has no gradient.
  void (*backward)(BackwardContext&) = nullptr;
  Cost (*cost)(const OpView&) = nullptr;  // null: too few FLOPs to count
  Lane lane = Lane::compute;
  std::vector<InPlace> in_place;
  std::optional<RowProduct> row_product;  // for products that can be cut into row blocks
  // For ops that compute each row by itself, and nothing that is added over rows: the operands with
  // one row per row of the result. Such an op can be cut beside a product.
  std::vector<std::size_t> row_operands;
  std::optional<TileFlow> tile_flow;       // for ops that can be part of a fused pair
  bool gemm = false;                       // counted as a GEMM in tables of time and FLOPs
  const TransferRule* transfer = nullptr;  // how it moves bytes between ranks; null: no transfer
  TransferOperands transfer_operands;
  // Lays out the bytes that a transfer sends; passes move the op together with that transfer.
  bool packs = false;
  // Decides where rows go. Its results are kept for the backward and never computed again.
  bool runs_once = false;
  // Runs in a chunk's first micro-batch of a step only; all micro-batches read its results. Such a kind
  // also runs_once, and its results have the role state.
  bool once_per_step = false;
};

// An OpDef whose operands are the enumerators of `Name`. The compiler then checks that operands are
// given and asked for by names of this kind.
template <class Name>
struct OpKind : OpDef {
  using Operand = Name;
};

// A value for the operand with this name.
template <class Name, class Value>
struct Given {
  Name operand;
  Value value;
};

// Returns the values in the order of the kind's operands, with `absent` for operands that are not
// given. It is a bug to give an operand twice.
template <class Name, class Value>
[[nodiscard]] std::vector<Value> in_order(const OpKind<Name>& kind,
                                          std::initializer_list<Given<Name, Value>> given,
                                          const Value& absent) {
  std::vector<Value> values(kind.operands.size(), absent);
  std::vector<bool> known(values.size(), false);
  for (const Given<Name, Value>& one : given) {
    MEGASCALE_CHECK(!known[one.operand], kind.operands[one.operand].name);
    known[one.operand] = true;
    values[one.operand] = one.value;
  }
  return values;
}

// all_op_defs() returns every kind. find_op_def() returns the kind with this name, or null.
[[nodiscard]] std::span<const OpDef* const> all_op_defs();
[[nodiscard]] const OpDef* find_op_def(std::string_view name);

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_OP_H_
