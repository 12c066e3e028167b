#ifndef MEGASCALE_COMM_PROCESS_BEFORE_START_H_
#define MEGASCALE_COMM_PROCESS_BEFORE_START_H_

#include "megascale/comm/bootstrap/refuse_start.h"
#include "megascale/comm/process/process_rank.h"

namespace megascale::comm {

// Returns work(), which a rank does before it meets the others (ProcessRank). If it throws an Error,
// the other ranks are told (refuse_start). `launch` is null if this process runs all ranks.
template <class Work>
auto before_start(const ProcessLaunch* launch, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (launch != nullptr) refuse_start(launch->environment, launch->secret, error);
    throw;
  }
}

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_PROCESS_BEFORE_START_H_
