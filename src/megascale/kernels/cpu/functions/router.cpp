// Task functions of the CPU for the router of a layer with experts: choices and their gradient, choices
// over a capacity, losses and the bias that balance loads, and the record of a step.
#include "megascale/kernels/cpu/router.h"

#include <algorithm>
#include <array>
#include <string>

#include "megascale/base/step_numbers.h"
#include "megascale/kernels/cpu/drop_choices.h"
#include "megascale/kernels/cpu/functions/functions.h"
#include "megascale/kernels/cpu/router_losses.h"
#include "megascale/kernels/expert_functions.h"

namespace megascale::kernels::cpu {
namespace {

namespace attribute = graph::attribute;

std::unique_ptr<TaskFunction> prepare_route(const KernelSpec& spec) {
  using enum graph::route::Operand;
  return checked_function([shape = router_shape(spec, logits), rows = Rows(spec, logits),
                           even = spec.attributes->integer(attribute::even_choices, 0) !=
                                  0](const TaskArguments& a) -> std::string {
    Route args{.shape = shape,
               .logits = f32(a, logits),
               .bias = f32(a, bias),
               .fixed = i32(a, fixed),
               .even = even,
               .padding = i32(a, padding),
               .choice = i32(a, choices),
               .weight = f32(a, weights),
               .affinity = f32(a, affinities),
               .loads = i64(a, loads)};
    args.shape.tokens = rows(a);
    if (args.fixed != nullptr &&
        std::any_of(args.fixed, args.fixed + args.shape.tokens * shape.top_k,
                    [](std::int32_t choice) { return choice < 0; })) {
      return no_recorded_choices();
    }
    route(args);
    return {};
  });
}

std::unique_ptr<TaskFunction> prepare_keep_routes(const KernelSpec& spec) {
  using enum graph::keep_routes::Operand;
  return function([slots = spec.size(choices, 0) * spec.size(choices, 1),
                   experts = spec.nbytes[bias] / sizeof(float)](const TaskArguments& a) {
    const std::int32_t* choice = i32(a, choices);
    const float *affinity = f32(a, affinities), *of_expert = f32(a, bias);
    std::copy_n(choice, slots, i32(a, routes));
    std::copy_n(affinity, slots, f32(a, scores));
    if (of_expert == nullptr) return;
    for (std::size_t i = 0; i < slots; ++i) {
      if (const auto expert = static_cast<std::size_t>(choice[i]); expert < experts)
        f32(a, scores)[i] += of_expert[expert];
    }
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
    args.kept = i32(a, kept);
    const std::int64_t already = a.operands[before] != nullptr ? *i64(a, before) : 0;
    *i64(a, dropped) = already + drop_choices(args, a.operands.back());
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
    args.choice = i32(a, choices);
    args.counted = i64(a, counted);
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
    args.choice = i32(a, choices);
    args.counted = i64(a, counted);
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

}  // namespace

std::span<const Kernel> router_kernels() {
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
      Kernel{"collect_records", Device::cpu, prepare_collect_records}};
  return kKernels;
}

}  // namespace megascale::kernels::cpu
