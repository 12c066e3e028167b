#ifndef MEGASCALE_SIMULATE_CALIBRATION_H_
#define MEGASCALE_SIMULATE_CALIBRATION_H_

#include <span>
#include <string>
#include <vector>

#include "megascale/simulate/cluster.h"

// From what ops were measured to take, to the rates of a cluster file.
namespace megascale::simulate {

// Tasks of one kind that did the same work in the same time.
struct WorkSample {
  std::string kind;
  double work = 0;     // FLOPs or bytes
  double seconds = 0;  // of one task
  double tasks = 1;
  double nbytes = 0;  // where `work` is FLOPs: of the operands
};

// By kind a point for every half octave of work that there are samples of: what all their tasks did
// over the time that they took. So the samples' own sum is met, whatever the shapes were. Samples
// without work or time say nothing.
[[nodiscard]] RatesByKind fit_rates(std::span<const WorkSample> samples);

// Rates by FLOPs, and by kind for how many of them a byte counts: that of a few candidates whose
// rates meet the kind's samples best, by the sum of absolute differences over all tasks.
[[nodiscard]] Cluster::Kernels fit_kernels(std::span<const WorkSample> by_flops,
                                           std::span<const WorkSample> by_bytes);

// Transfers: `work` is the bytes that a member fetches, `seconds` from when the last member could
// have started. base_us is the median of those of at most 4 KiB; rates are fitted on what is above
// it by more than a fifth. Where nothing is, base_us is the shortest of all, or else 0. A kind that
// has no such sample gets the rates of all kinds together.
[[nodiscard]] Cluster::Transfers fit_transfers(std::span<const WorkSample> samples);

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_CALIBRATION_H_
