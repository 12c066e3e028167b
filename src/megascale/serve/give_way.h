#ifndef MEGASCALE_SERVE_GIVE_WAY_H_
#define MEGASCALE_SERVE_GIVE_WAY_H_

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace megascale::serve {

// Lowers the priority of the calling thread, so that threads that compute go first: with 10 nice levels
// more a thread gets a tenth of a core that another thread also wants. As a batch thread it does not take the
// core from another thread at once when it wakes up.
inline void give_way() noexcept {
  constexpr int kLevels = 10, kLowest = 19;
  const auto thread = static_cast<id_t>(::gettid());
  const int now = ::getpriority(PRIO_PROCESS, thread);
  (void)::setpriority(PRIO_PROCESS, thread, std::min(now + kLevels, kLowest));
  const sched_param none{};
  (void)::sched_setscheduler(static_cast<pid_t>(thread), SCHED_BATCH, &none);
}

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_GIVE_WAY_H_
