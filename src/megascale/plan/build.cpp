// Writes down the three kinds of plans (train, evaluate, decode) as short lists of parts.
// StageBuilder knows how each part is built; the order of the calls here is the issue order of the
// parts. A training step loads the batch of the next step while it runs, unless prefetch is off.
#include "megascale/plan/build.h"

#include <algorithm>

#include "megascale/plan/stage_builder.h"

namespace megascale::plan {
namespace {

BufferId own_staging(StageBuilder& builder, const StageSpec& stage) {
  return builder.region("staging", Category::staging,
                        batch_layout(stage.chunks, stage.micro_batches).nbytes());
}

}  // namespace

BatchLayout batch_layout(std::span<const graph::Program* const> chunks,
                         std::uint32_t micro_batches) {
  BatchLayout layout;
  layout.micro_batches = micro_batches;
  for (const graph::Program* chunk : chunks) {
    for (const graph::Tensor& tensor : chunk->tensors) {
      if (tensor.role != graph::Role::batch) continue;
      const bool known =
          std::any_of(layout.fields.begin(), layout.fields.end(),
                      [&](const BatchLayout::Field& f) { return f.name == tensor.name; });
      if (known) continue;
      const auto nbytes = static_cast<std::uint64_t>(tensor.nbytes());
      layout.fields.push_back({.name = tensor.name,
                               .field = tensor.field,
                               .number = tensor.number,
                               .offset = layout.micro_batch_nbytes,
                               .nbytes = nbytes});
      layout.micro_batch_nbytes += align_buffer(nbytes);
    }
  }
  return layout;
}

BuiltPlan build_train_plan(const StageSpec& stage, const optimizer::Definition& optimizer,
                           const ScratchSizer& scratch) {
  StageBuilder builder(stage, /*training=*/true);
  if (stage.prefetch) {
    builder.load_carried(stage.state->staging);
  } else {
    builder.load_in_step(stage.state->staging);
  }
  builder.gather_parameters();
  builder.run_schedule();
  builder.update(optimizer);
  return builder.finish(scratch);
}

BuiltPlan build_evaluate_plan(const StageSpec& stage, const ScratchSizer& scratch) {
  StageBuilder builder(stage, /*training=*/false);
  builder.load_in_step(own_staging(builder, stage));
  builder.gather_parameters();
  builder.run_schedule();
  builder.share_losses();
  return builder.finish(scratch);
}

BuiltPlan build_decode_plan(const graph::Program& program, const ModelState& state,
                            const ScratchSizer& scratch) {
  const StageSpec stage{.chunks = {&program}, .state = &state, .events = {parallel::StageEvent{}}};
  StageBuilder builder(stage, /*training=*/false);
  builder.copy_in_step(own_staging(builder, stage));
  builder.run_schedule();
  return builder.finish(scratch);
}

}  // namespace megascale::plan
