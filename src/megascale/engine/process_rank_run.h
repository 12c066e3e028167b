#ifndef MEGASCALE_ENGINE_PROCESS_RANK_RUN_H_
#define MEGASCALE_ENGINE_PROCESS_RANK_RUN_H_

#include "megascale/engine/run_ranks.h"

namespace megascale::engine {

// run_ranks() where this process is one rank: meets the others, who must have the same
// configuration, binary and plans. Throws Error, after the other ranks were told. Internal to
// engine/.
void run_process_rank(const RankJob& job, const RankBody& body);

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_PROCESS_RANK_RUN_H_
