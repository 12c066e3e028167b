#ifndef MEGASCALE_ENGINE_ENGINE_H_
#define MEGASCALE_ENGINE_ENGINE_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "megascale/base/step_numbers.h"
#include "megascale/data/dataset.h"
#include "megascale/engine/batch_loader.h"
#include "megascale/engine/rank.h"
#include "megascale/engine/state_snapshot.h"
#include "megascale/engine/state_tensors.h"
#include "megascale/engine/step_records.h"
#include "megascale/job/job_plan.h"

// A rank that is ready to run: verified plans bound to an arena, prepared kernels and data. Train,
// evaluate and benchmarks stand on it. Used by one thread, the rank's own.
namespace megascale::engine {

struct StepResult {
  std::int64_t step = 0;
  double loss = 0;  // mean over valid tokens, nats
  double gradient_norm = 0, learning_rate = 0;
  std::int64_t valid_tokens = 0;
  bool skipped = false;
  // True if any rank was asked to stop when its step began; equal on all ranks.
  bool stop_requested = false;
  double seconds = 0;
  std::span<const TaskRecord> records;  // by task; those of the carried task are of the step before
};

class Engine {
 public:
  struct Options {
    StepRecords::Options records;          // the files are made by start_at()
    const Dataset* train = nullptr;        // must outlive the engine
    const Dataset* validation = nullptr;   // may be null
    HostSeat train_seat, validation_seat;  // what they name must outlive the engine
    runtime::RunnerOptions runner;
    // For jobs of more than one rank: which one this is, how it reaches the others, and what their
    // communicators notify. A job of one rank needs none of these.
    std::uint32_t rank = 0;
    // With train.device = cuda: which device of this process.
    std::uint32_t device = 0;
    CommunicatorSource communicators;
    Wakeup* wakeup = nullptr;
    // Where the arena shall lie, for ranks that are processes: at least as many
    // bytes as the rank's job::StagePlan says, zeroed. Empty: in memory of the engine's own.
    std::span<std::byte> arena;
    // False: kernels return at once, so that transfers can be measured alone. Results are void.
    bool computes = true;
  };
  // `config` resolved and valid; `job` is its plan and must outlive the engine: the ranks of a
  // process share one. Call on the rank's own thread. Throws Error: plans that cannot be verified,
  // no memory, ops without a kernel.
  Engine(const Config& config, const job::JobPlan& job, Options options);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  // Draws initial weights, and clears what counts updates and steps.
  void initialize();
  // The parts that a checkpoint is loaded into; restore() makes what was written to them the state,
  // as it was after `steps_done` steps.
  [[nodiscard]] std::vector<StatePart> state_to_load();
  void restore(const UpdateState& update, std::int64_t steps_done);
  [[nodiscard]] UpdateState update_state() const;
  // Memory for a snapshot of this rank, empty so far. A run that will save makes it before its
  // first step. Throws Error (out_of_memory).
  [[nodiscard]] StateSnapshot new_snapshot() const;
  // Between steps: the state as of now. The first one writes to memory that new_snapshot() gave, so
  // it takes none. Throws Error.
  void snapshot_into(StateSnapshot& snapshot) const;
  [[nodiscard]] StateSnapshot snapshot() const;
  // Says which step comes next; loads its batch. Call once before the first step, and after a
  // resume.
  void start_at(std::int64_t step);
  // `stop_requested`: this rank was asked to stop. The request travels with the step's norms, so
  // every rank learns of it from the result of the same step.
  StepResult train_step(bool stop_requested = false);
  // Rank::seconds_alone of the training plan, behind at least one step; the model's state is void
  // afterwards. Throws Error.
  [[nodiscard]] std::vector<double> seconds_alone(const cuda::Stopwatch& stopwatch, int runs);
  // Mean loss over `steps` global batches of the validation data, always the same ones.
  double evaluate(std::int64_t steps);

  [[nodiscard]] const job::JobPlan& job() const noexcept { return *job_; }
  [[nodiscard]] const job::StagePlan& stage() const noexcept { return *stage_; }
  [[nodiscard]] const plan::StepPlan& train_plan() const noexcept { return train_plan_->plan(); }

 private:
  // Does nothing, in no time.
  struct Idle final : TaskFunction {
    const Error* run(const TaskArguments&) noexcept override { return nullptr; }
  };
  std::size_t add(const plan::VerifiedPlan& plan, BatchLoader& loader);
  [[nodiscard]] const plan::Buffer& update_state_buffer() const;
  Config config_;
  Options options_;
  const job::JobPlan* job_;
  const job::StagePlan* stage_ = nullptr;
  std::optional<plan::VerifiedPlan> train_plan_, evaluate_plan_;
  std::unique_ptr<BatchLoader> train_loader_, validation_loader_;
  std::optional<StepRecords> records_;
  Idle idle_;
  Wakeup own_wakeup_;
  std::unique_ptr<Rank> rank_;
  std::size_t train_ = 0, evaluate_ = 0;  // the lane runner's numbers of the plans
  std::byte* train_staging_ = nullptr;    // the next step's StepNumbers, then its batch
  std::optional<SnapshotLayout> snapshot_layout_;
  std::int64_t next_step_ = 0;
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_ENGINE_H_
