// Reads and sets the affinity mask of the calling thread (sched_getaffinity, sched_setaffinity).
// Ranks that share a host are bound to separate cores, so that their threads do not migrate and do
// not displace each other. Errors of the operating system are ignored: without a binding a rank is
// slower at most.
#include "megascale/base/core_binding.h"

#include <sched.h>

namespace megascale {
namespace {

// Returns the cores of the calling thread's affinity mask. Empty if the call fails, for instance on
// a host with more cores than cpu_set_t holds (1,024).
std::vector<int> allowed_cores() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return {};
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

// Binds the calling thread to `cores`. An empty list changes nothing.
void keep_to(const std::vector<int>& cores) noexcept {
  if (cores.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  (void)::sched_setaffinity(0, sizeof set, &set);
}

}  // namespace

const std::vector<int>& process_cores() {
  static const std::vector<int> cores = [] {
    const std::vector<int> allowed = allowed_cores();
    return allowed.empty() ? std::vector<int>{0} : allowed;
  }();
  return cores;
}

std::vector<int> cores_of_rank(const std::vector<int>& cores, std::size_t rank, std::size_t ranks,
                               std::size_t threads) {
  if (threads >= cores.size() || ranks * threads < cores.size()) return cores;
  std::vector<int> mine;
  for (std::size_t i = 0; i < threads; ++i)
    mine.push_back(cores[(rank * threads + i) % cores.size()]);
  return mine;
}

CoreBinding::CoreBinding(const std::vector<int>& cores) : before_(allowed_cores()) {
  keep_to(cores);
}

CoreBinding::~CoreBinding() { keep_to(before_); }

}  // namespace megascale
