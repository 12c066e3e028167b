#ifndef MEGASCALE_CONTROL_OUTPUT_QUEUE_H_
#define MEGASCALE_CONTROL_OUTPUT_QUEUE_H_

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace megascale::control {

// Lines on their way to a descriptor whose reader may be slow, such as a terminal or a pipe. Writing
// never waits: an executor that waits for a reader of its log would miss its heartbeats. Lines that
// do not fit are dropped and counted. One thread may use it.
class OutputQueue {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  explicit OutputQueue(int descriptor) : descriptor_(descriptor) {}
  void add(std::string_view line);
  // Writes as much as fits now.
  void flush();
  // Adds the descriptor if something waits to be written.
  void add_to(std::vector<pollfd>& descriptors) const;

 private:
  int descriptor_;
  std::string waiting_;
  std::uint64_t dropped_ = 0;  // lines since the last note about it
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_OUTPUT_QUEUE_H_
