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
// asks. Any thread may ask; each end is used by its rank's threads alone.
class LocalJob {
 public:
  // `wakeups[rank]` is notified when that rank's transfers may go on; they outlive this object.
  explicit LocalJob(std::vector<Wakeup*> wakeups) : wakeups_(std::move(wakeups)) {}
  // The end of member `my_index` of the group that `key` names; every member asks with the same
  // members. The end belongs to this object. `stream`: of ranks on CUDA devices, that of the
  // group's lane; null on the CPU. Throws Error (unsupported).
  Communicator& end(const std::string& key, std::span<const std::uint32_t> members,
                    std::uint32_t my_index, CUstream_st* stream = nullptr);
  // Makes the transfers of all groups fail.
  void abort(const Error& error) noexcept;

 private:
  std::vector<Wakeup*> wakeups_;
  std::mutex mutex_;
  std::map<std::string, std::vector<std::unique_ptr<Communicator>>> groups_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_LOCAL_LOCAL_JOB_H_
