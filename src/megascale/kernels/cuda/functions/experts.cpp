// Task functions of the device for routed experts: the maps of rows, the moves of rows by them,
// SwiGLU with the weight of a choice, gates of shared experts and casts. A kernel between tokens
// and rows may have two counts, as on the CPU.
#include <array>

#include "megascale/kernels/cuda/dispatch_map.h"
#include "megascale/kernels/cuda/elementwise.h"
#include "megascale/kernels/cuda/functions/complaining_function.h"
#include "megascale/kernels/cuda/gates.h"
#include "megascale/kernels/cuda/routed_rows.h"
#include "megascale/kernels/expert_functions.h"

namespace megascale::kernels::cuda {
namespace {

namespace attribute = graph::attribute;

std::unique_ptr<TaskFunction> prepare_dispatch_map(const KernelSpec& spec) {
  using enum graph::dispatch_map::Operand;
  const bool of_rank = spec.attributes->integer(attribute::of_rank, 0) != 0;
  const std::size_t experts = spec.size(counts, 0);
  const ExpertCut cut(spec);
  const DispatchMap of{
      .tokens = spec.size(choices, 0),
      .top_k = spec.size(choices, 1),
      .first =
          of_rank ? spec.coordinates[static_cast<std::size_t>(graph::Axis::expert)] * experts : 0,
      .experts = experts,
      .ranks = spec.size(sent, 0),
      .pieces = cut.pieces,
      .piece = cut.piece,
      .bound = spec.size(source, 0)};
  return complaining_function(
      [of, rows = Rows(spec)](const TaskArguments& a) {
        DispatchMap args = of;
        args.counted = rows(a);
        args.choice = i32(a, choices);
        args.source = i32(a, source);
        args.place = i32(a, place);
        args.counts = i64(a, counts);
        args.sent = i64(a, sent);
        args.scratch = reinterpret_cast<std::int32_t*>(scratch(a));
        args.complaint = a.complaint;
        dispatch_map(args, a.stream);
      },
      [bound = of.bound](std::int64_t wanted) {
        return too_many_rows("dispatch_map", bound, wanted);
      });
}

// Returns a move of rows by gather_rows() or combine_rows(): from kX to kY by the map kMap. `rows` counts
// those of kY.
template <auto kX, auto kMap, auto kY>
std::unique_ptr<TaskFunction> gathering(const KernelSpec& spec, const Rows& rows,
                                        std::size_t per_token, std::size_t channels) {
  return function([rows, of = GatherRows{.rows = spec.size(kY, 0),
                                         .per_token = per_token,
                                         .channels = channels,
                                         .dtype = dtype_of(spec, kX)}](const TaskArguments& a) {
    GatherRows args = of;
    args.counted = rows(a);
    args.x = raw(a, kX);
    args.source = i32(a, kMap);
    args.y = raw(a, kY);
    gather_rows(args, a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_gather_rows(const KernelSpec& spec) {
  using enum graph::gather_rows::Operand;
  return gathering<input, source, output>(spec, Rows::of(spec, output), spec.size(place, 1),
                                          spec.size(input, 1));
}

std::unique_ptr<TaskFunction> prepare_combine_rows(const KernelSpec& spec) {
  using enum graph::combine_rows::Operand;
  return function([rows = Rows::of(spec, output),
                   of = CombineRows{.tokens = spec.size(output, 0),
                                    .per_token = spec.size(place, 1),
                                    .channels = spec.size(input, 1),
                                    .dtype = dtype_of(spec, input)}](const TaskArguments& a) {
    CombineRows args = of;
    args.counted = rows(a);
    args.x = raw(a, input);
    args.place = i32(a, place);
    args.y = raw(a, output);
    combine_rows(args, a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_combine_weighted(const KernelSpec& spec) {
  using enum graph::combine_weighted_rows::Operand;
  return function([rows = Rows::of(spec, output),
                   of = CombineRows{.tokens = spec.size(output, 0),
                                    .per_token = spec.size(place, 1),
                                    .channels = spec.size(input, 1),
                                    .dtype = dtype_of(spec, input)}](const TaskArguments& a) {
    CombineRows args = of;
    args.counted = rows(a);
    args.x = raw(a, input);
    args.place = i32(a, place);
    args.weight = f32(a, weights);
    args.y = raw(a, output);
    combine_rows(args, a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_combine_weighted_gradient(const KernelSpec& spec) {
  using enum graph::combine_weighted_rows_gradient::Operand;
  const std::size_t top_k = spec.size(place, 1), channels = spec.size(input, 1);
  const DType dtype = dtype_of(spec, input);
  return function([rows = Rows::of(spec, input_gradient), tokens = Rows::of(spec, gradient),
                   gather = GatherRows{.rows = spec.size(input_gradient, 0),
                                       .per_token = top_k,
                                       .channels = channels,
                                       .dtype = dtype},
                   of_weights = CombineWeightGradient{.tokens = spec.size(gradient, 0),
                                                      .per_token = top_k,
                                                      .channels = channels,
                                                      .dtype = dtype}](const TaskArguments& a) {
    GatherRows of_rows = gather;
    of_rows.counted = rows(a);
    of_rows.x = raw(a, gradient);
    of_rows.source = i32(a, source);
    of_rows.weight = f32(a, weights);
    of_rows.y = raw(a, input_gradient);
    gather_rows(of_rows, a.stream);
    CombineWeightGradient of_tokens = of_weights;
    of_tokens.counted = tokens(a);
    of_tokens.dy = raw(a, gradient);
    of_tokens.x = raw(a, input);
    of_tokens.place = i32(a, place);
    of_tokens.dweight = f32(a, weights_gradient);
    combine_weight_gradient(of_tokens, a.stream);
  });
}

// A weight is a row of one channel, and each choice has its own.
std::unique_ptr<TaskFunction> prepare_gather_weights(const KernelSpec& spec) {
  using enum graph::gather_weights::Operand;
  return gathering<weights, source, output>(spec, Rows::of(spec, output), 1, 1);
}

// A choice is a "token" here.
std::unique_ptr<TaskFunction> prepare_gather_weights_gradient(const KernelSpec& spec) {
  using enum graph::gather_weights_gradient::Operand;
  return function([tokens = Rows::of(spec, weights_gradient), top_k = spec.size(place, 1),
                   slots = elements(spec, weights_gradient)](const TaskArguments& a) {
    combine_rows({.tokens = slots,
                  .per_token = 1,
                  .channels = 1,
                  .counted = tokens(a),
                  .of_each = top_k,
                  .dtype = DType::float32,
                  .x = raw(a, gradient),
                  .place = i32(a, place),
                  .y = raw(a, weights_gradient)},
                 a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_regroup_map(const KernelSpec& spec) {
  using enum graph::regroup_map::Operand;
  const ExpertCut cut(spec);
  const RegroupMap of{.ranks = spec.size(received, 0),
                      .experts = spec.size(groups, 0),
                      .pieces = cut.pieces,
                      .piece = cut.piece,
                      .bound = spec.size(order, 0)};
  return complaining_function(
      [of](const TaskArguments& a) {
        RegroupMap args = of;
        args.arrived = i64(a, arrived);
        args.order = i32(a, order);
        args.inverse = i32(a, inverse);
        args.groups = i64(a, groups);
        args.received = i64(a, received);
        args.complaint = a.complaint;
        regroup_map(args, a.stream);
      },
      [bound = of.bound, pieces = cut.pieces](std::int64_t wanted) {
        return too_many_rows("regroup_map", bound, wanted, pieces);
      });
}

std::unique_ptr<TaskFunction> prepare_reorder_rows(const KernelSpec& spec) {
  using enum graph::reorder_rows::Operand;
  return gathering<input, order, output>(spec, Rows(spec), 1, spec.size(input, 1));
}

std::unique_ptr<TaskFunction> prepare_join_rows(const KernelSpec& spec) {
  using enum graph::join_rows::Operand;
  return function([of_first = spec.nbytes[first],
                   of_second = spec.nbytes[second]](const TaskArguments& a) {
    ::megascale::cuda::copy_async(raw(a, output), {raw(a, first), of_first}, a.stream);
    ::megascale::cuda::copy_async(raw(a, output) + of_first, {raw(a, second), of_second}, a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_split_rows(const KernelSpec& spec) {
  using enum graph::split_rows::Operand;
  return function([of_first = spec.nbytes[first],
                   of_second = spec.nbytes[second]](const TaskArguments& a) {
    ::megascale::cuda::copy_async(raw(a, first), {raw(a, input), of_first}, a.stream);
    ::megascale::cuda::copy_async(raw(a, second), {raw(a, input) + of_first, of_second}, a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_gated_swiglu(const KernelSpec& spec) {
  using enum graph::gated_swiglu::Operand;
  return function([rows = Rows(spec),
                   of = GatedSwiglu{.rows = spec.size(output, 0),
                                    .width = spec.size(output, 1),
                                    .dtype = dtype_of(spec, output)}](const TaskArguments& a) {
    GatedSwiglu args = of;
    args.counted = rows(a);
    args.x = raw(a, input);
    args.weight = f32(a, weights);
    args.y = raw(a, output);
    gated_swiglu(args, a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_gated_swiglu_gradient(const KernelSpec& spec) {
  using enum graph::gated_swiglu_gradient::Operand;
  return function([rows = Rows(spec), of = GatedSwigluGradient{.rows = spec.size(gradient, 0),
                                                               .width = spec.size(gradient, 1),
                                                               .dtype = dtype_of(spec, gradient)}](
                      const TaskArguments& a) {
    GatedSwigluGradient args = of;
    args.counted = rows(a);
    args.dy = raw(a, gradient);
    args.x = raw(a, input);
    args.weight = f32(a, weights);
    args.dx = raw(a, input_gradient);
    args.dweight = f32(a, weights_gradient);
    gated_swiglu_gradient(args, a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_gate_rows(const KernelSpec& spec) {
  using enum graph::gate_rows::Operand;
  return function(
      [rows = Rows(spec), of = GateRows{.rows = spec.size(input, 0),
                                        .channels = spec.size(input, 1),
                                        .dtype = dtype_of(spec, input)}](const TaskArguments& a) {
        GateRows args = of;
        args.counted = rows(a);
        args.x = raw(a, input);
        args.logits = raw(a, logits);
        args.y = raw(a, output);
        gate_rows(args, a.stream);
      });
}

std::unique_ptr<TaskFunction> prepare_gate_rows_gradient(const KernelSpec& spec) {
  using enum graph::gate_rows_gradient::Operand;
  return function([rows = Rows(spec),
                   of = GateRowsGradient{.rows = spec.size(input, 0),
                                         .channels = spec.size(input, 1),
                                         .dtype = dtype_of(spec, input)}](const TaskArguments& a) {
    GateRowsGradient args = of;
    args.counted = rows(a);
    args.dy = raw(a, gradient);
    args.x = raw(a, input);
    args.logits = raw(a, logits);
    args.dx = raw(a, input_gradient);
    args.dlogits = raw(a, logits_gradient);
    gate_rows_gradient(args, a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_cast(const KernelSpec& spec) {
  using enum graph::cast::Operand;
  return function(
      [rows = Rows(spec), of = Cast{.count = elements(spec, input),
                                    .channels = spec.size(input, 1),
                                    .from = dtype_of(spec, input),
                                    .to = dtype_of(spec, output)}](const TaskArguments& a) {
        Cast args = of;
        args.counted = rows(a);
        args.x = raw(a, input);
        args.y = raw(a, output);
        cast(args, a.stream);
      });
}

}  // namespace

std::span<const Prepare> expert_functions() {
  static constexpr std::array kFunctions{
      Prepare{"dispatch_map", prepare_dispatch_map},
      Prepare{"gather_rows", prepare_gather_rows},
      Prepare{"combine_rows", prepare_combine_rows},
      Prepare{"combine_weighted_rows", prepare_combine_weighted},
      Prepare{"combine_weighted_rows_gradient", prepare_combine_weighted_gradient},
      Prepare{"gather_weights", prepare_gather_weights},
      Prepare{"gather_weights_gradient", prepare_gather_weights_gradient},
      Prepare{"regroup_map", prepare_regroup_map},
      Prepare{"reorder_rows", prepare_reorder_rows},
      Prepare{"join_rows", prepare_join_rows},
      Prepare{"split_rows", prepare_split_rows},
      Prepare{"gated_swiglu", prepare_gated_swiglu},
      Prepare{"gated_swiglu_gradient", prepare_gated_swiglu_gradient},
      Prepare{"gate_rows", prepare_gate_rows},
      Prepare{"gate_rows_gradient", prepare_gate_rows_gradient},
      Prepare{"cast", prepare_cast}};
  return kFunctions;
}

}  // namespace megascale::kernels::cuda
