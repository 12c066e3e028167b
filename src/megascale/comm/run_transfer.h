#ifndef MEGASCALE_COMM_RUN_TRANSFER_H_
#define MEGASCALE_COMM_RUN_TRANSFER_H_

#include "megascale/base/wakeup.h"
#include "megascale/comm/communicator.h"

namespace megascale::comm {

// Starts a transfer and blocks until it is over, for callers that have no lane runner. `wakeup` is
// the rank's. `events` is the rank's UcxWorker if ranks are processes, null if they are threads.
// Throws the communicator's error.
void run_transfer(Communicator& communicator, const Transfer& transfer, Wakeup& wakeup,
                  EventSource* events = nullptr);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_RUN_TRANSFER_H_
