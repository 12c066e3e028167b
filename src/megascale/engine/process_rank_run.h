#ifndef MEGASCALE_ENGINE_PROCESS_RANK_RUN_H_
#define MEGASCALE_ENGINE_PROCESS_RANK_RUN_H_

#include "megascale/engine/run_ranks.h"

namespace megascale::engine {

// The case of run_ranks() in which this process is one rank: meets the other ranks, then calls
// `body` on this thread. All ranks must have the same configuration, binary, plans and data. If `body`
// throws, the other ranks are told before the Error is thrown here. Internal to engine/.
void run_process_rank(const RankJob& job, const RankBody& body);

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_PROCESS_RANK_RUN_H_
