// Attention, rotary positions, and what goes between ranks around attention.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

#include "cuda/op_groups.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/graph/rope_scaling.h"

namespace megascale::testing {

using graph::Dim;
using graph::Shape;

void add_latent_heads(std::vector<OpCase>& cases) {
  for (const auto [heads, plain, rotated, values] :
       {std::array<std::int64_t, 4>{3, 16, 8, 24}, {2, 5, 6, 7}, {4, 128, 64, 128}}) {
    const std::int64_t head = plain + rotated, row = heads * (2 * head + values);
    const graph::Attributes shape{{"heads", heads}, {"head_dim", head}, {"value_dim", values}};
    cases.push_back(
        {"latent_heads",
         &graph::latent_heads_op(),
         {input({9, heads * head}), input({9, heads * (plain + values)}), input({9, rotated}),
          numbers(9, 50), input32({50, rotated}), output({9, row})},
         shape});
    cases.push_back(
        {"latent_heads_gradient",
         &graph::latent_heads_gradient_op(),
         {input({9, row}), numbers(9, 50), input32({50, rotated}), output({9, heads * head}),
          output({9, heads * (plain + values)}), output({9, rotated})},
         shape});
  }
}

std::vector<OpCase> rope_cases() {
  std::vector<OpCase> cases;
  for (const auto kind : {graph::RopeScalingKind::llama3, graph::RopeScalingKind::linear,
                          graph::RopeScalingKind::yarn}) {
    cases.push_back({"rope_table with scaled frequencies",
                     &graph::rope_table_op(),
                     {absent(), output32({600, 64})},
                     {{"positions", std::int64_t{600}},
                      {"head_dim", std::int64_t{64}},
                      {"base", 1e4},
                      {"scaling", static_cast<std::int64_t>(kind)},
                      {"scaling_factor", 8.0},
                      {"low_turns", 1.0},
                      {"high_turns", 4.0},
                      {"original_positions", std::int64_t{128}}}});
  }
  std::vector<double> divisors(32);
  for (std::size_t i = 0; i < divisors.size(); ++i) divisors[i] = 1 + 0.37 * static_cast<double>(i);
  cases.push_back({"rope_table with a divisor for each frequency",
                   &graph::rope_table_op(),
                   {absent(), output32({600, 64})},
                   {{"positions", std::int64_t{600}},
                    {"head_dim", std::int64_t{64}},
                    {"base", 1e4},
                    {"scaling", static_cast<std::int64_t>(graph::RopeScalingKind::longrope)},
                    {"divisors", divisors},
                    {"attention_factor", 1.19}}});
  for (const auto [heads, groups, size, rotated] : {std::array<std::int64_t, 4>{4, 2, 16, 16},
                                                    {3, 3, 6, 6},
                                                    {2, 1, 64, 64},
                                                    {4, 2, 64, 16},
                                                    {3, 1, 80, 32},
                                                    {2, 2, 20, 10}}) {
    const std::int64_t row = (heads + 2 * groups) * size;
    const graph::Attributes shape{{"heads", heads}, {"groups", groups}, {"head_dim", size}};
    cases.push_back({"rope_table",
                     &graph::rope_table_op(),
                     {absent(), output32({50, rotated})},
                     {{"positions", std::int64_t{50}}, {"head_dim", rotated}, {"base", 1e4}}});
    cases.push_back({"rope_table of some positions",
                     &graph::rope_table_op(),
                     {numbers(9, 50), output32({9, rotated})},
                     {{"head_dim", rotated}, {"base", 1e4}}});
    cases.push_back({"rope with a table of its tokens",
                     &graph::rope_op(),
                     {input({9, row}), absent(), input32({9, rotated}), output({9, row})},
                     shape});
    for (const graph::OpDef* def : std::initializer_list<const graph::OpDef*>{
             &graph::rope_op(), &graph::rope_gradient_op()}) {
      cases.push_back({std::string(def->name),
                       def,
                       {input({9, row}), numbers(9, 50), input32({50, rotated}), output({9, row})},
                       shape});
    }
  }
  add_latent_heads(cases);
  return cases;
}

void add_attention(const AttentionSetting& s, std::vector<OpCase>& cases) {
  const std::int64_t values = s.value_size > 0 ? s.value_size : s.size;
  const std::int64_t n = s.batch * s.sequence, width = s.heads * values,
                     row = s.heads * s.size + s.groups * (s.size + values);
  graph::Attributes shape{{"heads", s.heads},
                          {"groups", s.groups},
                          {"head_dim", s.size},
                          {"sequence", s.sequence},
                          {"window", s.window}};
  if (s.value_size > 0) shape.set("value_dim", s.value_size);
  if (s.scale > 0) shape.set("scale", s.scale);
  if (s.soft_cap > 0) shape.set("soft_cap", s.soft_cap);
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
                 {input({n, row}), segments, absent(), output({n, width}),
                  output32({s.batch, s.heads, s.sequence})},
                 shape};
  cases.push_back(forward);
  // The backward reads what a forward left: the CPU's, rounded as the device would have it.
  const OpResult result = run_on_cpu(forward, DType::bfloat16);
  OperandOf o = output({n, width}), lse = output32({s.batch, s.heads, s.sequence});
  o.values = result.operands[graph::attention::output];
  lse.values = result.operands[graph::attention::logsumexp];
  OperandOf qkv = forward.operands[graph::attention::qkv];
  // Exact in both storage types.
  qkv.values = result.operands[graph::attention::qkv];
  cases.push_back({"attention_gradient",
                   &graph::attention_gradient_op(),
                   {input({n, width}), qkv, segments, absent(), o, lse, output({n, row})},
                   shape});
}
std::vector<OpCase> attention_cases() {
  std::vector<OpCase> cases;
  for (const AttentionSetting& s : {AttentionSetting{2, 40, 4, 2, 8, 0, false},
                                    {1, 70, 2, 2, 64, 0, false},
                                    {1, 100, 3, 1, 16, 37, false},
                                    {2, 65, 2, 1, 128, 0, true},
                                    {1, 33, 1, 1, 40, 5, true},
                                    {2, 48, 4, 2, 16, 7, true},
                                    {1, 128, 4, 4, 64, 0, false},
                                    {1, 70, 2, 1, 64, 0, false, 0.3},
                                    {1, 70, 2, 1, 64, 9, false, 0.3, 2.5},
                                    {2, 40, 4, 2, 8, 0, true, 0, 1.5},
                                    {3, 1, 4, 2, 64, 0, false},
                                    {2, 65, 4, 2, 24, 0, true, 0, 0, 16},
                                    {1, 70, 2, 1, 192, 0, false, 0, 0, 128},
                                    {1, 40, 3, 3, 20, 9, false, 0.3, 2.5, 12},
                                    {2, 33, 2, 1, 16, 0, false, 0, 0, 72}})
    add_attention(s, cases);
  return cases;
}

std::vector<OpCase> exchange_cases() {
  std::vector<OpCase> cases;
  for (const auto [heads, groups, ranks, values] : {std::array<std::int64_t, 4>{8, 4, 2, 8},
                                                    {8, 2, 4, 8},
                                                    {4, 0, 2, 8},
                                                    {6, 3, 3, 8},
                                                    {8, 4, 2, 4},
                                                    {8, 2, 4, 12},
                                                    {6, 3, 3, 5}}) {
    constexpr std::int64_t kSize = 8, kTokens = 5;
    const std::int64_t shared = groups == 0 ? 0 : std::max<std::int64_t>(groups / ranks, 1);
    const Shape rows{kTokens, heads * kSize + groups * (kSize + values)},
        blocks{ranks * kTokens, heads / ranks * kSize + shared * (kSize + values)};
    graph::Attributes attributes{
        {"heads", heads}, {"groups", groups}, {"head_dim", kSize}, {"ranks", ranks}};
    if (values != kSize) attributes.set("value_dim", values);
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

}  // namespace megascale::testing
