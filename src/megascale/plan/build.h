#ifndef MEGASCALE_PLAN_BUILD_H_
#define MEGASCALE_PLAN_BUILD_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "megascale/plan/chunk_ops.h"

// From a model's program to the plan of a step.
namespace megascale::plan {

// The optimizer's kinds and constants; the learning rate comes with every step.
struct OptimizerPlan {
  enum class Kind { adamw, lamb } kind = Kind::adamw;
  double beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8, weight_decay = 0.1;
  double clip_norm = 1.0;  // 0: no clipping
};

struct BatchLayout {
  // Bytes before the first micro-batch: StepNumbers.
  static constexpr std::uint64_t kHeader = kBufferAlignment;
  struct Field {
    graph::TensorId tensor{};
    std::string name;  // "tokens", "targets", "positions", "segments": int32; "counts": int64
    std::uint64_t offset = 0;  // in the part of a micro-batch
    std::uint64_t nbytes = 0;
  };
  std::vector<Field> fields;
  std::uint64_t micro_batch_nbytes = 0;
  std::uint32_t micro_batches = 0;
  [[nodiscard]] std::uint64_t nbytes() const noexcept {
    return kHeader + micro_batch_nbytes * micro_batches;
  }
};
// The batch of a step, from the program's tensors of role batch and count.
BatchLayout batch_layout(const graph::Program& program, std::uint32_t micro_batches);

struct MemoryReport {
  std::array<std::uint64_t, kCategoryCount> by_category{};
  std::uint64_t total = 0;                 // the arena
  std::uint64_t activation_peak_live = 0;  // of the graph, before placement
  std::uint64_t activations_planned = 0;   // retained slots and transients
  // Retained bytes of one micro-batch by the kind of op that wrote them.
  std::vector<std::pair<std::string, std::uint64_t>> retained_by_op;
};

struct BuiltPlan {
  Expansion expansion;
  MemoryReport memory;
  BatchLayout batch;
  BufferId staging{};  // where the host puts the next batch
  BufferId scalars{};  // UpdateScalars; training only
  BufferId losses{};   // per micro-batch: sum of losses, valid tokens (float64)
  BufferId logits{};   // decoding only: [1, padded vocabulary]
};

// One rank, one chunk: micro-batches one after the other, gradients accumulated, then the update.
// The program must be differentiated; the next batch is loaded by a carried task while the step
// runs.
BuiltPlan build_train_plan(const graph::Program& program, const ModelState& state,
                           std::uint32_t micro_batches, const OptimizerPlan& optimizer,
                           const ScratchSizer& scratch);
// Forward and loss only. The batch is loaded within the step.
BuiltPlan build_evaluate_plan(const graph::Program& program, const ModelState& state,
                              std::uint32_t micro_batches, const ScratchSizer& scratch);

// Decoding: the host fills the staging buffer (batch layout of one micro-batch), the plan computes
// the logits.
BuiltPlan build_decode_plan(const graph::Program& program, const ModelState& state,
                            const ScratchSizer& scratch);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_BUILD_H_
