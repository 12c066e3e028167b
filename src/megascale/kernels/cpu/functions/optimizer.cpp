// Task functions of the CPU for the end of a step, on flat buffers: square sums of the gradients,
// their norms by parameter, the decision to update or to skip, AdamW and LAMB. A rank updates only
// its shard of a flat buffer; shard_segments.h says which tensors lie in it.
#include "megascale/kernels/cpu/optimizer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "megascale/base/state_digest.h"
#include "megascale/base/step_numbers.h"
#include "megascale/kernels/cpu/bfloat16_gradients.h"
#include "megascale/kernels/cpu/block_norm.h"
#include "megascale/kernels/cpu/functions/functions.h"
#include "megascale/kernels/shard_segments.h"

namespace megascale::kernels::cpu {
namespace {

OptimizerSegment range_of(const ShardSegment& s) { return {s.begin, s.count, s.decay}; }
// Returns the segments of this rank's shard. Operand number `parameters` gives the shard's size.
std::vector<OptimizerSegment> ranges_of(const KernelSpec& spec, std::size_t parameters) {
  std::vector<OptimizerSegment> ranges;
  for (const ShardSegment& s : shard_segments(spec, spec.nbytes[parameters] / sizeof(float))) {
    ranges.push_back(range_of(s));
  }
  return ranges;
}

// Return the scalars of AdamW and LAMB: those that are attributes of the op, and all of them for
// one step.
AdamScalars constants(const KernelSpec& spec) {
  return {.beta1 = spec.attributes->real(graph::attribute::beta1),
          .beta2 = spec.attributes->real(graph::attribute::beta2),
          .eps = spec.attributes->real(graph::attribute::epsilon),
          .weight_decay = spec.attributes->real(graph::attribute::weight_decay)};
}
AdamScalars of_step(AdamScalars scalars, const UpdateScalars& update) {
  scalars.lr = update.learning_rate;
  scalars.step = update.updates;
  scalars.gradient_scale = update.gradient_scale;
  return scalars;
}

// Adds the digests of the runs of a task function.
class DigestSums : public UpdatesState {
 public:
  StateDigests take_digests() noexcept override { return std::exchange(sums_, {}); }
  void add_digests(const StateDigests& digests) noexcept final {
    sums_.read += digests.read;
    sums_.written += digests.written;
  }

 private:
  StateDigests sums_;
};

// A task function that updates state: its body returns the digests.
template <class Body>
class Update final : public TaskFunction, public DigestSums {
 public:
  explicit Update(Body body) : body_(std::move(body)) {}
  const Error* run(const TaskArguments& arguments) noexcept override {
    add_digests(body_(arguments));
    return nullptr;
  }

 private:
  Body body_;
};
template <class Body>
std::unique_ptr<TaskFunction> update_function(Body body) {
  return std::make_unique<Update<Body>>(std::move(body));
}

std::unique_ptr<TaskFunction> prepare_gradient_blocks(const KernelSpec& spec) {
  using enum graph::gradient_blocks::Operand;
  return function([count = spec.nbytes[gradients] / sizeof(float)](const TaskArguments& a) {
    block_square_sums({f32(a, gradients), count}, {as<double>(a, blocks), norm_blocks(count)});
  });
}

void add_to(float* sum, const float* addend, std::size_t count) {
#pragma omp parallel for schedule(static) default(none) shared(sum, addend, count)
  for (std::size_t i = 0; i < count; ++i) sum[i] += addend[i];
}

std::unique_ptr<TaskFunction> prepare_add_main_gradient(const KernelSpec& spec) {
  using enum graph::add_main_gradient::Operand;
  return function([count = spec.nbytes[sum] / sizeof(float)](const TaskArguments& a) {
    add_to(f32(a, sum), f32(a, addend), count);
  });
}

std::unique_ptr<TaskFunction> prepare_clear_padding(const KernelSpec& spec) {
  using enum graph::clear_padding::Operand;
  return function(
      [ranges = padding(spec, spec.nbytes[values] / sizeof(float))](const TaskArguments& a) {
        for (const FlatRange& range : ranges)
          std::fill_n(f32(a, values) + range.begin, range.count, 0.0F);
      });
}

std::unique_ptr<TaskFunction> prepare_pack_bfloat16(const KernelSpec& spec) {
  using enum graph::pack_bfloat16::Operand;
  return function([count = spec.nbytes[values] / sizeof(float)](const TaskArguments& a) {
    pack_bfloat16({f32(a, values), count});
  });
}

std::unique_ptr<TaskFunction> prepare_pack_shares(const KernelSpec& spec) {
  using enum graph::pack_shares::Operand;
  const bool rounds =
      static_cast<DType>(spec.attributes->integer(graph::attribute::dtype)) == DType::bfloat16;
  return function([count = spec.nbytes[values] / sizeof(float),
                   of_share = spec.nbytes[share] / sizeof(float),
                   number = spec.attributes->integer(graph::attribute::blocks),
                   rounds](const TaskArguments& a) {
    const std::span<float> all{f32(a, values), count};
    const Shares shares{.blocks = static_cast<std::size_t>(number),
                        .offset = static_cast<std::size_t>(f32(a, share) - all.data()),
                        .count = of_share};
    (rounds ? pack_shares_bfloat16 : pack_shares)(all, shares);
  });
}

std::unique_ptr<TaskFunction> prepare_add_bfloat16_blocks(const KernelSpec& spec) {
  using enum graph::add_bfloat16_blocks::Operand;
  return function([all = spec.nbytes[blocks] / sizeof(std::uint16_t),
                   count = spec.nbytes[sum] / sizeof(float)](const TaskArguments& a) {
    add_bfloat16_blocks({as<std::uint16_t>(a, blocks), all}, {f32(a, sum), count});
  });
}

// Adds the square sums of blocks up to sums by parameter. Parameters without a segment that counts
// on this rank get 0. Also passes on whether the rank was asked to stop, if the op has the operand.
std::unique_ptr<TaskFunction> prepare_parameter_norms(const KernelSpec& spec) {
  using enum graph::parameter_norms::Operand;
  std::vector<graph::FlatSegment> counted;
  for (const graph::FlatSegment& s : spec.segments) {
    if (is_counted_here(spec, s)) counted.push_back(s);
  }
  return function(
      [counted, parameters = spec.nbytes[sums] / sizeof(double)](const TaskArguments& a) {
        const double* const by_block = as<double>(a, blocks);
        const std::span<double> by_parameter(as<double>(a, sums), parameters);
        std::fill(by_parameter.begin(), by_parameter.end(), 0.0);
        for (const graph::FlatSegment& s : counted) {
          by_parameter[s.parameter] =
              add_blocks({by_block + s.begin / kNormBlock, norm_blocks(s.count)});
        }
        if (double* const request = as<double>(a, stop); request != nullptr)
          *request = as<StepNumbers>(a, numbers)->votes;
      });
}

// Adds up the losses of all ranks and the squares of all parameters, in a fixed order. Then
// decides: the update is skipped if no token counts or if the loss or the norm is not finite;
// otherwise the gradients are scaled by clip factor / valid tokens. All ranks have the same inputs
// and decide alike. `losses`: for each rank, (loss sum, valid tokens) of every micro-batch, then
// its votes.
void decide(const TaskArguments& a, std::size_t parameters, std::size_t ranks,
            std::size_t micro_batches, double clip_norm) {
  namespace op = graph::gradient_norm;
  const double* sums = as<double>(a, op::sums);
  const double* losses = as<double>(a, op::losses);
  const auto& numbers = *as<StepNumbers>(a, op::numbers);
  auto& state = *as<UpdateState>(a, op::state);
  UpdateScalars scalars{.learning_rate = numbers.learning_rate};
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (std::size_t m = 0; m < micro_batches; ++m) {
      scalars.loss_sum += *losses++;
      scalars.valid_tokens += *losses++;
    }
    scalars.votes += *losses++;
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
  *as<UpdateScalars>(a, op::scalars) = scalars;
}

std::unique_ptr<TaskFunction> prepare_gradient_norm(const KernelSpec& spec) {
  using enum graph::gradient_norm::Operand;
  const auto micro_batches =
      static_cast<std::size_t>(spec.attributes->integer(graph::attribute::micro_batches));
  const std::size_t ranks = spec.nbytes[losses] / ((2 * micro_batches + 1) * sizeof(double));
  return function(
      [parameters = spec.nbytes[sums] / sizeof(double), ranks, micro_batches,
       clip = spec.attributes->real(graph::attribute::clip_norm)](const TaskArguments& a) {
        decide(a, parameters, ranks, micro_batches, clip);
      });
}

std::unique_ptr<TaskFunction> prepare_adamw(const KernelSpec& spec) {
  using enum graph::adamw::Operand;
  return update_function(
      [segments = ranges_of(spec, parameters), adam = constants(spec)](const TaskArguments& a) {
        const auto& update = *as<UpdateScalars>(a, scalars);
        if (update.skip != 0) return StateDigests{};
        return adamw({.param = f32(a, parameters),
                      .gradient = f32(a, gradients),
                      .m = f32(a, first_moment),
                      .v = f32(a, second_moment),
                      .segments = segments},
                     of_step(adam, update));
      });
}

std::unique_ptr<TaskFunction> prepare_lamb_direction(const KernelSpec& spec) {
  using enum graph::lamb_direction::Operand;
  return update_function([segments = ranges_of(spec, parameters), adam = constants(spec),
                          weight_block_count = spec.nbytes[weight_blocks] / sizeof(double),
                          direction_block_count = spec.nbytes[direction_blocks] /
                                                  sizeof(double)](const TaskArguments& a) {
    const auto& update = *as<UpdateScalars>(a, scalars);
    if (update.skip != 0 || segments.empty()) return StateDigests{};
    const std::size_t blocks = norm_blocks(segments.back().begin + segments.back().count);
    return lamb_direction(
        {.range = {.param = f32(a, parameters),
                   .gradient = f32(a, gradients),
                   .m = f32(a, first_moment),
                   .v = f32(a, second_moment),
                   .segments = segments},
         .scalars = of_step(adam, update),
         .direction = f32(a, gradients),
         .param_squares = std::span(as<double>(a, weight_blocks), weight_block_count).first(blocks),
         .direction_squares =
             std::span(as<double>(a, direction_blocks), direction_block_count).first(blocks)});
  });
}

// LAMB's second pass. Segments without weight decay have no trust ratio: their factor is 1.
class LambApplyFunction final : public TaskFunction, public DigestSums {
 public:
  explicit LambApplyFunction(const KernelSpec& spec) {
    for (const ShardSegment& s :
         shard_segments(spec, spec.nbytes[graph::lamb_apply::parameters] / sizeof(float))) {
      ranges_.push_back(range_of(s));
      parameters_.push_back(s.parameter);
    }
    trust_.resize(ranges_.size());
  }
  const Error* run(const TaskArguments& a) noexcept override {
    using enum graph::lamb_apply::Operand;
    const auto& update = *as<UpdateScalars>(a, scalars);
    if (update.skip != 0) return nullptr;
    const double* weights = as<double>(a, weight_sums);
    const double* directions = as<double>(a, direction_sums);
    for (std::size_t s = 0; s < ranges_.size(); ++s) {
      const std::uint32_t p = parameters_[s];
      trust_[s] = ranges_[s].decay ? lamb_trust_ratio(weights[p], directions[p]) : 1.0;
    }
    add_digests(lamb_apply({.param = f32(a, parameters),
                            .direction = f32(a, direction),
                            .segments = ranges_,
                            .trust = trust_,
                            .lr = update.learning_rate}));
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
      Kernel{"clear_padding", Device::cpu, prepare_clear_padding, nullptr},
      Kernel{"pack_bfloat16", Device::cpu, prepare_pack_bfloat16, nullptr},
      Kernel{"pack_shares", Device::cpu, prepare_pack_shares, nullptr},
      Kernel{"add_bfloat16_blocks", Device::cpu, prepare_add_bfloat16_blocks, nullptr},
      Kernel{"parameter_norms", Device::cpu, prepare_parameter_norms, nullptr},
      Kernel{"gradient_norm", Device::cpu, prepare_gradient_norm, nullptr},
      Kernel{"adamw", Device::cpu, prepare_adamw, nullptr},
      Kernel{"lamb_direction", Device::cpu, prepare_lamb_direction, nullptr},
      Kernel{"lamb_apply", Device::cpu, prepare_lamb_apply, nullptr}};
  return kKernels;
}

}  // namespace megascale::kernels::cpu
