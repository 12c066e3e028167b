// Task functions of the CPU for routed experts: the router, its losses, the maps of rows, the moves of
// rows by them, grouped products, SwiGLU with the weight of a choice and gates of shared experts. Sizes of rows are counted at
// run time. A kernel between tokens and rows has two counts: in decoding tokens are counted too.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "megascale/base/step_numbers.h"
#include "megascale/kernels/cpu/activation.h"
#include "megascale/kernels/cpu/dispatch_map.h"
#include "megascale/kernels/cpu/drop_choices.h"
#include "megascale/kernels/cpu/elementwise.h"
#include "megascale/kernels/cpu/functions/functions.h"
#include "megascale/kernels/cpu/grouped_linear.h"
#include "megascale/kernels/cpu/routed_rows.h"
#include "megascale/kernels/cpu/router.h"
#include "megascale/kernels/cpu/router_losses.h"

namespace megascale::kernels::cpu {
namespace {

namespace attribute = graph::attribute;

std::int64_t* i64(const TaskArguments& arguments, OperandName auto operand) noexcept {
  return as<std::int64_t>(arguments, operand);
}

RouterShape router_shape(const KernelSpec& spec, OperandName auto logits) {
  return {.experts = spec.size(logits, 1),
          .top_k = static_cast<std::size_t>(spec.attribute(attribute::top_k)),
          .score_function = spec.attribute(attribute::score_function) == 0 ? ScoreFunction::softmax
                                                                           : ScoreFunction::sigmoid,
          .normalise = spec.attributes->integer(attribute::normalise, 0) != 0,
          .scale = static_cast<float>(spec.attributes->real(attribute::scale, 1.0))};
}

std::unique_ptr<TaskFunction> prepare_route(const KernelSpec& spec) {
  using enum graph::route::Operand;
  return checked_function([shape = router_shape(spec, logits),
                           rows = Rows(spec, logits)](const TaskArguments& a) -> std::string {
    Route args{.shape = shape,
               .logits = f32(a, logits),
               .bias = f32(a, bias),
               .fixed = i32(a, fixed),
               .choice = i32(a, choices),
               .weight = f32(a, weights),
               .affinity = f32(a, affinities),
               .loads = i64(a, loads)};
    args.shape.tokens = rows(a);
    if (args.fixed != nullptr &&
        std::any_of(args.fixed, args.fixed + args.shape.tokens * shape.top_k,
                    [](std::int32_t choice) { return choice < 0; })) {
      return "route: expected recorded choices to replay, found none: the file of this step in "
             "moe.routing_replay_dir is missing or lacks tokens; record the same steps with "
             "moe.routing_replay = \"record\"";
    }
    route(args);
    return {};
  });
}

std::unique_ptr<TaskFunction> prepare_keep_routes(const KernelSpec& spec) {
  using enum graph::keep_routes::Operand;
  return function([slots = spec.size(choices, 0) * spec.size(choices, 1)](const TaskArguments& a) {
    std::copy_n(i32(a, choices), slots, i32(a, routes));
    std::copy_n(f32(a, affinities), slots, f32(a, scores));
  });
}

std::unique_ptr<TaskFunction> prepare_route_gradient(const KernelSpec& spec) {
  using enum graph::route_gradient::Operand;
  return function(
      [shape = router_shape(spec, logits), rows = Rows(spec, logits)](const TaskArguments& a) {
        RouteGradient args{.shape = shape,
                           .logits = f32(a, logits),
                           .choice = i32(a, choices),
                           .dweight = f32(a, gradient),
                           .addend = f32(a, addend),
                           .dlogits = f32(a, logits_gradient)};
        args.shape.tokens = rows(a);
        route_gradient(args);
      });
}

// Returns the arguments of router_losses or of its gradient, without addresses and tokens.
RouterLosses router_losses_of(const KernelSpec& spec, OperandName auto logits,
                              OperandName auto loads) {
  return {.shape = router_shape(spec, logits),
          .ranks = spec.size(loads, 0) / spec.size(logits, 1),
          .expert_coefficient = spec.attributes->real(attribute::aux_loss),
          .z_coefficient = spec.attributes->real(attribute::z_loss),
          .groups = static_cast<std::size_t>(spec.attributes->integer(attribute::device_groups, 0)),
          .device_coefficient = spec.attributes->real(attribute::device_loss, 0.0),
          .communication_coefficient = spec.attributes->real(attribute::communication_loss, 0.0)};
}

std::unique_ptr<TaskFunction> prepare_group_loads(const KernelSpec& spec) {
  using enum graph::group_loads::Operand;
  return function(
      [of = GroupLoads{.experts = static_cast<std::size_t>(spec.attribute(attribute::experts)),
                       .top_k = spec.size(choices, 1),
                       .groups = spec.size(sent, 0)},
       rows = Rows(spec, choices)](const TaskArguments& a) {
        GroupLoads args = of;
        args.tokens = rows(a);
        args.choice = i32(a, choices);
        args.sent = i64(a, sent);
        group_loads(args);
      });
}

std::unique_ptr<TaskFunction> prepare_drop_choices(const KernelSpec& spec) {
  using enum graph::drop_choices::Operand;
  const auto count = [&](attribute::Name name) {
    return static_cast<std::size_t>(spec.attribute(name));
  };
  const auto coordinate = [&](graph::Axis axis) {
    return std::size_t{spec.coordinates[static_cast<std::size_t>(axis)]};
  };
  const std::size_t tokens = spec.size(kept, 0), length = count(attribute::sequence),
                    contexts = count(attribute::context_ranks),
                    sharers = count(attribute::ranks) / contexts;  // of a context share
  const DropChoices of{
      .sequences = spec.size(choices, 0) / length,
      .length = length,
      .contexts = contexts,
      .experts = count(attribute::experts),
      .top_k = spec.size(choices, 1),
      .groups = count(attribute::device_groups),
      .capacity = spec.attribute(attribute::capacity),
      .first =
          (coordinate(graph::Axis::context) * sharers + coordinate(graph::Axis::tensor)) * tokens,
      .tokens = tokens};
  return function([of](const TaskArguments& a) {
    DropChoices args = of;
    args.choice = i32(a, choices);
    args.affinity = f32(a, affinities);
    args.exempt = i32(a, exempt);
    args.kept = i32(a, kept);
    *i64(a, dropped) = drop_choices(args, a.operands.back());
  });
}
std::uint64_t scratch_drop_choices(const KernelSpec& spec) {
  using enum graph::drop_choices::Operand;
  return drop_choices_scratch_bytes(spec.size(choices, 0), spec.size(choices, 1));
}

std::unique_ptr<TaskFunction> prepare_router_losses(const KernelSpec& spec) {
  using enum graph::router_losses::Operand;
  return function([of = router_losses_of(spec, logits, loads),
                   rows = Rows(spec, logits)](const TaskArguments& a) {
    RouterLosses args = of;
    args.shape.tokens = rows(a);
    args.logits = f32(a, logits);
    args.loads = i64(a, loads);
    args.sent = i64(a, sent);
    router_losses(args, as<double>(a, losses), a.operands.back());
  });
}
std::uint64_t scratch_router_losses(const KernelSpec& spec) {
  return router_losses_scratch_bytes(spec.size(graph::router_losses::logits, 0));
}

std::unique_ptr<TaskFunction> prepare_router_losses_gradient(const KernelSpec& spec) {
  using enum graph::router_losses_gradient::Operand;
  return function([of = router_losses_of(spec, logits, loads),
                   rows = Rows(spec, logits)](const TaskArguments& a) {
    RouterLosses args = of;
    args.shape.tokens = rows(a);
    args.logits = f32(a, logits);
    args.loads = i64(a, loads);
    args.sent = i64(a, sent);
    router_losses_gradient(args, f32(a, addend), f32(a, logits_gradient));
  });
}

std::unique_ptr<TaskFunction> prepare_load_excess(const KernelSpec& spec) {
  using enum graph::load_excess::Operand;
  return function([experts = spec.size(loads, 0)](const TaskArguments& a) {
    load_excess(i64(a, loads), experts, !a.first, f32(a, excess));
  });
}

std::unique_ptr<TaskFunction> prepare_update_choice_bias(const KernelSpec& spec) {
  using enum graph::update_choice_bias::Operand;
  return function([count = spec.nbytes[biases] / sizeof(float),
                   rate = static_cast<float>(spec.attributes->real(attribute::bias_rate))](
                      const TaskArguments& a) {
    if (as<const UpdateScalars>(a, scalars)->skip != 0) return;
    update_choice_bias(f32(a, excess), count, rate, f32(a, biases));
  });
}

std::unique_ptr<TaskFunction> prepare_record_routing(const KernelSpec& spec) {
  using enum graph::record_routing::Operand;
  return function([experts = spec.size(loads, 0)](const TaskArguments& a) {
    auto* sums = as<double>(a, record);
    if (a.first) std::fill_n(sums, experts + 3, 0.0);
    const std::int64_t* counts = i64(a, loads);
    for (std::size_t e = 0; e < experts; ++e) sums[e] += static_cast<double>(counts[e]);
    if (a.operands[dropped] != nullptr) sums[experts] += static_cast<double>(*i64(a, dropped));
    const auto* of_tokens = as<const double>(a, losses);
    if (of_tokens == nullptr) return;
    sums[experts + 1] += of_tokens[0];
    sums[experts + 2] += of_tokens[1];
  });
}

std::unique_ptr<TaskFunction> prepare_collect_records(const KernelSpec& spec) {
  using enum graph::collect_records::Operand;
  return function([segments = std::vector(spec.segments.begin(), spec.segments.end()),
                   count = spec.nbytes[sums] / sizeof(double)](const TaskArguments& a) {
    const auto* mine = as<const double>(a, own);
    auto* all = as<double>(a, sums);
    std::fill_n(all, count, 0.0);
    for (const graph::FlatSegment& segment : segments) {
      std::copy_n(mine, segment.count, all + segment.begin);
      mine += segment.count;
    }
  });
}

std::string too_many_rows(std::string_view op, std::size_t bound, std::int64_t wanted) {
  return fmt::format(
      "{}: there is room for {} rows, but {} arrive for the experts of this rank; give more room "
      "by moe.rows_bound (0: for as many as can ever arrive), or balance the routing by "
      "moe.aux_loss_coeff",
      op, bound, wanted);
}

std::unique_ptr<TaskFunction> prepare_dispatch_map(const KernelSpec& spec) {
  using enum graph::dispatch_map::Operand;
  const bool of_rank = spec.attributes->integer(attribute::of_rank, 0) != 0;
  const std::size_t experts = spec.size(counts, 0);
  const std::size_t first =
      of_rank ? spec.coordinates[static_cast<std::size_t>(graph::Axis::expert)] * experts : 0;
  return checked_function([tokens = Rows(spec, choices), top_k = spec.size(choices, 1), first,
                           experts, bound = spec.size(source, 0),
                           ranks = spec.size(sent, 0)](const TaskArguments& a) -> std::string {
    const std::int64_t wanted = dispatch_map({.slots = tokens(a) * top_k,
                                              .first = first,
                                              .experts = experts,
                                              .bound = bound,
                                              .choice = i32(a, choices),
                                              .source = i32(a, source),
                                              .place = i32(a, place),
                                              .counts = i64(a, counts)});
    sum_counts(i64(a, counts), experts, ranks, i64(a, sent));
    return wanted > static_cast<std::int64_t>(bound) ? too_many_rows("dispatch_map", bound, wanted)
                                                     : std::string();
  });
}

std::unique_ptr<TaskFunction> prepare_gather_rows(const KernelSpec& spec) {
  using enum graph::gather_rows::Operand;
  return function([rows = Rows::of(spec, output), top_k = spec.size(place, 1),
                   channels = spec.size(input, 1)](const TaskArguments& a) {
    gather_rows({.rows = rows(a),
                 .per_token = top_k,
                 .channels = channels,
                 .x = f32(a, input),
                 .source = i32(a, source),
                 .y = f32(a, output)});
  });
}

std::unique_ptr<TaskFunction> prepare_combine_rows(const KernelSpec& spec) {
  using enum graph::combine_rows::Operand;
  return function([tokens = Rows::of(spec, output), top_k = spec.size(place, 1),
                   channels = spec.size(input, 1)](const TaskArguments& a) {
    combine_rows({.tokens = tokens(a),
                  .per_token = top_k,
                  .channels = channels,
                  .x = f32(a, input),
                  .place = i32(a, place),
                  .y = f32(a, output)});
  });
}

std::unique_ptr<TaskFunction> prepare_combine_weighted(const KernelSpec& spec) {
  using enum graph::combine_weighted_rows::Operand;
  return function([tokens = Rows::of(spec, output), top_k = spec.size(place, 1),
                   channels = spec.size(input, 1)](const TaskArguments& a) {
    combine_rows({.tokens = tokens(a),
                  .per_token = top_k,
                  .channels = channels,
                  .x = f32(a, input),
                  .place = i32(a, place),
                  .weight = f32(a, weights),
                  .y = f32(a, output)});
  });
}

std::unique_ptr<TaskFunction> prepare_combine_weighted_gradient(const KernelSpec& spec) {
  using enum graph::combine_weighted_rows_gradient::Operand;
  return function([rows = Rows::of(spec, input_gradient), tokens = Rows::of(spec, gradient),
                   top_k = spec.size(place, 1),
                   channels = spec.size(input, 1)](const TaskArguments& a) {
    gather_rows({.rows = rows(a),
                 .per_token = top_k,
                 .channels = channels,
                 .x = f32(a, gradient),
                 .source = i32(a, source),
                 .weight = f32(a, weights),
                 .y = f32(a, input_gradient)});
    combine_weight_gradient({.tokens = tokens(a),
                             .per_token = top_k,
                             .channels = channels,
                             .dy = f32(a, gradient),
                             .x = f32(a, input),
                             .place = i32(a, place),
                             .dweight = f32(a, weights_gradient)});
  });
}

// A weight is a row of one channel, and each choice has its own.
std::unique_ptr<TaskFunction> prepare_gather_weights(const KernelSpec& spec) {
  using enum graph::gather_weights::Operand;
  return function([rows = Rows::of(spec, output)](const TaskArguments& a) {
    gather_rows({.rows = rows(a),
                 .per_token = 1,
                 .channels = 1,
                 .x = f32(a, weights),
                 .source = i32(a, source),
                 .y = f32(a, output)});
  });
}

std::unique_ptr<TaskFunction> prepare_gather_weights_gradient(const KernelSpec& spec) {
  using enum graph::gather_weights_gradient::Operand;
  return function([tokens = Rows::of(spec, weights_gradient),
                   top_k = spec.size(place, 1)](const TaskArguments& a) {
    combine_rows({.tokens = tokens(a) * top_k,
                  .per_token = 1,
                  .channels = 1,
                  .x = f32(a, gradient),
                  .place = i32(a, place),
                  .y = f32(a, weights_gradient)});
  });
}

std::unique_ptr<TaskFunction> prepare_regroup_map(const KernelSpec& spec) {
  using enum graph::regroup_map::Operand;
  return checked_function([ranks = spec.size(received, 0), experts = spec.size(groups, 0),
                           bound = spec.size(order, 0)](const TaskArguments& a) -> std::string {
    const std::int64_t* counts = i64(a, arrived);
    const std::int64_t rows = regroup_map({.ranks = ranks,
                                           .experts = experts,
                                           .bound = bound,
                                           .arrived = counts,
                                           .order = i32(a, order),
                                           .inverse = i32(a, inverse),
                                           .groups = i64(a, groups),
                                           .received = i64(a, received)});
    if (rows >= 0) return {};
    return too_many_rows("regroup_map", bound,
                         std::accumulate(counts, counts + ranks * experts, std::int64_t{0}));
  });
}

std::unique_ptr<TaskFunction> prepare_reorder_rows(const KernelSpec& spec) {
  using enum graph::reorder_rows::Operand;
  return function(
      [rows = Rows(spec, input), channels = spec.size(input, 1)](const TaskArguments& a) {
        gather_rows({.rows = rows(a),
                     .per_token = 1,
                     .channels = channels,
                     .x = f32(a, input),
                     .source = i32(a, order),
                     .y = f32(a, output)});
      });
}

std::unique_ptr<TaskFunction> prepare_join_rows(const KernelSpec& spec) {
  using enum graph::join_rows::Operand;
  return function(
      [of_first = spec.nbytes[first], of_second = spec.nbytes[second]](const TaskArguments& a) {
        auto* to = as<std::byte>(a, output);
        copy({to, of_first}, {as<std::byte>(a, first), of_first});
        copy({to + of_first, of_second}, {as<std::byte>(a, second), of_second});
      });
}

std::unique_ptr<TaskFunction> prepare_split_rows(const KernelSpec& spec) {
  using enum graph::split_rows::Operand;
  return function(
      [of_first = spec.nbytes[first], of_second = spec.nbytes[second]](const TaskArguments& a) {
        auto* from = as<std::byte>(a, input);
        copy({as<std::byte>(a, first), of_first}, {from, of_first});
        copy({as<std::byte>(a, second), of_second}, {from + of_first, of_second});
      });
}

GroupedLinearConfig grouped_forward_config(const KernelSpec& spec) {
  using enum graph::grouped_linear::Operand;
  return {.kind = GemmKind::forward,
          .experts = spec.size(weight, 0),
          .rows = spec.size(input, 0),
          .in = spec.size(weight, 2),
          .out = spec.size(weight, 1),
          .matrix_unit = spec.matrix_unit,
          .threads = spec.threads};
}
std::unique_ptr<TaskFunction> prepare_grouped(const KernelSpec& spec) {
  using enum graph::grouped_linear::Operand;
  return function([product = GroupedLinear(grouped_forward_config(spec))](const TaskArguments& a) {
    product.run({.left = f32(a, input),
                 .right = f32(a, weight),
                 .result = f32(a, output),
                 .counts = i64(a, groups),
                 .scratch = a.operands.back()});
  });
}
std::uint64_t scratch_grouped(const KernelSpec& spec) {
  return grouped_linear_scratch_bytes(grouped_forward_config(spec));
}

GroupedLinearConfig grouped_input_gradient_config(const KernelSpec& spec) {
  using enum graph::grouped_linear_input_gradient::Operand;
  return {.kind = GemmKind::input_gradient,
          .experts = spec.size(weight, 0),
          .rows = spec.size(gradient, 0),
          .in = spec.size(weight, 2),
          .out = spec.size(weight, 1),
          .matrix_unit = spec.matrix_unit,
          .threads = spec.threads};
}
std::unique_ptr<TaskFunction> prepare_grouped_input_gradient(const KernelSpec& spec) {
  using enum graph::grouped_linear_input_gradient::Operand;
  return function(
      [product = GroupedLinear(grouped_input_gradient_config(spec))](const TaskArguments& a) {
        product.run({.left = f32(a, gradient),
                     .right = f32(a, weight),
                     .result = f32(a, input_gradient),
                     .counts = i64(a, groups),
                     .scratch = a.operands.back()});
      });
}
std::uint64_t scratch_grouped_input_gradient(const KernelSpec& spec) {
  return grouped_linear_scratch_bytes(grouped_input_gradient_config(spec));
}

std::size_t pieces_of(const KernelSpec& spec) {
  return static_cast<std::size_t>(spec.attributes->integer(attribute::pieces, 1));
}
GroupedLinearConfig grouped_weight_gradient_config(const KernelSpec& spec, bool accumulate) {
  using enum graph::grouped_linear_weight_gradient::Operand;
  return {.kind = GemmKind::weight_gradient,
          .experts = spec.size(weight_gradient, 0),
          .rows = spec.size(gradient, 0) / pieces_of(spec),
          .in = spec.size(input, 1),
          .out = spec.size(gradient, 1),
          .accumulate = accumulate,
          .matrix_unit = spec.matrix_unit,
          .threads = spec.threads};
}
std::unique_ptr<TaskFunction> prepare_grouped_weight_gradient(const KernelSpec& spec) {
  using enum graph::grouped_linear_weight_gradient::Operand;
  return function([write = GroupedLinear(grouped_weight_gradient_config(spec, false)),
                   accumulate = GroupedLinear(grouped_weight_gradient_config(spec, true)),
                   pieces = pieces_of(spec)](const TaskArguments& a) {
    const GroupedLinearConfig& each = write.config();
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      const std::size_t row = piece * each.rows;
      (a.first && piece == 0 ? write : accumulate)
          .run({.left = f32(a, gradient) + row * each.out,
                .right = f32(a, input) + row * each.in,
                .result = f32(a, weight_gradient),
                .counts = i64(a, groups) + piece * each.experts,
                .scratch = a.operands.back()});
    }
  });
}
std::unique_ptr<TaskFunction> prepare_grouped_weight_gradient_added(const KernelSpec& spec) {
  using enum graph::grouped_linear_weight_gradient::Operand;
  return function([product = GroupedLinear(grouped_weight_gradient_config(spec, true))](
                      const TaskArguments& a) {
    product.run({.left = f32(a, gradient),
                 .right = f32(a, input),
                 .result = f32(a, weight_gradient),
                 .counts = i64(a, groups),
                 .scratch = a.operands.back()});
  });
}
std::uint64_t scratch_grouped_weight_gradient(const KernelSpec& spec) {
  return std::max(grouped_linear_scratch_bytes(grouped_weight_gradient_config(spec, false)),
                  grouped_linear_scratch_bytes(grouped_weight_gradient_config(spec, true)));
}

std::unique_ptr<TaskFunction> prepare_gated_swiglu(const KernelSpec& spec) {
  using enum graph::gated_swiglu::Operand;
  return function([rows = Rows(spec, input), width = spec.size(output, 1)](const TaskArguments& a) {
    swiglu_forward({.tokens = rows(a),
                    .width = width,
                    .x = f32(a, input),
                    .y = f32(a, output),
                    .weight = f32(a, weights)});
  });
}

std::unique_ptr<TaskFunction> prepare_gated_swiglu_gradient(const KernelSpec& spec) {
  using enum graph::gated_swiglu_gradient::Operand;
  return function(
      [rows = Rows(spec, input), width = spec.size(gradient, 1)](const TaskArguments& a) {
        swiglu_backward({.tokens = rows(a),
                         .width = width,
                         .dy = f32(a, gradient),
                         .x = f32(a, input),
                         .dx = f32(a, input_gradient),
                         .weight = f32(a, weights),
                         .dweight = f32(a, weights_gradient)});
      });
}

std::unique_ptr<TaskFunction> prepare_gate_rows(const KernelSpec& spec) {
  using enum graph::gate_rows::Operand;
  return function(
      [rows = Rows(spec, input), channels = spec.size(input, 1)](const TaskArguments& a) {
        gate_forward({.tokens = rows(a),
                      .channels = channels,
                      .x = f32(a, input),
                      .logits = f32(a, logits),
                      .y = f32(a, output)});
      });
}

std::unique_ptr<TaskFunction> prepare_gate_rows_gradient(const KernelSpec& spec) {
  using enum graph::gate_rows_gradient::Operand;
  return function(
      [rows = Rows(spec, input), channels = spec.size(input, 1)](const TaskArguments& a) {
        gate_backward({.tokens = rows(a),
                       .channels = channels,
                       .dy = f32(a, gradient),
                       .x = f32(a, input),
                       .logits = f32(a, logits),
                       .dx = f32(a, input_gradient),
                       .dlogits = f32(a, logits_gradient)});
      });
}

}  // namespace

std::span<const Kernel> expert_kernels() {
  constexpr bool kSeveral = true;
  static constexpr std::array kKernels{
      Kernel{"route", Device::cpu, prepare_route, nullptr, kCountedRows},
      Kernel{"route_gradient", Device::cpu, prepare_route_gradient, nullptr, kCountedRows},
      Kernel{"group_loads", Device::cpu, prepare_group_loads},
      Kernel{"drop_choices", Device::cpu, prepare_drop_choices, scratch_drop_choices},
      Kernel{"router_losses", Device::cpu, prepare_router_losses, scratch_router_losses},
      Kernel{"router_losses_gradient", Device::cpu, prepare_router_losses_gradient},
      Kernel{"load_excess", Device::cpu, prepare_load_excess},
      Kernel{"update_choice_bias", Device::cpu, prepare_update_choice_bias},
      Kernel{"keep_routes", Device::cpu, prepare_keep_routes},
      Kernel{"record_routing", Device::cpu, prepare_record_routing},
      Kernel{"collect_records", Device::cpu, prepare_collect_records},
      Kernel{"dispatch_map", Device::cpu, prepare_dispatch_map, nullptr, kCountedRows},
      Kernel{"gather_rows", Device::cpu, prepare_gather_rows, nullptr, kCountedRows, kSeveral},
      Kernel{"combine_rows", Device::cpu, prepare_combine_rows, nullptr, kCountedRows, kSeveral},
      Kernel{"combine_weighted_rows", Device::cpu, prepare_combine_weighted, nullptr, kCountedRows,
             kSeveral},
      Kernel{"combine_weighted_rows_gradient", Device::cpu, prepare_combine_weighted_gradient,
             nullptr, kCountedRows, kSeveral},
      Kernel{"gather_weights", Device::cpu, prepare_gather_weights, nullptr, kCountedRows,
             kSeveral},
      Kernel{"gather_weights_gradient", Device::cpu, prepare_gather_weights_gradient, nullptr,
             kCountedRows, kSeveral},
      Kernel{"regroup_map", Device::cpu, prepare_regroup_map},
      Kernel{"reorder_rows", Device::cpu, prepare_reorder_rows, nullptr, kCountedRows},
      Kernel{"join_rows", Device::cpu, prepare_join_rows},
      Kernel{"split_rows", Device::cpu, prepare_split_rows},
      Kernel{"grouped_linear", Device::cpu, prepare_grouped, scratch_grouped, kCountedRows},
      Kernel{"grouped_linear_input_gradient", Device::cpu, prepare_grouped_input_gradient,
             scratch_grouped_input_gradient, kCountedRows},
      Kernel{"grouped_linear_weight_gradient", Device::cpu, prepare_grouped_weight_gradient,
             scratch_grouped_weight_gradient, kCountedRows},
      Kernel{"grouped_linear_weight_gradient_added", Device::cpu,
             prepare_grouped_weight_gradient_added, scratch_grouped_weight_gradient, kCountedRows},
      Kernel{"gated_swiglu", Device::cpu, prepare_gated_swiglu, nullptr, kCountedRows},
      Kernel{"gated_swiglu_gradient", Device::cpu, prepare_gated_swiglu_gradient, nullptr,
             kCountedRows},
      Kernel{"gate_rows", Device::cpu, prepare_gate_rows, nullptr, kCountedRows},
      Kernel{"gate_rows_gradient", Device::cpu, prepare_gate_rows_gradient, nullptr, kCountedRows}};
  return kKernels;
}

}  // namespace megascale::kernels::cpu
