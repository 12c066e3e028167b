#include <array>

#include "megascale/kernels/cpu/cross_entropy.h"
#include "megascale/kernels/cpu/functions/functions.h"

namespace megascale::kernels::cpu {
namespace {

// Of operand 0, without addresses.
LogitRows logit_rows(const KernelSpec& spec) {
  return {.tokens = spec.size(0, 0),
          .columns = spec.size(0, 1),
          .stride = spec.size(0, 1),
          .valid_vocab = static_cast<std::size_t>(spec.attribute("valid_vocabulary"))};
}

std::unique_ptr<TaskFunction> prepare_stats(const KernelSpec& spec) {
  return function([rows = logit_rows(spec)](const TaskArguments& a) {
    LogitRows bound = rows;
    bound.logits = f32(a, 0);
    bound.target = i32(a, 1);
    logit_stats(bound, as<LogitStats>(a, 2));
  });
}

// The result is two float64: the sum of losses, and the number of tokens that count.
std::unique_ptr<TaskFunction> prepare_loss(const KernelSpec& spec) {
  return function([rows = logit_rows(spec)](const TaskArguments& a) {
    LogitRows bound = rows;
    bound.logits = f32(a, 0);
    bound.target = i32(a, 2);
    const LossSum sum = cross_entropy({.rows = bound,
                                       .stats = as<LogitStats>(a, 1),
                                       .ranks = 1,
                                       .loss = scratch(a),
                                       .dlogits = f32(a, 3)});
    auto* result = as<double>(a, 4);
    result[0] = sum.loss;
    result[1] = static_cast<double>(sum.tokens);
  });
}
std::uint64_t scratch_loss(const KernelSpec& spec) { return spec.size(0, 0) * sizeof(float); }

}  // namespace

std::span<const Kernel> loss_kernels() {
  static constexpr std::array kKernels{
      Kernel{"logit_stats", Device::cpu, prepare_stats, nullptr},
      Kernel{"cross_entropy", Device::cpu, prepare_loss, scratch_loss}};
  return kKernels;
}

}  // namespace megascale::kernels::cpu
