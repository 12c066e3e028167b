// Norms and their gradients.
#include <array>
#include <string>

#include "cuda/op_groups.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::testing {

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

namespace {

struct HeadNormSetting {
  std::int64_t tokens = 0, heads = 0, groups = 0, size = 0;
  bool first = true, in_place = false, whole = false;
  double offset = 0;
  std::int64_t ranks = 1;
  [[nodiscard]] std::int64_t row() const { return (heads + 2 * groups) * size; }
  [[nodiscard]] std::int64_t query_channels() const { return whole ? heads * size : size; }
  [[nodiscard]] std::int64_t key_channels() const { return whole ? groups * size : size; }
  [[nodiscard]] std::int64_t norms() const { return whole ? 2 : heads + groups; }
  // The sums of all ranks; absent if there is one rank.
  [[nodiscard]] OperandOf sums(bool of_squares) const {
    if (ranks == 1) return absent();
    OperandOf sums = input32({ranks * tokens, 2});
    for (double& sum : sums.values) {
      if (of_squares) sum = static_cast<double>(query_channels()) * (1 + sum * sum);
    }
    return sums;
  }
  [[nodiscard]] graph::Attributes attributes() const {
    return {{"heads", heads},
            {"groups", groups},
            {"head_dim", size},
            {"epsilon", 1e-6},
            {"whole", std::int64_t{whole ? 1 : 0}},
            {"gamma_offset", offset},
            {"ranks", ranks}};
  }
};
OpCase head_norm(const HeadNormSetting& s) {
  OpCase op{"head_norm",
            &graph::head_norm_op(),
            {input({s.tokens, s.row()}), input({s.query_channels()}), input({s.key_channels()}),
             output({s.tokens, s.row()}), output32({s.tokens, s.norms()}), s.sums(true)},
            s.attributes()};
  if (s.in_place) op.alias = {{graph::head_norm::output, graph::head_norm::input}};
  return op;
}
OpCase head_norm_gradient(const HeadNormSetting& s) {
  const auto sum = [&](std::int64_t channels) {
    return s.first ? output32({channels}) : input32({channels});
  };
  OpCase op{"head_norm_gradient",
            &graph::head_norm_gradient_op(),
            {input({s.tokens, s.row()}), input({s.tokens, s.row()}), input({s.query_channels()}),
             input({s.key_channels()}), input32({s.tokens, s.norms()}), output({s.tokens, s.row()}),
             sum(s.query_channels()), sum(s.key_channels()), s.sums(false)},
            s.attributes(),
            {},
            {},
            {},
            s.first};
  if (s.in_place)
    op.alias = {{graph::head_norm_gradient::input_gradient, graph::head_norm_gradient::gradient}};
  return op;
}

// The ops of a norm of all heads whose heads are divided over ranks.
void add_divided_norm(const HeadNormSetting& s, std::vector<OpCase>& cases) {
  cases.push_back(head_norm(s));
  cases.push_back(head_norm_gradient(s));
  cases.push_back({"head_norm_squares",
                   &graph::head_norm_squares_op(),
                   {input({s.tokens, s.row()}), output32({s.tokens, 2})},
                   s.attributes()});
  cases.push_back(
      {"head_norm_products",
       &graph::head_norm_products_op(),
       {input({s.tokens, s.row()}), input({s.tokens, s.row()}), input({s.query_channels()}),
        input({s.key_channels()}), input32({s.tokens, 2}), output32({s.tokens, 2})},
       s.attributes()});
}

}  // namespace

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
    // All heads together, the last two with four and two warps; weights with 1 added.
    for (const auto [n, heads, groups, size] : {std::array<std::int64_t, 4>{5, 4, 2, 16},
                                                {1061, 3, 3, 5},
                                                {3, 32, 32, 128},
                                                {2, 8, 8, 1024}}) {
      for (const double offset : {0.0, 1.0}) {
        cases.push_back(head_norm({n, heads, groups, size, true, in_place, true, offset}));
        cases.push_back(
            head_norm_gradient({n, heads, groups, size, n % 2 == 0, in_place, true, offset}));
      }
    }
    for (const auto [n, heads, groups, size] :
         {std::array<std::int64_t, 4>{5, 4, 2, 16}, {1061, 3, 3, 5}, {3, 16, 4, 128}})
      add_divided_norm({n, heads, groups, size, n % 2 == 0, in_place, true, 1.0, 3}, cases);
    cases.push_back(head_norm({5, 4, 2, 16, true, in_place, false, 1.0}));
    cases.push_back(head_norm_gradient({5, 4, 2, 16, true, in_place, false, 1.0}));
  }
  // Weights with 1 added: of narrow rows, and of one that is read twice.
  for (const auto [n, c] : {std::array<std::int64_t, 2>{5, 24}, {530, 40}, {3, 999}, {3, 8200}}) {
    const graph::Attributes offset{{"epsilon", 1e-5}, {"gamma_offset", 1.0}};
    cases.push_back({"rms_norm",
                     &graph::rms_norm_op(),
                     {input({n, c}), input({c}), output({n, c}), output32({n})},
                     offset});
    cases.push_back(rms_norm_gradient({n, c, n % 2 == 0, n % 2 == 1}));
    cases.back().attributes = offset;
  }
  return cases;
}

}  // namespace megascale::testing
