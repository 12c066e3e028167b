#ifndef MEGASCALE_KERNELS_PREFERENCE_FUNCTIONS_H_
#define MEGASCALE_KERNELS_PREFERENCE_FUNCTIONS_H_

#include <cstddef>
#include <cstdint>

#include "megascale/kernels/function.h"
#include "megascale/kernels/preference_formulas.h"

// Code that the task functions of preferences share on all devices.
namespace megascale::kernels {

// The op sequence_scores: its sizes, then those with the addresses of a task.
[[nodiscard]] inline SequenceScores sequence_scores_of(const KernelSpec& spec) {
  using enum graph::sequence_scores::Operand;
  return {.sequences = spec.size(scores, 0),
          .length = static_cast<std::size_t>(spec.attribute(graph::attribute::sequence)),
          .ranks = spec.size(stats, 0) / spec.size(targets, 0)};
}
[[nodiscard]] inline SequenceScores bound(SequenceScores op, const TaskArguments& a) {
  using enum graph::sequence_scores::Operand;
  op.stats = as<const LogitStats>(a, stats);
  op.target = as<const std::int32_t>(a, targets);
  op.scores = as<double>(a, scores);
  return op;
}

// The op preference_loss, likewise. Every context rank computes all pairs of the micro-batch, and every tensor rank
// does. One of them counts in the loss, which is added over the context ranks, and in the record, which is added over
// all of these ranks.
struct PreferenceOp {
  PreferenceLoss loss;
  PreferenceResults results;
};
[[nodiscard]] inline PreferenceOp preference_op(const KernelSpec& spec) {
  using enum graph::preference_loss::Operand;
  namespace attribute = graph::attribute;
  const bool counts = spec.coordinates[static_cast<std::size_t>(graph::Axis::context)] == 0;
  return {.loss = {.pairs = spec.size(reference, 0) / 2,
                   .length = static_cast<std::size_t>(spec.attribute(attribute::sequence)),
                   .context_ranks = spec.size(scores, 0) / spec.size(reference, 0),
                   .shape = {.beta = spec.attributes->real(attribute::beta),
                             .label_smoothing = spec.attributes->real(attribute::label_smoothing)}},
          .results = {.counts = counts, .records = counts && tensor_coordinate(spec) == 0}};
}
[[nodiscard]] inline PreferenceOp bound(PreferenceOp op, const TaskArguments& a) {
  using enum graph::preference_loss::Operand;
  op.loss.scores = as<const double>(a, scores);
  op.loss.reference = as<const double>(a, reference);
  op.loss.weights = as<float>(a, weights);
  op.results.accumulate = !a.first;
  op.results.loss = as<double>(a, loss);
  op.results.record = as<double>(a, record);
  return op;
}

}  // namespace megascale::kernels

#endif  // MEGASCALE_KERNELS_PREFERENCE_FUNCTIONS_H_
