// Task functions of the device for the cross-entropy loss and for the loss of preferences. logit_stats computes the
// statistics of this rank's part of the vocabulary; cross_entropy and sequence_scores use those of all ranks of the
// tensor axis.
#include <array>

#include "megascale/kernels/cuda/cross_entropy.h"
#include "megascale/kernels/cuda/functions/functions.h"
#include "megascale/kernels/cuda/preference.h"
#include "megascale/kernels/preference_functions.h"

namespace megascale::kernels::cuda {
namespace {

// Returns the sizes of operand number `logits` and this rank's range of the vocabulary. The
// addresses are added for each task.
LogitRows logit_rows(const KernelSpec& spec, std::size_t logits) {
  return {
      .tokens = spec.size(logits, 0),
      .columns = spec.size(logits, 1),
      .dtype = dtype_of(spec, logits),
      .vocab_start = tensor_coordinate(spec) * spec.size(logits, 1),
      .valid_vocab = static_cast<std::size_t>(spec.attribute(graph::attribute::valid_vocabulary))};
}

std::unique_ptr<TaskFunction> prepare_stats(const KernelSpec& spec) {
  using enum graph::logit_stats::Operand;
  return function([all = logit_rows(spec, logits), rows = Rows(spec)](const TaskArguments& a) {
    LogitRows bound = all;
    bound.counted = rows(a);
    bound.logits = raw(a, logits);
    bound.target = i32(a, targets);
    logit_stats(bound, as<LogitStats>(a, stats), a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_loss(const KernelSpec& spec) {
  using enum graph::cross_entropy::Operand;
  const std::size_t ranks = spec.size(stats, 0) / spec.size(logits, 0);
  return function(
      [all = logit_rows(spec, logits), rows = Rows(spec), ranks](const TaskArguments& a) {
        CrossEntropy bound{.rows = all,
                           .stats = as<LogitStats>(a, stats),
                           .ranks = ranks,
                           .weights = f32(a, weights),
                           .loss = reinterpret_cast<float*>(scratch(a)),
                           .dlogits = raw(a, gradient),
                           .result = as<double>(a, loss)};
        bound.rows.counted = rows(a);
        bound.rows.logits = raw(a, logits);
        bound.rows.target = i32(a, targets);
        cross_entropy(bound, a.stream);
      });
}

std::unique_ptr<TaskFunction> prepare_sequence_scores(const KernelSpec& spec) {
  return function([op = sequence_scores_of(spec)](const TaskArguments& a) {
    sequence_scores(bound(op, a), a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_preference_loss(const KernelSpec& spec) {
  return function([op = preference_op(spec)](const TaskArguments& a) {
    const PreferenceOp task = bound(op, a);
    preference_loss(task.loss, task.results, a.stream);
  });
}

}  // namespace

std::span<const Prepare> loss_functions() {
  static constexpr std::array kFunctions{Prepare{"logit_stats", prepare_stats},
                                         Prepare{"cross_entropy", prepare_loss},
                                         Prepare{"sequence_scores", prepare_sequence_scores},
                                         Prepare{"preference_loss", prepare_preference_loss}};
  return kFunctions;
}

}  // namespace megascale::kernels::cuda
