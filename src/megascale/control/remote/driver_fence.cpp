// The term of a driver is the number of an attempt in the owner's file: an owner with a higher number
// takes the directory from one with a lower number (train/directory_owner.h).
#include "megascale/control/remote/driver_fence.h"

#include <algorithm>
#include <filesystem>
#include <thread>

#include "megascale/base/files.h"
#include "megascale/launch/process_state.h"

namespace megascale::control {
namespace {

constexpr std::chrono::seconds kBetweenOwnerLooks{1};

std::int64_t next_term(const RunDirectory& run, bool takes_over) {
  make_directories(run.control());
  const auto last = train::DirectoryOwner::last_owner(run.control());
  const bool is_elsewhere = !last.host.empty() && last.host != launch::own_host_name();
  return std::max<std::int64_t>(last.attempt, 1) + (takes_over && is_elsewhere ? 1 : 0);
}

}  // namespace

DriverFence::DriverFence(const RunDirectory& run, bool takes_over)
    : term_(next_term(run, takes_over)), owner_(run.control(), term_) {
  // The driver before may still live: it looks once a second, and then writes nothing any more.
  if (!owner_.is_locked()) std::this_thread::sleep_for(2 * kBetweenOwnerLooks);
}

void DriverFence::require() {
  const auto now = std::chrono::steady_clock::now();
  if (now < look_not_before_) return;
  look_not_before_ = now + kBetweenOwnerLooks;
  owner_.lock_if_free();
  owner_.require();
}

}  // namespace megascale::control
