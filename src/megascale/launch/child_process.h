#ifndef MEGASCALE_LAUNCH_CHILD_PROCESS_H_
#define MEGASCALE_LAUNCH_CHILD_PROCESS_H_

#include <string>
#include <vector>

namespace megascale::launch {

// Runs this program with other arguments and returns what it wrote to stdout; its stderr is this
// process'. The child does not outlive this process. Throws Error: `failed`, where it ended with
// another status than 0, `io`, where it could not be started.
[[nodiscard]] std::string run_this_program(const std::vector<std::string>& arguments);

}  // namespace megascale::launch

#endif  // MEGASCALE_LAUNCH_CHILD_PROCESS_H_
