// Starts a training: plans the job, opens the data, and runs RankTrainer on every rank of this
// process. The ranks of a process share plan and data sets, which are immutable.
#include "megascale/train/trainer.h"

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/comm/process/before_start.h"
#include "megascale/config/data_sets.h"
#include "megascale/data/content_digest.h"
#include "megascale/data/remote_set.h"
#include "megascale/data/tokenizer_files.h"
#include "megascale/engine/thread_limit.h"
#include "megascale/job/batch_plans.h"
#include "megascale/train/rank_trainer.h"

namespace megascale::train {
namespace {

// At the start one rank looks for tokens outside of the vocabulary in so many tokens of each set,
// for at most a few seconds. `megascale check` reads all of them.
constexpr std::int64_t kTokensReadAtStart = std::int64_t{1} << 32U;

// Returns the digest of all data that the ranks of this process read: training, then validation.
std::string digest_of_all(const Config& config, const std::string& training) {
  std::vector<std::string> validation;
  if (!config.data.valid_data_path.empty()) validation.push_back(config.data.valid_data_path);
  if (const auto sets = parse_validation_sets(config.data.validation_sets)) {
    for (const NamedSet& set : *sets) validation.push_back(set.prefix);
  }
  if (config.train.eval_interval == 0 || validation.empty()) return training;
  return training + " and " + content_digest(validation);
}

// What a training needs before its ranks meet. Making it fails on one rank alone, for example if its
// host lacks the data.
struct Prepared {
  Prepared(const Config& config, const comm::ProcessLaunch* process)
      : plans(job::plan_batches(config,
                                process != nullptr ? process->environment.local_world_size : 0)),
        data(open_dataset(config, Split::train)) {
    job::require_proven(plans);
    const job::JobPlan& job = plans.full();
    if (job.grid.world_size() > Votes::kMostRanks) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("parallel.world_size = {}: expected at most {} ranks to train with",
                              job.grid.world_size(), Votes::kMostRanks));
    }
    if (config.train.eval_interval > 0) validation = open_validation(config);
    if (process == nullptr || process->environment.rank == 0) {
      data.require_known_tokens(kTokensReadAtStart);
      for (const NamedDataset& set : validation) set.data.require_known_tokens(kTokensReadAtStart);
    }
    tokenizer = find_training_tokenizer(config, data, validation);
    const std::size_t ranks_here = process != nullptr ? 1 : job.grid.world_size();
    engine::require_threads(ranks_here * (job.kernels.threads + engine::kServersPerRank));
    data_digest = content_digest(config.data.data_path);
    digest_of_all_data = digest_of_all(config, data_digest);
  }
  job::BatchPlans plans;
  Dataset data;
  std::vector<NamedDataset> validation;
  TrainingTokenizer tokenizer;
  std::string data_digest, digest_of_all_data;
};

}  // namespace

TrainResult train(const Config& config, const TrainOptions& options) {
  const comm::ProcessLaunch* process = options.process;
  const auto prepared = comm::before_start(process, [&] {
    if (process == nullptr || process->environment.rank == 0) {
      for (const std::string& prefix : missing_copies(config.data.data_path))
        options.on_message(fmt::format("copying {} to {}", prefix, cache_directory()));
    }
    return std::make_unique<Prepared>(config, process);
  });
  const auto& [plans, data, validation, tokenizer, data_digest, digest_of_all_data] = *prepared;
  const engine::RankJob ranks{.config = &config,
                              .job = &plans.full(),
                              .smaller = plans.smaller(),
                              .evaluates = !validation.empty(),
                              .data_digest = digest_of_all_data,
                              .process = process,
                              .on_ready = options.on_ready};
  JobParts parts{.config = &config,
                 .options = &options,
                 .plans = &plans,
                 .data = &data,
                 .validation = validation,
                 .data_digest = data_digest,
                 .tokenizer = tokenizer,
                 .peak = options.peak_flops};
  // Measured before the ranks meet: the other ranks of the host then mostly wait for this one, and
  // disturb the measurement little.
  const bool reports = process == nullptr || process->environment.rank == 0;
  if (reports && parts.peak <= 0) parts.peak = engine::measure_peak(ranks);
  TrainResult result;  // of rank 0, or of the only rank here
  engine::run_ranks(ranks, [&](const engine::RankEnds& ends) {
    const TrainResult of_rank = train_rank(parts, ends);
    if (process != nullptr || ends.coordination->rank() == 0) result = of_rank;
  });
  result.samples_read = data.samples_read();
  if (!result.diverged.empty()) throw Error(ErrorCode::failed, result.diverged);
  return result;
}

}  // namespace megascale::train
