// Linux has several limits of threads (of the user, of the control group, of the system) and no call
// that tells how many are left. So the threads are started, held until all are there, and ended.
#include "megascale/engine/thread_limit.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <latch>
#include <system_error>
#include <thread>
#include <vector>

#include "megascale/base/error.h"

namespace megascale::engine {

void require_threads(std::size_t count) {
  std::latch all_are_there(1);
  std::vector<std::jthread> threads;
  threads.reserve(count);
  std::string why;
  try {
    while (threads.size() < count) threads.emplace_back([&] { all_are_there.wait(); });
  } catch (const std::system_error& error) {
    why = error.code().message();
  }
  all_are_there.count_down();
  if (why.empty()) return;
  ::rlimit limit{};
  (void)::getrlimit(RLIMIT_NPROC, &limit);
  const std::string of_user =
      limit.rlim_cur == RLIM_INFINITY ? "unlimited" : fmt::format("{}", limit.rlim_cur);
  throw Error(ErrorCode::failed,
              fmt::format("this process needs {} threads and cannot start more than {} ({}): raise "
                          "the limit of the user's processes (ulimit -u, now {}) or of the control "
                          "group (pids.max), or use fewer ranks or train.threads_per_rank",
                          count, threads.size(), why, of_user));
}

}  // namespace megascale::engine
