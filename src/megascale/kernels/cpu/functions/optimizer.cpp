#include "megascale/kernels/cpu/optimizer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "megascale/base/step_numbers.h"
#include "megascale/kernels/cpu/block_norm.h"
#include "megascale/kernels/cpu/functions/functions.h"
#include "megascale/kernels/shard_segments.h"

namespace megascale::kernels::cpu {
namespace {

OptimizerSegment range_of(const ShardSegment& s) { return {s.begin, s.count, s.decay}; }
std::vector<OptimizerSegment> ranges_of(const KernelSpec& spec) {
  std::vector<OptimizerSegment> ranges;
  for (const ShardSegment& s : shard_segments(spec, spec.nbytes[0] / sizeof(float))) {
    ranges.push_back(range_of(s));
  }
  return ranges;
}

// What does not change from step to step.
AdamScalars constants(const KernelSpec& spec) {
  return {.beta1 = spec.attributes->real("beta1"),
          .beta2 = spec.attributes->real("beta2"),
          .eps = spec.attributes->real("epsilon"),
          .weight_decay = spec.attributes->real("weight_decay")};
}
AdamScalars of_step(AdamScalars scalars, const UpdateScalars& update) {
  scalars.lr = update.learning_rate;
  scalars.step = update.updates;
  scalars.gradient_scale = update.gradient_scale;
  return scalars;
}

std::unique_ptr<TaskFunction> prepare_gradient_blocks(const KernelSpec& spec) {
  return function([count = spec.nbytes[0] / sizeof(float)](const TaskArguments& a) {
    block_square_sums({f32(a, 0), count}, {as<double>(a, 1), norm_blocks(count)});
  });
}

void add_to(float* sum, const float* addend, std::size_t count) {
#pragma omp parallel for schedule(static) default(none) shared(sum, addend, count)
  for (std::size_t i = 0; i < count; ++i) sum[i] += addend[i];
}

std::unique_ptr<TaskFunction> prepare_add_main_gradient(const KernelSpec& spec) {
  return function([count = spec.nbytes[0] / sizeof(float)](const TaskArguments& a) {
    add_to(f32(a, 0), f32(a, 1), count);
  });
}

std::unique_ptr<TaskFunction> prepare_parameter_norms(const KernelSpec& spec) {
  std::vector<graph::FlatSegment> counted;
  for (const graph::FlatSegment& s : spec.segments) {
    if (is_counted_here(spec, s)) counted.push_back(s);
  }
  return function([counted, parameters = spec.nbytes[1] / sizeof(double)](const TaskArguments& a) {
    const double* blocks = as<double>(a, 0);
    const std::span<double> sums(as<double>(a, 1), parameters);
    std::fill(sums.begin(), sums.end(), 0.0);
    for (const graph::FlatSegment& s : counted) {
      sums[s.parameter] = add_blocks({blocks + s.begin / kNormBlock, norm_blocks(s.count)});
    }
  });
}

// Losses and norms in their one order, then the decision: clip, or skip the update where anything
// is not finite.
void decide(const TaskArguments& a, std::size_t parameters, std::size_t losses_count,
            double clip_norm) {
  const double* sums = as<double>(a, 0);
  const double* losses = as<double>(a, 1);
  const auto& numbers = *as<StepNumbers>(a, 2);
  auto& state = *as<UpdateState>(a, 3);
  UpdateScalars scalars{.learning_rate = numbers.learning_rate};
  for (std::size_t i = 0; i < losses_count; ++i) {
    scalars.loss_sum += losses[2 * i];
    scalars.valid_tokens += losses[2 * i + 1];
  }
  double squares = 0;
  for (std::size_t p = 0; p < parameters; ++p) squares += sums[p];
  scalars.gradient_norm = std::sqrt(squares) / scalars.valid_tokens;
  scalars.skip = !(scalars.valid_tokens > 0 && std::isfinite(scalars.loss_sum) &&
                   std::isfinite(scalars.gradient_norm));
  if (scalars.skip != 0) {
    ++state.skipped;
  } else {
    ++state.updates;
    // The 1e-6 keeps a zero norm harmless, as in Megatron-LM and PyTorch.
    const double clip =
        clip_norm > 0 ? std::min(1.0, clip_norm / (scalars.gradient_norm + 1e-6)) : 1.0;
    scalars.gradient_scale = clip / scalars.valid_tokens;
  }
  scalars.updates = state.updates;
  *as<UpdateScalars>(a, 4) = scalars;
}

std::unique_ptr<TaskFunction> prepare_gradient_norm(const KernelSpec& spec) {
  return function([parameters = spec.nbytes[0] / sizeof(double),
                   losses = spec.nbytes[1] / (2 * sizeof(double)),
                   clip = spec.attributes->real("clip_norm")](const TaskArguments& a) {
    decide(a, parameters, losses, clip);
  });
}

std::unique_ptr<TaskFunction> prepare_adamw(const KernelSpec& spec) {
  return function([segments = ranges_of(spec), scalars = constants(spec)](const TaskArguments& a) {
    const auto& update = *as<UpdateScalars>(a, 4);
    if (update.skip != 0) return;
    adamw({.param = f32(a, 0),
           .gradient = f32(a, 1),
           .m = f32(a, 2),
           .v = f32(a, 3),
           .segments = segments},
          of_step(scalars, update));
  });
}

std::unique_ptr<TaskFunction> prepare_lamb_direction(const KernelSpec& spec) {
  return function([segments = ranges_of(spec), scalars = constants(spec),
                   weight_blocks = spec.nbytes[5] / sizeof(double),
                   direction_blocks = spec.nbytes[6] / sizeof(double)](const TaskArguments& a) {
    const auto& update = *as<UpdateScalars>(a, 4);
    if (update.skip != 0 || segments.empty()) return;
    const std::size_t blocks = norm_blocks(segments.back().begin + segments.back().count);
    lamb_direction(
        {.range = {.param = f32(a, 0),
                   .gradient = f32(a, 1),
                   .m = f32(a, 2),
                   .v = f32(a, 3),
                   .segments = segments},
         .scalars = of_step(scalars, update),
         .direction = f32(a, 1),
         .param_squares = std::span(as<double>(a, 5), weight_blocks).first(blocks),
         .direction_squares = std::span(as<double>(a, 6), direction_blocks).first(blocks)});
  });
}

class LambApplyFunction final : public TaskFunction {
 public:
  explicit LambApplyFunction(const KernelSpec& spec) {
    for (const ShardSegment& s : shard_segments(spec, spec.nbytes[0] / sizeof(float))) {
      ranges_.push_back(range_of(s));
      parameters_.push_back(s.parameter);
    }
    trust_.resize(ranges_.size());
  }
  const Error* run(const TaskArguments& a) noexcept override {
    const auto& update = *as<UpdateScalars>(a, 2);
    if (update.skip != 0) return nullptr;
    const double* weights = as<double>(a, 3);
    const double* directions = as<double>(a, 4);
    for (std::size_t s = 0; s < ranges_.size(); ++s) {
      const std::uint32_t p = parameters_[s];
      trust_[s] = ranges_[s].decay ? lamb_trust_ratio(weights[p], directions[p]) : 1.0;
    }
    lamb_apply({.param = f32(a, 0),
                .direction = f32(a, 1),
                .segments = ranges_,
                .trust = trust_,
                .lr = update.learning_rate});
    return nullptr;
  }

 private:
  std::vector<OptimizerSegment> ranges_;
  std::vector<std::uint32_t> parameters_;  // by range
  std::vector<double> trust_;
};
std::unique_ptr<TaskFunction> prepare_lamb_apply(const KernelSpec& spec) {
  return std::make_unique<LambApplyFunction>(spec);
}

}  // namespace

std::span<const Kernel> optimizer_kernels() {
  static constexpr std::array kKernels{
      Kernel{"gradient_blocks", Device::cpu, prepare_gradient_blocks, nullptr},
      Kernel{"add_main_gradient", Device::cpu, prepare_add_main_gradient, nullptr},
      Kernel{"parameter_norms", Device::cpu, prepare_parameter_norms, nullptr},
      Kernel{"gradient_norm", Device::cpu, prepare_gradient_norm, nullptr},
      Kernel{"adamw", Device::cpu, prepare_adamw, nullptr},
      Kernel{"lamb_direction", Device::cpu, prepare_lamb_direction, nullptr},
      Kernel{"lamb_apply", Device::cpu, prepare_lamb_apply, nullptr}};
  return kKernels;
}

}  // namespace megascale::kernels::cpu
