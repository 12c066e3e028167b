#ifndef MEGASCALE_TESTS_TRAIN_TRAINING_H_
#define MEGASCALE_TESTS_TRAIN_TRAINING_H_

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "megascale/checkpoint/open.h"
#include "megascale/train/trainer.h"
#include "support/scratch_directory.h"

// Runs of tiny models whose ranks are threads, with everything that a test compares.
namespace megascale::testing {

// How a tiny model is trained: keys and values of the configuration. Later ones win.
using Settings = std::vector<std::string>;
// Returns all settings of `parts`, one after the other.
[[nodiscard]] Settings joined(std::initializer_list<Settings> parts);
// Returns the settings of a layout, and `more`.
[[nodiscard]] Settings split(int tensor, int context, int pipeline, int ranks,
                             const Settings& more = {});

// What a checkpoint holds, by name: weights "NAME", moments "NAME.first_moment" and
// "NAME.second_moment", as logical tensors without padding.
using Tensors = std::map<std::string, std::vector<float>>;

struct Outcome {
  std::vector<double> losses, gradient_norms;  // by step of this run
  std::vector<double> validation_losses;       // by evaluation
  // Of a training on preferences: by step; those of an evaluation stand behind those of its step.
  std::vector<train::RewardMetrics> rewards;
  Tensors tensors;  // after the last step
  checkpoint::RunState state;
  std::int64_t samples_read = 0;      // of the training data, by all ranks
  std::filesystem::path checkpoints;  // goes with the Laboratory
};

struct RunOptions {
  std::int64_t most_steps = 1 << 20;
  std::filesystem::path load;  // a run to go on from: its Outcome::checkpoints
  std::function<void(std::uint32_t rank, std::uint32_t task)> before_task;
  // See train::TrainOptions; all may be empty.
  std::function<void(std::uint32_t rank, std::uint32_t task, CUstream_st* stream)> before_work;
  std::function<void(std::uint32_t rank, checkpoint::Action, const std::filesystem::path&)>
      before_storage;
  std::function<void(const train::StepMetrics& metrics)> on_step;
  std::function<void(const std::string& message)> on_message;
  const std::atomic<bool>* stop = nullptr;
  // The checkpoints of an earlier run, failed perhaps, whose run directory this one takes again.
  std::filesystem::path again;
  std::function<std::filesystem::path(std::uint32_t rank)> memory_of;
};

// A directory with a corpus of 300 words, in documents of 1 to 40 of them, and the runs made on it.
class Laboratory {
 public:
  static constexpr std::int64_t kTrainIters = 8, kGlobalBatchSize = 12;
  // As a parallel.pipeline_schedule: a file of a schedule drawn for the layout.
  static constexpr const char* kDrawnSchedule = "drawn.schedule";

  Laboratory();
  // The resolved configuration of a run: one thread per rank, an evaluation after step 5, every
  // step's clipping bound below its gradient norm.
  [[nodiscard]] Config config(const Settings& settings) const;
  // Where the next run() saves: also for runs that fail.
  [[nodiscard]] std::filesystem::path next_checkpoints() const;
  // The same, taken: the next run saves elsewhere.
  std::filesystem::path new_checkpoints();
  // Where the runs keep copies in memory.
  [[nodiscard]] std::filesystem::path memory_root() const { return scratch_ / "memory"; }
  // Throws Error as train::train.
  Outcome run(const Settings& settings, RunOptions options = {});

 private:
  [[nodiscard]] std::string draw_schedule(const Config& config) const;

  ScratchDirectory scratch_;
  int runs_ = 0;
};

// Weights and moments of a checkpoint.
[[nodiscard]] Tensors read_tensors(const checkpoint::Opened& opened);

// The first difference in bits; empty if there is none.
[[nodiscard]] std::string first_difference(const Tensors& got, const Tensors& want);
[[nodiscard]] std::string first_difference(const Outcome& got, const Outcome& want);
// max |got - want| / |want| of two rows of numbers; NaN where sizes differ or a number is NaN.
[[nodiscard]] double worst_relative_difference(const std::vector<double>& got,
                                               const std::vector<double>& want);
// Of the first moments after one step without clipping, which are (1 - beta1) x gradient: the
// largest over tensors of |got - want|_2 / |want|_2. Tensors whose gradient is zero must agree.
[[nodiscard]] double worst_gradient_difference(const Tensors& got, const Tensors& want);

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_TRAIN_TRAINING_H_
