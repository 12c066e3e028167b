#ifndef MEGASCALE_SERVE_GIVE_WAY_H_
#define MEGASCALE_SERVE_GIVE_WAY_H_

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace megascale::serve {

// Lowers the priority of the calling thread, so that threads that compute go first: with 10 nice levels
// more a thread gets a tenth of a core that another thread also wants.
inline void give_way() noexcept {
  constexpr int kLevels = 10, kLowest = 19;
  const auto thread = static_cast<id_t>(::gettid());
  const int now = ::getpriority(PRIO_PROCESS, thread);
  (void)::setpriority(PRIO_PROCESS, thread, std::min(now + kLevels, kLowest));
}

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_GIVE_WAY_H_
