#ifndef MEGASCALE_ENGINE_ENGINE_H_
#define MEGASCALE_ENGINE_ENGINE_H_

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "megascale/base/step_numbers.h"
#include "megascale/data/dataset.h"
#include "megascale/engine/batch_loader.h"
#include "megascale/engine/batch_routes.h"
#include "megascale/engine/core_meter.h"
#include "megascale/engine/idle_functions.h"
#include "megascale/engine/rank.h"
#include "megascale/engine/rank_memory.h"
#include "megascale/engine/state_snapshot.h"
#include "megascale/engine/state_tensors.h"
#include "megascale/engine/step_outcomes.h"
#include "megascale/engine/step_records.h"
#include "megascale/job/job_plan.h"

// One rank of a training job, ready to run: verified plans bound to an arena, prepared kernels, and
// data. The training loop and the measurements are built on it. Only the rank's own thread may use
// it.
namespace megascale::engine {

struct StepResult {
  std::int64_t step = 0;
  double loss = 0;  // mean over valid tokens, nats; in a training on preferences over pairs
  // gradient_norm: of the mean loss, before clipping.
  double gradient_norm = 0, learning_rate = 0;
  std::int64_t valid_tokens = 0;  // of all ranks; in a training on preferences the pairs
  // True if loss or gradient norm were not finite, so that no weight was updated.
  bool skipped = false;
  Votes votes;         // of all ranks; equal on all ranks
  double seconds = 0;  // wall time of the step on this rank
  // The numbers of config/derived.h: step_records(), added over all ranks: loads of experts and losses of the
  // router (RoutingRecord), then rewards (PreferenceRecord). Empty if the step records nothing.
  std::vector<double> recorded;
  // One per task, valid until the next step. The carried task may still run, so its record may be
  // missing or still be that of the step before.
  std::span<const TaskRecord> records;
};

class Engine {
 public:
  struct Options {
    StepRecords::Options records;          // the files are made by start_at()
    const Dataset* train = nullptr;        // must outlive the engine
    HostSeat train_seat, validation_seat;  // their HostBatches must outlive the engine
    runtime::RunnerOptions runner;
    // `communicators` and `wakeup` are needed in jobs of several ranks: where this rank gets its
    // communicators, and the wakeup that these notify. The engine borrows both.
    std::uint32_t rank = 0;
    std::uint32_t device = 0;  // number of the CUDA device in this process, if train.device = cuda
    CommunicatorSource communicators;
    Wakeup* wakeup = nullptr;
    // Memory for the arena, which the engine borrows: at least StagePlan::arena_nbytes, zeroed.
    // Ranks that are processes pass memory that their peers can access. Empty: the engine allocates
    // the arena.
    std::span<std::byte> arena;
    // False: kernels return at once without computing, so that transfers can be measured alone
    // (IdleFunctions). The results of steps are then meaningless.
    bool computes = true;
  };
  // `config` must be resolved and valid. `job` is its plan; it must outlive the engine, and the
  // ranks of a process may share it. Call it on the rank's own thread. Throws Error: failed if the
  // plans have violations, out_of_memory, or unsupported if an op has no kernel.
  Engine(const Config& config, const job::JobPlan& job, Options options);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  // Sets the initial state: draws the weights and sets the numbers of updates and steps to 0.
  void initialize();
  // Loads a state in two calls. state_to_load() returns the parts for the caller to fill, for
  // instance from a checkpoint. restore() then makes their values the state of this rank after
  // `steps_done` steps. On devices the parts are host memory, which restore() frees. Throw Error.
  [[nodiscard]] std::vector<StatePart> state_to_load();
  void restore(const UpdateState& update, std::int64_t steps_done);
  [[nodiscard]] UpdateState update_state() const;
  // Allocates memory for a snapshot of this rank and returns it empty. Runs that save call it
  // before the first step, so that a lack of memory shows at the start. Throws Error
  // (out_of_memory).
  [[nodiscard]] StateSnapshot new_snapshot() const;
  // Copy the current state; call them between steps. snapshot_into() fills an object that
  // new_snapshot() made and allocates nothing. snapshot() does both. Throw Error.
  void snapshot_into(StateSnapshot& snapshot) const;
  [[nodiscard]] StateSnapshot snapshot() const;
  // Makes another plan of the same job the one of the training steps from the next start_at() on,
  // for steps with another global batch: `config` and `job` of a job::BatchPlan, which must outlive
  // the engine, and a seat as Options::train_seat. The state of the model is not touched, and
  // evaluate() keeps its plan. The first call for a plan binds it. Call it between two steps. Throws
  // Error.
  void change_training(const Config& config, const job::JobPlan& job, HostSeat seat);
  // Makes `step` (counted from 0) the next step: creates the ring of records if Options::ring names
  // one, and loads the step's batch. Call it after initialize() or restore() and before the first
  // step, and after each change_training(). `samples_before` is added to the sample numbers of every
  // step (first_sample): it is not 0 if an earlier part of the run had another batch size. `end`: the
  // first step that has another plan again; its batch is not loaded. After change_training(), returns why
  // records are kept in memory only, if they are. Throws Error.
  std::optional<Error> start_at(std::int64_t step, std::int64_t samples_before = 0,
                                std::int64_t end = BatchLoader::kNoEnd);
  // Sets the scores of the reference of a training on preferences: of each sequence of Options::train, by
  // Dataset::place_of(), what sequence_scores() returns. Call it before start_at(). They must outlive the
  // engine's steps. Without them all scores of the reference are 0.
  void use_reference(std::span<const double> scores) noexcept { reference_ = scores; }
  // Runs one training step on this rank; all ranks of the job must call it. `own` are this rank's
  // votes. They travel with the step's norms, so every rank learns the sum from the result of the
  // same step. Throws Error as StepRunner::run_step().
  StepResult train_step(const Votes& own = {});
  // Returns Rank::seconds_alone() of the training plan. Devices only, after at least one step. The
  // state of the model is unusable afterwards. Throws Error.
  [[nodiscard]] std::vector<double> seconds_alone(const cuda::Stopwatch& stopwatch, int runs);
  // Returns Rank::seconds_packed() of the training plan, under the same conditions.
  [[nodiscard]] double seconds_packed(int runs);
  // Of a training on preferences: returns the sum of the log-probabilities of the counted tokens of each of the
  // sequences number 0 to `count` - 1 of `data`, by the present weights. It is equal on all ranks, which must all
  // call it. Reads whole global batches. Throws Error.
  [[nodiscard]] std::vector<double> sequence_scores(const Dataset& data, std::int64_t count);
  // Returns the mean loss (nats per valid token) over the first `steps` global batches of `data`; equal
  // on all ranks, which must all call it for the same data. `batches_before`: those of other data that
  // this evaluation has read; files of moe.routing_replay are numbered from there. Throws Error.
  double evaluate(const Dataset& data, std::int64_t steps, std::int64_t batches_before = 0);

  [[nodiscard]] const job::JobPlan& job() const noexcept { return *job_; }
  [[nodiscard]] const job::StagePlan& stage() const noexcept { return *stage_; }
  // Returns the plan of the training steps, as the last change_training() has made it.
  [[nodiscard]] const plan::StepPlan& train_plan() const noexcept { return training_->plan.plan(); }

 private:
  // A bound training plan, with what its steps need.
  struct Training {
    Training(const Config& of_steps, const job::JobPlan& of_job, std::uint32_t rank)
        : config(of_steps),
          job(&of_job),
          stage(&of_job.stage_of(rank)),
          plan(of_job.plan_of(rank, of_job.train_verification)) {}
    Config config;
    const job::JobPlan* job;
    const job::StagePlan* stage;
    plan::VerifiedPlan plan;
    std::optional<BatchRoutes> routes;  // with moe.routing_replay
    std::unique_ptr<BatchLoader> loader;
    std::int64_t samples_before = 0;  // see start_at()
    std::size_t number = 0;           // the lane runner's number of the plan
    std::byte* staging = nullptr;     // begins with the next step's StepNumbers
    std::optional<StepOutcomes> outcomes;
    std::optional<StepRecords> records;
  };
  // Makes the training plan of `job` and its loader, not yet bound to memory.
  std::unique_ptr<Training> make_training(const Config& config, const job::JobPlan& job,
                                          HostSeat seat);
  void bind(Training& training);
  // Returns the reference's score of sequence number `sample` of Options::train.
  [[nodiscard]] double reference_score(std::int64_t sample) const;
  [[nodiscard]] BatchLoader::Source source_of(const Config& config, HostSeat seat) const;
  void put_state(Moments moments);
  void make_validation_loader();
  std::size_t add(const plan::VerifiedPlan& plan, BatchLoader& loader);
  [[nodiscard]] const plan::Buffer& update_state_buffer() const;
  [[nodiscard]] bool records_routes() const noexcept {
    return config_.model.moe.routing_replay == RoutingReplay::record;
  }
  [[nodiscard]] bool replays_routes() const noexcept {
    return config_.model.moe.routing_replay == RoutingReplay::replay;
  }
  void save_routes(const BatchRoutes& routes, const plan::BuiltPlan& built,
                   const std::filesystem::path& path) const;
  Config config_;
  Options options_;
  const job::JobPlan* job_;
  const job::StagePlan* stage_ = nullptr;
  std::optional<plan::VerifiedPlan> evaluate_plan_;
  std::unique_ptr<BatchLoader> validation_loader_;
  std::optional<BatchRoutes> validation_routes_;  // with moe.routing_replay
  std::optional<CoreMeter> core_meter_;
  IdleFunctions idle_;  // used if Options::computes is false
  Wakeup own_wakeup_;
  // All training plans that were used; the lane runner refers to them. The first is that of job().
  std::vector<std::unique_ptr<Training>> trainings_;
  Training* training_ = nullptr;         // that of the steps now
  Training* training_before_ = nullptr;  // that of the steps before it; null: there were none
  bool has_begun_ = false;               // start_at() was called
  std::unique_ptr<Rank> rank_;
  std::size_t evaluate_ = 0;  // the lane runner's number of the evaluation plan
  std::optional<SnapshotLayout> snapshot_layout_;
  std::int64_t next_step_ = 0;
  std::int64_t evaluation_batches_before_ = 0;  // see evaluate()
  std::span<const double> reference_;           // see use_reference()
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_ENGINE_H_
