// Times work with two events on a stream. The copy before each run clears the device's caches, and
// it keeps the device busy until the host has enqueued the whole run, so that launch times of the
// host are not measured.
#include "megascale/cuda/stopwatch.h"

#include <cstdint>

#include "megascale/cuda/device.h"

namespace megascale::cuda {

Stopwatch::Stopwatch(std::uint64_t copied_nbytes) : from_(copied_nbytes), to_(copied_nbytes) {}

std::vector<double> Stopwatch::seconds_of(const Work& work, int runs) const {
  constexpr int kWarmup = 3;  // runs that load the code and raise the clocks
  std::vector<double> seconds;
  for (int i = -kWarmup; i < runs; ++i) {
    Event begin, end;
    copy_async(to_.bytes().data(), from_.bytes(), stream_.get());
    begin.record(stream_.get());
    if (const Error* error = work(stream_.get()); error != nullptr) throw Error(*error);
    end.record(stream_.get());
    if (auto error = take_error()) throw Error(*error);
    end.wait();
    const std::int64_t ns = end.ns_since(begin);
    if (auto error = take_error()) throw Error(*error);
    if (i >= 0) seconds.push_back(static_cast<double>(ns) * 1e-9);
  }
  return seconds;
}

}  // namespace megascale::cuda
