// Task functions of the CPU for routed experts: the maps of rows, the moves of rows by them, grouped
// products, SwiGLU with the weight of a choice and gates of shared experts. Sizes of rows are counted at
// run time. A kernel between tokens and rows has two counts: in decoding tokens are counted too.
#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "megascale/kernels/cpu/activation.h"
#include "megascale/kernels/cpu/dispatch_map.h"
#include "megascale/kernels/cpu/elementwise.h"
#include "megascale/kernels/cpu/functions/functions.h"
#include "megascale/kernels/cpu/grouped_linear.h"
#include "megascale/kernels/cpu/routed_rows.h"
#include "megascale/kernels/expert_functions.h"

namespace megascale::kernels::cpu {
namespace {

namespace attribute = graph::attribute;

std::unique_ptr<TaskFunction> prepare_dispatch_map(const KernelSpec& spec) {
  using enum graph::dispatch_map::Operand;
  const bool of_rank = spec.attributes->integer(attribute::of_rank, 0) != 0;
  const std::size_t experts = spec.size(counts, 0);
  const std::size_t first =
      of_rank ? spec.coordinates[static_cast<std::size_t>(graph::Axis::expert)] * experts : 0;
  return checked_function([tokens = Rows(spec, choices), top_k = spec.size(choices, 1), first,
                           experts, bound = spec.size(source, 0), cut = ExpertCut(spec),
                           ranks = spec.size(sent, 0)](const TaskArguments& a) -> std::string {
    const std::int64_t wanted = dispatch_map({.slots = tokens(a) * top_k,
                                              .first = first,
                                              .experts = experts,
                                              .ranks = ranks,
                                              .pieces = cut.pieces,
                                              .piece = cut.piece,
                                              .bound = bound,
                                              .choice = i32(a, choices),
                                              .source = i32(a, source),
                                              .place = i32(a, place),
                                              .counts = i64(a, counts)});
    const std::size_t each = experts / ranks, of_piece = each / cut.pieces;
    sum_counts(i64(a, counts) + cut.piece * of_piece, of_piece, each, ranks, i64(a, sent));
    return wanted > static_cast<std::int64_t>(bound) ? too_many_rows("dispatch_map", bound, wanted)
                                                     : std::string();
  });
}

// Returns a move of rows by gather_rows() or combine_rows(): from kX to kY by the map kMap. `rows` counts
// those of kY.
template <auto kX, auto kMap, auto kY>
std::unique_ptr<TaskFunction> gathering(const Rows& rows, std::size_t per_token,
                                        std::size_t channels) {
  return function([=](const TaskArguments& a) {
    gather_rows({.rows = rows(a),
                 .per_token = per_token,
                 .channels = channels,
                 .x = f32(a, kX),
                 .source = i32(a, kMap),
                 .y = f32(a, kY)});
  });
}
template <auto kX, auto kMap, auto kY>
std::unique_ptr<TaskFunction> combining(const Rows& rows, std::size_t per_token,
                                        std::size_t channels) {
  return function([=](const TaskArguments& a) {
    combine_rows({.tokens = rows(a),
                  .per_token = per_token,
                  .channels = channels,
                  .x = f32(a, kX),
                  .place = i32(a, kMap),
                  .y = f32(a, kY)});
  });
}

std::unique_ptr<TaskFunction> prepare_gather_rows(const KernelSpec& spec) {
  using enum graph::gather_rows::Operand;
  return gathering<input, source, output>(Rows::of(spec, output), spec.size(place, 1),
                                          spec.size(input, 1));
}

std::unique_ptr<TaskFunction> prepare_combine_rows(const KernelSpec& spec) {
  using enum graph::combine_rows::Operand;
  return combining<input, place, output>(Rows::of(spec, output), spec.size(place, 1),
                                         spec.size(input, 1));
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
  return gathering<weights, source, output>(Rows::of(spec, output), 1, 1);
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
                           bound = spec.size(order, 0),
                           cut = ExpertCut(spec)](const TaskArguments& a) -> std::string {
    const std::int64_t* counts = i64(a, arrived);
    const std::int64_t rows = regroup_map({.ranks = ranks,
                                           .experts = experts,
                                           .pieces = cut.pieces,
                                           .piece = cut.piece,
                                           .bound = bound,
                                           .arrived = counts,
                                           .order = i32(a, order),
                                           .inverse = i32(a, inverse),
                                           .groups = i64(a, groups),
                                           .received = i64(a, received)});
    if (rows >= 0) return {};
    std::int64_t wanted = 0;
    for (std::size_t r = 0; r < ranks; ++r) {
      const std::int64_t* of_piece = counts + (r * cut.pieces + cut.piece) * experts;
      wanted = std::accumulate(of_piece, of_piece + experts, wanted);
    }
    return too_many_rows("regroup_map", bound, wanted, cut.pieces);
  });
}

std::unique_ptr<TaskFunction> prepare_reorder_rows(const KernelSpec& spec) {
  using enum graph::reorder_rows::Operand;
  return gathering<input, order, output>(Rows(spec, input), 1, spec.size(input, 1));
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

// weight: of the operand that has a matrix [outputs, inputs] for each expert.
GroupedLinearConfig grouped_config(const KernelSpec& spec, GemmKind kind, std::size_t rows,
                                   OperandName auto weight, bool accumulate = false) {
  return {.kind = kind,
          .experts = spec.size(weight, 0),
          .rows = rows,
          .in = spec.size(weight, 2),
          .out = spec.size(weight, 1),
          .accumulate = accumulate,
          .matrix_unit = spec.matrix_unit,
          .threads = spec.threads};
}
template <auto kLeft, auto kRight, auto kResult, auto kGroups>
std::unique_ptr<TaskFunction> grouped_product(const GroupedLinearConfig& config) {
  return function([product = GroupedLinear(config)](const TaskArguments& a) {
    product.run({.left = f32(a, kLeft),
                 .right = f32(a, kRight),
                 .result = f32(a, kResult),
                 .counts = i64(a, kGroups),
                 .scratch = a.operands.back()});
  });
}

GroupedLinearConfig grouped_forward_config(const KernelSpec& spec) {
  using enum graph::grouped_linear::Operand;
  return grouped_config(spec, GemmKind::forward, spec.size(input, 0), weight);
}
std::unique_ptr<TaskFunction> prepare_grouped(const KernelSpec& spec) {
  using enum graph::grouped_linear::Operand;
  return grouped_product<input, weight, output, groups>(grouped_forward_config(spec));
}
std::uint64_t scratch_grouped(const KernelSpec& spec) {
  return grouped_linear_scratch_bytes(grouped_forward_config(spec));
}

GroupedLinearConfig grouped_input_gradient_config(const KernelSpec& spec) {
  using enum graph::grouped_linear_input_gradient::Operand;
  return grouped_config(spec, GemmKind::input_gradient, spec.size(gradient, 0), weight);
}
std::unique_ptr<TaskFunction> prepare_grouped_input_gradient(const KernelSpec& spec) {
  using enum graph::grouped_linear_input_gradient::Operand;
  return grouped_product<gradient, weight, input_gradient, groups>(
      grouped_input_gradient_config(spec));
}
std::uint64_t scratch_grouped_input_gradient(const KernelSpec& spec) {
  return grouped_linear_scratch_bytes(grouped_input_gradient_config(spec));
}

std::size_t pieces_of(const KernelSpec& spec) {
  return static_cast<std::size_t>(spec.attributes->integer(attribute::pieces, 1));
}
GroupedLinearConfig grouped_weight_gradient_config(const KernelSpec& spec, bool accumulate) {
  using enum graph::grouped_linear_weight_gradient::Operand;
  return grouped_config(spec, GemmKind::weight_gradient, spec.size(gradient, 0) / pieces_of(spec),
                        weight_gradient, accumulate);
}
// kAdds: to what the gradient holds, also in the first micro-batch.
template <bool kAdds>
std::unique_ptr<TaskFunction> prepare_grouped_weight_gradient(const KernelSpec& spec) {
  using enum graph::grouped_linear_weight_gradient::Operand;
  return function([write = GroupedLinear(grouped_weight_gradient_config(spec, false)),
                   accumulate = GroupedLinear(grouped_weight_gradient_config(spec, true)),
                   pieces = pieces_of(spec)](const TaskArguments& a) {
    const GroupedLinearConfig& each = write.config();
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      const std::size_t row = piece * each.rows;
      (!kAdds && a.first && piece == 0 ? write : accumulate)
          .run({.left = f32(a, gradient) + row * each.out,
                .right = f32(a, input) + row * each.in,
                .result = f32(a, weight_gradient),
                .counts = i64(a, groups) + piece * each.experts,
                .scratch = a.operands.back()});
    }
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
      Kernel{"grouped_linear_weight_gradient", Device::cpu, prepare_grouped_weight_gradient<false>,
             scratch_grouped_weight_gradient, kCountedRows},
      Kernel{"grouped_linear_weight_gradient_added", Device::cpu,
             prepare_grouped_weight_gradient<true>, scratch_grouped_weight_gradient, kCountedRows},
      Kernel{"gated_swiglu", Device::cpu, prepare_gated_swiglu, nullptr, kCountedRows},
      Kernel{"gated_swiglu_gradient", Device::cpu, prepare_gated_swiglu_gradient, nullptr,
             kCountedRows},
      Kernel{"gate_rows", Device::cpu, prepare_gate_rows, nullptr, kCountedRows},
      Kernel{"gate_rows_gradient", Device::cpu, prepare_gate_rows_gradient, nullptr, kCountedRows}};
  return kKernels;
}

}  // namespace megascale::kernels::cpu
