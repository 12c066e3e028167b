// Cases of the kinds of experts: maps of rows, moves of rows by them, grouped products, gates. Maps are those
// that the CPU makes. Rows beyond a count are damaged: they must not reach a result.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "cuda/op_cases.h"
#include "megascale/graph/attribute_names.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::testing {

using graph::Dim;
using graph::Shape;
namespace attribute = graph::attribute;

namespace {

OperandOf output_integers(std::int64_t count, DType dtype) { return {{Dim(count)}, dtype}; }

// The case with the first `rows` rows of these operands counted, the others damaged.
OpCase with_rows(OpCase op, std::vector<std::size_t> operands, std::int64_t rows) {
  for (const std::size_t i : operands) {
    OperandOf& operand = op.operands[i];
    const std::size_t row =
        static_cast<std::size_t>(graph::numel(operand.shape) / operand.shape[0].size);
    if (!operand.values.empty())
      std::fill(operand.values.begin() + rows * static_cast<std::int64_t>(row),
                operand.values.end(), double{NAN});
  }
  op.counted = std::move(operands);
  op.counts = {rows};
  op.name += " of counted rows";
  return op;
}

struct MapSetting {
  std::int64_t tokens = 0, k = 0, experts = 0, ranks = 0;
  std::int64_t of_rank = -1;  // the map of this rank only
  std::int64_t pieces = 1, piece = 0;
  std::int64_t bound = 0;  // 0: as many rows as can be
};
OpCase map_case(const MapSetting& s) {
  OperandOf choices = numbers(s.tokens * s.k, static_cast<std::uint64_t>(s.experts + 1));
  choices.shape = {Dim(s.tokens), Dim(s.k)};
  const bool of_rank = s.of_rank >= 0;
  const std::int64_t slots = s.tokens * s.k, rows = s.bound == 0 ? slots : s.bound;
  OpCase map{"dispatch_map",
             &graph::dispatch_map_op(),
             {choices,
              output_integers(rows, DType::int32),
              {{Dim(s.tokens), Dim(s.k)}, DType::int32},
              output_integers(of_rank ? s.experts / s.ranks : s.experts, DType::int64),
              output_integers(of_rank ? 1 : s.ranks, DType::int64)},
             {{attribute::experts, s.experts},
              {attribute::ranks, s.ranks},
              {attribute::expert_pieces, s.pieces},
              {attribute::expert_piece, s.piece}}};
  if (!of_rank) return map;
  map.attributes.set(attribute::of_rank, std::int64_t{1});
  map.coordinates[static_cast<std::size_t>(graph::Axis::expert)] =
      static_cast<std::uint32_t>(s.of_rank);
  return map;
}

std::vector<OpCase> map_cases() {
  std::vector<OpCase> cases;
  // More slots than a warp sorts, and several tiles of 32 that are not full.
  for (const MapSetting& s : {MapSetting{13, 2, 4, 1},
                              {700, 3, 8, 2},
                              {333, 2, 64, 4},
                              {200, 4, 12, 3, 1},
                              {300, 2, 16, 2, -1, 4, 2},
                              {40, 5, 1000, 1}})
    cases.push_back(map_case(s));
  using enum graph::dispatch_map::Operand;
  for (const std::int64_t tokens : {0, 250}) {
    cases.push_back(map_case({300, 2, 8, 2}));
    cases.back().counted = {choices, place};
    cases.back().counts = {tokens};
  }
  namespace regroup = graph::regroup_map;
  for (const auto [ranks, experts, pieces, piece] :
       {std::array<std::int64_t, 4>{4, 3, 1, 0}, {2, 8, 1, 0}, {3, 2, 4, 1}, {1, 5, 1, 0}}) {
    std::vector<double> arrived;
    for (std::int64_t i = 0; i < ranks * experts * pieces; ++i)
      arrived.push_back(static_cast<double>(i * 13 % 7 * (i % 3)));
    cases.push_back(
        {"regroup_map",
         &graph::regroup_map_op(),
         {integers(arrived), output_integers(200, DType::int32), output_integers(200, DType::int32),
          output_integers(experts, DType::int64), output_integers(ranks, DType::int64)},
         {{attribute::ranks, ranks},
          {attribute::rows, std::int64_t{200}},
          {attribute::expert_pieces, pieces},
          {attribute::expert_piece, piece}}});
  }
  return cases;
}

// A map of the CPU, as operands of the ops that follow it.
struct Map {
  OperandOf source, place, sent;
  std::int64_t tokens = 0, k = 0, bound = 0, rows = 0;
};
Map map_of(const MapSetting& s) {
  OpCase map = map_case(s);
  const OpResult result = run_on_cpu(map, DType::float32);
  const auto operand = [&](auto number) {
    OperandOf found = map.operands[number];
    found.values = result.operands[number];
    return found;
  };
  using enum graph::dispatch_map::Operand;
  const auto& rows = result.operands[sent];
  return {operand(source),
          operand(place),
          operand(sent),
          s.tokens,
          s.k,
          map.operands[source].shape[0].size,
          static_cast<std::int64_t>(std::accumulate(rows.begin(), rows.end(), 0.0))};
}

void add_moves(const Map& map, std::int64_t channels, std::vector<OpCase>& cases) {
  const std::int64_t n = map.tokens, k = map.k, c = channels;
  namespace gather = graph::gather_rows;
  namespace combine = graph::combine_rows;
  namespace weighted = graph::combine_weighted_rows;
  namespace gradient = graph::combine_weighted_rows_gradient;
  namespace weights = graph::gather_weights;
  namespace weights_gradient = graph::gather_weights_gradient;
  const auto add = [&](OpCase op, std::vector<std::size_t> rows) {
    cases.push_back(with_rows(std::move(op), std::move(rows), map.rows));
  };
  add({"gather_rows",
       &graph::gather_rows_op(),
       {input({n, c}), map.source, map.place, map.sent, output({map.bound, c})}},
      {gather::output});
  add({"combine_rows",
       &graph::combine_rows_op(),
       {input({map.bound, c}), map.source, map.place, map.sent, output({n, c})}},
      {combine::input});
  add({"combine_weighted_rows",
       &graph::combine_weighted_rows_op(),
       {input({map.bound, c}), input32({n, k}), map.source, map.place, map.sent, output({n, c})}},
      {weighted::input});
  add({"combine_weighted_rows_gradient",
       &graph::combine_weighted_rows_gradient_op(),
       {input({n, c}), input({map.bound, c}), input32({n, k}), map.source, map.place, map.sent,
        output({map.bound, c}), output32({n, k})}},
      {gradient::input, gradient::input_gradient});
  add({"gather_weights",
       &graph::gather_weights_op(),
       {input32({n, k}), map.source, map.place, map.sent, output32({map.bound, 1})}},
      {weights::output});
  add({"gather_weights_gradient",
       &graph::gather_weights_gradient_op(),
       {input32({map.bound, 1}), map.place, output32({n, k})}},
      {weights_gradient::gradient});
}

std::vector<OpCase> move_cases() {
  std::vector<OpCase> cases;
  for (const std::int64_t channels : {24, 13}) {
    add_moves(map_of({37, 3, 5, 1}), channels, cases);
    add_moves(map_of({60, 2, 8, 2, 1}), channels, cases);
  }
  namespace reorder = graph::reorder_rows;
  OperandOf order = output_integers(20, DType::int32), inverse = order;
  for (int i = 0; i < 20; ++i) {
    order.values.push_back(i < 15 ? i * 7 % 15 : 0);
    inverse.values.push_back(0);
  }
  for (int i = 0; i < 15; ++i) inverse.values[static_cast<std::size_t>(i * 7 % 15)] = i;
  cases.push_back(with_rows({"reorder_rows",
                             &graph::reorder_rows_op(),
                             {input({20, 24}), order, inverse, output({20, 24})}},
                            {reorder::input, reorder::output}, 15));
  cases.push_back(
      {"join_rows", &graph::join_rows_op(), {input({5, 24}), input({7, 24}), output({12, 24})}});
  cases.push_back({"split_rows",
                   &graph::split_rows_op(),
                   {input({12, 24}), output({5, 24}), output({7, 24})},
                   {{attribute::rows, std::int64_t{5}}}});
  return cases;
}

// Rows of each expert, of a bound that is larger.
struct Groups {
  std::vector<double> counts;
  std::int64_t bound;
  [[nodiscard]] std::int64_t experts() const { return std::ssize(counts); }
  [[nodiscard]] std::int64_t rows() const {
    return static_cast<std::int64_t>(std::accumulate(counts.begin(), counts.end(), 0.0));
  }
};
void add_products(const Groups& groups, std::int64_t i, std::int64_t o,
                  std::vector<OpCase>& cases) {
  const std::int64_t g = groups.experts(), n = groups.bound;
  namespace forward = graph::grouped_linear;
  namespace dgrad = graph::grouped_linear_input_gradient;
  namespace wgrad = graph::grouped_linear_weight_gradient;
  const auto add = [&](OpCase op, std::vector<std::size_t> rows) {
    cases.push_back(with_rows(std::move(op), std::move(rows), groups.rows()));
  };
  add({"grouped_linear",
       &graph::grouped_linear_op(),
       {input({n, i}), input({g, o, i}), integers(groups.counts), output({n, o})}},
      {forward::input, forward::output});
  add({"grouped_linear_input_gradient",
       &graph::grouped_linear_input_gradient_op(),
       {input({n, o}), input({g, o, i}), integers(groups.counts), output({n, i})}},
      {dgrad::gradient, dgrad::input_gradient});
  for (const bool first : {true, false}) {
    OpCase gradient{"grouped_linear_weight_gradient",
                    &graph::grouped_linear_weight_gradient_op(),
                    {input({n, o}), input({n, i}), integers(groups.counts),
                     first ? output32({g, o, i}) : input32({g, o, i})}};
    gradient.first = first;
    add(std::move(gradient), {wgrad::gradient, wgrad::input});
  }
  add({"grouped_linear_weight_gradient_added",
       &graph::grouped_linear_weight_gradient_added_op(),
       {input({n, o}), input({n, i}), integers(groups.counts), input32({g, o, i})}},
      {wgrad::gradient, wgrad::input});
}

std::vector<OpCase> product_cases() {
  std::vector<OpCase> cases;
  // Experts without rows at the begin, between and at the end; more rows than a tile has; no row at all.
  add_products({{0, 130, 0, 3, 40, 0}, 200}, 24, 40, cases);
  add_products({{5, 70, 1}, 76}, 13, 21, cases);
  add_products({{17, 20}, 64}, 136, 264, cases);
  add_products({{0, 0}, 10}, 8, 16, cases);
  // Two blocks of rows, each with its own groups and unused rows at its end.
  OpCase pieces{
      "grouped_linear_weight_gradient",
      &graph::grouped_linear_weight_gradient_op(),
      {input({60, 16}), input({60, 8}), integers({10, 0, 15, 7, 2, 20}), output32({3, 16, 8})},
      {{attribute::pieces, std::int64_t{2}}}};
  for (const std::size_t operand : {0, 1}) {
    auto& values = pieces.operands[operand].values;
    const std::int64_t row = std::ssize(values) / 60;
    std::fill(values.begin() + 25 * row, values.begin() + 30 * row, double{NAN});
    std::fill(values.begin() + 59 * row, values.end(), double{NAN});
  }
  cases.push_back(pieces);
  pieces.name += "_added";
  pieces.def = &graph::grouped_linear_weight_gradient_added_op();
  pieces.operands[graph::grouped_linear_weight_gradient::weight_gradient] = input32({3, 16, 8});
  cases.push_back(std::move(pieces));
  return cases;
}

std::vector<OpCase> gate_cases() {
  std::vector<OpCase> cases;
  namespace forward = graph::gated_swiglu;
  namespace backward = graph::gated_swiglu_gradient;
  namespace gate = graph::gate_rows;
  namespace gate_gradient = graph::gate_rows_gradient;
  for (const auto [n, f] : {std::array<std::int64_t, 2>{7, 24}, {19, 5}, {3, 600}}) {
    OpCase gated{"gated_swiglu",
                 &graph::gated_swiglu_op(),
                 {input({n, 2 * f}, 2), input32({n, 1}), output({n, f})}};
    OpCase gradient{"gated_swiglu_gradient",
                    &graph::gated_swiglu_gradient_op(),
                    {input({n, f}), input({n, 2 * f}, 2), input32({n, 1}), output({n, 2 * f}),
                     output32({n, 1})}};
    OpCase rows{
        "gate_rows", &graph::gate_rows_op(), {input({n, f}), input({n, 1}, 2), output({n, f})}};
    OpCase rows_gradient{
        "gate_rows_gradient",
        &graph::gate_rows_gradient_op(),
        {input({n, f}), input({n, f}), input({n, 1}, 2), output({n, f}), output({n, 1})}};
    for (const OpCase& op : {gated, gradient, rows, rows_gradient}) cases.push_back(op);
    for (const std::int64_t counted : {std::int64_t{0}, n * 2 / 3}) {
      cases.push_back(
          with_rows(gated, {forward::input, forward::weights, forward::output}, counted));
      cases.push_back(with_rows(gradient,
                                {backward::gradient, backward::input, backward::weights,
                                 backward::input_gradient, backward::weights_gradient},
                                counted));
      cases.push_back(with_rows(rows, {gate::input, gate::logits, gate::output}, counted));
      cases.push_back(
          with_rows(rows_gradient,
                    {gate_gradient::gradient, gate_gradient::input, gate_gradient::logits,
                     gate_gradient::input_gradient, gate_gradient::logits_gradient},
                    counted));
    }
    cases.push_back(gradient);
    cases.back().alias = {{backward::input_gradient, backward::input}};
    for (const std::size_t place : {0, 1}) {
      cases.push_back(rows_gradient);
      cases.back().alias = {{gate_gradient::input_gradient, place}};
    }
  }
  return cases;
}

}  // namespace

std::vector<OpCase> expert_cases() {
  std::vector<OpCase> cases;
  for (const auto& some : {map_cases(), move_cases(), product_cases(), gate_cases()})
    cases.insert(cases.end(), some.begin(), some.end());
  for (OpCase& op : cases) op.has_own_counts = true;
  return cases;
}

std::vector<OpCase> cutlass_cases() {
  std::vector<OpCase> cases = product_cases();
  add_products({{300, 0, 129, 33}, 500}, 328, 520, cases);
  for (OpCase& op : cases) op.cutlass = true;
  return cases;
}

}  // namespace megascale::testing
