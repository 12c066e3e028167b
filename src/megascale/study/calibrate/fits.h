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

// The fits of `megascale calibrate`: functions from measurements to values of a cluster file. They
// measure nothing themselves. All are pure, except set_channels(), which changes its argument.
namespace megascale::study {

// Returns the speed of a processor while all processors of the host work, relative to a processor
// that works alone. It is the time that the tasks of the samples would have taken alone, over the
// time that they took; at most 1. `alone` has the rates of kernels on a processor that works alone.
// Returns nothing if `alone` has no rate for any kind of the samples.
[[nodiscard]] std::optional<double> fit_speed_together(const CalibrationSamples& together,
                                                       const simulate::Cluster::Kernels& alone);

// Returns the jitter (sigma of the log-normal factor of a task's time) at which the simulated
// waiting equals the measured one. Both are shares of a step in which ranks wait for each other.
// `simulated_share` must grow with sigma. Bisection over [0, 0.5] down to an interval of 1/2048,
// whose lower end is returned.
[[nodiscard]] double fit_jitter(double measured_share,
                                const std::function<double(double sigma)>& simulated_share);

// Summed seconds of the same steps: simulated without the loss from shared processors, and
// measured.
struct StepPair {
  double simulated = 0, measured = 0;
};
// Returns the speed of processors that several ranks share, by the number of ranks on the host.
// `full_speed` is the speed with one rank on each processor. Sharing adds switches between ranks,
// after which the caches hold the data of another rank. The speed is full_speed x simulated /
// measured seconds, at most full_speed.
[[nodiscard]] std::vector<simulate::Curve::Point> fit_crowded_speed(
    const std::map<std::int64_t, StepPair>& steps_by_ranks, double full_speed);

// The step times of one job: simulated with wait_share = 0 and 1, and measured.
struct WaitShareSample {
  double if_free = 0, if_whole = 0, measured = 0;
};
// Returns wait_share: the fraction of a time slice's overhead that is also paid if a wait ends the
// slice early. The predicted step time is linear in it, so one least-squares fit over steps with
// and without overlap suffices; steps without overlap have more such waits. At least 0.
[[nodiscard]] double fit_wait_share(std::span<const WaitShareSample> samples);

// Sets the links of a cluster of one node. Kinds of transfers that were not measured get the rate
// of the fastest measured kind, or that of memory if none was measured.
void set_channels(simulate::Cluster& cluster);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_CALIBRATE_FITS_H_
