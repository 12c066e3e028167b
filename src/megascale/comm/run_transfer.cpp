// Polls a communicator and sleeps between polls. The epoch is read before the poll, so a
// notification during the poll is not lost.
#include "megascale/comm/run_transfer.h"

namespace megascale::comm {

void run_transfer(Communicator& communicator, const Transfer& transfer, Wakeup& wakeup,
                  EventSource* events) {
  communicator.start(transfer);
  for (;;) {
    const std::uint32_t epoch = wakeup.epoch();
    const Progress progress = communicator.poll();
    if (progress == Progress::done) return;
    if (progress == Progress::failed) throw communicator.error();
    if (events == nullptr) {
      wakeup.wait(epoch);
    } else {
      wakeup.wait(epoch, *events);
    }
  }
}

}  // namespace megascale::comm
