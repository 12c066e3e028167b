// Reads /proc/PID/stat, whose third field is the state. The second one, the name of the program, is
// in parentheses and may itself hold parentheses and spaces.
#include "megascale/launch/process_state.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "megascale/base/record_ring_format.h"

namespace megascale::launch {

std::string own_host_name() {
  // As long as the host name in a record ring, which is cut in the same way.
  std::array<char, sizeof(RecordRingHeader::host_name)> name{};
  (void)::gethostname(name.data(), name.size() - 1);
  return name.data();
}

ProcessState process_state(std::string_view host, std::uint32_t process_id) {
  if (process_id == 0 || host != own_host_name()) return ProcessState::elsewhere;
  std::ifstream file(fmt::format("/proc/{}/stat", process_id));
  std::string line;
  if (!std::getline(file, line)) return ProcessState::gone;
  const std::size_t name_end = line.rfind(") ");
  const char letter =
      name_end == std::string::npos || name_end + 2 >= line.size() ? '?' : line[name_end + 2];
  if (letter == 'Z' || letter == 'X') return ProcessState::gone;
  if (letter == 'T' || letter == 't') return ProcessState::stopped;
  return letter == 'D' ? ProcessState::uninterruptible : ProcessState::alive;
}

std::string_view to_string(ProcessState state) noexcept {
  switch (state) {
    case ProcessState::elsewhere:
      return "on another host";
    case ProcessState::gone:
      return "gone";
    case ProcessState::stopped:
      return "stopped by a signal or a debugger";
    case ProcessState::uninterruptible:
      return "waiting in the kernel for a disk or a network file system";
    case ProcessState::alive:
      return "alive";
  }
  return "?";
}

}  // namespace megascale::launch
