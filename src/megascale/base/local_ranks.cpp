// Refuses jobs that no single host can run before anything is started for them.
#include "megascale/base/local_ranks.h"

#include <fmt/format.h>

#include "megascale/base/error.h"

namespace megascale {

void require_local_ranks(std::uint32_t ranks, const char* what) {
  if (ranks <= kMostLocalRanks) return;
  throw Error(ErrorCode::bad_usage,
              fmt::format("expected at most {} ranks as {} of one host, found {}: start the job on "
                          "several hosts with mpirun, srun or torchrun",
                          kMostLocalRanks, what, ranks));
}

}  // namespace megascale
