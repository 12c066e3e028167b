#ifndef MEGASCALE_DIAGNOSE_LINK_CHECK_H_
#define MEGASCALE_DIAGNOSE_LINK_CHECK_H_

#include <filesystem>

#include "megascale/diagnose/check.h"

namespace megascale::diagnose {

// Reads which network interfaces and RDMA ports have a link, and its speed. Never fails by itself:
// the baseline knows which links should be there. `sys` is /sys, or a stand-in in tests.
void check_links(const std::filesystem::path& sys, CheckReport& report);

}  // namespace megascale::diagnose

#endif  // MEGASCALE_DIAGNOSE_LINK_CHECK_H_
