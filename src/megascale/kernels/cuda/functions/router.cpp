// Task functions of the device for the router of a layer with experts: choices and their gradient, losses
// and the bias that balance loads, and the record of a step.
#include "megascale/kernels/cuda/router.h"

#include <array>
#include <vector>

#include "megascale/base/step_numbers.h"
#include "megascale/kernels/cuda/drop_choices.h"
#include "megascale/kernels/cuda/functions/complaining_function.h"
#include "megascale/kernels/cuda/router_losses.h"
#include "megascale/kernels/expert_functions.h"

namespace megascale::kernels::cuda {
namespace {

namespace attribute = graph::attribute;

std::unique_ptr<TaskFunction> prepare_route(const KernelSpec& spec) {
  using enum graph::route::Operand;
  return complaining_function(
      [shape = router_shape(spec, logits), rows = Rows(spec),
       even = spec.attributes->integer(attribute::even_choices, 0) != 0](const TaskArguments& a) {
        Route args{.shape = shape,
                   .logits = f32(a, logits),
                   .bias = f32(a, bias),
                   .fixed = i32(a, fixed),
                   .even = even,
                   .padding = i32(a, padding),
                   .choice = i32(a, choices),
                   .weight = f32(a, weights),
                   .affinity = f32(a, affinities),
                   .loads = i64(a, loads),
                   .complaint = a.complaint};
        args.counted = rows(a);
        route(args, a.stream);
      },
      [](std::int64_t) { return no_recorded_choices(); });
}

std::unique_ptr<TaskFunction> prepare_route_gradient(const KernelSpec& spec) {
  using enum graph::route_gradient::Operand;
  return function([shape = router_shape(spec, logits), rows = Rows(spec)](const TaskArguments& a) {
    RouteGradient args{.shape = shape,
                       .logits = f32(a, logits),
                       .choice = i32(a, choices),
                       .dweight = f32(a, gradient),
                       .addend = f32(a, addend),
                       .dlogits = f32(a, logits_gradient)};
    args.counted = rows(a);
    route_gradient(args, a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_group_loads(const KernelSpec& spec) {
  using enum graph::group_loads::Operand;
  return function(
      [of = GroupLoads{.tokens = spec.size(choices, 0),
                       .experts = static_cast<std::size_t>(spec.attribute(attribute::experts)),
                       .top_k = spec.size(choices, 1),
                       .groups = spec.size(sent, 0)}](const TaskArguments& a) {
        GroupLoads args = of;
        args.choice = i32(a, choices);
        args.sent = i64(a, sent);
        group_loads(args, a.stream);
      });
}

std::unique_ptr<TaskFunction> prepare_drop_choices(const KernelSpec& spec) {
  using enum graph::drop_choices::Operand;
  const DropPlace place = drop_place(spec);
  const DropChoices of{.sequences = place.sequences,
                       .length = place.length,
                       .contexts = place.contexts,
                       .experts = static_cast<std::size_t>(spec.attribute(attribute::experts)),
                       .top_k = spec.size(choices, 1),
                       .groups = static_cast<std::size_t>(spec.attribute(attribute::device_groups)),
                       .capacity = spec.attribute(attribute::capacity),
                       .factor = spec.attributes->real(attribute::capacity_factor, 0.0),
                       .first = place.first,
                       .tokens = place.tokens};
  return function([of](const TaskArguments& a) {
    DropChoices args = of;
    args.choice = i32(a, choices);
    args.affinity = f32(a, affinities);
    args.exempt = i32(a, exempt);
    args.before = i64(a, before);
    args.kept = i32(a, kept);
    args.dropped = i64(a, dropped);
    args.scratch = reinterpret_cast<std::uint64_t*>(scratch(a));
    drop_choices(args, a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_router_losses(const KernelSpec& spec) {
  using enum graph::router_losses::Operand;
  return function([of = router_losses_of(spec, logits, loads)](const TaskArguments& a) {
    RouterLosses args = of;
    args.logits = f32(a, logits);
    args.loads = i64(a, loads);
    args.sent = i64(a, sent);
    args.choice = i32(a, choices);
    args.counted = i64(a, counted);
    router_losses(args, as<double>(a, losses), scratch(a), a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_router_losses_gradient(const KernelSpec& spec) {
  using enum graph::router_losses_gradient::Operand;
  return function([of = router_losses_of(spec, logits, loads)](const TaskArguments& a) {
    RouterLosses args = of;
    args.logits = f32(a, logits);
    args.loads = i64(a, loads);
    args.sent = i64(a, sent);
    args.choice = i32(a, choices);
    args.counted = i64(a, counted);
    router_losses_gradient(args, f32(a, addend), f32(a, logits_gradient), scratch(a), a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_load_excess(const KernelSpec& spec) {
  using enum graph::load_excess::Operand;
  return function([experts = spec.size(loads, 0)](const TaskArguments& a) {
    load_excess(i64(a, loads), experts, !a.first, f32(a, excess), a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_update_choice_bias(const KernelSpec& spec) {
  using enum graph::update_choice_bias::Operand;
  return function([count = spec.nbytes[biases] / sizeof(float),
                   rate = static_cast<float>(spec.attributes->real(attribute::bias_rate))](
                      const TaskArguments& a) {
    update_choice_bias(f32(a, excess), count, rate, &as<const UpdateScalars>(a, scalars)->skip,
                       f32(a, biases), a.stream);
  });
}

// The fields of the batch lie on the device, from where the host reads them after the step.
std::unique_ptr<TaskFunction> prepare_keep_routes(const KernelSpec& spec) {
  using enum graph::keep_routes::Operand;
  return function([nbytes = spec.nbytes[choices],
                   experts = spec.nbytes[bias] / sizeof(float)](const TaskArguments& a) {
    ::megascale::cuda::copy_async(raw(a, routes), {raw(a, choices), nbytes}, a.stream);
    ::megascale::cuda::copy_async(raw(a, scores), {raw(a, affinities), nbytes}, a.stream);
    if (a.operands[bias] == nullptr) return;
    add_choice_bias(i32(a, choices), nbytes / sizeof(std::int32_t), experts, f32(a, bias),
                    f32(a, scores), a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_record_routing(const KernelSpec& spec) {
  using enum graph::record_routing::Operand;
  return function([experts = spec.size(loads, 0)](const TaskArguments& a) {
    record_routing({.experts = experts,
                    .accumulate = !a.first,
                    .loads = i64(a, loads),
                    .dropped = i64(a, dropped),
                    .losses = as<const double>(a, losses),
                    .record = as<double>(a, record)},
                   a.stream);
  });
}

// Returns for each element of the model's records its place in this rank's; -1 if it has none.
std::vector<std::int32_t> places_of_records(const KernelSpec& spec) {
  std::vector<std::int32_t> places(spec.nbytes[graph::collect_records::sums] / sizeof(double), -1);
  std::int32_t next = 0;
  for (const graph::FlatSegment& segment : spec.segments) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(segment.count); ++i)
      places[static_cast<std::size_t>(segment.begin) + i] = next++;
  }
  return places;
}
std::unique_ptr<TaskFunction> prepare_collect_records(const KernelSpec& spec) {
  using enum graph::collect_records::Operand;
  const std::vector<std::int32_t> places = places_of_records(spec);
  return function([table = DeviceTable<std::int32_t>(places),
                   count = places.size()](const TaskArguments& a) {
    collect_records(count, table.data(), as<const double>(a, own), as<double>(a, sums), a.stream);
  });
}

}  // namespace

std::span<const Prepare> router_functions() {
  static constexpr std::array kFunctions{
      Prepare{"route", prepare_route},
      Prepare{"route_gradient", prepare_route_gradient},
      Prepare{"group_loads", prepare_group_loads},
      Prepare{"drop_choices", prepare_drop_choices},
      Prepare{"router_losses", prepare_router_losses},
      Prepare{"router_losses_gradient", prepare_router_losses_gradient},
      Prepare{"load_excess", prepare_load_excess},
      Prepare{"update_choice_bias", prepare_update_choice_bias},
      Prepare{"keep_routes", prepare_keep_routes},
      Prepare{"record_routing", prepare_record_routing},
      Prepare{"collect_records", prepare_collect_records}};
  return kFunctions;
}

}  // namespace megascale::kernels::cuda
