// Raises the soft limit of open files, and also the hard limit if that is needed and allowed.
#include "megascale/comm/store/open_files.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>

#include "megascale/base/error.h"

namespace megascale::comm {

std::uint64_t allow_open_files(std::uint64_t count, std::uint64_t wanted) {
  rlimit limit{};
  (void)::getrlimit(RLIMIT_NOFILE, &limit);
  for (const std::uint64_t files :
       {wanted, std::clamp<std::uint64_t>(limit.rlim_max, count, wanted)}) {
    if (limit.rlim_cur >= files) return limit.rlim_cur;
    const rlimit raised{.rlim_cur = files, .rlim_max = std::max<rlim_t>(limit.rlim_max, files)};
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) return files;
  }
  throw Error(
      ErrorCode::failed,
      fmt::format("{} open files are needed, the hard limit is {}: raise it (ulimit -Hn, or "
                  "LimitNOFILE of the service) or start fewer ranks",
                  count, limit.rlim_max));
}

}  // namespace megascale::comm
