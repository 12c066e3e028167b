// Cases of the kinds of a router: choices and their gradient, losses, choices over a capacity, records.
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "cuda/op_cases.h"
#include "megascale/graph/attribute_names.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::testing {

using graph::Dim;
namespace attribute = graph::attribute;

namespace {

OperandOf doubles(std::int64_t count) { return {{Dim(count)}, DType::float64}; }
OperandOf output_counts(std::int64_t count) { return {{Dim(count)}, DType::int64}; }
// Whole numbers in [0, most), in rows of k.
OperandOf choices_of(std::int64_t tokens, std::int64_t k, std::int64_t most) {
  OperandOf choices = numbers(tokens * k, static_cast<std::uint64_t>(most));
  choices.shape = {Dim(tokens), Dim(k)};
  return choices;
}
OperandOf output_choices(std::int64_t tokens, std::int64_t k) {
  return {{Dim(tokens), Dim(k)}, DType::int32};
}
// Logits of five different values, so that many scores are equal.
OperandOf tied_logits(std::int64_t tokens, std::int64_t experts) {
  OperandOf logits = input32({tokens, experts});
  for (double& x : logits.values) x = std::round(std::fmin(std::fmax(x, -2.0), 2.0));
  return logits;
}

struct RouteSetting {
  std::int64_t tokens = 0, experts = 0, k = 0;
  bool sigmoid = false, normalise = false, bias = false, fixed = false, affinities = false,
       padding = false;
  std::int64_t groups = 0, groups_of_token = 0, group_best = 0;
};
graph::Attributes attributes_of(const RouteSetting& s) {
  return {{attribute::top_k, s.k},
          {attribute::score_function, std::int64_t{s.sigmoid ? 1 : 0}},
          {attribute::normalise, std::int64_t{s.normalise ? 1 : 0}},
          {attribute::scale, 1.5},
          {attribute::expert_groups, s.groups},
          {attribute::groups_of_token, s.groups_of_token},
          {attribute::group_best, s.group_best},
          {attribute::affinities, std::int64_t{s.affinities ? 1 : 0}}};
}
OpCase route_case(const RouteSetting& s, OperandOf logits) {
  return {"route",
          &graph::route_op(),
          {std::move(logits), s.bias ? input32({s.experts}, 0.3) : absent(),
           s.fixed ? choices_of(s.tokens, s.k, s.experts) : absent(),
           s.padding ? numbers(s.tokens, 2) : absent(), output_choices(s.tokens, s.k),
           output32({s.tokens, s.k}), s.affinities ? output32({s.tokens, s.k}) : absent(),
           output_counts(s.experts)},
          attributes_of(s)};
}
OpCase route_gradient_case(const RouteSetting& s, bool addend) {
  return {"route_gradient",
          &graph::route_gradient_op(),
          {input32({s.tokens, s.k}), input32({s.tokens, s.experts}, 2),
           choices_of(s.tokens, s.k, s.experts + 1),  // E: a choice without an expert
           addend ? input32({s.tokens, s.experts}) : absent(), output32({s.tokens, s.experts})},
          attributes_of(s)};
}
// Of the first `rows` tokens.
OpCase counted(OpCase op, std::vector<std::size_t> operands, std::int64_t rows) {
  op.counted = std::move(operands);
  op.counts = {rows / 3, rows - rows / 3};
  op.name += " of counted tokens";
  return op;
}

std::vector<OpCase> route_cases() {
  std::vector<OpCase> cases;
  for (const RouteSetting& s : {RouteSetting{37, 8, 2},
                                {9, 40, 6, false, true, true, false, true},
                                {5, 200, 8, true, true, true},
                                {21, 5, 5, true, false, false, false, true},
                                {30, 16, 3, false, true, false, true},
                                {33, 12, 2, false, true, false, false, true, true},
                                {18, 6, 3, true, false, true, true, false, true},
                                {40, 64, 7, true, true, true, false, true, false, 8, 3},
                                {33, 256, 8, true, true, true, false, false, true, 8, 4},
                                {9, 64, 4, false, false, false, false, false, false, 32, 2},
                                {40, 64, 6, false, true, false, false, false, false, 8, 3, 1},
                                {40, 32, 7, true, true, true, false, false, false, 4, 2, 5},
                                {3, 1024, 2}}) {
    cases.push_back(route_case(s, input32({s.tokens, s.experts}, 2)));
    cases.push_back(route_case(s, tied_logits(s.tokens, s.experts)));
    for (const bool addend : {false, true}) cases.push_back(route_gradient_case(s, addend));
    cases.push_back(route_gradient_case(s, true));
    cases.back().alias = {{graph::route_gradient::logits_gradient, graph::route_gradient::addend}};
  }
  cases.push_back(route_case({37, 8, 3}, input32({37, 8}, 2)));
  cases.back().attributes.set("even_choices", std::int64_t{1});
  using enum graph::route::Operand;
  namespace gradient = graph::route_gradient;
  const RouteSetting s{40, 8, 2};
  for (const std::int64_t rows : {std::int64_t{0}, std::int64_t{23}}) {
    cases.push_back(counted(route_case(s, input32({s.tokens, s.experts}, 2)),
                            {logits, choices, weights}, rows));
    cases.push_back(counted(
        route_gradient_case(s, false),
        {gradient::gradient, gradient::logits, gradient::choices, gradient::logits_gradient},
        rows));
  }
  return cases;
}

struct LossSetting {
  std::int64_t tokens = 0, experts = 0, k = 0, ranks = 0, groups = 0;
  bool sigmoid = false, addend = false, padding = false;
};
std::vector<OpCase> loss_cases_of_router() {
  std::vector<OpCase> cases;
  for (const LossSetting& s : {LossSetting{50, 8, 2, 1, 0, false, false},
                               {7, 48, 3, 2, 4, false, true},
                               {300, 12, 3, 3, 6, true, true},
                               {90, 16, 2, 2, 4, false, true, true},
                               {41, 8, 2, 1, 0, true, false, true},
                               {5, 1024, 2, 1, 0, true, false}}) {
    std::vector<double> loads, sent;
    for (std::int64_t i = 0; i < s.ranks * s.experts; ++i)
      loads.push_back(static_cast<double>(i * 7 % 11));
    for (std::int64_t i = 0; i < s.ranks * s.groups; ++i)
      sent.push_back(static_cast<double>(i * 5 % 9 + 1));
    const graph::Attributes attributes{{attribute::top_k, s.k},
                                       {attribute::score_function, std::int64_t{s.sigmoid}},
                                       {attribute::aux_loss, 0.02},
                                       {attribute::z_loss, s.addend ? 1e-3 : 0.0},
                                       {attribute::device_groups, s.groups},
                                       {attribute::device_loss, s.groups > 0 ? 0.05 : 0.0},
                                       {attribute::communication_loss, s.groups > 0 ? 0.03 : 0.0}};
    const OperandOf logits = input32({s.tokens, s.experts}, 2),
                    of_groups = s.groups > 0 ? integers(sent) : absent(),
                    choices = s.padding ? choices_of(s.tokens, s.k, s.experts + 1) : absent(),
                    of_loss = s.padding ? integers({17}) : absent();
    cases.push_back({"router_losses",
                     &graph::router_losses_op(),
                     {logits, integers(loads), of_groups, choices, of_loss, doubles(2)},
                     attributes});
    cases.push_back(
        {"router_losses_gradient",
         &graph::router_losses_gradient_op(),
         {logits, integers(loads), of_groups, choices, of_loss,
          s.addend ? input32({s.tokens, s.experts}) : absent(), output32({s.tokens, s.experts})},
         attributes});
  }
  return cases;
}

// Affinities of five values and NaN: most choices are tied.
OpCase drop_case(std::int64_t groups, std::int64_t capacity, std::uint32_t context, bool exempt,
                 double factor = 0) {
  constexpr std::int64_t kSequences = 3, kLength = 80, kTop = 3, kExperts = 8, kRanks = 2;
  constexpr std::int64_t kTokens = kSequences * kLength;
  OperandOf affinities = input32({kTokens, kTop});
  for (double& x : affinities.values) x = std::round(x);
  for (std::size_t i = 0; i < affinities.values.size(); i += 17) affinities.values[i] = NAN;
  OpCase drop{"drop_choices",
              &graph::drop_choices_op(),
              {choices_of(kTokens, kTop, kExperts + 1), affinities,
               exempt ? OperandOf{{Dim(kSequences)}, DType::int32, {0, 1, 0}} : absent(),
               exempt ? absent() : OperandOf{{Dim(1)}, DType::int64, {1000}},
               output_choices(kTokens / kRanks, kTop), output_counts(1)},
              {{attribute::experts, kExperts},
               {attribute::device_groups, groups},
               {attribute::capacity, capacity},
               {attribute::capacity_factor, factor},
               {attribute::ranks, kRanks},
               {attribute::context_ranks, kRanks},
               {attribute::sequence, kLength}}};
  drop.axes[graph::Axis::context] = kRanks;
  drop.coordinates[static_cast<std::size_t>(graph::Axis::context)] = context;
  return drop;
}

// UpdateScalars as eight 8-byte numbers; the seventh is an integer.
OperandOf scalars_with(bool skip) {
  OperandOf scalars = doubles(8);
  scalars.values = {0, 0, 0, 0, 0, 0, std::bit_cast<double>(std::int64_t{skip ? 1 : 0}), 0};
  return scalars;
}

std::vector<OpCase> balance_cases() {
  std::vector<OpCase> cases;
  for (const bool first : {true, false}) {
    const std::vector<double> loads{5, 0, 7, 123456, 3, 3, 0, 9, 1};
    const auto experts = static_cast<std::int64_t>(loads.size());
    cases.push_back({"load_excess",
                     &graph::load_excess_op(),
                     {integers(loads), first ? output32({experts}) : input32({experts}, 50)}});
    cases.back().first = first;
    for (const bool losses : {false, true}) {
      OperandOf of_tokens = doubles(2), record = doubles(experts + 3);
      of_tokens.values = {1.25, -3.5};
      if (!first) record.values.assign(static_cast<std::size_t>(experts) + 3, 2.5);
      cases.push_back({"record_routing",
                       &graph::record_routing_op(),
                       {integers(loads), losses ? of_tokens : absent(),
                        losses ? integers({17}) : absent(), record}});
      cases.back().first = first;
    }
  }
  for (const bool skip : {false, true}) {
    OperandOf excess = input32({700});
    excess.values[3] = 0;
    excess.values[9] = NAN;
    cases.push_back({"update_choice_bias",
                     &graph::update_choice_bias_op(),
                     {input32({700}), excess, scalars_with(skip)},
                     {{attribute::bias_rate, 1e-3}}});
  }
  return cases;
}

std::vector<OpCase> group_cases() {
  std::vector<OpCase> cases;
  for (const auto [tokens, k, groups] :
       {std::array<std::int64_t, 3>{700, 3, 4}, {5, 8, 2}, {300, 2, 24}}) {
    cases.push_back({"group_loads",
                     &graph::group_loads_op(),
                     {choices_of(tokens, k, 25), output_counts(groups)},
                     {{attribute::experts, std::int64_t{24}}, {attribute::device_groups, groups}}});
  }
  return cases;
}

std::vector<OpCase> record_cases() {
  std::vector<OpCase> cases;
  for (const bool has_bias : {false, true}) {
    cases.push_back(
        {"keep_routes",
         &graph::keep_routes_op(),
         {choices_of(11, 3, has_bias ? 9 : 8), input32({11, 3}), has_bias ? input32({8}) : absent(),
          output_choices(11, 3), output32({11, 3})}});
  }
  OperandOf own = doubles(5);
  own.values = {1, 2, 3, 4, 5};
  cases.push_back({"collect_records", &graph::collect_records_op(), {own, doubles(12)}});
  cases.back().segments = {{.begin = 2, .count = 3}, {.begin = 9, .count = 2}};
  return cases;
}

}  // namespace

std::vector<OpCase> router_cases() {
  std::vector<OpCase> drops;
  for (const auto [groups, capacity] : {std::array<std::int64_t, 2>{8, 60}, {2, 200}, {4, 10000}}) {
    for (const std::uint32_t context : {0U, 1U}) {
      for (const double factor : {0.0, 1.0})
        drops.push_back(drop_case(groups, capacity, context, context == 1, factor));
    }
  }
  std::vector<OpCase> cases;
  for (const auto& some : {route_cases(), loss_cases_of_router(), drops, balance_cases(),
                           group_cases(), record_cases()})
    cases.insert(cases.end(), some.begin(), some.end());
  for (OpCase& op : cases) op.has_own_counts = true;
  return cases;
}

}  // namespace megascale::testing
