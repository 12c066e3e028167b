// Adapters of low rank (LoRA, arXiv 2106.09685): y = x W^T + alpha / rank (x A^T) B^T, with W frozen. A and
// B are divided over the tensor ranks as W is, so an adapter needs no transfer of its own:
//
//   column-parallel  x has all rows, A is whole, B has this rank's outputs
//   row-parallel     A has this rank's inputs, B is whole; the result is a partial sum, as x W^T is, and
//                    the reduce_scatter of the layer adds both over the ranks
//
// A rank's gradient of the whole matrix is the part that comes of its outputs or inputs, so these
// gradients are summed over the tensor ranks too.
//
// Experts have an adapter each, as stacks A[experts, rank, inputs] and B[experts, outputs, rank] that are
// spread over the ranks as the weights are.
#include <cmath>
#include <numeric>

#include "megascale/config/adapter_targets.h"
#include "megascale/model/gpt_builder.h"

namespace megascale::model {

namespace attribute = graph::attribute;
using graph::Axis;
using graph::Initializer;
using graph::TensorId;

graph::UpdateRule GptBuilder::rule_of_weights() const noexcept {
  return has_adapters(config_) ? graph::UpdateRule::frozen : graph::UpdateRule::optimizer;
}

TensorId GptBuilder::add_column_adapter(const std::string& name, const std::string& path,
                                        TensorId x, TensorId y,
                                        const std::vector<std::int64_t>& sections) {
  if (!has_adapter(config_, adapter_target(name))) return y;
  const std::int64_t outputs = std::accumulate(sections.begin(), sections.end(), std::int64_t{0});
  const TensorId a = adapter_input(name, config_.hidden_size, {}),
                 b = adapter_output(name, outputs, sections);
  return adapted(path, x, y, {a, b});
}

TensorId GptBuilder::add_row_adapter(const std::string& name, const std::string& path, TensorId x,
                                     TensorId y, std::int64_t inputs, std::int64_t outputs) {
  if (!has_adapter(config_, adapter_target(name))) return y;
  const TensorId a = adapter_input(name, inputs, {inputs}), b = adapter_output(name, outputs, {});
  return adapted(path, x, y, {a, b});
}

GptBuilder::Adapter GptBuilder::whole_adapter(const std::string& name, std::int64_t outputs,
                                              std::int64_t inputs) {
  if (!has_adapter(config_, adapter_target(name))) return {};
  return {adapter_input(name, inputs, {}), adapter_output(name, outputs, {})};
}

TensorId GptBuilder::adapted(const std::string& path, TensorId x, TensorId y,
                             const Adapter& adapter, const Product& product) {
  if (adapter.a == graph::kNoTensor) return y;
  const double factor = config_.lora.alpha / static_cast<double>(config_.lora.rank);
  const TensorId low = product(path + "/lora_A", x, adapter.a);
  const TensorId scaled =
      builder_.emit_for(graph::scale::output, graph::scale_op(), path + "/lora_scale",
                        {{graph::scale::input, low}}, {{attribute::scale, factor}});
  return add(path + "/lora_add", y, product(path + "/lora_B", scaled, adapter.b));
}

TensorId GptBuilder::adapted(const std::string& path, TensorId x, TensorId y,
                             const Adapter& adapter) {
  return adapted(path, x, y, adapter,
                 [this](const std::string& name, TensorId rows, TensorId weight) {
                   return linear(name, rows, weight, graph::kNoTensor, {});
                 });
}

// As kaiming_uniform with a = sqrt(5) draws, by which PEFT begins: within sqrt(6 / ((1 + 5) inputs)).
Initializer GptBuilder::initial_input(std::int64_t inputs) {
  return {Initializer::Kind::uniform, 1 / std::sqrt(static_cast<double>(inputs))};
}

TensorId GptBuilder::adapter_input(const std::string& name, std::int64_t inputs,
                                   std::vector<std::int64_t> sections) {
  return adapter_matrix(adapter_input_name(name), {config_.lora.rank, inputs},
                        initial_input(inputs), 1, std::move(sections));
}

TensorId GptBuilder::adapter_output(const std::string& name, std::int64_t outputs,
                                    std::vector<std::int64_t> sections) {
  return adapter_matrix(adapter_output_name(name), {outputs, config_.lora.rank},
                        {Initializer::Kind::zeros, 0}, 0, std::move(sections));
}

TensorId GptBuilder::adapter_matrix(const std::string& name, graph::Shape shape,
                                    Initializer initializer, std::uint32_t dimension,
                                    std::vector<std::int64_t> sections) {
  const bool divided = tensor_ > 1 && !sections.empty();
  if (divided) shape[dimension].size /= tensor_;
  std::vector<graph::Sharding> shardings;
  if (divided) shardings = {{{Axis::tensor}, dimension, std::move(sections)}};
  return builder_.parameter(name, std::move(shape), config_.dtype,
                            {.initializer = initializer,
                             .shardings = std::move(shardings),
                             .summed_over = divided ? of_rows() : of_shares()});
}

}  // namespace megascale::model
