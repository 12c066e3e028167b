#ifndef MEGASCALE_DIAGNOSE_EXCHANGE_CHECK_H_
#define MEGASCALE_DIAGNOSE_EXCHANGE_CHECK_H_

#include <cstdint>

#include "megascale/diagnose/check.h"

namespace megascale::diagnose {

// all_to_all between `ranks` processes of this host, by the transport of training. The bytes that
// arrive are compared. It forks, so call it before this process has other threads. Skipped for less
// than two ranks, and in builds without UCX. Throws Error.
void check_exchange(std::uint32_t ranks, CheckReport& report);

}  // namespace megascale::diagnose

#endif  // MEGASCALE_DIAGNOSE_EXCHANGE_CHECK_H_
