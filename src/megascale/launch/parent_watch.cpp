// Looks at the id of the parent a few times a second: a process whose parent has ended gets another
// parent at once.
#include "megascale/launch/parent_watch.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "megascale/base/environment.h"

namespace megascale::launch {

bool ParentWatch::is_due() {
  constexpr std::array kVariables{"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID",
                                  "TORCHELASTIC_RUN_ID"};
  return std::any_of(kVariables.begin(), kVariables.end(),
                     [](const char* name) { return environment_variable(name) != nullptr; });
}

ParentWatch::ParentWatch(std::function<void()> on_end)
    : parent_(::getppid()), on_end_(std::move(on_end)), thread_([this] { watch(); }) {}

ParentWatch::~ParentWatch() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ends_.notify_all();
  thread_.join();
}

void ParentWatch::watch() {
  constexpr std::chrono::milliseconds kLook{250};
  std::unique_lock lock(mutex_);
  while (!ends_.wait_for(lock, kLook, [this] { return ending_; })) {
    if (::getppid() == parent_) continue;
    on_end_();
    return;
  }
}

}  // namespace megascale::launch
