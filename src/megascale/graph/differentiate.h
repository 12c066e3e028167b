#ifndef MEGASCALE_GRAPH_DIFFERENTIATE_H_
#define MEGASCALE_GRAPH_DIFFERENTIATE_H_

#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "megascale/graph/program.h"

namespace megascale::graph {

// Writes program.backward: the gradients of all parameters that the loss depends on, in reverse
// forward order. A tensor with several consumers takes its gradient in that order; the first
// contribution is the gradient, later ones are fused into the op that makes them where its kind has
// an addend, else added. Main gradients are created, one per use of a parameter, and listed in
// Parameter::main_gradients.
void differentiate(Program& program);

// What an OpDef's backward rule sees of the op and of the gradients so far. Operands are asked for
// by their names (graph/ops/ops.h).
class BackwardContext {
 public:
  // The forward op's operand.
  [[nodiscard]] TensorId operand(std::size_t name) const { return op_->operands[name]; }
  [[nodiscard]] bool has(std::size_t name) const { return operand(name) != kNoTensor; }
  [[nodiscard]] const Attributes& attributes() const { return op_->attributes; }
  [[nodiscard]] const Shape& shape(std::size_t name) const {
    return program_->tensor(operand(name)).shape;
  }
  // The gradient of an output; kNoTensor where nothing depends on it.
  [[nodiscard]] TensorId gradient(std::size_t output) const;
  [[nodiscard]] bool needs_gradient(std::size_t input) const;
  // The gradient that `input` has so far, to be fused into this op's contribution (kNoTensor if
  // none). The caller must contribute afterwards: what it returns is taken out.
  [[nodiscard]] TensorId take_addend(std::size_t input);
  void contribute(std::size_t input, TensorId gradient);
  // The float32 accumulator of this use of parameter operand `input`.
  [[nodiscard]] TensorId main_gradient(std::size_t input);
  // Appends an op to the backward program, named PATH/SUFFIX after the forward op. Outputs that are
  // left out are created.
  template <class Name>
  const Op& emit(const OpKind<Name>& kind, std::string_view suffix,
                 std::initializer_list<Given<Name, TensorId>> operands, Attributes attributes = {},
                 Phase phase = Phase::backward) {
    return append(kind, suffix, in_order(kind, operands, kNoTensor), std::move(attributes), phase);
  }
  // The same in the backward phase; returns the operand named `result`.
  template <class Name>
  TensorId emit_for(Name result, const OpKind<Name>& kind, std::string_view suffix,
                    std::initializer_list<Given<Name, TensorId>> operands,
                    Attributes attributes = {}) {
    return emit(kind, suffix, operands, std::move(attributes)).operands[result];
  }

 private:
  const Op& append(const OpDef& def, std::string_view suffix, std::vector<TensorId> operands,
                   Attributes attributes, Phase phase);

  friend void differentiate(Program& program);
  BackwardContext(Program& program, std::vector<TensorId>& gradients,
                  const std::vector<bool>& needs)
      : program_(&program), gradients_(&gradients), needs_(&needs) {}
  Program* program_;
  std::vector<TensorId>* gradients_;  // by tensor, kNoTensor where none yet
  const std::vector<bool>* needs_;    // by forward tensor: depends on a parameter
  const Op* op_ = nullptr;
};

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_DIFFERENTIATE_H_
