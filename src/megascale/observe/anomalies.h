#ifndef MEGASCALE_OBSERVE_ANOMALIES_H_
#define MEGASCALE_OBSERVE_ANOMALIES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "megascale/observe/metrics_history.h"

// Finds steps whose loss or gradient norm is unusual. A step is compared with the steps before it, by
// median and median absolute deviation (spread.h), so that a spike neither hides itself nor the next
// one. Only increases count. All functions are pure.
namespace megascale::observe {

struct Anomaly {
  enum class Kind : std::uint8_t {
    not_finite,  // the step has no finite value
    spike,       // the value exceeds those of the steps before
    rise         // the last steps exceed an earlier time of the run, and do not come back
  };
  Kind kind = Kind::spike;
  std::size_t metric = 0;  // of kMetricKinds
  std::int64_t first_step = 0, last_step = 0;
  double worst = 0, usual = 0;  // the largest value; the median before. 0 for not_finite: worst
};

struct AnomalyOptions {
  std::size_t window = 64;  // a step is compared with so many steps before it
  // With fewer steps before it nothing is unusual: losses fall fast at first.
  std::size_t least_steps = 16;
};

// Returns the anomalies of one metric, by first step; neighbouring steps of one kind are one anomaly.
// `share`: an excess over the usual value below this share of it never counts. The metric must be
// one that every row has: a missing value counts as not finite.
[[nodiscard]] std::vector<Anomaly> find_anomalies(std::span<const MetricsRow> rows,
                                                  std::size_t metric, double share,
                                                  const AnomalyOptions& options = {});
// Returns those of the loss (share 5 %) and of the gradient norm (share 200 %), by first step.
[[nodiscard]] std::vector<Anomaly> training_anomalies(std::span<const MetricsRow> rows);

// Returns one clause: "loss 8.2 in step 120, usually 3.1".
[[nodiscard]] std::string to_string(const Anomaly& anomaly);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_ANOMALIES_H_
