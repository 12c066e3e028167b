// Measures training steps with the engine that `megascale train` uses. Only the data differ: random
// tokens in a temporary dataset. To measure computation alone, communicators are replaced by hollow
// ones, which wait for their partners but move no bytes. Rank 0 gathers the idle times of all ranks
// and combines them.
#include "megascale/study/measure/step_measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <sstream>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/base/philox.h"
#include "megascale/base/run_directory.h"
#include "megascale/comm/hollow_communicator.h"
#include "megascale/config/load.h"
#include "megascale/cuda/device.h"
#include "megascale/cuda/stopwatch.h"
#include "megascale/data/indexed_writer.h"
#include "megascale/engine/run_ranks.h"
#include "megascale/observe/blame.h"
#include "megascale/plan/dump.h"
#include "megascale/study/temporary_directory.h"

namespace megascale::study {
namespace {

// A dataset of random tokens, enough for one step. Step times do not depend on the values of
// tokens.
class RandomData {
 public:
  explicit RandomData(const Config& config) {
    const PhiloxStream random(1, "bench");
    const std::int64_t count = config.train.global_batch_size * config.model.seq_length + 1;
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      tokens[i] = static_cast<std::int32_t>(random.bits(i) %
                                            static_cast<std::uint64_t>(config.model.vocab_size));
    }
    IndexedDatasetWriter writer(
        prefix(), config.model.vocab_size < 65500 ? TokenType::uint16 : TokenType::int32);
    writer.append(tokens);
    writer.end_document();
    writer.finish();
  }
  // Each process of a job has its own file. The path is set only here, so it is not a part of the
  // configuration, on whose digest all ranks must agree.
  [[nodiscard]] Dataset open(Config config) const {
    config.data.data_path = {prefix()};
    return open_dataset(config, Split::train);
  }

 private:
  [[nodiscard]] std::string prefix() const { return (directory_.path() / "tokens").string(); }
  TemporaryDirectory directory_;
};

// Returns the configuration without evaluation, shuffling and validation data.
Config on_random_tokens(Config config) {
  config.data.data_weights.clear();
  config.data.valid_data_path.clear();
  config.data.split = "1,0,0";
  config.data.shuffle = false;
  config.train.eval_interval = 0;
  return config;
}

// Runs and measures the steps of one rank. Each rank sends rank 0 one line of text for each step:
// its idle times and the step time, in seconds.
class MeasuredRank {
 public:
  MeasuredRank(const Config& config, const job::JobPlan& job, const Dataset& data,
               const MeasureOptions& options, const engine::RankEnds& ends)
      : options_(options),
        run_dir_(options.run_dir),
        coordination_(*ends.coordination),
        device_(ends.device) {
    engine::Engine::Options engine_options = ends.engine_options();
    engine_options.train = &data;
    engine_options.computes = options.working != Working::communication;
    if (!options.run_dir.empty()) {
      make_directories(run_dir_.events());
      engine_options.records = {
          .ring = run_dir_.ring(coordination_.rank()),
          .ring_steps = static_cast<std::uint32_t>(options.warmup + options.steps)};
    }
    if (options.working == Working::computation || !options.group.empty()) {
      engine_options.communicators = [this, &ends](const plan::CommunicatorBinding& group,
                                                   CUstream_st* stream) -> comm::Communicator* {
        const bool real =
            options_.working != Working::computation && group.key.rfind(options_.group, 0) == 0;
        if (real) return ends.communicators(group, stream);
        return hollow_
            .emplace_back(
                std::make_unique<comm::HollowCommunicator>(*ends.communicators(group, stream)))
            .get();
      };
    }
    engine_.emplace(config, job, std::move(engine_options));
    const std::size_t stage = &engine_->stage() - job.stages.data();
    if (!options.run_dir.empty() && job.first_rank_of(stage) == coordination_.rank()) {
      const plan::StepPlan& plan = engine_->train_plan();
      plan::dump_to(plan, run_dir_.plan(plan.digest()));
    }
    if (!options.run_dir.empty() && coordination_.rank() == 0) describe(config, job);
  }

  // Writes what megascale serve needs to read the records. The files of a training stay.
  void describe(Config config, const job::JobPlan& job) const {
    if (std::filesystem::exists(run_dir_.metrics())) return;
    // With the number of threads, other machines make the same plans of it.
    config.train.threads_per_rank = static_cast<std::int64_t>(job.kernels.threads);
    write_text_atomically(run_dir_.config(), to_toml(config));
    write_text_atomically(run_dir_.plan_summary(), plan::summary_json(engine_->stage().train));
  }

  // Runs all steps. On rank 0 it fills in `result`.
  void run(StepMeasurement& result, const std::optional<engine::DeviceMemoryMeter>& meter) {
    if (result.device_times && coordination_.rank() == 0)
      sensors_.emplace(cuda::properties(device_).pci_bus_id);
    engine_->initialize();
    engine_->start_at(0);
    std::string idle_times;
    std::vector<observe::TimeByOp> by_op;
    std::vector<double> seconds;
    for (std::int64_t i = 0; i < options_.warmup + options_.steps; ++i) {
      if (i == options_.warmup) read_sensors();
      const engine::StepResult step = engine_->train_step();
      if (result.losses && coordination_.rank() == 0) {
        if (i == 0) result.losses->first = step.loss;
        result.losses->last = step.loss;
      }
      // A step ends only after all ranks took part in it. So after the first of several steps every
      // rank has allocated its memory and still holds it.
      if (meter && i == 0 && options_.warmup + options_.steps > 1 && coordination_.rank() == 0)
        result.device_memory = meter->read();
      if (i < options_.warmup) continue;
      read_sensors();  // between steps: not timed, and the clocks are still those of the step
      const observe::IdleTime idle = observe::blame(engine_->train_plan(), step.records);
      idle_times += fmt::format("{} {} {} {}\n", idle.exposed_comm_seconds, idle.bubble_seconds,
                                idle.data_wait_seconds, step.seconds);
      seconds.push_back(step.seconds);
      by_op.push_back(observe::time_by_op(engine_->train_plan(), step.records));
      result_skipped_ += step.skipped ? 1 : 0;
    }
    if (sensors_) {
      result.device_times->sensors = cuda::summarize(*sensors_, readings_);
      time_ops_packed(*result.device_times);
      time_ops_alone(*result.device_times);
    }
    const auto all = coordination_.gather(idle_times, "the idle times of the steps");
    if (coordination_.rank() != 0) return;
    const double median = spread_of(seconds).median;
    const auto typical = std::find(seconds.begin(), seconds.end(), median) - seconds.begin();
    result.by_op = by_op[static_cast<std::size_t>(typical)];
    result.seconds = std::move(seconds);
    result.skipped = result_skipped_;
    add_means(all, result);
  }
  // Returns the seconds of each task alone. Empty before run(), or if memory did not suffice.
  [[nodiscard]] const std::vector<double>& seconds_alone() const { return seconds_alone_; }

 private:
  void read_sensors() {
    if (sensors_) readings_.push_back(sensors_->read());
  }
  // A failure here must not cost the times of the steps.
  void time_ops_packed(DeviceTimes& times) {
    constexpr int kRuns = 3;
    try {
      times.packed_seconds = engine_->seconds_packed(kRuns);
    } catch (const Error& error) {
      times.why_not_packed = error.message();
    }
  }
  void time_ops_alone(DeviceTimes& times) {
    constexpr int kRuns = 10;
    try {
      seconds_alone_ = engine_->seconds_alone(
          cuda::Stopwatch(std::min(options_.roofs->copied_nbytes, cuda::Stopwatch::kCopied)),
          kRuns);
    } catch (const Error& error) {
      // A model may need all memory of the device. Its step times are still valid.
      if (error.code() != ErrorCode::out_of_memory) throw;
      times.why_not_alone = error.message();
    }
  }
  static void add_means(const std::vector<std::string>& ranks, StepMeasurement& result) {
    const std::size_t steps = result.seconds.size();
    for (auto* values :
         {&result.exposed_comm, &result.bubble, &result.data_wait, &result.bubble_share})
      values->assign(steps, 0);
    const double share = 1 / static_cast<double>(ranks.size());
    for (const std::string& rank : ranks) {
      std::istringstream lines(rank);
      double exposed = 0, bubble = 0, data_wait = 0, seconds = 0;
      for (std::size_t i = 0; i < steps && lines >> exposed >> bubble >> data_wait >> seconds;
           ++i) {
        result.exposed_comm[i] += share * exposed;
        result.bubble[i] += share * bubble;
        result.bubble_share[i] += share * bubble / seconds;
        result.data_wait[i] += share * data_wait;
      }
    }
  }

  const MeasureOptions& options_;
  RunDirectory run_dir_;
  comm::Coordination& coordination_;
  std::uint32_t device_;
  std::vector<std::unique_ptr<comm::HollowCommunicator>> hollow_;
  std::optional<engine::Engine> engine_;
  std::int64_t result_skipped_ = 0;
  std::vector<double> seconds_alone_;
  // Present on rank 0 if device times were requested.
  std::optional<cuda::Sensors> sensors_;
  std::vector<cuda::SensorReading> readings_;
};

}  // namespace

double StepMeasurement::mfu() const { return flops.model / (peak * spread_of(seconds).median); }

std::optional<StepMeasurement> measure_steps(const Config& config, const MeasureOptions& options,
                                             const comm::ProcessLaunch* process) {
  const Config plain = on_random_tokens(config);
  const RandomData random(plain);
  const Dataset data = random.open(plain);
  const job::JobPlan job =
      job::plan_job(plain, process != nullptr ? process->environment.local_world_size : 0);
  const engine::RankJob ranks{.config = &plain, .job = &job, .process = process};
  const bool reports = process == nullptr || process->environment.rank == 0;
  StepMeasurement result{.ranks = job.grid.world_size(), .arena_nbytes = job.arena_nbytes()};
  result.flops = job.flops();
  if (options.working == Working::all && options.group.empty()) result.losses.emplace();
  // The peak is measured before and after the steps, since other users of the machine change it.
  result.peak = options.peak;
  const bool measures_peak = reports && options.peak == 0;
  if (measures_peak) result.peak = engine::measure_peak(ranks);
  std::optional<engine::DeviceMemoryMeter> meter;
  if (engine::devices_of(job) > 0) meter.emplace(job);
  if (options.roofs && job.kernels.device == kernels::Device::cuda) result.device_times.emplace();
  std::vector<double> alone;
  engine::run_ranks(ranks, [&](const engine::RankEnds& ends) {
    MeasuredRank rank(plain, job, data, options, ends);
    rank.run(result, meter);
    if (ends.coordination->rank() == 0) alone = rank.seconds_alone();
  });
  if (!reports) return std::nullopt;
  if (result.device_times) {
    // After the steps, because libraries allocate memory at their first use. Before the steps, that
    // memory would not count as taken by them.
    result.device_times->roofs = measure_device_roofs(plain, result.flops.dtype(), *options.roofs);
    result.device_times->kinds = times_by_kind(job.stage_of(0).train.expansion.plan, alone,
                                               result.device_times->roofs.measured);
  }
  if (measures_peak) result.peak = std::max(result.peak, engine::measure_peak(ranks));
  return result;
}

}  // namespace megascale::study
