// Products, norms and residual sums of a layer, divided over the tensor ranks as in Megatron-LM
// with sequence parallelism. A column-parallel product comes after a gather of the rows. A
// row-parallel product comes before a reduce_scatter, which leaves each rank its share of the rows.
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "megascale/base/digest.h"
#include "megascale/model/gpt_builder.h"

namespace megascale::model {

namespace attribute = graph::attribute;
using graph::Axis;
using graph::Initializer;
using graph::kNoTensor;
using graph::Shape;
using graph::TensorId;

graph::AxisSet GptBuilder::of_rows() const {
  return existing(shape_.axes, {Axis::context, Axis::data});
}

graph::AxisSet GptBuilder::of_shares() const { return existing(shape_.axes, graph::kDenseAxes); }

Initializer GptBuilder::normal(double stddev) { return {Initializer::Kind::normal, stddev}; }

double GptBuilder::output_stddev() const {
  return config_.init_method_std / std::sqrt(2.0 * static_cast<double>(config_.num_layers));
}

TensorId GptBuilder::sharded(const std::string& name, Shape shape, Initializer initializer,
                             std::uint32_t dimension, std::vector<std::int64_t> sections,
                             std::int64_t logical_rows, bool tied) {
  graph::Dim& dim = shape[dimension];
  if (sections.empty()) sections = {dim.size};
  dim.size /= tensor_;
  std::vector<graph::Sharding> shardings;
  if (tensor_ > 1) shardings = {{{Axis::tensor}, dimension, std::move(sections)}};
  const bool decay = initializer.kind == Initializer::Kind::normal;
  return builder_.parameter(name, std::move(shape), config_.dtype,
                            {.initializer = initializer,
                             .logical_rows = logical_rows,
                             .decay = decay,
                             .shardings = std::move(shardings),
                             .summed_over = of_rows(),
                             .tied = tied,
                             .rule = rule_of_weights()});
}

TensorId GptBuilder::vocabulary_table(const std::string& name, bool tied) {
  return sharded(name, {vocabulary_, config_.hidden_size}, normal(config_.init_method_std), 0, {},
                 config_.vocab_size, tied);
}

TensorId GptBuilder::vector(const std::string& name, std::int64_t size, Initializer::Kind kind) {
  return builder_.parameter(name, {size}, config_.dtype,
                            {.initializer = {kind, 0},
                             .decay = false,
                             .summed_over = of_shares(),
                             .rule = rule_of_weights()});
}

graph::Attributes GptBuilder::precision() const {
  if (config_.fp8 == Fp8Format::none) return {};
  return {{attribute::fp8, std::int64_t{1}}};
}

TensorId GptBuilder::linear(const std::string& path, TensorId rows, TensorId weight, TensorId bias,
                            graph::Attributes attributes) {
  if (shape_.mode == Mode::decode) attributes.set(attribute::separate_rows, std::int64_t{1});
  return builder_.emit_for(
      graph::linear::output, graph::linear_op(), path,
      {{graph::linear::input, rows}, {graph::linear::weight, weight}, {graph::linear::bias, bias}},
      std::move(attributes));
}

TensorId GptBuilder::column_linear(const std::string& name, const std::string& path, TensorId rows,
                                   std::int64_t inputs, const std::vector<std::int64_t>& sections,
                                   bool has_bias) {
  std::int64_t outputs = 0;
  for (const std::int64_t section : sections) outputs += section;
  const TensorId w =
      sharded(name + ".weight", {outputs, inputs}, normal(config_.init_method_std), 0, sections);
  const TensorId bias =
      has_bias ? sharded(name + ".bias", {outputs}, {Initializer::Kind::zeros, 0}, 0, sections)
               : kNoTensor;
  const TensorId y = linear(path, rows, w, bias, precision());
  return add_column_adapter(name, path, rows, y, sections);
}

TensorId GptBuilder::whole_linear(const std::string& name, const std::string& path, TensorId rows,
                                  std::int64_t outputs, std::int64_t inputs, double stddev) {
  const TensorId weight = builder_.parameter(
      name + ".weight", {outputs, inputs}, config_.dtype,
      {.initializer = normal(stddev), .summed_over = of_shares(), .rule = rule_of_weights()});
  const TensorId y = linear(path, rows, weight, kNoTensor, precision());
  return adapted(path, rows, y, whole_adapter(name, outputs, inputs));
}

GptBuilder::RowLinear GptBuilder::row_linear(const std::string& name, const std::string& path,
                                             TensorId x, std::int64_t inputs, std::int64_t outputs,
                                             double stddev) {
  const TensorId w = sharded(name + ".weight", {outputs, inputs}, normal(stddev), 1);
  const TensorId bias = config_.add_bias_linear
                            ? vector(name + ".bias", outputs, Initializer::Kind::zeros)
                            : kNoTensor;
  const TensorId y = linear(path, x, w, tensor_ == 1 ? bias : kNoTensor, precision());
  return {add_row_adapter(name, path, x, y, inputs, outputs), tensor_ == 1 ? kNoTensor : bias,
          path};
}

TensorId GptBuilder::finish_row_linear(const std::string& path, TensorId partial,
                                       std::initializer_list<const RowLinear*> linears) {
  TensorId x = in_8_bits(builder_.reduce_scatter(path + "/reduce_scatter", partial, Axis::tensor),
                         fp8_sums_);
  for (const RowLinear* linear : linears) {
    if (linear->bias == kNoTensor) continue;
    x = builder_.emit_for(graph::add_bias::output, graph::add_bias_op(), linear->path + "/bias",
                          {{graph::add_bias::input, x}, {graph::add_bias::bias, linear->bias}});
  }
  return x;
}

TensorId GptBuilder::finish_row_linear(const std::string& path, const RowLinear& linear) {
  return finish_row_linear(path, linear.partial, {&linear});
}

TensorId GptBuilder::norm_weight(const std::string& name, std::int64_t size) {
  return vector(name, size, kind_of_norm_weights());
}

Initializer::Kind GptBuilder::kind_of_norm_weights() const {
  return config_.layernorm_zero_centered_gamma ? Initializer::Kind::zeros : Initializer::Kind::ones;
}

void GptBuilder::set_norm_attributes(graph::Attributes& attributes) const {
  attributes.set(attribute::epsilon, config_.norm_epsilon);
  if (config_.layernorm_zero_centered_gamma) attributes.set(attribute::gamma_offset, 1.0);
}

TensorId GptBuilder::norm(const std::string& name, const std::string& path, TensorId x) {
  return norm(name, path, x, config_.hidden_size);
}

TensorId GptBuilder::norm(const std::string& name, const std::string& path, TensorId x,
                          std::int64_t width) {
  graph::Attributes attributes;
  set_norm_attributes(attributes);
  const bool centred = config_.normalization == Normalization::layer_norm;
  const TensorId gamma = norm_weight(name + ".weight", width);
  const TensorId beta =
      centred ? vector(name + ".bias", width, Initializer::Kind::zeros) : kNoTensor;
  if (!fused_norm_) return unfused_norm(path, x, gamma, beta, attributes);
  if (!centred) {
    return builder_.emit_for(graph::rms_norm::output, graph::rms_norm_op(), path,
                             {{graph::rms_norm::input, x}, {graph::rms_norm::gamma, gamma}},
                             attributes);
  }
  return builder_.emit_for(graph::layer_norm::output, graph::layer_norm_op(), path,
                           {{graph::layer_norm::input, x},
                            {graph::layer_norm::gamma, gamma},
                            {graph::layer_norm::beta, beta}},
                           attributes);
}

TensorId GptBuilder::unfused_norm(const std::string& path, TensorId x, TensorId gamma,
                                  TensorId beta, const graph::Attributes& attributes) {
  if (beta != kNoTensor) {
    const TensorId mean = builder_.emit_for(graph::norm_mean::mean, graph::norm_mean_op(),
                                            path + "/mean", {{graph::norm_mean::input, x}});
    x = builder_.emit_for(graph::norm_centre::centred, graph::norm_centre_op(), path + "/centre",
                          {{graph::norm_centre::input, x}, {graph::norm_centre::mean, mean}});
  }
  const TensorId rstd =
      builder_.emit_for(graph::norm_rstd::rstd, graph::norm_rstd_op(), path + "/rstd",
                        {{graph::norm_rstd::centred, x}}, attributes);
  const TensorId normalised = builder_.emit_for(
      graph::norm_normalise::normalised, graph::norm_normalise_op(), path + "/normalise",
      {{graph::norm_normalise::centred, x}, {graph::norm_normalise::rstd, rstd}},
      {{attribute::centred, std::int64_t{beta != kNoTensor}}});
  return builder_.emit_for(graph::norm_scale::output, graph::norm_scale_op(), path,
                           {{graph::norm_scale::normalised, normalised},
                            {graph::norm_scale::gamma, gamma},
                            {graph::norm_scale::beta, beta}});
}

graph::Attributes GptBuilder::draws(double rate, const std::string& name) const {
  if (rate == 0) return {};
  const std::string purpose = "dropout of " + name;
  const std::uint64_t stream = digest64(std::as_bytes(std::span(purpose)));
  return {{attribute::rate, rate},
          {attribute::sequence, config_.seq_length},
          {attribute::seed, seed_},
          {attribute::stream, static_cast<std::int64_t>(stream)}};
}

TensorId GptBuilder::samples_for(const graph::Attributes& draws) {
  if (draws.values().empty()) return kNoTensor;
  if (samples_ == kNoTensor) {
    samples_ =
        builder_.batch_input(graph::BatchField::samples, {graph::Dim(shape_.micro_batch_size)});
  }
  return samples_;
}

TensorId GptBuilder::dropout(const std::string& name, const std::string& path, TensorId x) {
  const graph::Attributes drawn =
      is_training() ? draws(config_.hidden_dropout, name) : graph::Attributes();
  if (drawn.values().empty()) return x;
  return builder_.emit_for(
      graph::dropout::output, graph::dropout_op(), path,
      {{graph::dropout::input, x}, {graph::dropout::samples, samples_for(drawn)}}, drawn);
}

TensorId GptBuilder::add(const std::string& path, TensorId a, TensorId b) {
  return builder_.emit_for(graph::add::output, graph::add_op(), path,
                           {{graph::add::a, a}, {graph::add::b, b}});
}

TensorId GptBuilder::gather(const std::string& path, TensorId x) {
  return builder_.all_gather(path + "/all_gather", x, Axis::tensor);
}

}  // namespace megascale::model
