// Finds or makes the groups of a job by their key.
#include "megascale/comm/local/local_job.h"

#include <fmt/format.h>

#include "megascale/cuda/sum.h"

namespace megascale::comm {

Communicator& LocalJob::end(const std::string& key, std::span<const std::uint32_t> members,
                            std::uint32_t my_index, CUstream_st* stream) {
  if (stream != nullptr && members.size() > cuda::kMostSources) {
    throw Error(ErrorCode::unsupported,
                fmt::format("group {} has {} ranks; a sum over threads on devices takes at most "
                            "{}: use smaller groups, or one process for each rank",
                            key, members.size(), cuda::kMostSources));
  }
  const std::lock_guard lock(mutex_);
  auto& ends = groups_[key];
  if (ends.empty()) {
    std::vector<Wakeup*> wakeups;
    for (const std::uint32_t member : members) wakeups.push_back(wakeups_.at(member));
    ends = LocalGroup::make(std::move(wakeups), {members.begin(), members.end()});
  }
  Communicator& end = *ends.at(my_index);
  if (stream != nullptr) LocalGroup::set_mover(end, make_device_mover(stream));
  return end;
}

void LocalJob::abort(const Error& error) noexcept {
  const std::lock_guard lock(mutex_);
  for (auto& [key, ends] : groups_) ends.front()->abort(error);
}

}  // namespace megascale::comm
