#ifndef MEGASCALE_LAUNCH_PROCESS_STATE_H_
#define MEGASCALE_LAUNCH_PROCESS_STATE_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace megascale::launch {

enum class ProcessState : std::uint8_t {
  elsewhere,        // on another host, so nothing is known
  gone,             // it has ended, or it was killed and waits for its parent
  stopped,          // by SIGSTOP or a debugger
  uninterruptible,  // it waits in the kernel, for a disk or a network file system
  alive,
};
// Returns the name of this host, as record rings have it.
[[nodiscard]] std::string own_host_name();
// Returns the state of a process that a file names, for instance a record ring. `host` is the host
// name that the process had. The number of a process that has ended may belong to another one by
// now. Any thread.
[[nodiscard]] ProcessState process_state(std::string_view host, std::uint32_t process_id);
[[nodiscard]] std::string_view to_string(ProcessState state) noexcept;

}  // namespace megascale::launch

#endif  // MEGASCALE_LAUNCH_PROCESS_STATE_H_
