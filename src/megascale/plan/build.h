#ifndef MEGASCALE_PLAN_BUILD_H_
#define MEGASCALE_PLAN_BUILD_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "megascale/parallel/stage_events.h"
#include "megascale/plan/chunk_ops.h"

// From the programs of a pipeline stage to the plan of its step.
namespace megascale::plan {

// The optimizer's kinds and constants; the learning rate comes with every step.
struct OptimizerPlan {
  enum class Kind { adamw, lamb } kind = Kind::adamw;
  double beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8, weight_decay = 0.1;
  double clip_norm = 1.0;  // 0: no clipping
};

// The batch of a step as the host fills it in.
struct BatchLayout {
  // Bytes before the first micro-batch: StepNumbers.
  static constexpr std::uint64_t kHeader = kBufferAlignment;
  struct Field {
    std::string name;  // of the tensors that are filled with it
    graph::BatchField field = graph::BatchField::none;
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
// From the programs' tensors of role batch; chunks that read the same field share it.
BatchLayout batch_layout(std::span<const graph::Program* const> chunks,
                         std::uint32_t micro_batches);

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
  // Sum of losses, valid tokens (float64) of every micro-batch of every data rank.
  BufferId losses{};
  BufferId logits{};  // decoding only: [1, padded vocabulary]
};

// Which communication runs beside computation; off: computation stands still while it runs. Bits do
// not change.
struct OverlapPlan {
  bool tensor = true;    // tensor, context and expert groups
  bool pipeline = true;  // sends and receives between stages
  bool data = true;      // gathers and reductions of buckets
};

// What one stage of the pipeline does in a step. One stage, one chunk and axes of size 1: one rank.
struct StageSpec {
  std::vector<const graph::Program*> chunks;  // of this stage, in order
  const ModelState* state = nullptr;
  graph::AxisSizes axes;
  std::uint32_t stage = 0;
  std::uint32_t micro_batches = 1;
  std::vector<parallel::StageEvent> events;  // of the training schedule
  bool splits_weight_gradients = false;      // the schedule runs them apart
  std::uint32_t zero_stage = 0;
  bool prefetch = true;  // the next batch is loaded while the step runs, else within its own step
  OverlapPlan overlap;
};

// Micro-batches as the schedule orders them, gradients accumulated and reduced over the data group,
// then the update. The programs must be differentiated.
BuiltPlan build_train_plan(const StageSpec& stage, const OptimizerPlan& optimizer,
                           const ScratchSizer& scratch);
// Forward and loss only, in the order of the schedule's forwards. The batch is loaded within the
// step.
BuiltPlan build_evaluate_plan(const StageSpec& stage, const ScratchSizer& scratch);

// Decoding, on one rank: the host fills the staging buffer (batch layout of one micro-batch), the
// plan computes the logits.
BuiltPlan build_decode_plan(const graph::Program& program, const ModelState& state,
                            const ScratchSizer& scratch);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_BUILD_H_
