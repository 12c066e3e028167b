// Task functions of the device for the cross-entropy loss. logit_stats computes the statistics of
// this rank's part of the vocabulary; cross_entropy uses those of all ranks of the tensor axis.
#include <array>

#include "megascale/kernels/cuda/cross_entropy.h"
#include "megascale/kernels/cuda/functions/functions.h"

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
    logit_stats(bound, f32(a, stats), a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_loss(const KernelSpec& spec) {
  using enum graph::cross_entropy::Operand;
  const std::size_t ranks = spec.size(stats, 0) / spec.size(logits, 0);
  return function(
      [all = logit_rows(spec, logits), rows = Rows(spec), ranks](const TaskArguments& a) {
        CrossEntropy bound{.rows = all,
                           .stats = f32(a, stats),
                           .ranks = ranks,
                           .loss = reinterpret_cast<float*>(scratch(a)),
                           .dlogits = raw(a, gradient),
                           .result = as<double>(a, loss)};
        bound.rows.counted = rows(a);
        bound.rows.logits = raw(a, logits);
        bound.rows.target = i32(a, targets);
        cross_entropy(bound, a.stream);
      });
}

}  // namespace

std::span<const Prepare> loss_functions() {
  static constexpr std::array kFunctions{Prepare{"logit_stats", prepare_stats},
                                         Prepare{"cross_entropy", prepare_loss}};
  return kFunctions;
}

}  // namespace megascale::kernels::cuda
