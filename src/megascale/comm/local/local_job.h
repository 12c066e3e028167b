#ifndef MEGASCALE_COMM_LOCAL_LOCAL_JOB_H_
#define MEGASCALE_COMM_LOCAL_LOCAL_JOB_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "megascale/comm/local/local_group.h"

namespace megascale::comm {

// All groups of a job whose ranks are threads of one process. A group is made when its first member
// asks for its end. Any thread may call end(); an end itself is used only by its rank's threads.
class LocalJob {
 public:
  // `wakeups[rank]` is notified when transfers of that rank may go on. The wakeups must outlive
  // this object.
  explicit LocalJob(std::vector<Wakeup*> wakeups) : wakeups_(std::move(wakeups)) {}
  // Returns member `my_index`'s end of the group `key`; this object owns it. Every member must pass
  // the same `members` (ranks, in group order). `stream`: the CUDA stream of the group's lane if
  // ranks run on devices; null on the CPU. Throws Error (unsupported) if a group on devices has
  // more members than a sum on a device can have sources (cuda::kMostSources).
  Communicator& end(const std::string& key, std::span<const std::uint32_t> members,
                    std::uint32_t my_index, CUstream_st* stream = nullptr);
  // Makes the transfers of all groups fail with this error. Any thread may call it.
  void abort(const Error& error) noexcept;

 private:
  std::vector<Wakeup*> wakeups_;
  std::mutex mutex_;
  std::map<std::string, std::vector<std::unique_ptr<Communicator>>> groups_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_LOCAL_LOCAL_JOB_H_
