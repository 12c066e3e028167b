#ifndef MEGASCALE_CONTROL_EXECUTOR_H_
#define MEGASCALE_CONTROL_EXECUTOR_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "megascale/base/files.h"
#include "megascale/control/link.h"
#include "megascale/control/message_gate.h"
#include "megascale/control/output_queue.h"
#include "megascale/control/rank_set.h"
#include "megascale/control/stall_reader.h"

namespace megascale::control {

struct ExecutorEnd {
  std::int32_t exit_code = 0;
  std::string error;   // empty: none
  std::string output;  // the last line of rank 0's stdout
};

// The executor of a host: carries out the orders of the driver and sends heartbeats, at once when a
// rank has ended or has loaded its state. If the driver is gone, the ranks go on. One thread.
class Executor {
 public:
  struct Options {
    std::string job, host;
    std::int64_t incarnation = 1;
    double heartbeat_seconds = 1;
    std::filesystem::path run_dir, checkpoints;
    const sigset_t* blocked = nullptr;  // blocked signals of ranks
    // A signalfd for SIGINT, SIGTERM and SIGHUP, which this process blocks; -1: none. The first
    // signal asks the ranks to stop; a second SIGINT kills them.
    int signals = -1;
    const char* program = "/proc/self/exe";  // of the ranks
  };
  Executor(Options options, Link& link);
  // Returns when the driver has released the executor, or when a second SIGINT came. Throws Error
  // (failed) if no driver can be had and no rank runs.
  [[nodiscard]] ExecutorEnd run();

 private:
  void wait(std::int64_t now_ns);
  void take_signals();
  void beat(std::int64_t now_ns);
  [[nodiscard]] Heartbeat heartbeat(std::int64_t now_ns);
  void carry_out(const Order& order, std::int64_t now_ns);
  [[nodiscard]] ExecutorEnd end() const;

  Options options_;
  Link& link_;
  OutputQueue errors_;
  RankSet ranks_;
  StallReader stalls_;
  bool resumed_ = false;  // rank 0 of this attempt has loaded its state
  OrderGate gate_;
  HostFacts facts_;
  std::int64_t sequence_ = 0, next_beat_ns_ = 0;
  bool urgent_ = true;  // a heartbeat is due now
  bool stop_requested_ = false;
  int interrupts_ = 0;
  std::optional<Order> release_;
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_EXECUTOR_H_
