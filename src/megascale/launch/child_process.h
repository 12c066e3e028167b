#ifndef MEGASCALE_LAUNCH_CHILD_PROCESS_H_
#define MEGASCALE_LAUNCH_CHILD_PROCESS_H_

#include <string>
#include <vector>

namespace megascale::launch {

// Runs this program again with other arguments, waits for it, and returns what it wrote to stdout.
// Its stderr is that of this process. The child is killed if this process ends first. Throws Error:
// failed if its exit code is not 0 or a signal ended it, io if it could not be started.
[[nodiscard]] std::string run_this_program(const std::vector<std::string>& arguments);

}  // namespace megascale::launch

#endif  // MEGASCALE_LAUNCH_CHILD_PROCESS_H_
