// Maps the two files of a peer that its EndpointRecord announces.
#include "megascale/comm/ucx/shared_memory.h"

namespace megascale::comm {

PeerMemory::PeerMemory(const EndpointRecord& peer)
    : marks_(peer.pid, peer.marks_fd, sizeof(ValidMarks), SharedFile::Access::read,
             peer.describe()),
      memory_(peer.pid, peer.memory_fd, peer.memory_nbytes, SharedFile::Access::read,
              peer.describe()) {}

}  // namespace megascale::comm
