#ifndef MEGASCALE_MEGASCALE_H_
#define MEGASCALE_MEGASCALE_H_

// The public interface of megascale. It uses the standard library only, and everything behind it may
// change:
//   job.h         a configuration: check, plan, simulate, train
//   run.h         metrics of a run
//   checkpoint.h  tensors of a checkpoint
//   error.h       what all functions throw
//   version.h     the version of these headers
#include "megascale/checkpoint.h"  // IWYU pragma: export
#include "megascale/error.h"       // IWYU pragma: export
#include "megascale/job.h"         // IWYU pragma: export
#include "megascale/run.h"         // IWYU pragma: export
#include "megascale/version.h"     // IWYU pragma: export

#endif  // MEGASCALE_MEGASCALE_H_
