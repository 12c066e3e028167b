#ifndef MEGASCALE_TRAIN_PREFERENCES_H_
#define MEGASCALE_TRAIN_PREFERENCES_H_

#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "megascale/engine/engine.h"
#include "megascale/train/metrics.h"
#include "megascale/train/rank_trainer.h"
#include "megascale/train/reference_scores.h"
#include "megascale/train/start_point.h"

namespace megascale::train {

// The start of a training on preferences, as one rank knows it.
struct PreferenceStart {
  std::int64_t steps_done = 0;
  std::string weights;  // on rank 0: a fingerprint of the state that the run starts from
  std::string digest;   // on rank 0: RunState::reference_digest of the checkpoint, or empty
  std::filesystem::path resumed;  // on rank 0: the checkpoint that the run goes on from, or empty
};
// Returns a fingerprint of weights: of those of a checkpoint, or, without one, of those that the configuration
// draws.
[[nodiscard]] std::string fingerprint_of_weights(const Config& config, const StartPoint* start);

// The scores of the reference, and what is computed with them. One for each rank; used by its thread.
class Preferences {
 public:
  // Gets the scores. A run that begins computes them with `engine`, whose weights are then the reference, or takes
  // those that an earlier process of the same run has left; rank 0 writes the file. A run that goes on reads the
  // file of its run directory, or else that beside the checkpoint. All ranks call it together. Throws Error
  // (bad_usage), on rank 0, if that file is missing, or is of other data or another reference.
  Preferences(const JobParts& parts, comm::Coordination& coordination, engine::Engine& engine,
              const PreferenceStart& start);

  [[nodiscard]] const std::string& digest() const noexcept { return digest_; }
  // Returns the rewards of a step from StepResult::recorded.
  [[nodiscard]] static RewardMetrics of_step(const Config& config, const engine::StepResult& step);
  struct Evaluation {
    double loss = 0;
    RewardMetrics rewards;
  };
  // Evaluates a set of JobParts::validation. All ranks call it together.
  [[nodiscard]] Evaluation evaluate(std::size_t set) const;

 private:
  [[nodiscard]] std::string find(const PreferenceStart& start) const;
  [[nodiscard]] std::string file_to_resume(const PreferenceStart& start) const;
  void compute(const PreferenceStart& start);
  [[nodiscard]] std::string fingerprint_of_data() const;
  void say(const std::string& message) const;

  const JobParts& parts_;
  comm::Coordination& coordination_;
  engine::Engine& engine_;
  ReferenceScores scores_;
  std::string digest_;
};

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_PREFERENCES_H_
