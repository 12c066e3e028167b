#ifndef MEGASCALE_TESTS_ENGINE_ALLOCATION_JOB_H_
#define MEGASCALE_TESTS_ENGINE_ALLOCATION_JOB_H_

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "engine/allocation_log.h"
#include "megascale/base/philox.h"
#include "megascale/config/load.h"
#include "megascale/data/indexed_writer.h"
#include "megascale/engine/engine.h"
#include "support/scratch_directory.h"

namespace megascale::testing {

inline constexpr std::int64_t kLibrariesMost = 16 << 20;  // bytes; what `outside` stands for

// Random tokens for `steps` steps and more, and the configuration that reads them.
class Job {
 public:
  Job(const std::string& toml, std::int64_t steps) {
    const std::vector<std::string> set{"data.data_path=" + (scratch_ / "tokens").string(),
                                       "data.split=1,0,0"};
    config_ = parse_config(toml, "test.toml", set);
    IndexedDatasetWriter writer(scratch_ / "tokens", TokenType::int32);
    const PhiloxStream random(3, "tokens");
    std::vector<std::int32_t> document(100);
    const std::int64_t count =
        steps * config_.train.global_batch_size * config_.model.seq_length + 1;
    for (std::int64_t begin = 0; begin < count; begin += 100) {
      for (std::size_t i = 0; i < document.size(); ++i) {
        document[i] =
            static_cast<std::int32_t>(random.bits(static_cast<std::uint64_t>(begin) + i) %
                                      static_cast<std::uint64_t>(config_.model.vocab_size));
      }
      writer.append(document);
      writer.end_document();
    }
    writer.finish();
    data_.emplace(open_dataset(config_, Split::train));
  }
  [[nodiscard]] const Config& config() const { return config_; }
  [[nodiscard]] const Dataset& data() const { return *data_; }
  [[nodiscard]] std::filesystem::path ring() const { return scratch_ / "ring"; }

 private:
  ScratchDirectory scratch_;
  Config config_;
  std::optional<Dataset> data_;
};

// Steps `first` to `last`, from 1, of a run that begins at step 0.
inline AllocationSummary allocations_in_steps(const Job& job, int first, int last,
                                              runtime::Executor::Options executor = {}) {
  const engine::JobPlan plan = engine::plan_job(job.config());
  engine::Engine engine(
      job.config(), plan,
      {.ring = job.ring(), .train = &job.data(), .executor = std::move(executor)});
  engine.initialize();
  engine.start_at(0);
  double loss = 0;
  for (int step = 1; step <= last; ++step) {
    if (step == first) start_allocation_log();
    loss += engine.train_step().loss;
  }
  const AllocationSummary summary = stop_allocation_log();
  EXPECT_TRUE(std::isfinite(loss));
  std::printf("ours: %ld allocations, %ld bytes; libraries: %ld, %ld bytes, at most %ld live\n",
              summary.ours.count, summary.ours.nbytes, summary.libraries.count,
              summary.libraries.nbytes, summary.peak_live);
  return summary;
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_ENGINE_ALLOCATION_JOB_H_
