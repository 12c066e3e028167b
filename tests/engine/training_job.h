#ifndef MEGASCALE_TESTS_ENGINE_TRAINING_JOB_H_
#define MEGASCALE_TESTS_ENGINE_TRAINING_JOB_H_

#include <optional>

#include "megascale/base/philox.h"
#include "megascale/config/load.h"
#include "megascale/data/dataset.h"
#include "megascale/data/indexed_writer.h"
#include "support/scratch_directory.h"

namespace megascale::testing {

// Random tokens for `steps` steps and more, and the configuration that reads them.
class TrainingJob {
 public:
  TrainingJob(const std::string& toml, std::int64_t steps) {
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

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_ENGINE_TRAINING_JOB_H_
