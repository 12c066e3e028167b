#ifndef MEGASCALE_GRAPH_DIFFERENTIATE_H_
#define MEGASCALE_GRAPH_DIFFERENTIATE_H_

#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "megascale/graph/program.h"

// Reverse-mode differentiation of a chunk program. Each op kind has a backward rule
// (OpDef::backward), which emits the ops of its gradient.
namespace megascale::graph {

// Writes program.backward: the gradients of all trained parameters on which the loss depends, in reverse
// forward order. A gradient that leads to no trained parameter is not computed.
// - A tensor with several consumers receives one contribution from each, in that order. The first
//   contribution becomes the gradient. Each later one is added: by the op that computes it, if its
//   kind has an addend, else by an add op.
// - Main gradients are created, one per use of a parameter (Parameter::main_gradients); grouped
//   products of one weight share one.
void differentiate(Program& program);

// The argument of a backward rule (OpDef::backward): the forward op, and the gradients that exist
// so far. Operands are named as in graph/ops/ops.h.
class BackwardContext {
 public:
  // Returns the operand of the forward op.
  [[nodiscard]] TensorId operand(std::size_t name) const { return op_->operands[name]; }
  [[nodiscard]] bool has(std::size_t name) const { return operand(name) != kNoTensor; }
  [[nodiscard]] const Attributes& attributes() const { return op_->attributes; }
  [[nodiscard]] const Shape& shape(std::size_t name) const {
    return program_->tensor(operand(name)).shape;
  }
  [[nodiscard]] DType dtype(std::size_t name) const {
    return program_->tensor(operand(name)).dtype;
  }
  // Returns the gradient of an output; kNoTensor if nothing depends on the output.
  [[nodiscard]] TensorId gradient(std::size_t output) const;
  // Returns whether the input depends on a trained parameter.
  [[nodiscard]] bool needs_gradient(std::size_t input) const;
  // Takes out and returns the gradient that `input` has so far (kNoTensor if none), to be added by
  // the op that computes this op's contribution. The caller must call contribute() with the sum
  // afterwards.
  [[nodiscard]] TensorId take_addend(std::size_t input);
  // Adds a contribution to the gradient of `input`. Nothing happens if it needs none.
  void contribute(std::size_t input, TensorId gradient);
  // Creates and returns the float32 accumulator for this use of the parameter `input`; kNoTensor if it is
  // frozen, or if the operand is absent.
  [[nodiscard]] TensorId main_gradient(std::size_t input);
  // Returns the accumulator that the backward of a later use of the parameter has created, for kinds
  // whose uses share one; kNoTensor if there is none yet. An op may only add to it.
  [[nodiscard]] TensorId shared_main_gradient(std::size_t input) const;
  // Appends an op to the backward program. Its path is that of the forward op and "/SUFFIX".
  // Outputs that are left out are created. The reference is valid until the next call.
  template <class Name>
  const Op& emit(const OpKind<Name>& kind, std::string_view suffix,
                 std::initializer_list<Given<Name, TensorId>> operands,
                 // clang-tidy 14 does not see that it is moved if the source does not use emit().
                 // NOLINTNEXTLINE(performance-unnecessary-value-param)
                 Attributes attributes = {}, Phase phase = Phase::backward) {
    return append(kind, suffix, in_order(kind, operands, kNoTensor), std::move(attributes), phase);
  }
  // Does the same in the backward phase and returns the operand named `result`.
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
  std::vector<TensorId>* gradients_;  // by tensor; kNoTensor if there is none yet
  const std::vector<bool>* needs_;    // by forward tensor: it depends on a parameter
  const Op* op_ = nullptr;
};

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_DIFFERENTIATE_H_
