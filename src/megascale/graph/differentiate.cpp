// Walks over the forward ops in reverse order and calls the backward rule of each kind. A table
// holds the gradient of each tensor as far as it is known. A second contribution to a tensor is
// added with an add op, unless the rule took the first one as an addend before.
#include "megascale/graph/differentiate.h"

#include <fmt/format.h>

#include "megascale/base/error.h"
#include "megascale/graph/builder.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {

bool writes(const OperandSpec& spec) { return spec.access != Access::read; }

// Returns whether an op has a gradient: if an input depends on a trained parameter. A received tensor depends
// on those of an earlier stage.
bool has_gradient(const Op& op, const std::vector<bool>& needs) {
  if (op.def == &recv_op()) return true;
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    if (op.operands[i] != kNoTensor && !writes(op.def->operands[i]) && needs[index(op.operands[i])])
      return true;
  }
  return false;
}

// Returns, for each tensor, whether it depends on a trained parameter.
std::vector<bool> tensors_with_gradients(const Program& program) {
  std::vector<bool> needs(program.tensors.size(), false);
  for (const Parameter& parameter : program.parameters)
    needs[index(parameter.tensor)] = parameter.is_trained();
  for (const Op& op : program.forward) {
    if (!has_gradient(op, needs)) continue;
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      if (op.operands[i] != kNoTensor && writes(op.def->operands[i]))
        needs[index(op.operands[i])] = true;
    }
  }
  return needs;
}

}  // namespace

TensorId BackwardContext::gradient(std::size_t output) const {
  const TensorId tensor = op_->operands[output];
  return tensor == kNoTensor ? kNoTensor : (*gradients_)[index(tensor)];
}

bool BackwardContext::needs_gradient(std::size_t input) const {
  const TensorId tensor = op_->operands[input];
  return tensor != kNoTensor && (*needs_)[index(tensor)];
}

TensorId BackwardContext::take_addend(std::size_t input) {
  return std::exchange((*gradients_)[index(op_->operands[input])], kNoTensor);
}

void BackwardContext::contribute(std::size_t input, TensorId gradient) {
  if (!needs_gradient(input)) return;
  const std::size_t tensor = index(op_->operands[input]);
  const TensorId sum = (*gradients_)[tensor];
  if (sum != kNoTensor) {
    // An op may contribute to the gradients of several inputs, so the name tells which one.
    gradient = emit_for(add::output, add_op(),
                        fmt::format("gradient_sum/{}", op_->def->operands[input].name),
                        {{add::a, sum}, {add::b, gradient}});
  }
  (*gradients_)[tensor] = gradient;  // emit_for() above may have moved the table
}

TensorId BackwardContext::main_gradient(std::size_t input) {
  if (operand(input) == kNoTensor) return kNoTensor;
  Parameter* parameter = program_->find_parameter(operand(input));
  MEGASCALE_CHECK(parameter != nullptr,
                  "a main gradient was asked for a tensor that is no parameter");
  if (!parameter->is_trained()) return kNoTensor;
  const Tensor& value = program_->tensor(parameter->tensor);
  const TensorId id{static_cast<std::uint32_t>(program_->tensors.size())};
  program_->tensors.push_back(
      Tensor{.name = fmt::format("{}.grad{}", parameter->name, parameter->main_gradients.size()),
             .shape = value.shape,
             .dtype = DType::float32,
             .role = Role::main_gradient});
  parameter->main_gradients.push_back(id);
  return id;
}

TensorId BackwardContext::shared_main_gradient(std::size_t input) const {
  const Parameter* parameter = program_->find_parameter(op_->operands[input]);
  return parameter == nullptr || parameter->main_gradients.empty()
             ? kNoTensor
             : parameter->main_gradients.front();
}

const Op& BackwardContext::append(const OpDef& def, std::string_view suffix,
                                  std::vector<TensorId> operands, Attributes attributes,
                                  Phase phase) {
  program_->backward.push_back(make_op(def, std::move(operands), std::move(attributes),
                                       {.scope = op_->scope,
                                        .path = fmt::format("{}/{}", op_->path, suffix),
                                        .phase = phase,
                                        .region = op_->region},
                                       program_->tensors));
  gradients_->resize(program_->tensors.size(), kNoTensor);
  return program_->backward.back();
}

void differentiate(Program& program) {
  const std::vector<bool> needs = tensors_with_gradients(program);
  std::vector<TensorId> gradients(program.tensors.size(), kNoTensor);
  BackwardContext context(program, gradients, needs);
  for (auto op = program.forward.rbegin(); op != program.forward.rend(); ++op) {
    if (op->def->backward == nullptr || !has_gradient(*op, needs)) continue;
    context.op_ = &*op;
    op->def->backward(context);
    gradients.resize(program.tensors.size(), kNoTensor);
  }
}

}  // namespace megascale::graph
