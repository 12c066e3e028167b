#ifndef MEGASCALE_ENGINE_BATCH_LOADER_H_
#define MEGASCALE_ENGINE_BATCH_LOADER_H_

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "megascale/base/step_numbers.h"
#include "megascale/base/task_function.h"
#include "megascale/data/dataset.h"
#include "megascale/engine/host_batches.h"
#include "megascale/plan/build.h"

namespace megascale::engine {

// The task that fills a staging buffer: the step's numbers, then every micro-batch's tokens. Runs
// on the host lane, a step ahead of the compute lane when its task is carried; set_next() says
// which step it loads next, and each run goes on by one.
class BatchLoader final : public TaskFunction {
 public:
  struct Source {
    const Dataset* dataset = nullptr;
    Config config;
    std::uint32_t data_rank = 0;
    std::uint32_t context_rank = 0;  // which consecutive share of every sequence is this rank's
    HostSeat seat;
    std::function<StepNumbers(std::int64_t step)> numbers;
  };
  BatchLoader(Source source, plan::BatchLayout layout);
  void set_next(std::int64_t step) noexcept { next_ = step; }
  const Error* run(const TaskArguments& arguments) noexcept override;

 private:
  void fill(std::byte* staging, std::int64_t step);
  void read(std::int64_t step, std::uint32_t micro_batch, const HostBatches::Fields& whole) const;
  void copy_fields(const HostBatches::Fields& whole, std::byte* part) const;
  void copy_share(std::span<const std::int32_t> whole, std::span<std::int32_t> to) const;
  Source source_;
  plan::BatchLayout layout_;
  std::array<std::vector<std::int32_t>, 4> whole_;  // a micro-batch of whole sequences, by field
  std::int64_t next_ = 0;
  std::optional<Error> error_;
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_BATCH_LOADER_H_
