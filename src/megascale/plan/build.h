#ifndef MEGASCALE_PLAN_BUILD_H_
#define MEGASCALE_PLAN_BUILD_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "megascale/optimizer/definition.h"
#include "megascale/parallel/stage_events.h"
#include "megascale/plan/chunk_ops.h"

// Builds the plan of one pipeline stage: a step of training or evaluation, or one call of decoding.
// Input: the programs of the stage's chunks, the placed model state and the stage's pipeline
// schedule. Output: the flat plan with its waits, and a report of its memory. Pure functions; any
// thread may call them.
namespace megascale::plan {

// How the host lays out the batch of a step: a header of per-step numbers, then one part of equal
// size for each micro-batch.
struct BatchLayout {
  // Bytes before the first micro-batch; they hold StepNumbers.
  static constexpr std::uint64_t kHeader = kBufferAlignment;
  struct Field {
    std::string name;  // name of the batch tensors of the programs
    graph::BatchField field = graph::BatchField::none;
    std::int64_t number = 0;   // graph::Tensor::number
    std::uint64_t offset = 0;  // in the part of a micro-batch, bytes
    std::uint64_t nbytes = 0;
  };
  std::vector<Field> fields;
  std::uint64_t micro_batch_nbytes = 0;
  std::uint32_t micro_batches = 0;
  [[nodiscard]] std::uint64_t nbytes() const noexcept {
    return kHeader + micro_batch_nbytes * micro_batches;
  }
};
// Returns the layout for all tensors of role batch. Chunks that read the same field share it.
BatchLayout batch_layout(std::span<const graph::Program* const> chunks,
                         std::uint32_t micro_batches);

// The memory of one rank, in bytes.
struct MemoryReport {
  std::array<std::uint64_t, kCategoryCount> by_category{};
  std::uint64_t total = 0;  // size of the arena
  // Largest number of live activation bytes of a micro-batch; no placement needs less.
  std::uint64_t activation_peak_live = 0;
  std::uint64_t activations_planned = 0;  // used by placement: slots and transients
  // Retained bytes of one micro-batch, by "KIND:OUTPUT" of the op that wrote them.
  std::vector<std::pair<std::string, std::uint64_t>> retained_by_op;
};

// A plan that is not verified yet, and the buffers that the host reads or fills.
struct BuiltPlan {
  Expansion expansion;
  MemoryReport memory;
  BatchLayout batch;
  BufferId staging{};     // the host writes the next batch here
  BufferId step_batch{};  // the batch of the step, laid out as `batch`
  BufferId scalars{};     // UpdateScalars; in training plans only
  // For every micro-batch of every rank of the context and data axes: StageSpec::loss_numbers. In training they
  // are the sum of the losses and the number of valid tokens.
  BufferId losses{};
  BufferId logits{};  // in decoding plans only: [last rows, padded vocabulary]
  // Training plans with records: StageSpec::records numbers (float64), added over the micro-batches of
  // all ranks; equal on all ranks.
  BufferId records = kNoBuffer;
};

// Says which communication may run beside computation. If a switch is off, computation stands still
// while such a transfer runs. The results have the same bits either way.
struct OverlapPlan {
  bool tensor = true;    // tensor, context and expert groups
  bool pipeline = true;  // sends and receives between stages
  bool data = true;      // gathers and reductions of buckets
};

// The work of one pipeline stage in a step. A rank without parallelism has one stage, one chunk and
// axes of size 1.
struct StageSpec {
  std::vector<const graph::Program*> chunks;  // programs of this stage, in order
  const ModelState* state = nullptr;
  graph::AxisSizes axes;
  std::uint32_t stage = 0;
  std::uint32_t micro_batches = 1;
  std::vector<parallel::StageEvent> events;  // the stage's part of the training schedule
  bool splits_weight_gradients = false;      // the schedule runs weight gradients apart
  std::uint32_t zero_stage = 0;
  // With zero_stage 2 or 3: gradients are exchanged in bfloat16 and added in float32.
  bool bfloat16_gradients = false;
  // Gradients of several hosts are added over them step by step, with zero_stage 0 or 1 in so many
  // pieces of a bucket. 0: all ranks at once. The members of a group on one host must be a power of two.
  std::uint32_t hierarchical_pieces = 0;
  std::uint64_t records =
      0;  // numbers that a step of the whole model records (graph::Role::record)
  // The elements (float64) of the tensor of graph::Role::loss, which the last stage has. Training needs 2.
  std::uint64_t loss_numbers = 2;
  // True: the next batch is loaded while this step runs. False: a step loads its own batch.
  bool prefetch = true;
  OverlapPlan overlap;
};

// Builds a training step: the micro-batches in the order of the schedule, the accumulation of
// gradients, their reduction over the data group, then the update. The programs must be
// differentiated. `scratch` says how many bytes of working memory each op needs.
BuiltPlan build_train_plan(const StageSpec& stage, const optimizer::Definition& optimizer,
                           const ScratchSizer& scratch);
// Builds an evaluation step: the forwards of the schedule in their order, and the losses. The step
// loads its own batch.
BuiltPlan build_evaluate_plan(const StageSpec& stage, const ScratchSizer& scratch);

// Builds one call of decoding, on one rank. The host first fills the staging buffer (layout of one
// micro-batch); the plan then computes the logits.
BuiltPlan build_decode_plan(const graph::Program& program, const ModelState& state,
                            const ScratchSizer& scratch);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_BUILD_H_
