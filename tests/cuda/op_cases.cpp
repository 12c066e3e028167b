// One function for each group of op kinds, and the lists of all cases.
#include "cuda/op_cases.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "megascale/base/philox.h"
#include "megascale/base/step_numbers.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/graph/rope_scaling.h"
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

OpCase layer_norm_gradient_case(const NormSetting& s) {
  const auto [n, c, first, addend] = s;
  const OperandOf sum = first ? output32({c}) : input32({c});
  return {"layer_norm_gradient",
          &graph::layer_norm_gradient_op(),
          {input({n, c}), input({n, c}), input({c}), input32({n}, 0.1), input32({n}),
           addend ? input({n, c}) : absent(), output({n, c}), sum, sum},
          {{"epsilon", 1e-5}},
          {},
          {},
          {},
          first};
}

// The columns of rank `rank` of `ranks`, v each.
OpCase stats_case(OperandOf logits, OperandOf targets, std::int64_t valid, std::uint32_t rank,
                  std::int64_t ranks) {
  OpCase stats{"logit_stats",
               &graph::logit_stats_op(),
               {logits, targets, output32({logits.shape[0], 3})},
               {{"valid_vocabulary", valid}, {"ranks", ranks}, {"gradient", std::int64_t{1}}}};
  stats.axes[graph::Axis::tensor] = ranks;
  stats.coordinates[static_cast<std::size_t>(graph::Axis::tensor)] = rank;
  return stats;
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
  }
  return cases;
}

// With 8-bit operands, against the CPU's products of what was not rounded.
std::vector<OpCase> fp8_cases() {
  std::vector<OpCase> cases;
  const std::int64_t n = 48, i = 80, o = 112;
  const auto add = [&](OpCase op) {
    op.attributes.set("fp8", std::int64_t{1});
    op.only_bfloat16 = true;
    cases.push_back(std::move(op));
  };
  add({"linear fp8",
       &graph::linear_op(),
       {input({n, i}), input({o, i}, 0.02), input({o}), output({n, o})}});
  add({"linear and add fp8",
       &graph::linear_add_op(),
       {input({n, i}), input({o, i}, 0.02), input({o}), input({n, o}), output({n, o})}});
  add({"input gradient fp8",
       &graph::linear_input_gradient_op(),
       {input({n, o}, 1e-6), input({o, i}), absent(), output({n, i})}});
  add({"weight gradient fp8",
       &graph::linear_weight_gradient_op(),
       {input({n, o}, 1e-6), input({n, i}), output32({o, i}), output32({o})}});
  OpCase more{"weight gradient fp8 added",
              &graph::linear_weight_gradient_op(),
              {input({n, o}), input({n, i}), input32({o, i}), input32({o})}};
  more.first = false;
  add(std::move(more));
  return cases;
}

OpCase rms_norm_gradient(const NormSetting& s) {
  const auto [n, c, first, addend] = s;
  return {"rms_norm_gradient",
          &graph::rms_norm_gradient_op(),
          {input({n, c}), input({n, c}), input({c}), input32({n}),
           addend ? input({n, c}) : absent(), output({n, c}), first ? output32({c}) : input32({c})},
          {{"epsilon", 1e-5}},
          {},
          {},
          {},
          first};
}

struct HeadNormSetting {
  std::int64_t tokens, heads, groups, size;
  bool first = true, in_place = false;
};
OpCase head_norm(const HeadNormSetting& s) {
  const std::int64_t row = (s.heads + 2 * s.groups) * s.size;
  OpCase op{"head_norm",
            &graph::head_norm_op(),
            {input({s.tokens, row}), input({s.size}), input({s.size}), output({s.tokens, row}),
             output32({s.tokens, s.heads + s.groups})},
            {{"heads", s.heads}, {"groups", s.groups}, {"head_dim", s.size}, {"epsilon", 1e-6}}};
  if (s.in_place) op.alias = {{graph::head_norm::output, graph::head_norm::input}};
  return op;
}
OpCase head_norm_gradient(const HeadNormSetting& s) {
  const std::int64_t row = (s.heads + 2 * s.groups) * s.size;
  const OperandOf sum = s.first ? output32({s.size}) : input32({s.size});
  OpCase op{"head_norm_gradient",
            &graph::head_norm_gradient_op(),
            {input({s.tokens, row}), input({s.tokens, row}), input({s.size}), input({s.size}),
             input32({s.tokens, s.heads + s.groups}), output({s.tokens, row}), sum, sum},
            {{"heads", s.heads}, {"groups", s.groups}, {"head_dim", s.size}, {"epsilon", 1e-6}},
            {},
            {},
            {},
            s.first};
  if (s.in_place)
    op.alias = {{graph::head_norm_gradient::input_gradient, graph::head_norm_gradient::gradient}};
  return op;
}

std::vector<OpCase> norm_cases() {
  std::vector<OpCase> cases;
  const graph::Attributes epsilon{{"epsilon", 1e-5}};
  // Packs of a row: for one, two and four per thread, and for more; whole packs and single
  // elements. Rows: fewer than the gradient has blocks, and several for each block.
  for (const auto [n, c] : {std::array<std::int64_t, 2>{5, 24},
                            {1060, 13},
                            {3, 1600},
                            {1, 8},
                            {530, 40},
                            {2, 501},
                            {3, 999},
                            {2, 1203},
                            {2, 3000},
                            {3, 8200}}) {
    cases.push_back(
        {"layer_norm",
         &graph::layer_norm_op(),
         {input({n, c}), input({c}), input({c}), output({n, c}), output32({n}), output32({n})},
         epsilon});
    cases.push_back({"rms_norm",
                     &graph::rms_norm_op(),
                     {input({n, c}), input({c}), output({n, c}), output32({n})},
                     epsilon});
    for (const bool first : {true, false}) {
      cases.push_back(layer_norm_gradient_case({n, c, first, n % 2 == 0 ? first : !first}));
      cases.push_back(rms_norm_gradient({n, c, first, n % 2 == 0 ? first : !first}));
    }
  }
  // The result in the place of dy, x and the addend.
  for (const auto [n, c] : {std::array<std::int64_t, 2>{530, 40}, {2, 1203}}) {
    for (const std::size_t place : {0, 1, 5}) {
      cases.push_back(layer_norm_gradient_case({n, c, true, true}));
      cases.back().alias = {{6, place}};
    }
  }
  for (const bool in_place : {false, true}) {
    for (const auto [n, heads, groups, size] : {std::array<std::int64_t, 4>{5, 4, 2, 16},
                                                {3, 3, 3, 5},
                                                {1061, 2, 1, 64},
                                                {2, 1, 1, 300}}) {
      cases.push_back(head_norm({n, heads, groups, size, true, in_place}));
      cases.push_back(head_norm_gradient({n, heads, groups, size, n % 2 == 0, in_place}));
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
    cases.push_back({"add", &graph::add_op(), {input({n, c}), input({n, c}), output({n, c})}});
    cases.push_back(
        {"scale", &graph::scale_op(), {input({n, c}), output({n, c})}, {{graph::attribute::scale, 0.75}}});
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
  return cases;
}

std::vector<OpCase> rope_cases() {
  std::vector<OpCase> cases;
  for (const auto kind : {graph::RopeScalingKind::llama3, graph::RopeScalingKind::linear,
                          graph::RopeScalingKind::yarn}) {
    cases.push_back({"rope_table with scaled frequencies",
                     &graph::rope_table_op(),
                     {output32({600, 64})},
                     {{"positions", std::int64_t{600}},
                      {"head_dim", std::int64_t{64}},
                      {"base", 1e4},
                      {"scaling", static_cast<std::int64_t>(kind)},
                      {"scaling_factor", 8.0},
                      {"low_turns", 1.0},
                      {"high_turns", 4.0},
                      {"original_positions", std::int64_t{128}}}});
  }
  for (const auto [heads, groups, size] :
       {std::array<std::int64_t, 3>{4, 2, 16}, {3, 3, 6}, {2, 1, 64}}) {
    const std::int64_t row = (heads + 2 * groups) * size;
    const graph::Attributes shape{{"heads", heads}, {"groups", groups}, {"head_dim", size}};
    cases.push_back({"rope_table",
                     &graph::rope_table_op(),
                     {output32({50, size})},
                     {{"positions", std::int64_t{50}}, {"head_dim", size}, {"base", 1e4}}});
    for (const graph::OpDef* def : std::initializer_list<const graph::OpDef*>{
             &graph::rope_op(), &graph::rope_gradient_op()}) {
      cases.push_back({std::string(def->name),
                       def,
                       {input({9, row}), numbers(9, 50), input32({50, size}), output({9, row})},
                       shape});
    }
  }
  return cases;
}

struct AttentionSetting {
  std::int64_t batch, sequence, heads, groups, size, window;
  bool segments;
};
void add_attention(const AttentionSetting& s, std::vector<OpCase>& cases) {
  const std::int64_t n = s.batch * s.sequence, row = (s.heads + 2 * s.groups) * s.size;
  const graph::Attributes shape{{"heads", s.heads},
                                {"groups", s.groups},
                                {"head_dim", s.size},
                                {"sequence", s.sequence},
                                {"window", s.window}};
  OperandOf segments = absent();
  if (s.segments) {
    segments = {{Dim(n)}, DType::int32};
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t segment = i / 11;
      segments.values.push_back(static_cast<double>(segment));
    }
  }
  OpCase forward{"attention",
                 &graph::attention_op(),
                 {input({n, row}), segments, absent(), output({n, s.heads * s.size}),
                  output32({s.batch, s.heads, s.sequence})},
                 shape};
  cases.push_back(forward);
  // The backward reads what a forward left: the CPU's, rounded as the device would have it.
  const OpResult result = run_on_cpu(forward, DType::bfloat16);
  OperandOf o = output({n, s.heads * s.size}), lse = output32({s.batch, s.heads, s.sequence});
  o.values = result.operands[graph::attention::output];
  lse.values = result.operands[graph::attention::logsumexp];
  OperandOf qkv = forward.operands[graph::attention::qkv];
  // Exact in both storage types.
  qkv.values = result.operands[graph::attention::qkv];
  cases.push_back({"attention_gradient",
                   &graph::attention_gradient_op(),
                   {input({n, s.heads * s.size}), qkv, segments, absent(), o, lse, output({n, row})},
                   shape});
}
std::vector<OpCase> attention_cases() {
  std::vector<OpCase> cases;
  for (const AttentionSetting& s : {AttentionSetting{2, 40, 4, 2, 8, 0, false},
                                    {1, 70, 2, 2, 64, 0, false},
                                    {1, 100, 3, 1, 16, 37, false},
                                    {2, 65, 2, 1, 128, 0, true},
                                    {1, 33, 1, 1, 40, 5, true},
                                    {1, 128, 4, 4, 64, 0, false}})
    add_attention(s, cases);
  return cases;
}

// Of rank `rank`, with the statistics that the CPU finds.
OpCase loss_case(const std::vector<OpCase>& stats, std::size_t rank) {
  namespace logit_stats = graph::logit_stats;
  OpCase loss = stats[rank];
  OperandOf logits = loss.operands[logit_stats::logits];
  loss.name = "cross_entropy";
  loss.def = &graph::cross_entropy_op();
  const auto rows =
      static_cast<std::int64_t>(loss.operands[logit_stats::targets].values.size() * stats.size());
  OperandOf of_stats = output32({rows, 3});
  for (const OpCase& one : stats) {
    const OpResult found = run_on_cpu(one, DType::bfloat16);
    const auto& of_rank = found.operands[logit_stats::stats];
    of_stats.values.insert(of_stats.values.end(), of_rank.begin(), of_rank.end());
    // Exact in both storage types.
    if (&one == &stats[rank]) logits.values = found.operands[logit_stats::logits];
  }
  loss.operands = {logits,
                   of_stats,
                   loss.operands[logit_stats::targets],
                   output(logits.shape),
                   {{Dim(2)}, DType::float64},
                   absent()};
  loss.alias = {{graph::cross_entropy::gradient, graph::cross_entropy::logits}};
  return loss;
}

std::vector<OpCase> loss_cases() {
  std::vector<OpCase> cases;
  // The last two have several batches of packs for a thread, of whole packs and of single elements.
  for (const auto [n, v, valid] : {std::array<std::int64_t, 3>{37, 48, 45},
                                   {3, 1000, 1000},
                                   {5, 13, 11},
                                   {3, 20000, 19989},
                                   {2, 1501, 1500}}) {
    OperandOf targets = numbers(n, static_cast<std::uint64_t>(valid));
    targets.values[1] = -1;
    targets.values[0] = static_cast<double>(valid - 1);
    cases.push_back(stats_case(input({n, v}, v == 1501 ? 30 : 3), targets, valid));
    cases.push_back(loss_case({cases.back()}, 0));
  }
  // Three ranks: whole, padded, padding only.
  const OperandOf targets = numbers(20, 80);
  std::vector<OpCase> ranks;
  for (const std::uint32_t rank : {0, 1, 2})
    ranks.push_back(stats_case(input({20, 48}, 3), targets, 80, rank, 3));
  for (const std::size_t rank : {0, 1, 2}) {
    cases.push_back(ranks[rank]);
    cases.push_back(loss_case(ranks, rank));
  }
  return cases;
}

std::vector<OpCase> exchange_cases() {
  std::vector<OpCase> cases;
  for (const auto [heads, groups, ranks] :
       {std::array<std::int64_t, 3>{8, 4, 2}, {8, 2, 4}, {4, 0, 2}, {6, 3, 3}}) {
    constexpr std::int64_t kSize = 8, kTokens = 5;
    const std::int64_t shared = groups == 0 ? 0 : std::max<std::int64_t>(groups / ranks, 1);
    const Shape rows{kTokens, (heads + 2 * groups) * kSize},
        blocks{ranks * kTokens, (heads / ranks + 2 * shared) * kSize};
    const graph::Attributes attributes{
        {"heads", heads}, {"groups", groups}, {"head_dim", kSize}, {"ranks", ranks}};
    cases.push_back(
        {"split_heads", &graph::split_heads_op(), {input(rows), output(blocks)}, attributes});
    cases.push_back(
        {"join_heads", &graph::join_heads_op(), {input(blocks), output(rows)}, attributes});
  }
  const std::int64_t tokens = std::int64_t{3} * 12;
  for (const graph::OpDef* def : std::initializer_list<const graph::OpDef*>{
           &graph::split_sequences_op(), &graph::join_sequences_op()}) {
    cases.push_back({std::string(def->name),
                     def,
                     {input({tokens, 10}), output({tokens, 10})},
                     {{"sequence", std::int64_t{12}}, {"ranks", std::int64_t{4}}}});
  }
  return cases;
}

// Flat ranges: two tensors, padding behind both, the second shard of two.
constexpr std::int64_t kFlat = std::int64_t{4} * 4096;
std::vector<graph::FlatSegment> flat_segments() {
  return {{.begin = 0, .count = 3 * 4096 - 5, .parameter = 1, .decay = true},
          {.begin = std::int64_t{3} * 4096, .count = 4096 * 4 + 9, .parameter = 0, .decay = false}};
}
OperandOf doubles(std::vector<double> values) {
  return {{Dim(static_cast<std::int64_t>(values.size()))}, DType::float64, std::move(values)};
}
// UpdateScalars as eight 8-byte numbers; the sixth and the seventh are integers.
OperandOf scalars(bool skip) {
  std::vector<double> values{1.5, 100, 2.5, 0.01, 1e-3, 0, 0, 0};
  values[5] = std::bit_cast<double>(std::int64_t{3});
  values[6] = std::bit_cast<double>(std::int64_t{skip ? 1 : 0});
  return doubles(std::move(values));
}
OperandOf flat(double stddev, bool positive = false) {
  OperandOf operand = input32({kFlat}, stddev);
  if (positive) {
    for (double& value : operand.values) value = std::abs(value);
  }
  return operand;
}

std::vector<OpCase> optimizer_cases() {
  std::vector<OpCase> cases;
  graph::AxisSizes axes;
  axes[graph::Axis::data] = 2;
  graph::Coordinates second{};
  second[static_cast<std::size_t>(graph::Axis::data)] = 1;
  const graph::Attributes adam{
      {"beta1", 0.9},
      {"beta2", 0.95},
      {"epsilon", 1e-8},
      {"weight_decay", 0.1},
      {"shards", std::int64_t{2}},
      {"shard_axes", std::int64_t{graph::AxisSet{graph::Axis::data}.bits()}}};
  const auto add = [&](OpCase op) {
    op.segments = flat_segments();
    op.axes = axes;
    op.coordinates = second;
    cases.push_back(std::move(op));
  };
  add({"gradient_blocks", &graph::gradient_blocks_op(), {flat(1), {{Dim(4)}, DType::float64}}});
  for (const std::int64_t count : {4096 + 7, 5}) {
    add({"gradient_blocks",
         &graph::gradient_blocks_op(),
         {input32({count}), {{Dim((count + 4095) / 4096)}, DType::float64}}});
  }
  add({"add_main_gradient", &graph::add_main_gradient_op(), {flat(1), flat(1)}});
  add({"parameter_norms",
       &graph::parameter_norms_op(),
       {doubles({1, 2, 3, 4, 5, 6, 7, 8}), {{Dim(3)}, DType::float64}, absent(), absent()}});
  add({"parameter_norms with a stop request",
       &graph::parameter_norms_op(),
       {doubles({1, 2, 3, 4, 5, 6, 7, 8}),
        {{Dim(3)}, DType::float64},
        doubles({0, 1e-3, 1}),
        {{Dim(1)}, DType::float64}}});
  for (const bool skip : {false, true}) {
    add({"adamw",
         &graph::adamw_op(),
         {flat(1), flat(1), flat(0.1), flat(0.01, true), scalars(skip), absent()},
         adam});
    add({"lamb_direction",
         &graph::lamb_direction_op(),
         {flat(1), flat(1), flat(0.1), flat(0.01, true), scalars(skip), doubles({0, 0, 0, 0}),
          doubles({0, 0, 0, 0})},
         adam});
    add({"lamb_apply",
         &graph::lamb_apply_op(),
         {flat(1), flat(1), scalars(skip), doubles({4, 9}), doubles({1, 25}), absent()},
         adam});
  }
  for (const double loss : {12.5, double{NAN}}) {
    StepNumbers step{.step = 7, .learning_rate = 1e-3};
    UpdateState state{.updates = 5, .skipped = 2};
    const auto integer = [](std::int64_t value) { return std::bit_cast<double>(value); };
    cases.push_back({"gradient_norm",
                     &graph::gradient_norm_op(),
                     {doubles({4, 9, 25}),
                      // Two ranks of two micro-batches; the second was asked to stop.
                      doubles({loss, 30, 1.5, 20, 0, 2.5, 10, 3.5, 40, 1}),
                      doubles({integer(step.step), step.learning_rate, step.votes}),
                      doubles({integer(state.updates), integer(state.skipped)}),
                      {{Dim(8)}, DType::float64}},
                     {{"clip_norm", 0.1}, {"micro_batches", std::int64_t{2}}},
                     {{.begin = 0, .count = 1}}});
  }
  return cases;
}

}  // namespace

std::vector<OpCase> all_cases() {
  std::vector<OpCase> cases;
  next_seed = 1;
  for (const auto& some :
       {linear_cases(), fp8_cases(), norm_cases(), elementwise_cases(), embedding_cases(),
        rope_cases(), attention_cases(), loss_cases(), exchange_cases(), optimizer_cases()}) {
    cases.insert(cases.end(), some.begin(), some.end());
  }
  return cases;
}

// The widths of GPT-2 1.5B and of Llama 3 8B: products, norms, attention and the loss run other code
// for them than for small ones. An emulated device has time for a few rows.
#ifdef MEGASCALE_EMULATE_CUDA
constexpr std::int64_t kRealRows = 4, kRealSequence = 16;
#else
constexpr std::int64_t kRealRows = 1024, kRealSequence = 1024;
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
