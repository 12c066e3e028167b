#ifndef MEGASCALE_API_JOB_STATE_H_
#define MEGASCALE_API_JOB_STATE_H_

#include "megascale/config/load.h"
#include "megascale/job.h"

namespace megascale {

struct Job::State {
  LoadedConfig loaded;
};

}  // namespace megascale

#endif  // MEGASCALE_API_JOB_STATE_H_
