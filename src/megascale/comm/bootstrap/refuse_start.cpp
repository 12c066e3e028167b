// A refusal is the verdict of the start, written before any rank could judge the records of all.
#include "megascale/comm/bootstrap/refuse_start.h"

#include <fmt/format.h>

#include "megascale/comm/bootstrap/rendezvous.h"

namespace megascale::comm {
namespace {

// Time to reach the store of another rank, which may start later, and for the others to arrive at
// a store of this rank. Much shorter than the meeting, since the error is also said here.
constexpr std::chrono::seconds kPatience{5};

}  // namespace

void refuse_start(const LaunchEnvironment& environment, const JobSecret& secret,
                  const Error& error) noexcept {
  try {
    const HostIdentity host = this_process();
    Rendezvous rendezvous(environment, secret, kPatience);
    rendezvous.refuse(Error(
        error.code(), fmt::format("rank {} (host {}, process {}) does not start: {}",
                                  environment.rank, host.hostname, host.pid, error.message())));
  } catch (...) {  // the caller reports the error itself; the others will miss this rank
  }
}

}  // namespace megascale::comm
