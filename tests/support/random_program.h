#ifndef MEGASCALE_TESTS_SUPPORT_RANDOM_PROGRAM_H_
#define MEGASCALE_TESTS_SUPPORT_RANDOM_PROGRAM_H_

#include <fmt/format.h>

#include <random>

#include "megascale/graph/builder.h"
#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::testing {

// A differentiated program of random ops on [tokens, channels]: tensors with several consumers, the
// same tensor twice in one op, weights that are used twice, every kind that may work in place.
// Every activation reaches the loss.
class RandomProgram {
 public:
  static constexpr std::int64_t kTokens = 6, kChannels = 8, kVocabulary = 16;

  explicit RandomProgram(std::uint64_t seed) : engine_(seed), builder_(program_, {}) {}

  graph::Program write() {
    const auto tokens = builder_.external("tokens", {kTokens}, DType::int32, graph::Role::batch);
    const auto targets = builder_.external("targets", {kTokens}, DType::int32, graph::Role::batch);
    builder_.set_scope("embedding");
    const auto table = weight("embedding", {kVocabulary, kChannels});
    push(builder_.emit_for(graph::embedding::output, graph::embedding_op(), "word",
                           {{graph::embedding::table, table}, {graph::embedding::tokens, tokens}}));
    const std::uint32_t ops = 3 + below(12);
    for (std::uint32_t i = 0; i < ops; ++i) {
      if (below(3) == 0) builder_.set_scope(fmt::format("layer{}", i));
      push(random_op(fmt::format("op{}", i)));
    }
    builder_.set_scope("end");
    graph::TensorId x = activations_[0];
    for (std::size_t i = 1; i < activations_.size(); ++i) {
      if (!used_[i] || below(4) == 0)
        x = builder_.emit_for(graph::add::output, graph::add_op(), fmt::format("collect{}", i),
                              {{graph::add::a, x}, {graph::add::b, activations_[i]}});
    }
    x = builder_.emit_for(
        graph::rms_norm::output, graph::rms_norm_op(), "norm",
        {{graph::rms_norm::input, x}, {graph::rms_norm::gamma, vector("end.norm")}}, epsilon());
    builder_.begin_loss();
    builder_.set_scope("head");
    const auto head = below(2) == 0 ? table : weight("head", {kVocabulary, kChannels});
    const auto logits =
        builder_.emit_for(graph::linear::output, graph::linear_op(), "logits",
                          {{graph::linear::input, x}, {graph::linear::weight, head}});
    const graph::Attributes attributes{{"valid_vocabulary", kVocabulary - 2},
                                       {"gradient", std::int64_t{1}}};
    const auto stats = builder_.emit_for(
        graph::logit_stats::stats, graph::logit_stats_op(), "logit_stats",
        {{graph::logit_stats::logits, logits}, {graph::logit_stats::targets, targets}}, attributes);
    builder_.emit(graph::cross_entropy_op(), "cross_entropy",
                  {{graph::cross_entropy::logits, logits},
                   {graph::cross_entropy::stats, stats},
                   {graph::cross_entropy::targets, targets}},
                  attributes);
    graph::differentiate(program_);
    return std::move(program_);
  }

 private:
  std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(engine_() % n); }
  static graph::Attributes epsilon() { return {{"epsilon", 1e-5}}; }
  void push(graph::TensorId tensor) {
    activations_.push_back(tensor);
    used_.push_back(false);
  }
  graph::TensorId pick() {
    const std::uint32_t i = below(activations_.size());
    used_[i] = true;
    return activations_[i];
  }
  graph::TensorId weight(const std::string& name, graph::Shape shape) {
    return builder_.parameter(name + ".weight", std::move(shape), DType::float32,
                              {.initializer = {graph::Initializer::Kind::normal, 0.4}});
  }
  graph::TensorId vector(const std::string& name) {
    return builder_.parameter(name + ".vector", {kChannels}, DType::float32,
                              {.initializer = {graph::Initializer::Kind::ones, 0}, .decay = false});
  }

  graph::TensorId random_op(const std::string& name) {
    switch (below(7)) {
      case 0:
        return builder_.emit_for(graph::gelu::output, graph::gelu_op(), name,
                                 {{graph::gelu::input, pick()}});
      case 1:
        return builder_.emit_for(graph::add::output, graph::add_op(), name,
                                 {{graph::add::a, pick()}, {graph::add::b, pick()}});
      case 2: {  // the same tensor twice
        const auto x = pick();
        return builder_.emit_for(graph::add::output, graph::add_op(), name,
                                 {{graph::add::a, x}, {graph::add::b, x}});
      }
      case 3: {
        const auto beta = vector(name + ".beta"), gamma = vector(name + ".gamma");
        return builder_.emit_for(graph::layer_norm::output, graph::layer_norm_op(), name,
                                 {{graph::layer_norm::input, pick()},
                                  {graph::layer_norm::gamma, gamma},
                                  {graph::layer_norm::beta, beta}},
                                 epsilon());
      }
      case 4:
        return builder_.emit_for(
            graph::rms_norm::output, graph::rms_norm_op(), name,
            {{graph::rms_norm::input, pick()}, {graph::rms_norm::gamma, vector(name)}}, epsilon());
      case 5: {
        const auto wide =
            builder_.emit_for(graph::linear::output, graph::linear_op(), name + "/wide",
                              {{graph::linear::input, pick()},
                               {graph::linear::weight, weight(name, {2 * kChannels, kChannels})}});
        return builder_.emit_for(graph::swiglu::output, graph::swiglu_op(), name,
                                 {{graph::swiglu::input, wide}});
      }
      default: {
        if (weights_.empty() || below(3) != 0)
          weights_.push_back(weight(name, {kChannels, kChannels}));
        const auto bias = below(2) == 0 ? vector(name + ".bias") : graph::kNoTensor;
        return builder_.emit_for(graph::linear::output, graph::linear_op(), name,
                                 {{graph::linear::input, pick()},
                                  {graph::linear::weight, weights_[below(weights_.size())]},
                                  {graph::linear::bias, bias}});
      }
    }
  }

  std::mt19937_64 engine_;
  graph::Program program_;
  graph::Builder builder_;
  std::vector<graph::TensorId> activations_, weights_;
  std::vector<bool> used_;
};

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_SUPPORT_RANDOM_PROGRAM_H_
