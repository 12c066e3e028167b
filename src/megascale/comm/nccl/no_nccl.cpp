// Replaces nccl_channel.cpp in builds without NCCL: every function throws Error (unsupported).
#include "megascale/comm/nccl/nccl_channel.h"

namespace megascale::comm {
namespace {

Error unsupported() {
  return {
      ErrorCode::unsupported,
      "this build has no NCCL, which is needed if ranks are processes on devices: configure with "
      "MEGASCALE_CUDA=ON where nccl.h is found, or run the ranks as threads of "
      "one process (--ranks N)"};
}

}  // namespace

NcclId make_nccl_id() { throw unsupported(); }

std::unique_ptr<NcclChannel> open_nccl_channel(const NcclId&, std::uint32_t, std::uint32_t,
                                               CUstream_st*) {
  throw unsupported();
}

std::unique_ptr<NcclMemory> allocate_nccl_memory(std::uint64_t) { throw unsupported(); }

}  // namespace megascale::comm
