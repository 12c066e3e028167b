// The training loop: resumes or initializes, then repeats step, metrics, evaluation and save. All
// ranks run the same loop and must take the same decisions, or they would wait for each other for
// ever. Decisions follow from the configuration and from results that are equal on all ranks, such
// as the sums of votes. Only two need messages: which checkpoint to resume from, and whether
// to stop before the first step.
#include "megascale/train/rank_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "megascale/base/clock.h"
#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/base/run_directory.h"
#include "megascale/config/derived.h"
#include "megascale/config/load.h"
#include "megascale/data/bigram.h"
#include "megascale/engine/engine.h"
#include "megascale/observe/blame.h"
#include "megascale/plan/dump.h"
#include "megascale/train/agree_on_start.h"
#include "megascale/train/batch_course.h"
#include "megascale/train/checkpointing.h"
#include "megascale/train/checkpoints.h"
#include "megascale/train/describe_data.h"
#include "megascale/train/epoch_record.h"
#include "megascale/train/memory_copies.h"
#include "megascale/train/metric_sinks.h"
#include "megascale/train/preferences.h"
#include "megascale/train/run_files.h"
#include "megascale/train/shared_load.h"
#include "megascale/train/skipped_steps.h"

namespace megascale::train {
namespace {

// The training loop of one rank, with its state.
class RankTrainer {
 public:
  RankTrainer(const JobParts& parts, const engine::RankEnds& ends)
      : config_(*parts.config),
        options_(*parts.options),
        parts_(parts),
        coordination_(*ends.coordination),
        commits_(*ends.commits),
        copies_(ends.copies),
        run_dir_(config_.train.run_dir),
        engine_(config_, parts.plans->full(), engine_options(ends)),
        seats_(ends.smaller_seats),
        steps_config_(&config_),
        flops_(parts.plans->full().flops()),
        skips_(config_),
        course_(config_.train, {}) {
    seats_.push_back(ends.train_seat);
  }

  TrainResult run() {
    try {
      return train();
    } catch (const Error& error) {
      abandon(error);
      throw;
    } catch (const std::exception& error) {
      abandon(Error(ErrorCode::failed, error.what()));
      throw;
    }
  }

 private:
  // Where the loop is.
  struct Loop {
    std::int64_t first = 0, done = 0, last = 0;  // steps done at the start, now, and at the end
    bool stopping = false;
    std::int64_t begin_ns = 0;
    std::optional<MetricsFile> metrics;  // on rank 0
    std::optional<MetricSinks> sinks;    // likewise
    TrainResult result;
  };

  TrainResult train() {
    Loop loop{.done = resume_or_initialize()};
    const std::int64_t total = config_.train.train_iters;
    loop.first = loop.done;
    loop.result.steps_done = loop.done;
    is_only_in_memory_ = coordination_.any(is_only_in_memory(), "whether the state is on the disk");
    if (loop.done >= total && !is_only_in_memory_) {
      say(fmt::format("nothing to do: {} of {} steps are done", loop.done, total));
      remove_stale_copies();
      return std::move(loop.result);
    }
    begin(loop);
    while (loop.done < loop.last && !loop.stopping && loop.result.diverged.empty()) make_step(loop);
    checkpoints_->finish();
    if (loop.sinks) loop.sinks->finish(options_.on_message);
    const bool saved = loop.done > loop.first || loop.done == loop.last || is_only_in_memory_;
    if (saved && hosts_.leads(coordination_.rank()))
      remove_copies(copies_directory_, options_.on_message);
    if (loop.done < total && loop.result.diverged.empty()) say_where_it_stopped(loop.done, saved);
    loop.result.steps_done = loop.done;
    loop.result.interrupted = loop.done < total;
    return std::move(loop.result);
  }

  void begin(Loop& loop) {
    take_batch_plan();
    // Every run saves at least at its end. If memory for that is missing, the run fails now and not
    // hours later.
    checkpoints_.emplace(
        Checkpoints::Parts{.config = &config_,
                           .options = &options_,
                           .engine = &engine_,
                           .commits = &commits_,
                           .copies = copies_,
                           .hosts = &hosts_,
                           .memory_directory = copies_directory_,
                           .resumed = resumed_,
                           .require_owner = [this] { return files_->require_owner(); },
                           .attempt = attempt_,
                           .failures = leads() ? failure_rate() : FailureRate{},
                           .say = [this](const std::string& message) { say(message); }},
        loop.done);
    describe_run(loop.done);
    for (const std::string& line :
         describe_data(config_, *parts_.data, parts_.validation, course_.phases()))
      say(line);
    if (course_.phases().size() > 1) say("global batch: " + to_string(course_.phases()));
    if (has_preferences(config_)) {
      preference_start_.steps_done = loop.done;
      preferences_.emplace(parts_, coordination_, engine_, preference_start_);
    }
    consumed_tokens_ = parts_.data->tokens_before(consumed_after(loop.done));
    if (leads()) open_metrics(loop, loop.done);
    const std::int64_t total = config_.train.train_iters;
    loop.last =
        std::max(loop.done, std::min(total, loop.done + options_.most_steps.value_or(total)));
    if (loop.done == loop.last) {
      save_now(loop);
    } else {
      engine_.start_at(loop.done, course_.samples_before(), course_.end());
    }
    if (leads() && !preferences_ && !parts_.validation.empty() &&
        parts_.validation[0].name.empty()) {
      if (const auto bigram = bigram_loss(*parts_.data, parts_.validation[0].data)) {
        say(fmt::format("baseline: a bigram table has validation loss {:.4f}", *bigram));
      }
    }
    loop.begin_ns = monotonic_ns();
    if (options_.on_start) options_.on_start(loop.done);
    // The only exchange about stopping. Later requests travel with the norms of the steps.
    loop.stopping = coordination_.any(stop_requested(), "whether to stop before the first step");
    if (loop.stopping && is_only_in_memory_ && loop.done < loop.last) save_now(loop);
    if (config_.checkpoint.memory_interval == 0) remove_stale_copies();
  }

  // Whether the state that the run goes on from lies in memory and not among its checkpoints. On rank 0.
  [[nodiscard]] bool is_only_in_memory() const {
    return leads() && !resumed_.empty() && resumed_.parent_path() == copies_directory_ &&
           !std::filesystem::exists(checkpoint_directory(config_) / resumed_.filename());
  }
  void save_now(const Loop& loop) {
    checkpoints_->copy(loop.done, /*is_last=*/true);
    checkpoints_->write(run_state(loop.done), /*is_last=*/true);
  }

  // Makes the plan for the present size of the batch the one of the next steps.
  void take_batch_plan() {
    const std::size_t number = parts_.plans->number_of(course_.now().global_batch_size);
    const job::BatchPlan& plan = parts_.plans->sizes[number];
    engine_.change_training(plan.config, plan.job, seats_[number]);
    steps_config_ = &plan.config;
    flops_ = plan.job.flops();
  }
  // Called before the first step of a phase. All ranks come here before the same step.
  void enter_phase(Loop& loop) {
    take_batch_plan();
    // The disk may be full, or the directory deleted: training goes on, as it does without metrics.
    std::optional<Error> problem;
    try {
      dump_plan();
    } catch (const Error& error) {
      problem = error;
    }
    if (auto error = engine_.start_at(loop.done, course_.samples_before(), course_.end()))
      problem = std::move(error);
    if (problem) say("steps have no records from now on, training goes on: " + problem->message());
    if (loop.sinks) {
      loop.sinks->finish(options_.on_message);
      open_sinks(loop, loop.done);
    }
    say(fmt::format("global batch: {} sequences from step {} on", course_.now().global_batch_size,
                    loop.done + 1));
  }

  void make_step(Loop& loop) {
    if (course_.advance_to(loop.done)) enter_phase(loop);
    Votes votes{.stop = stop_requested() ? 1 : 0};
    checkpoints_->vote(votes);
    const engine::StepResult step = engine_.train_step(votes);
    sample_hash_ = parts_.data->hash_samples(sample_hash_, consumed_after(loop.done),
                                             course_.now().global_batch_size);
    const std::int64_t done = ++loop.done;
    const auto skip_report = skips_.count(step);
    StepMetrics metrics = metrics_of(step);
    const bool evaluates = !parts_.validation.empty() && (done % config_.train.eval_interval == 0 ||
                                                          done == config_.train.train_iters);
    if (evaluates) evaluate(metrics);
    // A single rank need not tell others: it stops after this step, not after the next one.
    loop.stopping = step.votes.stop > 0 || (coordination_.world_size() == 1 && stop_requested());
    const bool is_last = done == loop.last || loop.stopping;
    const bool saves =
        !skips_.has_diverged() && (checkpoints_->is_due(done, step.votes) || is_last);
    if (saves) checkpoints_->copy(done, is_last);
    if (!skips_.has_diverged()) metrics.checkpoint_stall_seconds = checkpoints_->stall_seconds();
    if (loop.metrics) {
      report(loop, metrics);
      if (skip_report) options_.on_message(*skip_report);
    }
    loop.result.last = metrics;
    if (saves) checkpoints_->write(run_state(done), is_last);
    if (!skips_.has_diverged()) return;
    checkpoints_->finish();  // it may be the newest healthy one, which why() names
    loop.result.diverged = leads() ? skips_.why(done) : "stopped, because the run has diverged";
  }

  void evaluate(StepMetrics& metrics) {
    for (std::size_t i = 0; i < parts_.validation.size(); ++i) {
      const std::string& name = parts_.validation[i].name;
      const double loss = validation_loss(i, metrics);
      if (name.empty()) {
        metrics.validation_loss = loss;
      } else {
        metrics.validation_losses.push_back({name, loss});
      }
    }
  }
  // Of validation set number `set`. Sets the rewards if it has no name.
  double validation_loss(std::size_t set, StepMetrics& metrics) {
    const auto& [name, data] = parts_.validation[set];
    const std::int64_t batches = config_.train.eval_iters;
    if (!preferences_)
      return engine_.evaluate(data, batches, static_cast<std::int64_t>(set) * batches);
    const Preferences::Evaluation evaluation = preferences_->evaluate(set);
    if (name.empty()) metrics.validation_rewards = evaluation.rewards;
    return evaluation.loss;
  }

  // Writes the metrics of the last step. On rank 0.
  void report(Loop& loop, StepMetrics& metrics) {
    const std::int64_t done = loop.done, total = config_.train.train_iters;
    if (!loop.metrics->is_in_place()) make_run_directory_again(loop);
    report_unwritten(loop.metrics->write(metrics));
    loop.sinks->write(metrics, options_.on_message);
    const double elapsed = static_cast<double>(monotonic_ns() - loop.begin_ns) * 1e-9;
    const std::int64_t samples = consumed_after(done);
    const double eta =
        elapsed / static_cast<double>(samples - samples_before_step(course_.phases(), loop.first)) *
        static_cast<double>(samples_before_step(course_.phases(), total) - samples);
    const bool log =
        metrics.is_evaluated() || done % config_.train.log_interval == 0 || done == total;
    metrics.mean_loss = losses_.add(metrics.loss, /*ends=*/log);
    options_.on_step(metrics, log, eta);
  }
  // Ends the save under way, which would otherwise wait for the other ranks.
  void abandon(const Error& error) noexcept {
    if (checkpoints_) checkpoints_->abandon(error);
  }

  [[nodiscard]] bool leads() const noexcept { return coordination_.rank() == 0; }
  void say(const std::string& message) {
    if (leads()) options_.on_message(message);
  }

  engine::Engine::Options engine_options(const engine::RankEnds& ends) {
    engine::Engine::Options options = ends.engine_options();
    make_directories(run_dir_.events());
    options.records = {.ring = run_dir_.ring(coordination_.rank()),
                       .ring_steps = static_cast<std::uint32_t>(config_.observe.ring_steps)};
    for (const std::int64_t step : config_.observe.trace_steps) {
      if (step < config_.train.train_iters)
        options.records.kept.emplace(step, run_dir_.kept_ring(coordination_.rank(), step));
    }
    options.train = parts_.data;
    if (options_.before_task) {
      options.runner.before_task = [task = options_.before_task, rank = coordination_.rank()](
                                       std::uint32_t id) { task(rank, id); };
    }
    if (options_.before_work) {
      options.runner.before_work = [work = options_.before_work, rank = coordination_.rank()](
                                       std::uint32_t id, CUstream_st* stream) {
        work(rank, id, stream);
      };
    }
    return options;
  }
  // Writes the files that describe the run: plan, configuration and summary. Called only when the
  // run is certain to go on, so that a command that fails earlier does not change them.
  void describe_run(std::int64_t done) {
    remove_kept_steps(done);
    dump_plan();
    if (!leads()) return;
    for (const std::uint32_t rank : run_dir_.ranks_with_rings()) {
      std::error_code ignored;  // a ring that stays names its rank and plan
      if (rank >= coordination_.world_size()) std::filesystem::remove(run_dir_.ring(rank), ignored);
    }
    write_text_atomically(run_dir_.config(), to_toml(config_));
    write_text_atomically(run_dir_.plan_summary(), plan::summary_json(engine_.stage().train));
  }

  // Writes the plan of the next steps to a file. On the first rank of each stage.
  void dump_plan() const {
    const job::JobPlan& job = parts_.plans->full();
    const std::size_t stage = &engine_.stage() - job.stages.data();
    if (job.first_rank_of(stage) != coordination_.rank()) return;
    const plan::StepPlan& steps = engine_.train_plan();
    plan::dump_to(steps, run_dir_.plan(steps.digest()));
  }

  // Opens metrics.jsonl, and the places of observe.tensorboard_dir and observe.csv. Steps up to
  // `written` stand there.
  void open_metrics(Loop& loop, std::int64_t written) const {
    loop.metrics.emplace(run_dir_.metrics(), written, options_.on_message);
    open_sinks(loop, written);
  }
  void open_sinks(Loop& loop, std::int64_t written) const {
    loop.sinks.emplace(*steps_config_, written, flops_.megatron / coordination_.world_size());
  }

  // Somebody has moved or deleted the run directory. Checkpoints would make it anew without a word,
  // and metrics would be lost with the file that is still open.
  void make_run_directory_again(Loop& loop) {
    const std::string what =
        fmt::format("the run directory {} or its file {} was moved or deleted during the run",
                    run_dir_.path().string(), run_dir_.metrics().filename().string());
    try {
      if (files_) files_->take_again(config_, options_.on_message);
      make_directories(run_dir_.events());
      describe_run(loop.done);
      open_metrics(loop, loop.done - 1);  // the newest step is not written yet
      options_.on_message(
          fmt::format("{}: it is made again, with metrics from step {} on and without records",
                      what, loop.done));
    } catch (const Error& error) {  // the old file is still open and gets the metrics
      if (error.code() == ErrorCode::failed) throw;  // another run has begun there
      if (!std::exchange(directory_is_lost_, true))
        options_.on_message(
            fmt::format("{}, and it cannot be made again: {}", what, error.message()));
    }
  }

  // Removes the kept records of steps that will be done again: they are those of an earlier run.
  void remove_kept_steps(std::int64_t first) const {
    for (const std::int64_t step : run_dir_.kept_steps(coordination_.rank())) {
      std::error_code ignored;  // a file that stays says its own step and plan
      if (step >= first)
        std::filesystem::remove(run_dir_.kept_ring(coordination_.rank(), step), ignored);
    }
  }

  // Sets the state of the model, from a checkpoint if there is one. Returns the number of steps
  // done.
  std::int64_t resume_or_initialize() {
    const std::filesystem::path memory =
        options_.memory_of ? options_.memory_of(coordination_.rank()) : options_.memory_root;
    const auto take_directory = [&] {
      const EpochRecord epochs(run_dir_);
      if (options_.attempt > 0) attempt_ = epochs.mark(options_.attempt);
      files_.emplace(config_, options_.on_message, options_.attempt);
      OwnedPlaces places{.copies = memory_directory(memory, files_->identity()), .accept = {}};
      if (options_.on_copies) options_.on_copies(places.copies);
      remove_copies_of_deleted_runs(memory, options_.on_message);
      if (attempt_) {
        places.accept = [epochs](const auto& manifest, const auto& path) {
          epochs.require(manifest, path);
        };
      }
      return places;
    };
    AgreedStart agreed =
        agree_on_start(parts_, coordination_, memory,
                       {.take_directory = take_directory,
                        .needs =
                            [&](const checkpoint::Manifest& manifest) {
                              return files_with(manifest, engine_.state_to_load());
                            },
                        .load = [&](const StartPoint& start,
                                    bool is_on_host) { return load(start, is_on_host); }});
    hosts_ = std::move(agreed.hosts);
    copies_directory_ = std::move(agreed.copies);
    tokenizer_ = std::move(agreed.tokenizer);
    const std::optional<StartPoint>& start = agreed.point;
    if (has_preferences(config_) && leads()) {
      preference_start_.weights = fingerprint_of_weights(config_, start ? &*start : nullptr);
      if (start) {
        preference_start_.digest = start->opened.state().reference_digest;
        preference_start_.resumed = start->opened.path();
      }
    }
    if (!start) {
      engine_.initialize();
      return 0;
    }
    resumed_ = start->opened.path();
    const checkpoint::RunState& state = start->opened.state();
    origin_ = state.origin;
    if (start->weights_only) {
      engine_.restore(UpdateState{}, 0);
      say(
          fmt::format("starting from the weights of {} (step {}); optimizer, schedule and data "
                      "begin anew",
                      start->opened.path().string(), state.step));
      return 0;
    }
    engine_.restore(state.update, state.step);
    sample_hash_ = std::strtoull(state.sample_digest.c_str(), nullptr, 16);
    skips_.restore(state.skipped_in_a_row);
    course_ = BatchCourse(config_.train, {state.step, state.consumed_samples});
    say(fmt::format("resuming from {} at step {}", start->opened.path().string(), state.step));
    return state.step;
  }
  // Draws the initial values of adapters that the checkpoint lacks. Returns the other parts.
  std::vector<engine::StatePart> without_new_adapters(const StartPoint& start,
                                                      const std::vector<engine::StatePart>& state) {
    if (!has_adapters(config_.model)) return state;
    std::vector<engine::StatePart> known, added;
    for (const engine::StatePart& part : state) {
      const bool is_trained = !part.first_moment.empty();
      const bool is_new = is_trained && !start.opened.tensors().contains(part.name);
      (is_new ? added : known).push_back(part);
    }
    engine::initialize(added, engine_.stage().state, config_.train.seed);
    return known;
  }
  // As StartCalls::load. If it fails, nothing of that state is left.
  std::optional<Error> load(const StartPoint& start, bool is_on_host) {
    std::vector<engine::StatePart> state = engine_.state_to_load();
    if (start.weights_only) state = without_new_adapters(start, state);
    if (is_on_host) {
      load_parts(start.opened, state);
      return std::nullopt;
    }
    auto problem = load_together(
        coordination_, start.opened,
        targets_of(start.opened, state, start.weights_only ? Wanted::weights : Wanted::everything));
    if (!problem) return std::nullopt;
    for (const engine::StatePart& part : state) {
      for (const std::span<float> values : {part.weight, part.first_moment, part.second_moment})
        std::fill(values.begin(), values.end(), 0.0F);
    }
    return problem;
  }
  // Returns the samples that the run has consumed after `done` steps: the number of the next one.
  // `done`: a step of this phase, or its end.
  [[nodiscard]] std::int64_t consumed_after(std::int64_t done) const noexcept {
    return course_.now().samples_at(done);
  }

  // Returns how often the job fails: as configured, as its record says, or as assumed.
  [[nodiscard]] FailureRate failure_rate() const {
    constexpr double kAssumed = 86400;  // one day, in seconds
    const double stated = config_.control.mean_time_between_failures;
    if (stated > 0) return {stated, "control.mean_time_between_failures"};
    const EpochRecord epochs(run_dir_);
    if (const auto mean = epochs.mean_time_between_attempts())
      return {*mean, fmt::format("the mean of {} attempts", epochs.attempts())};
    return {kAssumed, "assumed"};
  }

  void say_where_it_stopped(std::int64_t done, bool saved) {
    const std::string where = checkpoint_directory(config_).string();
    say(saved ? fmt::format("stopped after step {} of {}: saved in {}; the same command goes on",
                            done, config_.train.train_iters, where)
              : fmt::format("stopped before step {}: there is nothing new to save", done + 1));
  }

  // Removes the copies that a former process of this run has left, but for those that this one goes
  // on from: until its next checkpoint, nothing else has that state.
  void remove_stale_copies() {
    if (!hosts_.leads(coordination_.rank()) || resumed_.parent_path() == copies_directory_) return;
    remove_copies(copies_directory_, options_.on_message);
  }
  // Returns what a checkpoint of the current state holds beside tensors.
  [[nodiscard]] checkpoint::RunState run_state(std::int64_t done) const {
    return {.step = done,
            .consumed_samples = consumed_after(done),
            .sample_digest = fmt::format("{:016x}", sample_hash_),
            .seed = config_.train.seed,
            .data_seed = config_.data.seed,
            .update = engine_.update_state(),
            .skipped_in_a_row = skips_.in_a_row(),
            .data_digest = parts_.data_digest,
            .config = to_toml(config_),
            .origin = origin_,
            .reference_digest = preferences_ ? preferences_->digest() : std::string(),
            .tokenizer = tokenizer_};
  }

  // Failures to write metrics do not end the run. Reports the first one, and the end of them.
  void report_unwritten(const std::optional<Error>& error) {
    if (error && !metrics_wait_)
      options_.on_message("metrics are kept in memory, training goes on: " + error->message());
    if (!error && metrics_wait_) options_.on_message("metrics are written again, none is missing");
    metrics_wait_ = error.has_value();
  }

  [[nodiscard]] bool stop_requested() const noexcept {
    return options_.stop != nullptr && options_.stop->load();
  }

  StepMetrics metrics_of(const engine::StepResult& step) {
    const observe::IdleTime idle = observe::blame(engine_.train_plan(), step.records);
    // Padding is no work that was asked for, so it counts in none of these but hfu.
    const std::int64_t consumed = consumed_after(step.step + 1);
    const std::int64_t size = course_.now().global_batch_size;
    const std::int64_t of_step = parts_.data->tokens_of(consumed - size, size);
    consumed_tokens_ += of_step;
    const auto tokens = static_cast<double>(of_step);
    const double filled = tokens / static_cast<double>(tokens_per_step(*steps_config_));
    const double available = parts_.peak * step.seconds;
    StepMetrics metrics{.step = step.step + 1,
                        .loss = step.loss,
                        .grad_norm = step.gradient_norm,
                        .lr = step.learning_rate,
                        .step_seconds = step.seconds,
                        .tokens_per_second = tokens / step.seconds,
                        .mfu = filled * flops_.model / available,
                        .mfu_megatron = filled * flops_.megatron / available,
                        .hfu = flops_.executed / available,
                        .consumed_tokens = consumed_tokens_,
                        .consumed_samples = consumed,
                        .exposed_comm_seconds = idle.exposed_comm_seconds,
                        .bubble_seconds = idle.bubble_seconds,
                        .data_wait_seconds = idle.data_wait_seconds,
                        .memory_bytes = engine_.job().arena_nbytes(),
                        .skipped = step.skipped,
                        .skipped_steps = engine_.update_state().skipped};
    if (preferences_) metrics.rewards = Preferences::of_step(config_, step);
    if (!step.recorded.empty() && routing_records(config_.model) > 0 && leads()) {
      const graph::Coordinates place = engine_.job().grid.coordinates(coordination_.rank());
      metrics.routing = routing_metrics(*steps_config_, step, engine_.train_plan(),
                                        place[static_cast<std::size_t>(graph::Axis::expert)]);
    }
    return metrics;
  }

  const Config& config_;
  const TrainOptions& options_;
  const JobParts& parts_;
  comm::Coordination& coordination_;
  comm::Coordination& commits_;  // of checkpoints
  comm::Coordination* copies_;   // of copies in memory
  RunDirectory run_dir_;
  engine::Engine engine_;
  std::vector<engine::HostSeat> seats_;  // for training, by the sizes of the batch
  const Config* steps_config_;           // of the next steps (job::BatchPlan)
  plan::StepFlops flops_;                // of the next steps, on all ranks
  SkippedSteps skips_;
  BatchCourse course_;
  MeanLoss losses_;                                 // since the last line of the log
  std::optional<RunFiles> files_;                   // on rank 0 only
  std::optional<checkpoint::AttemptMark> attempt_;  // on rank 0 of an attempt
  std::optional<Checkpoints> checkpoints_;
  PreferenceStart preference_start_;
  std::optional<Preferences> preferences_;  // of a training on preferences
  std::uint64_t sample_hash_ = 0;           // of all samples trained on
  std::string origin_;                      // of imported weights; see RunState
  std::filesystem::path resumed_;           // the checkpoint that the run goes on from; else empty
  HostLayout hosts_;
  std::filesystem::path copies_directory_;  // of the run's copies in memory, on this host
  std::optional<checkpoint::TokenizerRecord> tokenizer_;  // of the data, if it is known
  std::int64_t consumed_tokens_ = 0;  // of all samples trained on, without padding
  bool metrics_wait_ = false;         // the last line could not be written
  bool is_only_in_memory_ = false;    // the state at the start, on all ranks
  bool directory_is_lost_ = false;
};

}  // namespace

TrainResult train_rank(const JobParts& parts, const engine::RankEnds& ends) {
  return RankTrainer(parts, ends).run();
}

}  // namespace megascale::train
