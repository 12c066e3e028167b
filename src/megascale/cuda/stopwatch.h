#ifndef MEGASCALE_CUDA_STOPWATCH_H_
#define MEGASCALE_CUDA_STOPWATCH_H_

#include <functional>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/cuda/memory.h"
#include "megascale/cuda/stream.h"

namespace megascale::cuda {

// Times work of the calling thread's device by itself, on a stream of its own. Before every run the
// device copies some memory, which leaves in its caches nothing of the run before, and takes longer
// than the host needs to hand the run over: that is not timed. Used by one thread.
class Stopwatch {
 public:
  // Several times the cache of an H100 (50 MiB), which copies it in 0.16 ms at its published
  // bandwidth.
  static constexpr std::uint64_t kCopied = std::uint64_t{256} << 20U;
  // Takes twice as many bytes of the device. Throws Error (out_of_memory).
  explicit Stopwatch(std::uint64_t copied_nbytes = kCopied);

  // Adds a run to the stream. Null, or what was refused.
  using Work = std::function<const Error*(CUstream_st*)>;
  // Seconds of each of so many runs, at least one, behind a few that are not timed. Throws Error.
  [[nodiscard]] std::vector<double> seconds_of(const Work& work, int runs) const;

 private:
  DeviceMemory from_, to_;
  Stream stream_;
};

}  // namespace megascale::cuda

#endif  // MEGASCALE_CUDA_STOPWATCH_H_
