// Task functions of the device for the end of a step, on flat buffers. Which tensors lie in this
// rank's shard does not change, so tables of blocks and runs are copied to the device when an op is
// prepared.
#include "megascale/kernels/cuda/optimizer.h"

#include <algorithm>
#include <array>
#include <vector>

#include "megascale/kernels/cuda/elementwise.h"
#include "megascale/kernels/cuda/functions/functions.h"
#include "megascale/kernels/shard_segments.h"

namespace megascale::kernels::cuda {
namespace {

static_assert(kFlatBlock == graph::kFlatAlignment);

std::unique_ptr<TaskFunction> prepare_gradient_blocks(const KernelSpec& spec) {
  using enum graph::gradient_blocks::Operand;
  return function([count = spec.nbytes[gradients] / sizeof(float)](const TaskArguments& a) {
    block_square_sums({.count = count, .x = f32(a, gradients), .sums = as<double>(a, blocks)},
                      a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_add_main_gradient(const KernelSpec& spec) {
  using enum graph::add_main_gradient::Operand;
  return function([count = spec.nbytes[sum] / sizeof(float)](const TaskArguments& a) {
    add_in_place(count, f32(a, sum), f32(a, addend), a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_clear_padding(const KernelSpec& spec) {
  using enum graph::clear_padding::Operand;
  return function(
      [ranges = padding(spec, spec.nbytes[values] / sizeof(float))](const TaskArguments& a) {
        for (const FlatRange& range : ranges)
          clear(range.count, f32(a, values) + range.begin, a.stream);
      });
}

std::unique_ptr<TaskFunction> prepare_pack_bfloat16(const KernelSpec& spec) {
  using enum graph::pack_bfloat16::Operand;
  return function([count = spec.nbytes[values] / sizeof(float)](const TaskArguments& a) {
    pack_bfloat16(count, f32(a, values), a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_pack_shares(const KernelSpec& spec) {
  using enum graph::pack_shares::Operand;
  PackShares shares{
      .blocks = static_cast<std::size_t>(spec.attributes->integer(graph::attribute::blocks)),
      .count = spec.nbytes[share] / sizeof(float),
      .dtype = static_cast<DType>(spec.attributes->integer(graph::attribute::dtype))};
  shares.stride = spec.nbytes[values] / sizeof(float) / shares.blocks;
  return function([shares](const TaskArguments& a) {
    PackShares of_rank = shares;
    of_rank.values = f32(a, values);
    of_rank.offset = static_cast<std::size_t>(f32(a, share) - of_rank.values);
    pack_shares(of_rank, a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_add_bfloat16_blocks(const KernelSpec& spec) {
  using enum graph::add_bfloat16_blocks::Operand;
  const std::size_t count = spec.nbytes[sum] / sizeof(float);
  return function([count, number = spec.nbytes[blocks] /
                                   (count * itemsize(DType::bfloat16))](const TaskArguments& a) {
    sum_blocks({.count = count,
                .blocks = number,
                .dtype = DType::bfloat16,
                .sum_dtype = DType::float32,
                .x = raw(a, blocks),
                .y = f32(a, sum)},
               a.stream);
  });
}

class ParameterNormsFunction final : public TaskFunction {
 public:
  explicit ParameterNormsFunction(const KernelSpec& spec)
      : runs_(runs_of(spec)),
        table_(runs_),
        parameters_(spec.nbytes[graph::parameter_norms::sums] / sizeof(double)) {}
  const Error* run(const TaskArguments& a) noexcept override {
    using enum graph::parameter_norms::Operand;
    parameter_norms({.blocks = as<double>(a, blocks),
                     .sums = as<double>(a, sums),
                     .parameters = parameters_,
                     .runs = table_.data(),
                     .run_count = runs_.size(),
                     .numbers = as<StepNumbers>(a, numbers),
                     .stop = as<double>(a, stop)},
                    a.stream);
    return nullptr;
  }

 private:
  static std::vector<BlockRun> runs_of(const KernelSpec& spec) {
    std::vector<BlockRun> runs;
    for (const graph::FlatSegment& s : spec.segments) {
      if (!is_counted_here(spec, s)) continue;
      runs.push_back({.begin = s.begin / kFlatBlock,
                      .count = (s.count + kFlatBlock - 1) / kFlatBlock,
                      .parameter = s.parameter});
    }
    return runs;
  }
  std::vector<BlockRun> runs_;
  DeviceTable<BlockRun> table_;
  std::size_t parameters_;
};

std::unique_ptr<TaskFunction> prepare_gradient_norm(const KernelSpec& spec) {
  using enum graph::gradient_norm::Operand;
  const auto micro_batches =
      static_cast<std::size_t>(spec.attributes->integer(graph::attribute::micro_batches));
  const std::size_t ranks = spec.nbytes[losses] / ((2 * micro_batches + 1) * sizeof(double));
  return function(
      [parameters = spec.nbytes[sums] / sizeof(double), ranks, micro_batches,
       clip = spec.attributes->real(graph::attribute::clip_norm)](const TaskArguments& a) {
        gradient_norm({.sums = as<double>(a, sums),
                       .parameters = parameters,
                       .losses = as<double>(a, losses),
                       .ranks = ranks,
                       .micro_batches = micro_batches,
                       .clip_norm = clip,
                       .numbers = as<StepNumbers>(a, numbers),
                       .state = as<UpdateState>(a, state),
                       .scalars = as<UpdateScalars>(a, scalars)},
                      a.stream);
      });
}

// A table in device memory that says for each block of this rank's shard to which tensor it
// belongs.
class ShardTable {
 public:
  // The size of operand number `parameters` is the size of the shard.
  ShardTable(const KernelSpec& spec, std::size_t parameters)
      : blocks_(spec.nbytes[parameters] / sizeof(float) / kFlatBlock),
        table_(blocks_of(spec, blocks_)) {}
  [[nodiscard]] FlatUpdate update(const AdamConstants& constants) const {
    return {.table = table_.data(), .blocks = blocks_, .constants = constants};
  }

 private:
  static std::vector<FlatBlock> blocks_of(const KernelSpec& spec, std::size_t count) {
    std::vector<FlatBlock> blocks(count);
    for (const ShardSegment& s : shard_segments(spec, count * kFlatBlock)) {
      for (std::uint64_t first = 0; first < s.count; first += kFlatBlock) {
        blocks[(s.begin + first) / kFlatBlock] = {
            .count =
                static_cast<std::uint32_t>(std::min<std::uint64_t>(s.count - first, kFlatBlock)),
            .parameter = s.parameter,
            .decay = s.decay ? 1U : 0U};
      }
    }
    return blocks;
  }
  std::size_t blocks_;
  DeviceTable<FlatBlock> table_;
};

// Returns the settings of AdamW and LAMB that are attributes of the op.
AdamConstants constants(const KernelSpec& spec) {
  return {.beta1 = spec.attributes->real(graph::attribute::beta1),
          .beta2 = spec.attributes->real(graph::attribute::beta2),
          .epsilon = spec.attributes->real(graph::attribute::epsilon),
          .weight_decay = spec.attributes->real(graph::attribute::weight_decay)};
}

// Adds the addresses of the operands that adamw and lamb_direction both have. `Operand` is the op
// kind's enumeration of operands.
template <class Operand>
FlatUpdate with_moments(FlatUpdate update, const TaskArguments& a) {
  update.parameters = f32(a, Operand::parameters);
  update.gradients = f32(a, Operand::gradients);
  update.first_moment = f32(a, Operand::first_moment);
  update.second_moment = f32(a, Operand::second_moment);
  update.scalars = as<UpdateScalars>(a, Operand::scalars);
  return update;
}

class AdamwFunction final : public TaskFunction {
 public:
  explicit AdamwFunction(const KernelSpec& spec)
      : table_(spec, graph::adamw::parameters), constants_(constants(spec)) {}
  const Error* run(const TaskArguments& a) noexcept override {
    FlatUpdate update = with_moments<graph::adamw::Operand>(table_.update(constants_), a);
    update.model_parameters = raw(a, graph::adamw::model_parameters);
    adamw(update, a.stream);
    return nullptr;
  }

 private:
  ShardTable table_;
  AdamConstants constants_;
};

class LambDirectionFunction final : public TaskFunction {
 public:
  explicit LambDirectionFunction(const KernelSpec& spec)
      : table_(spec, graph::lamb_direction::parameters), constants_(constants(spec)) {}
  const Error* run(const TaskArguments& a) noexcept override {
    using enum graph::lamb_direction::Operand;
    lamb_direction(with_moments<graph::lamb_direction::Operand>(table_.update(constants_), a),
                   as<double>(a, weight_blocks), as<double>(a, direction_blocks), a.stream);
    return nullptr;
  }

 private:
  ShardTable table_;
  AdamConstants constants_;
};

class LambApplyFunction final : public TaskFunction {
 public:
  explicit LambApplyFunction(const KernelSpec& spec)
      : table_(spec, graph::lamb_apply::parameters) {}
  const Error* run(const TaskArguments& a) noexcept override {
    using enum graph::lamb_apply::Operand;
    FlatUpdate update = table_.update({});
    update.parameters = f32(a, parameters);
    update.gradients = f32(a, direction);
    update.scalars = as<UpdateScalars>(a, scalars);
    update.model_parameters = raw(a, model_parameters);
    lamb_apply(update, as<double>(a, weight_sums), as<double>(a, direction_sums), a.stream);
    return nullptr;
  }

 private:
  ShardTable table_;
};

}  // namespace

std::span<const Prepare> optimizer_functions() {
  static constexpr std::array kFunctions{
      Prepare{"gradient_blocks", prepare_gradient_blocks},
      Prepare{"add_main_gradient", prepare_add_main_gradient},
      Prepare{"clear_padding", prepare_clear_padding},
      Prepare{"pack_bfloat16", prepare_pack_bfloat16},
      Prepare{"pack_shares", prepare_pack_shares},
      Prepare{"add_bfloat16_blocks", prepare_add_bfloat16_blocks},
      Prepare{"parameter_norms", make<ParameterNormsFunction>},
      Prepare{"gradient_norm", prepare_gradient_norm},
      Prepare{"adamw", make<AdamwFunction>},
      Prepare{"lamb_direction", make<LambDirectionFunction>},
      Prepare{"lamb_apply", make<LambApplyFunction>}};
  return kFunctions;
}

}  // namespace megascale::kernels::cuda
