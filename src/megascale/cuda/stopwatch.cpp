// Times work with two events on a stream. The copy before each run clears the device's caches, and
// it keeps the device busy until the host has enqueued the whole run, so that launch times of the
// host are not measured.
#include "megascale/cuda/stopwatch.h"

#include <algorithm>
#include <cstdint>

#include "megascale/cuda/device.h"

namespace megascale::cuda {

namespace {

// Returns the seconds that the device needs for the work that `enqueue` puts on the stream.
template <class Enqueue>
double seconds_of_one(const Stream& stream, const Enqueue& enqueue) {
  Event begin, end;
  begin.record(stream.get());
  enqueue();
  end.record(stream.get());
  if (auto error = take_error()) throw Error(*error);
  end.wait();
  const std::int64_t ns = end.ns_since(begin);
  if (auto error = take_error()) throw Error(*error);
  return static_cast<double>(ns) * 1e-9;
}

}  // namespace

Stopwatch::Stopwatch(std::uint64_t copied_nbytes) : from_(copied_nbytes), to_(copied_nbytes) {}

std::vector<double> Stopwatch::seconds_of(const Work& work, int runs) const {
  constexpr int kWarmup = 3;  // runs that load the code and raise the clocks
  std::vector<double> seconds;
  for (int i = -kWarmup; i < runs; ++i) {
    copy_async(to_.bytes().data(), from_.bytes(), stream_.get());
    const double took = seconds_of_one(stream_, [&] {
      if (const Error* error = work(stream_.get()); error != nullptr) throw Error(*error);
    });
    if (i >= 0) seconds.push_back(took);
  }
  return seconds;
}

double median_seconds_of(const Graph& graph, const Stream& stream, int runs) {
  const auto launch = [&] { graph.launch(stream.get()); };
  seconds_of_one(stream, launch);
  std::vector<double> seconds;
  for (int i = 0; i < runs; ++i) seconds.push_back(seconds_of_one(stream, launch));
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

}  // namespace megascale::cuda
