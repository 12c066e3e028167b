#ifndef MEGASCALE_ENGINE_BATCH_LOADER_H_
#define MEGASCALE_ENGINE_BATCH_LOADER_H_

#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "megascale/base/step_numbers.h"
#include "megascale/base/task_function.h"
#include "megascale/data/dataset.h"
#include "megascale/engine/host_batches.h"
#include "megascale/engine/rank_rows.h"
#include "megascale/plan/build.h"

namespace megascale::engine {

// Returns whether a batch has fields that are made of samples: a stage in the middle of the pipeline
// may have none.
[[nodiscard]] bool has_samples(const plan::BatchLayout& layout) noexcept;

// The task function of load_batch. Each run fills a staging buffer, laid out as plan::BatchLayout,
// with one step: its StepNumbers, then the token fields of every micro-batch, and what routers need to know
// about them (BatchField::padding, counted). The steps are
// consecutive, from the one given to set_next(). The task runs on the host lane. If it is carried,
// it loads the batch of the next step while the current step computes.
//
// Threads: run() on the thread of the host lane; the others while no run is under way.
class BatchLoader final : public TaskFunction {
 public:
  static constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();
  struct Source {
    const Dataset* dataset = nullptr;  // must outlive the loader; null if run() is never called
    Config config;
    std::uint32_t data_rank = 0;     // coordinate on the data axis; chooses the samples
    std::uint32_t context_rank = 0;  // this rank takes share number context_rank of every sequence
    std::uint32_t tensor_rank = 0;   // of which its routers work on share number tensor_rank
    HostSeat seat;
    std::function<StepNumbers(std::int64_t step)> numbers;  // called once for each step
    // Fills the fields of the batch that are no samples; may be empty.
    std::function<void(std::byte* batch, std::int64_t step)> other_fields;
  };
  BatchLoader(Source source, plan::BatchLayout layout);
  // Replaces Source::dataset. `dataset` must outlive the runs.
  void read_from(const Dataset& dataset) noexcept { source_.dataset = &dataset; }
  // `samples_before` and `end`: see Engine::start_at(). A run for step `end` or a later one loads nothing.
  void set_next(std::int64_t step, std::int64_t samples_before = 0,
                std::int64_t end = kNoEnd) noexcept {
    next_ = step;
    samples_before_ = samples_before;
    end_ = end;
  }
  const Error* run(const TaskArguments& arguments) noexcept override;

 private:
  void fill(std::byte* staging, std::int64_t step);
  void read(std::int64_t step, std::uint32_t micro_batch, const HostBatches::Fields& whole) const;
  // Fills the fields of a micro-batch whose first sample is number `first`.
  void copy_fields(const HostBatches::Fields& whole, std::int64_t first, std::byte* part) const;
  [[nodiscard]] std::int64_t first_of(std::int64_t step, std::uint32_t micro_batch) const noexcept;
  void mark_padding(std::int64_t first, std::span<std::int32_t> padding) const;
  [[nodiscard]] std::int64_t counted(std::span<const std::int32_t> targets) const;
  void copy_share(std::span<const std::int32_t> whole, std::span<std::int32_t> to) const;
  Source source_;
  plan::BatchLayout layout_;
  RankRows rows_;
  std::array<std::vector<std::int32_t>, 4> whole_;  // one micro-batch of whole sequences, by field
  std::int64_t next_ = 0, samples_before_ = 0, end_ = kNoEnd;
  std::optional<Error> error_;
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_BATCH_LOADER_H_
