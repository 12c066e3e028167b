#ifndef MEGASCALE_CUDA_STOPWATCH_H_
#define MEGASCALE_CUDA_STOPWATCH_H_

#include <functional>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/cuda/graph.h"
#include "megascale/cuda/memory.h"
#include "megascale/cuda/stream.h"

namespace megascale::cuda {

// Measures how long work takes on the calling thread's device, on a stream of its own and with cold
// caches. Before every run the device copies a block of memory, which is not timed. The copy evicts
// the data of the run before from the caches. It also lasts longer than the host needs to enqueue
// the run. One thread may use it.
class Stopwatch {
 public:
  // The default size of the copy, in bytes: several times the cache of an H100 (50 MiB). An H100
  // copies it in 0.16 ms at its published bandwidth.
  static constexpr std::uint64_t kCopied = std::uint64_t{256} << 20U;
  // Allocates 2 x copied_nbytes on the device. Throws Error (out_of_memory).
  explicit Stopwatch(std::uint64_t copied_nbytes = kCopied);

  // Enqueues one run on the stream. Returns null, or the error if the run was refused.
  using Work = std::function<const Error*(CUstream_st*)>;
  // Runs `work` a few times without timing, then `runs` times (at least once). Returns the seconds
  // of each timed run. Throws Error.
  [[nodiscard]] std::vector<double> seconds_of(const Work& work, int runs) const;

 private:
  DeviceMemory from_, to_;
  Stream stream_;
};

// Launches `graph` once without timing and then `runs` times (at least once) on `stream`, each time
// after the launch before has ended. Returns the median of the timed launches, in seconds. Throws
// Error.
[[nodiscard]] double median_seconds_of(const Graph& graph, const Stream& stream, int runs);

}  // namespace megascale::cuda

#endif  // MEGASCALE_CUDA_STOPWATCH_H_
