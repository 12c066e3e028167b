#include "megascale/kernels/cuda/optimizer.h"

#include <algorithm>
#include <array>
#include <vector>

#include "megascale/kernels/cuda/functions/functions.h"
#include "megascale/kernels/shard_segments.h"

namespace megascale::kernels::cuda {
namespace {

static_assert(kFlatBlock == graph::kFlatAlignment);

std::unique_ptr<TaskFunction> prepare_gradient_blocks(const KernelSpec& spec) {
  return function([count = spec.nbytes[0] / sizeof(float)](const TaskArguments& a) {
    block_square_sums({.count = count, .x = f32(a, 0), .sums = as<double>(a, 1)}, a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_add_main_gradient(const KernelSpec& spec) {
  return function([count = spec.nbytes[0] / sizeof(float)](const TaskArguments& a) {
    add_in_place(count, f32(a, 0), f32(a, 1), a.stream);
  });
}

class ParameterNormsFunction final : public TaskFunction {
 public:
  explicit ParameterNormsFunction(const KernelSpec& spec)
      : runs_(runs_of(spec)), table_(runs_), parameters_(spec.nbytes[1] / sizeof(double)) {}
  const Error* run(const TaskArguments& a) noexcept override {
    parameter_norms({.blocks = as<double>(a, 0),
                     .sums = as<double>(a, 1),
                     .parameters = parameters_,
                     .runs = table_.data(),
                     .run_count = runs_.size()},
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
  return function([parameters = spec.nbytes[0] / sizeof(double),
                   losses = spec.nbytes[1] / (2 * sizeof(double)),
                   clip = spec.attributes->real("clip_norm")](const TaskArguments& a) {
    gradient_norm({.sums = as<double>(a, 0),
                   .parameters = parameters,
                   .losses = as<double>(a, 1),
                   .losses_count = losses,
                   .clip_norm = clip,
                   .numbers = as<StepNumbers>(a, 2),
                   .state = as<UpdateState>(a, 3),
                   .scalars = as<UpdateScalars>(a, 4)},
                  a.stream);
  });
}

// The table of the blocks of this rank's shard, on the device.
class ShardTable {
 public:
  explicit ShardTable(const KernelSpec& spec)
      : blocks_(spec.nbytes[0] / sizeof(float) / kFlatBlock), table_(blocks_of(spec, blocks_)) {}
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

// What does not change from step to step.
AdamConstants constants(const KernelSpec& spec) {
  return {.beta1 = spec.attributes->real("beta1"),
          .beta2 = spec.attributes->real("beta2"),
          .epsilon = spec.attributes->real("epsilon"),
          .weight_decay = spec.attributes->real("weight_decay")};
}

// The operands that adamw and lamb_direction begin with.
FlatUpdate with_moments(FlatUpdate update, const TaskArguments& a) {
  update.parameters = f32(a, 0);
  update.gradients = f32(a, 1);
  update.first_moment = f32(a, 2);
  update.second_moment = f32(a, 3);
  update.scalars = as<UpdateScalars>(a, 4);
  return update;
}

class AdamwFunction final : public TaskFunction {
 public:
  explicit AdamwFunction(const KernelSpec& spec) : table_(spec), constants_(constants(spec)) {}
  const Error* run(const TaskArguments& a) noexcept override {
    FlatUpdate update = with_moments(table_.update(constants_), a);
    update.model_parameters = raw(a, 5);
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
      : table_(spec), constants_(constants(spec)) {}
  const Error* run(const TaskArguments& a) noexcept override {
    lamb_direction(with_moments(table_.update(constants_), a), as<double>(a, 5), as<double>(a, 6),
                   a.stream);
    return nullptr;
  }

 private:
  ShardTable table_;
  AdamConstants constants_;
};

class LambApplyFunction final : public TaskFunction {
 public:
  explicit LambApplyFunction(const KernelSpec& spec) : table_(spec) {}
  const Error* run(const TaskArguments& a) noexcept override {
    FlatUpdate update = table_.update({});
    update.parameters = f32(a, 0);
    update.gradients = f32(a, 1);
    update.scalars = as<UpdateScalars>(a, 2);
    update.model_parameters = raw(a, 5);
    lamb_apply(update, as<double>(a, 3), as<double>(a, 4), a.stream);
    return nullptr;
  }

 private:
  ShardTable table_;
};

}  // namespace

std::span<const Prepare> optimizer_functions() {
  static constexpr std::array kFunctions{Prepare{"gradient_blocks", prepare_gradient_blocks},
                                         Prepare{"add_main_gradient", prepare_add_main_gradient},
                                         Prepare{"parameter_norms", make<ParameterNormsFunction>},
                                         Prepare{"gradient_norm", prepare_gradient_norm},
                                         Prepare{"adamw", make<AdamwFunction>},
                                         Prepare{"lamb_direction", make<LambDirectionFunction>},
                                         Prepare{"lamb_apply", make<LambApplyFunction>}};
  return kFunctions;
}

}  // namespace megascale::kernels::cuda
