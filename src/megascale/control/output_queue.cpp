// The descriptor is shared with other processes, so it keeps its mode: poll() tells when a write of
// at most PIPE_BUF bytes does not wait.
#include "megascale/control/output_queue.h"

#include <fmt/format.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>

namespace megascale::control {

void OutputQueue::add(std::string_view line) {
  if (waiting_.size() + line.size() > kMostBytes) {
    ++dropped_;
    return;
  }
  if (dropped_ > 0)
    waiting_ +=
        fmt::format("megascale: {} lines of output were dropped: nobody reads them\n", dropped_);
  dropped_ = 0;
  waiting_.append(line).push_back('\n');
}

void OutputQueue::flush() {
  while (!waiting_.empty()) {
    pollfd ready{descriptor_, POLLOUT, 0};
    if (::poll(&ready, 1, 0) <= 0) return;
    // Whole lines, so that lines of several processes do not mix.
    std::size_t nbytes = std::min<std::size_t>(waiting_.size(), PIPE_BUF);
    const std::size_t end = waiting_.rfind('\n', nbytes - 1);
    if (end != std::string::npos) nbytes = end + 1;
    const ssize_t written = ::write(descriptor_, waiting_.data(), nbytes);
    if (written <= 0) {  // closed, or a full disk: the lines are lost, the job goes on
      waiting_.clear();
      return;
    }
    waiting_.erase(0, static_cast<std::size_t>(written));
  }
}

void OutputQueue::add_to(std::vector<pollfd>& descriptors) const {
  if (!waiting_.empty()) descriptors.push_back({descriptor_, POLLOUT, 0});
}

}  // namespace megascale::control
