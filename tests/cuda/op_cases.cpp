// Linear layers, element-wise ops and embeddings, and the lists of all cases.
#include <array>
#include <utility>

#include "cuda/op_groups.h"
#include "megascale/base/philox.h"
#include "megascale/graph/ops/ops.h"
#include "support/close.h"

namespace megascale::testing {

using graph::Dim;
using graph::Shape;

namespace {

std::uint64_t next_seed = 1;
std::vector<double> random_values(const Shape& shape, double stddev = 1.0) {
  const auto floats = normal(static_cast<std::size_t>(graph::numel(shape)), next_seed++, stddev);
  return {floats.begin(), floats.end()};
}

}  // namespace

OperandOf input(Shape shape, double stddev) {
  auto values = random_values(shape, stddev);
  return {std::move(shape), std::nullopt, std::move(values)};
}
OperandOf input32(Shape shape, double stddev) {
  auto values = random_values(shape, stddev);
  return {std::move(shape), DType::float32, std::move(values)};
}
OperandOf output(Shape shape) { return {std::move(shape), std::nullopt}; }
OperandOf output32(Shape shape) { return {std::move(shape), DType::float32}; }
OperandOf absent() { return {}; }
// Whole numbers in [0, most).
OperandOf numbers(std::int64_t count, std::uint64_t most) {
  const PhiloxStream random(next_seed++, "numbers");
  OperandOf operand{{Dim(count)}, DType::int32};
  for (std::int64_t i = 0; i < count; ++i)
    operand.values.push_back(
        static_cast<double>(random.bits(static_cast<std::uint64_t>(i)) % most));
  return operand;
}

OperandOf integers(std::vector<double> values) {
  return {{Dim(static_cast<std::int64_t>(values.size()))}, DType::int64, std::move(values)};
}

namespace {

std::vector<OpCase> linear_cases() {
  std::vector<OpCase> cases;
  for (const auto [n, i, o] : {std::array<std::int64_t, 3>{33, 24, 40}, {1, 8, 8}, {128, 64, 16}}) {
    cases.push_back({"linear",
                     &graph::linear_op(),
                     {input({n, i}), input({o, i}), input({o}), output({n, o})}});
    cases.push_back({"linear without bias",
                     &graph::linear_op(),
                     {input({n, i}), input({o, i}), absent(), output({n, o})}});
    cases.push_back({"input gradient",
                     &graph::linear_input_gradient_op(),
                     {input({n, o}), input({o, i}), absent(), output({n, i})}});
    cases.push_back({"input gradient added in place",
                     &graph::linear_input_gradient_op(),
                     {input({n, o}), input({o, i}), input({n, i}), output({n, i})},
                     {},
                     {},
                     {},
                     {},
                     true,
                     {{3, 2}}});
    cases.push_back({"weight gradient",
                     &graph::linear_weight_gradient_op(),
                     {input({n, o}), input({n, i}), output32({o, i}), output32({o})}});
    for (const bool bias : {true, false}) {
      cases.push_back({"linear and add",
                       &graph::linear_add_op(),
                       {input({n, i}), input({o, i}), bias ? input({o}) : absent(), input({n, o}),
                        output({n, o})}});
      cases.push_back({"linear and gelu",
                       &graph::linear_gelu_op(),
                       {input({n, i}), input({o, i}), bias ? input({o}) : absent(), output({n, o}),
                        output({n, o})}});
      cases.back().only_bfloat16 = true;
    }
    cases.push_back({"input gradient through gelu",
                     &graph::linear_gelu_gradient_op(),
                     {input({n, o}), input({o, i}), input({n, i}), output({n, i})}});
    cases.back().only_bfloat16 = true;
    OpCase more{"weight gradient added",
                &graph::linear_weight_gradient_op(),
                {input({n, o}), input({n, i}), input32({o, i}), input32({o})}};
    more.first = false;
    cases.push_back(more);
    for (const bool first : {true, false}) {
      const auto sum = [first](Shape shape) { return first ? output32(shape) : input32(shape); };
      OpCase both{"weight gradient and bias gradient in one product",
                  &graph::linear_weight_gradient_op(),
                  {input({n, o}), input({n, i}), sum({o, i}), sum({o})},
                  {{"sums_bias", std::int64_t{1}}}};
      both.first = first;
      both.only_bfloat16 = true;
      cases.push_back(both);
    }
  }
  return cases;
}

std::vector<OpCase> elementwise_cases() {
  std::vector<OpCase> cases;
  for (const auto [n, c] : {std::array<std::int64_t, 2>{7, 24}, {3, 5}, {130, 64}}) {
    cases.push_back({"gelu", &graph::gelu_op(), {input({n, c}, 2), output({n, c})}});
    cases.push_back({"gelu_gradient",
                     &graph::gelu_gradient_op(),
                     {input({n, c}), input({n, c}, 2), output({n, c})}});
    cases.push_back({"swiglu", &graph::swiglu_op(), {input({n, 2 * c}, 2), output({n, c})}});
    cases.push_back({"swiglu_gradient",
                     &graph::swiglu_gradient_op(),
                     {input({n, c}), input({n, 2 * c}, 2), output({n, 2 * c})}});
    cases.push_back({"exact gelu",
                     &graph::gelu_op(),
                     {input({n, c}, 2), output({n, c})},
                     {{graph::attribute::exact, std::int64_t{1}}}});
    cases.push_back({"gradient of exact gelu",
                     &graph::gelu_gradient_op(),
                     {input({n, c}), input({n, c}, 2), output({n, c})},
                     {{graph::attribute::exact, std::int64_t{1}}}});
    cases.push_back({"geglu", &graph::geglu_op(), {input({n, 2 * c}, 2), output({n, c})}});
    cases.push_back({"geglu_gradient",
                     &graph::geglu_gradient_op(),
                     {input({n, c}), input({n, 2 * c}, 2), output({n, 2 * c})}});
    const graph::Attributes cap{{graph::attribute::soft_cap, 3.0}};
    cases.push_back({"soft_cap", &graph::soft_cap_op(), {input({n, c}, 4), output({n, c})}, cap});
    cases.push_back({"soft_cap_gradient",
                     &graph::soft_cap_gradient_op(),
                     {input({n, c}), input({n, c}), output({n, c})},
                     cap});
    cases.push_back({"add", &graph::add_op(), {input({n, c}), input({n, c}), output({n, c})}});
    cases.push_back({"scale",
                     &graph::scale_op(),
                     {input({n, c}), output({n, c})},
                     {{graph::attribute::scale, 0.75}}});
    cases.push_back(
        {"add_bias", &graph::add_bias_op(), {input({n, c}), input({c}), output({n, c})}});
    cases.push_back({"bias_gradient", &graph::bias_gradient_op(), {input({n, c}), output32({c})}});
    cases.push_back({"sum_blocks", &graph::sum_blocks_op(), {input({3 * n, c}), output({n, c})}});
  }
  // Sums of columns: several blocks of columns, the last one with few; rows that do not share out.
  for (const auto [n, c] :
       {std::array<std::int64_t, 2>{1500, 24}, {700, 520}, {77, 37}, {1100, 70}}) {
    for (const bool first : {true, false}) {
      cases.push_back({"bias_gradient",
                       &graph::bias_gradient_op(),
                       {input({n, c}), first ? output32({c}) : input32({c})}});
      cases.back().first = first;
    }
  }
  return cases;
}

std::vector<OpCase> embedding_cases() {
  std::vector<OpCase> cases;
  constexpr std::int64_t kVocabulary = 70, kPositions = 40;
  for (const auto [tokens, c] : {std::array<std::int64_t, 2>{600, 24}, {600, 300}, {9, 24}}) {
    for (const std::uint32_t place : {0U, 1U}) {
      graph::AxisSizes axes;
      axes[graph::Axis::tensor] = 2;
      graph::Coordinates at{};
      at[static_cast<std::size_t>(graph::Axis::tensor)] = place;
      OpCase forward{
          "embedding",
          &graph::embedding_op(),
          {input({kVocabulary, c}), input({kPositions, c}), numbers(tokens, 2 * kVocabulary),
           numbers(tokens, kPositions), output({tokens, c})}};
      forward.axes = axes;
      forward.coordinates = at;
      cases.push_back(forward);
      for (const bool first : {true, false}) {
        const auto sum = [&, c = c](std::int64_t rows) {
          return first ? output32({rows, c}) : input32({rows, c});
        };
        OpCase gradient{"embedding_gradient",
                        &graph::embedding_gradient_op(),
                        {input({tokens, c}), numbers(tokens, 2 * kVocabulary),
                         numbers(tokens, kPositions), sum(kVocabulary), sum(kPositions)}};
        gradient.axes = axes;
        gradient.coordinates = at;
        gradient.first = first;
        cases.push_back(gradient);
      }
    }
  }
  // A token that is in most places, in a large table; several groups of columns.
  for (const auto [tokens, c, rows] :
       {std::array<std::int64_t, 3>{2500, 8, 70000}, {100, 1032, 300}, {64, 8, 200}}) {
    OperandOf frequent = numbers(tokens, static_cast<std::uint64_t>(rows));
    for (std::size_t n = 0; n < frequent.values.size(); ++n) {
      if (n % 9 != 4) frequent.values[n] = static_cast<double>(rows - 1);
    }
    cases.push_back({"embedding_gradient of a frequent token",
                     &graph::embedding_gradient_op(),
                     {input({tokens, c}), frequent, absent(), output32({rows, c}), absent()}});
  }
  return cases;
}

}  // namespace

std::vector<OpCase> all_cases() {
  std::vector<OpCase> cases;
  next_seed = 1;
  for (const auto& some :
       {linear_cases(), norm_cases(), elementwise_cases(), embedding_cases(), rope_cases(),
        attention_cases(), loss_cases(), exchange_cases(), optimizer_cases(), router_cases(),
        expert_cases(), float8_cases(), preference_cases()}) {
    cases.insert(cases.end(), some.begin(), some.end());
  }
  return cases;
}

// The widths of GPT-2 1.5B and of Llama 3 8B: products, norms, attention and the loss run other code
// for them than for small ones. An emulated device has time for a few rows.
#ifdef MEGASCALE_EMULATE_CUDA
constexpr std::int64_t kRealRows = 4, kRealSequence = 16;
#else
constexpr std::int64_t kRealRows = 256, kRealSequence = 1024;
#endif
std::vector<OpCase> real_cases() {
  std::vector<OpCase> cases;
  next_seed = 1;
  constexpr std::int64_t n = kRealRows;
  struct Layer {
    std::int64_t in, out;
  };
  for (const auto [i, o] : {Layer{1600, 4800}, {6400, 1600}, {4096, 6144}}) {
    const double stddev = 0.02;
    cases.push_back({"linear",
                     &graph::linear_op(),
                     {input({n, i}), input({o, i}, stddev), input({o}), output({n, o})}});
    cases.push_back(
        {"linear and add",
         &graph::linear_add_op(),
         {input({n, i}), input({o, i}, stddev), input({o}), input({n, o}), output({n, o})}});
    cases.push_back({"input gradient",
                     &graph::linear_input_gradient_op(),
                     {input({n, o}), input({o, i}, stddev), absent(), output({n, i})}});
    cases.push_back({"weight gradient",
                     &graph::linear_weight_gradient_op(),
                     {input({n, o}), input({n, i}), output32({o, i}), output32({o})}});
  }
  cases.push_back({"linear and gelu",
                   &graph::linear_gelu_op(),
                   {input({n, 1600}), input({6400, 1600}, 0.02), input({6400}), output({n, 6400}),
                    output({n, 6400})}});
  cases.back().only_bfloat16 = true;
  cases.push_back(
      {"input gradient through gelu",
       &graph::linear_gelu_gradient_op(),
       {input({n, 1600}), input({1600, 6400}, 0.02), input({n, 6400}), output({n, 6400})}});
  cases.back().only_bfloat16 = true;
  cases.push_back(layer_norm_gradient_case({n, 1600}));
  cases.push_back(rms_norm_gradient({n, 4096}));
  cases.push_back({"swiglu", &graph::swiglu_op(), {input({n, 28672}, 2), output({n, 14336})}});
  add_attention({1, kRealSequence, 25, 25, 64, 0, false}, cases);
  add_attention({1, kRealSequence, 32, 8, 128, 0, false}, cases);
  cases.push_back(stats_case(input({n / 4, 50304}, 3), numbers(n / 4, 50257), 50257));
  return cases;
}

}  // namespace megascale::testing
