// A SharedMemory is one SharedFile: first the marks, then the memory itself.
#include "megascale/comm/ucx/shared_memory.h"

#include <sys/mman.h>

namespace megascale::comm {

static_assert(sizeof(ValidMarks) % 4096 == 0, "what follows the marks starts on a page");

SharedMemory::SharedMemory(std::size_t nbytes) : file_(sizeof(ValidMarks) + nbytes) {
  ::madvise(file_.bytes().data(), file_.bytes().size(), MADV_HUGEPAGE);
}

SharedMemory::SharedMemory(const EndpointRecord& peer)
    : file_(peer.pid, peer.memory_fd, sizeof(ValidMarks) + peer.memory_nbytes,
            SharedFile::Access::read, peer.describe()) {}

}  // namespace megascale::comm
