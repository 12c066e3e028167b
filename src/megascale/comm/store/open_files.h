#ifndef MEGASCALE_COMM_STORE_OPEN_FILES_H_
#define MEGASCALE_COMM_STORE_OPEN_FILES_H_

#include <cstdint>

namespace megascale::comm {

// Lets this process, and those it starts, open `count` files or more, at best `wanted`; returns how
// many. A store holds one per connection. Throws Error (failed) that names the limit where the
// system forbids it.
std::uint64_t allow_open_files(std::uint64_t count, std::uint64_t wanted);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_STORE_OPEN_FILES_H_
