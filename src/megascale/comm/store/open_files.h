#ifndef MEGASCALE_COMM_STORE_OPEN_FILES_H_
#define MEGASCALE_COMM_STORE_OPEN_FILES_H_

#include <cstdint>

namespace megascale::comm {

// Raises the limit of open files for this process and its children: to `wanted` if the system
// allows it, otherwise to as many as it allows, at least `count`. Returns the new limit. A store
// needs one open file for each connection. Throws Error (failed), which names the hard limit, if
// the system does not allow `count`.
std::uint64_t allow_open_files(std::uint64_t count, std::uint64_t wanted);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_STORE_OPEN_FILES_H_
