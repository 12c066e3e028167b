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

// Ops and what is true of their kinds. A kind is one OpDef, defined in one file under graph/ops/;
// everything that asks about a kind (shapes, gradients, FLOPs, lanes, aliasing) asks its OpDef.
// The operands of a kind have names: an enumeration beside the kind's declaration, for instance
// linear::input (ops/ops.h). A name is also the operand's place in Op::operands.
namespace megascale::graph {

// In-order queues of a rank. Which thread, stream or simulated resource serves one is the
// lane runner's business.
enum class Lane : std::uint8_t {
  compute,
  tensor,
  context,
  expert,
  data,
  forward_send,
  forward_receive,
  backward_send,
  backward_receive,
  step,
  host_in,
  host_out,
};
inline constexpr std::size_t kLaneCount = 12;
[[nodiscard]] std::string_view to_string(Lane lane) noexcept;

// Where an op stands in the life of a micro-batch. `loss` ops (head, cross-entropy) run at the
// start of the backward.
enum class Phase : std::uint8_t { forward, loss, backward, weight_gradient, recompute, step };

// The part of a model that an op belongs to, for passes that treat a part differently from the
// rest.
enum class Region : std::uint8_t {
  layers,  // whatever is none of the following
  embedding,
  attention_core,  // scores, their softmax and dropout; unfused, without the product with the
                   // values
  head             // the projection to the vocabulary and the loss
};

struct OpDef;

// Where in a program an op stands. The names are for people: no code decides by what they say.
struct OpOrigin {
  std::string
      scope;  // "layer7"; a bucket of parameters holds whole scopes. Empty: the step's own op
  std::string path;  // "attention/qkv", "attention/qkv/wgrad"
  Phase phase = Phase::forward;
  Region region = Region::layers;
};

struct Op : OpOrigin {
  const OpDef* def = nullptr;
  std::vector<TensorId>
      operands;  // in the order of def->operands; kNoTensor where an optional one is absent
  Attributes attributes;
  // Its output is the input of a product, gathered from other ranks: the backward gathers it once
  // more, unless it is kept (RecomputePolicy::keep_gathered_input).
  bool gathers_input = false;
};

// A send or a receive between stages of the pipeline.
[[nodiscard]] bool is_between_stages(const Op& op) noexcept;
// The lane of an op of a chunk program: its kind's, or of a transfer that of its axes (a group) or
// of its direction (a pair).
[[nodiscard]] Lane lane_of(const Op& op);

// The tensors that hold the run-time extents of the op's operands, each once, in the order of the
// operands. An op reads them whether or not its kind names them as operands.
[[nodiscard]] std::vector<TensorId> counts_of(const Op& op, std::span<const Tensor> tensors);

// What an op costs, with bounded extents at their maximum.
struct Cost {
  double flops = 0;        // multiply and add count one each
  double model_flops = 0;  // the share that MFU credits: GEMMs, and attention over the keys a query
                           // may see (half a square)
  double megatron_flops = 0;  // as model_flops with the full square of attention
};

// An op with the tensors its ids mean.
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
  [[nodiscard]] const Attributes& attributes() const noexcept { return op_->attributes; }

 private:
  const Op* op_;
  std::span<const Tensor> tensors_;
};

// The shape rule's view: reads the inputs' shapes, sets those of the outputs, refuses what does not
// fit.
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
  // Creates the output where the builder left it open, and checks it where the caller named a
  // tensor.
  void output(std::size_t operand, Shape shape, DType dtype, Role role = Role::activation);
  // Throws Error (bad_usage) naming the op, what was expected and what was found.
  void require(bool condition, std::string_view expected) const;
  void require_shape(std::size_t operand, const Shape& expected) const;

 private:
  Op* op_;
  std::vector<Tensor>* tensors_;
};

class BackwardContext;

// An output that may share the bytes of an input which dies at this op.
struct InPlace {
  std::size_t output = 0;
  std::size_t input = 0;
};

// The operands of a product whose output rows depend on the input rows of the same number only.
struct RowProduct {
  std::size_t input = 0, output = 0;
  std::optional<std::size_t> addend;  // added to the output row by row
};

// Which operands of a transfer hold what; given and taken may be the same one.
struct TransferOperands {
  std::optional<std::size_t> given, taken;
  // Of transfers with sizes per member (TransferRule::counted): int64 rows to and from each member.
  std::optional<std::size_t> given_counts, taken_counts;
};

struct OpDef {
  std::string_view name;
  std::vector<OperandSpec> operands;
  void (*infer)(ShapeContext&) = nullptr;
  // Emits the ops that are this op's gradient; what they read of the forward is what is retained.
  // Null: no gradient.
  void (*backward)(BackwardContext&) = nullptr;
  Cost (*cost)(const OpView&) = nullptr;  // null: no FLOPs worth counting
  Lane lane = Lane::compute;
  std::vector<InPlace> in_place;
  std::optional<RowProduct> row_product;   // of products that can be cut into row blocks
  bool gemm = false;                       // counted as a GEMM in time and FLOP tables
  const TransferRule* transfer = nullptr;  // what it moves between ranks; null: it moves nothing
  TransferOperands transfer_operands;
  bool packs = false;  // lays out what a transfer sends: passes move it together with that transfer
};

// An OpDef whose operands are the enumerators of `Name`. Where operands are given or asked for, the
// compiler checks that their names are those of the kind.
template <class Name>
struct OpKind : OpDef {
  using Operand = Name;
};

// A value for the operand of that name.
template <class Name, class Value>
struct Given {
  Name operand;
  Value value;
};

// The values in the order of the kind's operands; `absent` for operands that are not given. An
// operand that is given twice is a bug.
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

// Every kind, by name. Unknown: null.
[[nodiscard]] std::span<const OpDef* const> all_op_defs();
[[nodiscard]] const OpDef* find_op_def(std::string_view name);

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_OP_H_
