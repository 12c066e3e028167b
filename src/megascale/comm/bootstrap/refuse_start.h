#ifndef MEGASCALE_COMM_BOOTSTRAP_REFUSE_START_H_
#define MEGASCALE_COMM_BOOTSTRAP_REFUSE_START_H_

#include "megascale/base/error.h"
#include "megascale/comm/bootstrap/launch_environment.h"
#include "megascale/comm/store/secret.h"

namespace megascale::comm {

// Tells the other ranks of the job, through the rendezvous store, that this rank will not arrive,
// and why. They end their start with this error at once, instead of waiting for the rank until
// their time is over. Call it instead of Rendezvous::meet(). Blocks for at most some 15 seconds: a
// rank that runs the store keeps it until the others have read the error. If the store cannot be
// reached, the others notice the missing rank as before.
void refuse_start(const LaunchEnvironment& environment, const JobSecret& secret,
                  const Error& error) noexcept;

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_BOOTSTRAP_REFUSE_START_H_
