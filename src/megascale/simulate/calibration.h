#ifndef MEGASCALE_SIMULATE_CALIBRATION_H_
#define MEGASCALE_SIMULATE_CALIBRATION_H_

#include <span>
#include <string>
#include <vector>

#include "megascale/simulate/cluster.h"

// Fits the rates of a cluster file to measured tasks. All functions are pure.
namespace megascale::simulate {

// A measurement: `tasks` tasks of one op kind, each with the same work and the same time.
struct WorkSample {
  std::string kind;
  double work = 0;     // of one task; FLOPs or bytes
  double seconds = 0;  // of one task
  double tasks = 1;    // number of tasks
  double nbytes = 0;   // bytes of the operands, if `work` is FLOPs
};

// Returns a curve of rates for each kind. A curve has a point for every half octave of work that
// has samples: the work of all their tasks over the time of all their tasks. The rates therefore
// reproduce the summed time of the samples, whatever their shapes. Samples without work or time are
// ignored.
[[nodiscard]] RatesByKind fit_rates(std::span<const WorkSample> samples);

// Fits rates for kinds with FLOPs (`by_flops`) and without (`by_bytes`). For each kind with FLOPs
// it also chooses flops_per_byte, from a few candidates: the one whose rates give the smallest sum
// of absolute errors over all tasks.
[[nodiscard]] Cluster::Kernels fit_kernels(std::span<const WorkSample> by_flops,
                                           std::span<const WorkSample> by_bytes);

// Fits transfers. `work` is the bytes that a member fetches; `seconds` counts from the moment when
// the last member could have started. base_us is the median time of transfers of at most 4 KiB.
// Rates are fitted to transfers that take longer than base_us by more than a fifth. If there are
// none, base_us is the shortest time of all transfers instead, and if that fails too, 0. A kind
// without a sample for its rate gets the rates of all kinds together.
[[nodiscard]] Cluster::Transfers fit_transfers(std::span<const WorkSample> samples);

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_CALIBRATION_H_
