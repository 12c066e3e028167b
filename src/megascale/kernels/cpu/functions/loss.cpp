// Task functions of the CPU for the cross-entropy loss and for the loss of preferences. The vocabulary may be split
// over the ranks of the tensor axis: logit_stats computes each rank's statistics, a collective gathers them, and
// cross_entropy computes the loss and the gradient of the rank's logits from all of them.
#include <algorithm>
#include <array>

#include "megascale/kernels/cpu/cross_entropy.h"
#include "megascale/kernels/cpu/functions/functions.h"
#include "megascale/kernels/cpu/preference.h"
#include "megascale/kernels/preference_functions.h"

namespace megascale::kernels::cpu {
namespace {

// Returns the sizes of operand number `logits` and this rank's range of the vocabulary. The
// addresses are added for each task.
LogitRows logit_rows(const KernelSpec& spec, std::size_t logits) {
  return {
      .tokens = spec.size(logits, 0),
      .columns = spec.size(logits, 1),
      .stride = spec.size(logits, 1),
      .vocab_start = tensor_coordinate(spec) * spec.size(logits, 1),
      .valid_vocab = static_cast<std::size_t>(spec.attribute(graph::attribute::valid_vocabulary))};
}

std::unique_ptr<TaskFunction> prepare_stats(const KernelSpec& spec) {
  using enum graph::logit_stats::Operand;
  return function(
      [all = logit_rows(spec, logits), rows = Rows(spec, logits)](const TaskArguments& a) {
        LogitRows bound = all;
        bound.tokens = rows(a);
        bound.logits = f32(a, logits);
        bound.target = i32(a, targets);
        logit_stats(bound, as<LogitStats>(a, stats));
      });
}

// The operand `loss` is two float64 values: the sum of the losses, and the number of tokens that
// count.
std::unique_ptr<TaskFunction> prepare_loss(const KernelSpec& spec) {
  using enum graph::cross_entropy::Operand;
  const std::size_t ranks = spec.size(stats, 0) / spec.size(logits, 0);
  return function(
      [all = logit_rows(spec, logits), rows = Rows(spec, logits), ranks](const TaskArguments& a) {
        LogitRows bound = all;
        bound.tokens = rows(a);
        bound.logits = f32(a, logits);
        bound.target = i32(a, targets);
        const LossSum sum = cross_entropy({.rows = bound,
                                           .stats = as<LogitStats>(a, stats),
                                           .ranks = ranks,
                                           .stats_stride = all.tokens,
                                           .weights = f32(a, weights),
                                           .loss = scratch(a),
                                           .dlogits = f32(a, gradient)});
        auto* result = as<double>(a, loss);
        result[0] = sum.loss;
        result[1] = static_cast<double>(sum.tokens);
      });
}
std::uint64_t scratch_loss(const KernelSpec& spec) {
  using enum graph::cross_entropy::Operand;
  return spec.size(logits, 0) * sizeof(float);
}

std::unique_ptr<TaskFunction> prepare_sequence_scores(const KernelSpec& spec) {
  return function(
      [op = sequence_scores_of(spec)](const TaskArguments& a) { sequence_scores(bound(op, a)); });
}

std::unique_ptr<TaskFunction> prepare_preference_loss(const KernelSpec& spec) {
  return function([op = preference_op(spec)](const TaskArguments& a) {
    const PreferenceOp task = bound(op, a);
    write_sums(preference_loss(task.loss), task.loss.pairs, task.results);
  });
}

}  // namespace

std::span<const Kernel> loss_kernels() {
  static constexpr std::array kKernels{
      Kernel{"logit_stats", Device::cpu, prepare_stats, nullptr, kCountedRows},
      Kernel{"cross_entropy", Device::cpu, prepare_loss, scratch_loss, kCountedRows},
      Kernel{"sequence_scores", Device::cpu, prepare_sequence_scores},
      Kernel{"preference_loss", Device::cpu, prepare_preference_loss}};
  return kKernels;
}

}  // namespace megascale::kernels::cpu
