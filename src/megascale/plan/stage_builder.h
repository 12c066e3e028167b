#ifndef MEGASCALE_PLAN_STAGE_BUILDER_H_
#define MEGASCALE_PLAN_STAGE_BUILDER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "megascale/plan/build.h"
#include "megascale/plan/passes/data_overlap.h"
#include "megascale/plan/slots.h"

// Grows the plan template of one pipeline stage, part by part: batch, gathers, schedule, update.
// Private to the files that build plans. Parts are appended in issue order; finish() adds scratch,
// applies the overlap passes and expands the template. One builder makes one plan, on one thread.
namespace megascale::plan {

// See the head of this file.
class StageBuilder {
 public:
  // `stage` and what it points to must outlive the builder.
  StageBuilder(const StageSpec& stage, bool training);

  // Appends a buffer of this plan to the arena.
  BufferId region(std::string name, Category category, std::uint64_t nbytes);

  // Loads the batch into `staging` and copies it to the batch buffer, both within the step.
  void load_in_step(BufferId staging);
  // Copies `staging` to the batch buffer; the host has filled it before.
  void copy_in_step(BufferId staging);
  // Copies `staging` to the batch buffer, then loads the next step's batch into `staging` with a
  // carried task, which may run on into the next step.
  void load_carried(BufferId staging);
  // Quantises the parameters that are kept in 8 bits, and gathers all sharded buckets of parameters but the divided
  // ones. Needed under ZeRO: each rank has updated its shard only, so every plan that reads parameters starts
  // with these gathers. Implemented in gather_parameters.cpp.
  void gather_parameters();
  // Places the activations and adds the tasks of all events of the schedule. In training it also
  // appends the reductions of main gradients.
  void run_schedule();
  // Brings the losses of all micro-batches to every rank of the job.
  void share_losses();
  // Adds the records of all micro-batches and ranks, for every rank of the job to have.
  void share_records();
  // Appends the end of a training step: all steps of the optimizer. Implemented in step_tail.cpp.
  void update(const optimizer::Definition& optimizer);
  // Completes the plan. The builder must not be used afterwards.
  BuiltPlan finish(const ScratchSizer& scratch);

 private:
  // Decide where the step's losses and sums lie: of evaluation, and of training.
  void place_losses();
  void place_training_sums();
  void add_loss_slots(BufferId region, std::uint64_t nbytes);

  // Returns the term that moves an operand to this rank's shard, which has `shard_nbytes` bytes, of
  // a buffer that holds the whole bucket. Empty if the bucket is not sharded.
  [[nodiscard]] static AxisTerm shard_term(const FlatBucket& bucket, std::uint64_t shard_nbytes);
  // Returns an operand for the whole buffer.
  [[nodiscard]] Operand whole(BufferId buffer, graph::Access access) const;
  // Returns an operand for this plan's batch in a staging buffer, which may have room for a larger one.
  [[nodiscard]] Operand staged(BufferId staging, graph::Access access) const;
  // Returns an operand for this rank's shard of a buffer that holds the whole bucket.
  [[nodiscard]] Operand shard(const FlatBucket& bucket, BufferId buffer,
                              graph::Access access) const;
  // Returns an operand for what this rank keeps of a bucket: its shard of a buffer that holds the whole
  // bucket, or the whole of one that holds the shard only.
  [[nodiscard]] Operand kept(const FlatBucket& bucket, BufferId buffer,
                             graph::Access access) const {
    return bucket.divided ? whole(buffer, access) : shard(bucket, buffer, access);
  }
  // Returns an operand for this rank's shard of the reduced gradients. Those that were packed lie in
  // another place of the buffer than the shard.
  [[nodiscard]] Operand reduced(const FlatBucket& bucket, BufferId gradients,
                                graph::Access access) const;
  [[nodiscard]] bool exchanges_bfloat16(const FlatBucket& bucket) const noexcept {
    // Counts of choices are not rounded.
    return stage_->bfloat16_gradients && bucket.shards > 1 &&
           bucket.rule == graph::UpdateRule::optimizer;
  }
  [[nodiscard]] std::uint32_t members(const FlatBucket& bucket, graph::HostFactor factor) const {
    return graph::factor_size(stage_->axes, bucket.summed_over, factor);
  }
  // Whether each rank gets its shard of the sum, and gradients are added over hosts step by step.
  [[nodiscard]] bool scatters_by_hosts(const FlatBucket& bucket) const {
    return stage_->zero_stage == 2 && bucket.shards > 1 && reduces_by_hosts(bucket);
  }
  // Whether main gradients are packed for their reduction where they lie. Those of divided buckets are packed before
  // they become main gradients.
  [[nodiscard]] bool packs_main_gradients(const FlatBucket& bucket) const {
    return !bucket.divided && (exchanges_bfloat16(bucket) || scatters_by_hosts(bucket));
  }
  [[nodiscard]] bool is_last_stage() const noexcept;

  // Appends a task of the step itself (phase step). Operands that are left out are absent. The
  // returned reference is valid until the next call.
  template <class Name>
  PlanOp& step_task(const graph::OpKind<Name>& kind, const std::string& path,
                    std::initializer_list<graph::Given<Name, Operand>> operands,
                    // NOLINTNEXTLINE(performance-unnecessary-value-param): it is moved
                    graph::Attributes attributes = {}, bool carried = false) {
    return append_step_task(kind, path, in_order(kind, operands, Operand{}), std::move(attributes),
                            carried);
  }
  PlanOp& append_step_task(const graph::OpDef& def, const std::string& path,
                           std::vector<Operand> operands, graph::Attributes attributes,
                           bool carried);
  // Appends a transfer of the step itself among all ranks that differ in `axes` only. Appends
  // nothing if `axes` is empty.
  template <class Name>
  void transfer(const graph::OpKind<Name>& kind, const std::string& path, graph::AxisSet axes,
                graph::Lane lane, std::initializer_list<graph::Given<Name, Operand>> operands,
                DType dtype,
                // NOLINTNEXTLINE(performance-unnecessary-value-param): it is moved
                graph::Attributes attributes = {},
                graph::HostFactor factor = graph::HostFactor::none) {
    append_transfer(kind, path, axes, lane, in_order(kind, operands, Operand{}), dtype,
                    std::move(attributes), factor);
  }
  void append_transfer(const graph::OpDef& def, const std::string& path, graph::AxisSet axes,
                       graph::Lane lane, std::vector<Operand> operands, DType dtype,
                       graph::Attributes attributes, graph::HostFactor factor);

  // ZeRO stage 3. Implemented in divided_parameters.cpp.
  // The buffers of the whole of a divided bucket, which share their bytes with those of other runs.
  struct WholeBuffers {
    BufferId parameters = kNoBuffer, gradients = kNoBuffer;
  };
  void place_whole_buckets();
  // Puts gathers of divided buckets before the segments that read them, and reductions of their gradients
  // behind those that write them.
  void gather_and_reduce_divided();
  // Adds an op that belongs to micro-batches and moves or adds values of a divided bucket.
  template <class Name>
  OpIndex add_divided_op(std::uint32_t bucket, const graph::OpKind<Name>& kind, const char* scope,
                         graph::Phase phase, const std::string& path,
                         std::initializer_list<graph::Given<Name, Operand>> operands,
                         DType dtype = DType::float32) {
    return append_divided_op(bucket, kind, scope, phase, path, in_order(kind, operands, Operand{}),
                             dtype);
  }
  OpIndex append_divided_op(std::uint32_t bucket, const graph::OpDef& def, const char* scope,
                            graph::Phase phase, const std::string& path,
                            std::vector<Operand> operands, DType dtype);
  friend class DividedItems;

  // Parts of gather_parameters(). The first returns, by bucket, the buffer of largest magnitudes that
  // the second reads; kNoBuffer for buckets that are not in 8 bits.
  [[nodiscard]] std::vector<BufferId> share_amax(const std::vector<std::uint32_t>& buckets);
  void quantise(std::uint32_t bucket, BufferId amax);

  // Parts of run_schedule().
  void place_chunks(const SlotAssignment& slots, PlacementRules rules);
  [[nodiscard]] std::vector<ExternalTensor> external(std::uint32_t chunk);
  // Those of them that are parameters, their scales and their main gradients.
  [[nodiscard]] std::vector<ExternalTensor> external_parameters(std::uint32_t chunk) const;
  void place_records();
  // Appends an instance of every segment that the event runs.
  void add_event(std::size_t event, const SlotAssignment& slots);
  void reduce_gradients();
  void reduce_gradients(std::uint32_t bucket);
  // Appends a transfer of gradients or parameters among all their ranks at once.
  template <class Name>
  void transfer_at_once(const FlatBucket& bucket, const graph::OpKind<Name>& kind,
                        const std::string& path,
                        std::initializer_list<graph::Given<Name, Operand>> operands, DType dtype) {
    const bool between = is_between_hosts(bucket);
    transfer(kind, path, bucket.summed_over, between ? graph::Lane::step : graph::Lane::data,
             operands, dtype, {}, between ? graph::HostFactor::between : graph::HostFactor::none);
  }
  // The same for gradients that travel in bfloat16 (MegaScale-MoE, arXiv 2505.11432, fig. 11).
  void exchange_gradients(const FlatBucket& bucket, BufferId gradients, const std::string& path);
  void sum_exchanged(const FlatBucket& bucket, BufferId gradients, const std::string& path);
  void clear_packed();
  // The same over hosts step by step (MegaScale-MoE, appendix A.1). Implemented in
  // hierarchical_reduction.cpp.
  [[nodiscard]] bool reduces_by_hosts(const FlatBucket& bucket) const;
  // Whether others are reduced by hosts, and of this bucket each rank lies on a host of its own. It then
  // goes with the transfers between hosts, so that those inside do not wait for it.
  [[nodiscard]] bool is_between_hosts(const FlatBucket& bucket) const;
  void reduce_by_hosts(const FlatBucket& bucket, BufferId gradients, const std::string& path);
  // The two steps of that for a rank that gets its shard of the sum only.
  void scatter_inside_hosts(const FlatBucket& bucket, BufferId gradients, const std::string& path);
  void scatter_between_hosts(const FlatBucket& bucket, BufferId gradients, const std::string& path);
  // Gathers the parameters of all shards, between hosts first.
  void gather_by_hosts(const FlatBucket& bucket, const std::string& path);
  // Returns an operand for the shards of all ranks of a host, or for the one of the rank that has
  // this rank's place there.
  [[nodiscard]] Operand shards_of_host(const FlatBucket& bucket, BufferId buffer,
                                       std::uint32_t host, graph::Access access) const;
  [[nodiscard]] Operand shard_of_host(const FlatBucket& bucket, BufferId buffer, std::uint32_t host,
                                      graph::Access access) const;
  // Returns the ranks among which packed gradients are exchanged.
  [[nodiscard]] std::uint32_t exchanging(const FlatBucket& bucket) const;
  // Returns an operand for packed gradients: number 0 are those that are sent, 1 those that arrive.
  [[nodiscard]] Operand packed(const FlatBucket& bucket, BufferId gradients, std::uint32_t number,
                               graph::Access access) const;
  // Fills MemoryReport::retained_by_op.
  void tabulate_retained();
  // Returns the bucket of the parameters that a scope reads; ~0 if it reads none.
  std::uint32_t bucket_of_scope(std::uint32_t chunk, const std::string& scope);

  // Parts of update().
  void sum_tied_gradients();
  // The float64 sums of squares, one per block of kFlatAlignment elements, of one quantity (for
  // instance the main gradients) over all buckets.
  struct Blocks {
    BufferId buffer{};                 // holds the sums of all buckets
    std::vector<std::uint64_t> begin;  // first block of each bucket
    std::vector<BufferId> buckets;     // view of each bucket's part
  };
  struct Norm {
    Blocks blocks;
    BufferId sums{};  // float64, one per parameter of the model
  };
  Blocks block_region(const std::string& name);
  // Appends the buffers of the norms and of the update's scalars.
  void place_norms(const std::vector<std::string>& names);
  void gather_blocks(const Blocks& blocks, const std::string& path);
  void append_to_update(const optimizer::AddNorms& step);
  void append_to_update(const optimizer::ForEachBucket& step);
  void append_to_update(const optimizer::Once& step);
  static constexpr std::uint32_t kNoBucket = ~0U;
  // Returns the operand that a source stands for. `bucket` is kNoBucket for ops that run once.
  [[nodiscard]] Operand operand_of_update(const optimizer::Source& source, graph::Access access,
                                          std::uint32_t bucket) const;
  [[nodiscard]] std::vector<Operand> operands_of_update(const optimizer::OpOfStep& op,
                                                        std::uint32_t bucket) const;
  // Describe an op on this rank's shard of a bucket that treats parameters apart: the segments of the
  // whole bucket, and the attributes by which a kernel finds the shard.
  [[nodiscard]] std::vector<FlatSegment> segments_of(std::uint32_t bucket) const;
  [[nodiscard]] static graph::Attributes of_shard(const FlatBucket& bucket,
                                                  graph::Attributes attributes = {});

  std::uint64_t& by_category(Category category) {
    return built_.memory.by_category[static_cast<std::size_t>(category)];
  }

  const StageSpec* stage_;
  const ModelState* state_;
  bool training_;
  std::vector<parallel::StageEvent> events_;
  PlanTemplate template_;
  BuiltPlan built_;
  // The step's batch; its header (StepNumbers), a view of the batch; one loss per micro-batch.
  BufferId batch_{}, numbers_{}, loss_slots_{};
  // Training only. step_sums_ is one region with this rank's losses, the stop request and the sums
  // of the gradients' squares; the other three are views of it. The request lies between the losses
  // and the sums, so it is part of the transfers of both.
  BufferId step_sums_{}, own_losses_{}, stop_{}, gradient_sums_{};
  std::vector<Norm> norms_;  // training only: by optimizer::Norm
  // The records of this stage's chunks, one tensor behind the other, and where each belongs in the
  // records of the model. Training with records only.
  BufferId own_records_ = kNoBuffer;
  std::vector<FlatSegment> record_segments_;
  // The bytes of a micro-batch's results.
  [[nodiscard]] std::uint64_t loss_nbytes() const noexcept {
    return stage_->loss_numbers * sizeof(double);
  }
  graph::AxisSet loss_axes_;                     // axes whose ranks see different tokens
  std::vector<WholeBuffers> whole_buckets_;      // by bucket
  std::vector<ActivationPlacement> placements_;  // by chunk
  std::vector<std::uint32_t> first_segment_;     // by chunk: its first segment in the template
  std::vector<BucketReduction> reductions_;      // of main gradients, in issue order
  std::vector<std::map<std::string, std::uint32_t>> scope_buckets_;  // by chunk
};

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_STAGE_BUILDER_H_
