#ifndef MEGASCALE_STUDY_CALIBRATE_FITS_H_
#define MEGASCALE_STUDY_CALIBRATE_FITS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "megascale/simulate/cluster.h"
#include "megascale/study/calibrate/calibration_samples.h"
#include "megascale/study/statistics.h"

// The fits of `megascale calibrate` that need no measuring of their own. Pure functions.
namespace megascale::study {

// The speed of a processor while all processors of the host work, relative to one that works alone
// (`alone`: the rates of kernels there): the time that the samples' tasks would have taken alone,
// over the time that they took. At most 1. None where `alone` knows no kind of the samples.
[[nodiscard]] std::optional<double> fit_speed_together(const CalibrationSamples& together,
                                                       const simulate::Cluster::Kernels& alone);

// The jitter (sigma of the log-normal factor of a task's time) at which the simulated share of a
// step that ranks wait for each other equals `measured_share`. `simulated_share` must grow with
// sigma. Bisection over [0, 0.5] to 1/2048; returns the lower end.
[[nodiscard]] double fit_jitter(double measured_share,
                                const std::function<double(double sigma)>& simulated_share);

// Seconds of steps that were simulated without a loss, and measured.
struct StepPair {
  double simulated = 0, measured = 0;
};
// The speed of processors that several ranks share, by the number of ranks of the host. Such ranks
// also change places and find the caches full of the others' values: `full_speed`, that of
// processors with one rank each, times simulated over measured seconds, but never more than it.
[[nodiscard]] std::vector<simulate::Curve::Point> fit_crowded_speed(
    const std::map<std::int64_t, StepPair>& steps_by_ranks, double full_speed);

// The step times of one job: simulated with wait_share = 0 and 1, and measured.
struct WaitShareSample {
  double if_free = 0, if_whole = 0, measured = 0;
};
// wait_share: the fraction of a time slice's overhead that is also paid when a wait ends the slice
// early. The predicted step time is linear in it, so one least-squares fit over steps with and
// without overlap suffices; steps without overlap have more such waits. At least 0.
[[nodiscard]] double fit_wait_share(std::span<const WaitShareSample> samples);

// Bandwidths of the links of a cluster of one node: transfers of kinds that were not measured go as
// fast as the fastest that was, or as memory where none was.
void set_channels(simulate::Cluster& cluster);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_CALIBRATE_FITS_H_
