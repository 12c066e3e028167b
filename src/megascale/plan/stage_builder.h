#ifndef MEGASCALE_PLAN_STAGE_BUILDER_H_
#define MEGASCALE_PLAN_STAGE_BUILDER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "megascale/plan/build.h"
#include "megascale/plan/passes/data_overlap.h"
#include "megascale/plan/slots.h"

// Private to the files that build plans: the template of a stage while it grows.
namespace megascale::plan {

class StageBuilder {
 public:
  StageBuilder(const StageSpec& stage, bool training);

  // A buffer of this plan's own at the end of the arena.
  BufferId region(std::string name, Category category, std::uint64_t nbytes);

  void load_in_step(BufferId staging);
  void copy_in_step(BufferId staging);
  void load_carried(BufferId staging);
  // Under ZeRO every rank has updated its shard of the parameters: whoever reads them starts with
  // this.
  void gather_parameters();
  // All events of the schedule; training: with the reductions of main gradients after their last
  // use.
  void run_schedule();
  // The losses of all micro-batches, on every rank.
  void share_losses();
  void update(const OptimizerPlan& optimizer);  // step_tail.cpp
  BuiltPlan finish(const ScratchSizer& scratch);

 private:
  // How an operand means this rank's shard of a flat buffer of `unit_nbytes` x numel.
  [[nodiscard]] static AxisTerm shard_term(const FlatBucket& bucket, std::uint64_t shard_nbytes);
  [[nodiscard]] Operand whole(BufferId buffer, graph::Access access) const;
  // This rank's shard of a buffer that holds a whole bucket, and of one that holds the shard alone.
  [[nodiscard]] Operand shard(const FlatBucket& bucket, BufferId buffer,
                              graph::Access access) const;
  [[nodiscard]] bool is_last_stage() const noexcept;

  // Appends a task of the step itself; operands that are left out are absent. The reference holds
  // until the next call.
  template <class Name>
  PlanOp& step_task(const graph::OpKind<Name>& kind, const std::string& path,
                    std::initializer_list<graph::Given<Name, Operand>> operands,
                    graph::Attributes attributes = {}, bool carried = false) {
    return append_step_task(kind, path, in_order(kind, operands, Operand{}), std::move(attributes),
                            carried);
  }
  PlanOp& append_step_task(const graph::OpDef& def, const std::string& path,
                           std::vector<Operand> operands, graph::Attributes attributes,
                           bool carried);
  // A transfer of the step itself among all ranks that differ in `axes`; none for an empty set.
  template <class Name>
  void transfer(const graph::OpKind<Name>& kind, const std::string& path, graph::AxisSet axes,
                graph::Lane lane, std::initializer_list<graph::Given<Name, Operand>> operands,
                DType dtype, graph::Attributes attributes = {}) {
    append_transfer(kind, path, axes, lane, in_order(kind, operands, Operand{}), dtype,
                    std::move(attributes));
  }
  void append_transfer(const graph::OpDef& def, const std::string& path, graph::AxisSet axes,
                       graph::Lane lane, std::vector<Operand> operands, DType dtype,
                       graph::Attributes attributes);

  // run_schedule()
  [[nodiscard]] std::vector<ExternalTensor> external(std::uint32_t chunk);
  void add_event(std::size_t event, const SlotAssignment& slots);
  void reduce_gradients();
  void reduce_gradients(std::uint32_t bucket);
  void tabulate_retained();
  std::uint32_t bucket_of_scope(std::uint32_t chunk, const std::string& scope);

  // update()
  void sum_tied_gradients();
  // Sums of squares per block of one flat quantity of all buckets -> sums by parameter.
  struct Blocks {
    BufferId buffer{};                 // of all buckets
    std::vector<std::uint64_t> begin;  // of each bucket, in blocks
    std::vector<BufferId> buckets;     // the part of each
  };
  Blocks block_region(const std::string& name);
  void gather_blocks(const Blocks& blocks, const std::string& path);
  void add_parameter_norms(const Blocks& blocks, BufferId sums, const std::string& path,
                           bool add_over_stages);
  [[nodiscard]] std::vector<FlatSegment> segments_of(std::uint32_t bucket) const;
  void update_adamw(const OptimizerPlan& optimizer);
  void update_lamb(const OptimizerPlan& optimizer);

  std::uint64_t& by_category(Category category) {
    return built_.memory.by_category[static_cast<std::size_t>(category)];
  }

  const StageSpec* stage_;
  const ModelState* state_;
  bool training_;
  std::vector<parallel::StageEvent> events_;
  PlanTemplate template_;
  BuiltPlan built_;
  BufferId batch_{}, numbers_{}, loss_slots_{};
  graph::AxisSet loss_axes_;                     // of the ranks that see other tokens
  std::vector<ActivationPlacement> placements_;  // by chunk
  std::vector<std::uint32_t> first_segment_;     // by chunk
  std::vector<BucketReduction> reductions_;      // of main gradients, by the segment they follow
  std::vector<std::map<std::string, std::uint32_t>> scope_buckets_;  // by chunk
};

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_STAGE_BUILDER_H_
