#ifndef MEGASCALE_TRAIN_BATCH_COURSE_H_
#define MEGASCALE_TRAIN_BATCH_COURSE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "megascale/config/batch_phases.h"

// Where a run is in the phases of its global batch. A value.
namespace megascale::train {

class BatchCourse {
 public:
  // `from`: where the run starts or goes on.
  BatchCourse(const TrainConfig& train, BatchPoint from) : phases_(batch_phases(train, from)) {}
  // The phase of the next step.
  [[nodiscard]] const BatchPhase& now() const noexcept { return phases_[number_]; }
  // Returns the first step of the next phase; if there is none, the largest number.
  [[nodiscard]] std::int64_t end() const noexcept {
    return number_ + 1 < phases_.size() ? phases_[number_ + 1].first_step
                                        : std::numeric_limits<std::int64_t>::max();
  }
  // Enters the next phase if `step` is its first one. Returns whether it did.
  bool advance_to(std::int64_t step) noexcept {
    if (step != end()) return false;
    ++number_;
    return true;
  }
  // Returns the number that Engine::start_at() adds to the sample numbers of a step.
  [[nodiscard]] std::int64_t samples_before() const noexcept { return now().samples_at(0); }
  // The phases from the start on.
  [[nodiscard]] const std::vector<BatchPhase>& phases() const noexcept { return phases_; }

 private:
  std::vector<BatchPhase> phases_;
  std::size_t number_ = 0;
};

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_BATCH_COURSE_H_
