// The training loop: resumes or initializes, then repeats step, metrics, evaluation and save. All
// ranks run the same loop and must take the same decisions, or they would wait for each other for
// ever. Decisions follow from the configuration and from results that are equal on all ranks, such
// as the sum of stop requests. Only two need messages: which checkpoint to resume from, and whether
// to stop before the first step.
#include "megascale/train/rank_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "megascale/base/clock.h"
#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/base/run_directory.h"
#include "megascale/config/derived.h"
#include "megascale/config/load.h"
#include "megascale/data/bigram.h"
#include "megascale/data/tokenizer_files.h"
#include "megascale/engine/engine.h"
#include "megascale/observe/blame.h"
#include "megascale/plan/dump.h"
#include "megascale/train/checkpointing.h"
#include "megascale/train/describe_data.h"
#include "megascale/train/run_files.h"
#include "megascale/train/skipped_steps.h"
#include "megascale/train/start_point.h"

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
        run_dir_(config_.train.run_dir),
        engine_(config_, *parts.job, engine_options(ends)),
        flops_(parts.job->flops()),
        skips_(config_),
        tokenizer_(parts.tokenizer.record) {}

  TrainResult run() {
    std::int64_t done = resume_or_initialize();
    TrainResult result{.steps_done = done};
    const std::int64_t first = done, total = config_.train.train_iters;
    if (done >= total) {
      say(fmt::format("nothing to do: {} of {} steps are done", done, total));
      return result;
    }
    // Every run saves at least at its end. If memory for that is missing, the run fails now and not
    // hours later.
    snapshot_.emplace(engine_.new_snapshot());
    describe_run(done);
    for (const std::string& line :
         describe_data(config_, *parts_.data, parts_.validation, samples_before_))
      say(line);
    std::optional<MetricsFile> metrics_file;
    if (leads()) metrics_file.emplace(run_dir_.metrics(), done, options_.on_message);
    const std::int64_t last = std::min(total, done + options_.most_steps.value_or(total));
    if (done == last) save(done, /*is_last=*/true);
    if (done < last) engine_.start_at(done, samples_before_);
    if (leads() && parts_.validation != nullptr) {
      if (const auto bigram = bigram_loss(*parts_.data, *parts_.validation)) {
        say(fmt::format("baseline: a bigram table has validation loss {:.4f}", *bigram));
      }
    }
    const std::int64_t begin_ns = monotonic_ns();
    // The only exchange about stopping. Later requests travel with the norms of the steps.
    bool stopping = coordination_.any(stop_requested(), "whether to stop before the first step");
    while (done < last && !stopping) {
      const engine::StepResult step = engine_.train_step(stop_requested());
      sample_hash_ = parts_.data->hash_samples(sample_hash_, consumed_after(done),
                                               config_.train.global_batch_size);
      ++done;
      const auto skip_report = skips_.count(step);
      StepMetrics metrics = metrics_of(step);
      const bool evaluates = parts_.validation != nullptr &&
                             (done % config_.train.eval_interval == 0 || done == total);
      if (evaluates) metrics.validation_loss = engine_.evaluate(config_.train.eval_iters);
      if (metrics_file) {
        if (!metrics_file->is_in_place()) make_run_directory_again(metrics_file, done);
        report_unwritten(metrics_file->write(metrics));
        const double elapsed = static_cast<double>(monotonic_ns() - begin_ns) * 1e-9;
        const double eta =
            elapsed / static_cast<double>(done - first) * static_cast<double>(total - done);
        const bool log = evaluates || done % config_.train.log_interval == 0 || done == total;
        metrics.mean_loss = losses_.add(metrics.loss, /*ends=*/log);
        options_.on_step(metrics, log, eta);
        if (skip_report) options_.on_message(*skip_report);
      }
      result.last = metrics;
      if (skips_.has_diverged()) {
        result.diverged = leads() ? skips_.why(done) : "stopped, because the run has diverged";
        break;
      }
      // A single rank need not tell others: it stops after this step, not after the next one.
      stopping = step.stop_requested || (coordination_.world_size() == 1 && stop_requested());
      const bool is_last = done == last || stopping;
      if (is_last || is_due(done)) save(done, is_last);
    }
    if (done < total && result.diverged.empty())
      say_where_it_stopped(done, /*saved=*/done > first || done == last);
    result.steps_done = done;
    result.interrupted = done < total;
    return result;
  }

 private:
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
    options.validation = parts_.validation;
    if (options_.before_task) {
      options.runner.before_task = [task = options_.before_task, rank = coordination_.rank()](
                                       std::uint32_t id) { task(rank, id); };
    }
    return options;
  }
  // Writes the files that describe the run: plan, configuration and summary. Called only when the
  // run is certain to go on, so that a command that fails earlier does not change them.
  void describe_run(std::int64_t done) {
    remove_kept_steps(done);
    const std::size_t stage = &engine_.stage() - parts_.job->stages.data();
    if (parts_.job->first_rank_of(stage) == coordination_.rank()) {
      const plan::StepPlan& steps = engine_.train_plan();
      plan::dump_to(steps, run_dir_.plan(steps.digest()));
    }
    if (!leads()) return;
    for (const std::uint32_t rank : run_dir_.ranks_with_rings()) {
      std::error_code ignored;  // a ring that stays names its rank and plan
      if (rank >= coordination_.world_size()) std::filesystem::remove(run_dir_.ring(rank), ignored);
    }
    write_text_atomically(run_dir_.config(), to_toml(config_));
    write_text_atomically(run_dir_.plan_summary(), plan::summary_json(engine_.stage().train));
  }

  // Somebody has moved or deleted the run directory. Checkpoints would make it anew without a word,
  // and metrics would be lost with the file that is still open.
  void make_run_directory_again(std::optional<MetricsFile>& metrics, std::int64_t done) {
    const std::string what =
        fmt::format("the run directory {} or its file {} was moved or deleted during the run",
                    run_dir_.path().string(), run_dir_.metrics().filename().string());
    try {
      if (files_) files_->take_again(config_, options_.on_message);
      make_directories(run_dir_.events());
      describe_run(done);
      metrics.emplace(run_dir_.metrics(), done, options_.on_message);
      options_.on_message(fmt::format(
          "{}: it is made again, with metrics from step {} on and without records", what, done));
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

  // Rank 0 takes the run directory, finds the checkpoint to start from, and sends its path to the
  // others, which open it too. Returns nothing if there is none: a fresh start.
  std::optional<StartPoint> find_start() {
    // Messages: empty (no checkpoint), or one of these words and the path.
    constexpr std::string_view kResume = "resume ", kWeights = "weights ";
    std::optional<StartPoint> start;
    std::string message;
    if (leads()) {
      try {
        files_.emplace(config_, options_.on_message);
        start = open_start_point(config_, options_.on_message);
        take_kept_tokenizer(start);
        if (start) {
          check_start(*start);
          message = std::string(start->weights_only ? kWeights : kResume)
                        .append(start->opened.path().string());
        }
      } catch (const Error& error) {
        coordination_.abort(error);
        throw;
      }
    }
    message = coordination_.broadcast(message, "which checkpoint to go on from");
    if (leads() || message.empty()) return start;
    const bool weights_only = message.starts_with(kWeights);
    return StartPoint{
        .opened = checkpoint::Opened(message.substr((weights_only ? kWeights : kResume).size()),
                                     checkpoint::Check::on_read),
        .weights_only = weights_only};
  }
  void check_start(const StartPoint& start) const {
    static const ConfigPlaces kUnknown;
    const auto notes =
        require_same_run(config_, options_.places != nullptr ? *options_.places : kUnknown, start,
                         parts_.data_digest, tokenizer_);
    require_known_tensors(start.opened, all_names());
    for (const std::string& note : notes) options_.on_message(note);
    if (start.opened.state().healthy()) return;
    options_.on_message(fmt::format(
        "note: {} was saved after {} steps in a row without an update: its run had diverged",
        start.opened.path().string(), start.opened.state().skipped_in_a_row));
  }
  [[nodiscard]] TensorNames all_names() const {
    TensorNames names;
    for (const job::StagePlan& stage : parts_.job->stages) {
      names.merge(tensor_names(stage.state));
    }
    return names;
  }
  // If the tokenizer's files cannot be read, the next checkpoints get those that the checkpoint has.
  void take_kept_tokenizer(const std::optional<StartPoint>& start) {
    const std::string& note = parts_.tokenizer.note;
    if (note.empty()) return;
    if (start && start->opened.state().tokenizer) {
      const auto& theirs = *start->opened.state().tokenizer;
      if (!theirs.files.empty() && (!tokenizer_ || tokenizer_->fingerprint == theirs.fingerprint)) {
        tokenizer_ = open_recorded_tokenizer((start->opened.path() / theirs.name).string()).record;
        options_.on_message(
            fmt::format("{}; those of {} are kept", note, start->opened.path().string()));
        return;
      }
    }
    options_.on_message(note + "; checkpoints will lack them");
  }

  // Sets the state of the model, from a checkpoint if there is one. Returns the number of steps
  // done.
  std::int64_t resume_or_initialize() {
    const auto start = find_start();
    if (!start) {
      engine_.initialize();
      return 0;
    }
    const checkpoint::RunState& state = start->opened.state();
    origin_ = state.origin;
    if (start->weights_only) {
      load_weights(start->opened, engine_.state_to_load());
      engine_.restore(UpdateState{}, 0);
      say(
          fmt::format("starting from the weights of {} (step {}); optimizer, schedule and data "
                      "begin anew",
                      start->opened.path().string(), state.step));
      return 0;
    }
    load_parts(start->opened, engine_.state_to_load());
    engine_.restore(state.update, state.step);
    sample_hash_ = std::strtoull(state.sample_digest.c_str(), nullptr, 16);
    skips_.restore(state.skipped_in_a_row);
    samples_before_ = state.consumed_samples - state.step * config_.train.global_batch_size;
    say(fmt::format("resuming from {} at step {}", start->opened.path().string(), state.step));
    return state.step;
  }
  // Returns the samples that the run has consumed after `done` steps: the number of the next one.
  [[nodiscard]] std::int64_t consumed_after(std::int64_t done) const noexcept {
    return samples_before_ + done * config_.train.global_batch_size;
  }

  [[nodiscard]] bool is_due(std::int64_t done) const noexcept {
    return config_.checkpoint.interval > 0 && done % config_.checkpoint.interval == 0;
  }

  void say_where_it_stopped(std::int64_t done, bool saved) {
    const std::string where = checkpoint_directory(config_).string();
    say(saved ? fmt::format("stopped after step {} of {}: saved in {}; the same command goes on",
                            done, config_.train.train_iters, where)
              : fmt::format("stopped before step {}: there is nothing new to save", done + 1));
  }

  // Saves the current state. If a save fails (the disk is full, say), that is reported and training
  // goes on; former checkpoints are unchanged. The last save throws, since no later one can
  // succeed.
  void save(std::int64_t done, bool is_last) {
    if (files_) files_->require_owner();
    try {
      engine_.snapshot_into(*snapshot_);
      const checkpoint::RunState state{.step = done,
                                       .consumed_samples = consumed_after(done),
                                       .sample_digest = fmt::format("{:016x}", sample_hash_),
                                       .seed = config_.train.seed,
                                       .data_seed = config_.data.seed,
                                       .update = snapshot_->update(),
                                       .skipped_in_a_row = skips_.in_a_row(),
                                       .data_digest = parts_.data_digest,
                                       .config = to_toml(config_),
                                       .origin = origin_,
                                       .tokenizer = tokenizer_};
      const auto notes = save_together(commits_, checkpoint_directory(config_), state,
                                       pieces_of(snapshot_->parts()), config_.checkpoint.keep_last);
      for (const std::string& note : notes) say("checkpoint: " + note);
    } catch (const Error& error) {
      if (is_last) throw;
      say(fmt::format("checkpoint of step {} not saved, training goes on: {}", done,
                      error.message()));
    }
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
    const auto per_step = static_cast<double>(tokens_per_step(config_));
    const double available = parts_.peak * step.seconds;
    return {.step = step.step + 1,
            .loss = step.loss,
            .grad_norm = step.gradient_norm,
            .lr = step.learning_rate,
            .step_seconds = step.seconds,
            .tokens_per_second = per_step / step.seconds,
            .mfu = flops_.model / available,
            .mfu_megatron = flops_.megatron / available,
            .hfu = flops_.executed / available,
            .consumed_tokens = consumed_after(step.step + 1) * config_.model.seq_length,
            .exposed_comm_seconds = idle.exposed_comm_seconds,
            .bubble_seconds = idle.bubble_seconds,
            .data_wait_seconds = idle.data_wait_seconds,
            .memory_bytes = engine_.job().arena_nbytes(),
            .skipped = step.skipped,
            .skipped_steps = engine_.update_state().skipped};
  }

  const Config& config_;
  const TrainOptions& options_;
  const JobParts& parts_;
  comm::Coordination& coordination_;
  comm::Coordination& commits_;  // of checkpoints
  RunDirectory run_dir_;
  engine::Engine engine_;
  std::optional<engine::StateSnapshot> snapshot_;  // the copy of the state from which saves write
  plan::StepFlops flops_;                          // of all ranks
  SkippedSteps skips_;
  MeanLoss losses_;                                       // since the last line of the log
  std::optional<RunFiles> files_;                         // on rank 0 only
  std::uint64_t sample_hash_ = 0;                         // of all samples trained on
  std::string origin_;                                    // of imported weights; see RunState
  std::optional<checkpoint::TokenizerRecord> tokenizer_;  // of the data, if it is known
  // Added to the sample numbers of steps: see Engine::start_at().
  std::int64_t samples_before_ = 0;
  bool metrics_wait_ = false;  // the last line could not be written
  bool directory_is_lost_ = false;
};

}  // namespace

TrainResult train_rank(const JobParts& parts, const engine::RankEnds& ends) {
  return RankTrainer(parts, ends).run();
}

}  // namespace megascale::train
