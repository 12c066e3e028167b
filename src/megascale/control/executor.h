#ifndef MEGASCALE_CONTROL_EXECUTOR_H_
#define MEGASCALE_CONTROL_EXECUTOR_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "megascale/base/files.h"
#include "megascale/control/check_run.h"
#include "megascale/control/link.h"
#include "megascale/control/message_gate.h"
#include "megascale/control/output_queue.h"
#include "megascale/control/port_watch.h"
#include "megascale/control/rank_logs.h"
#include "megascale/control/rank_set.h"
#include "megascale/control/stall_reader.h"

namespace megascale::control {

struct ExecutorEnd {
  std::int32_t exit_code = 0;
  Refusal refusal = Refusal::none;  // leave or restart: the driver has refused this executor
  std::int64_t term = 0;            // the highest one of the drivers that have answered
  bool stopped = false;             // a signal has asked this executor to stop
  std::string error;                // empty: none
  std::string output;               // the last line of rank 0's stdout
};

// The executor of a host: carries out the orders of the driver and sends heartbeats, at once when a
// rank has ended or has loaded its state. If the driver is gone, the ranks go on. One thread.
class Executor {
 public:
  struct Options {
    std::string job, host;  // names
    std::string address;    // where other hosts reach this one; empty: nowhere
    // True: without ranks, a signal ends only this executor; and its release is acknowledged.
    bool is_one_of_several = false;
    std::int64_t incarnation = 1;
    std::int64_t term = 0;  // of the driver
    double heartbeat_seconds = 1;
    std::filesystem::path run_dir, checkpoints;
    const sigset_t* blocked = nullptr;  // blocked signals of ranks
    // A signalfd for SIGINT, SIGTERM and SIGHUP, which this process blocks; -1: none. The first
    // signal asks the ranks to stop; a second SIGINT kills them.
    int signals = -1;
    const char* program = "/proc/self/exe";  // of the ranks
  };
  Executor(Options options, Link& link);
  // Returns when the driver has released or refused the executor, or when a second SIGINT came; then
  // no rank is left. Throws Error (failed) if no driver can be had and no rank runs.
  [[nodiscard]] ExecutorEnd run();

 private:
  void wait(std::int64_t now_ns);
  void take_signals();
  // Returns the end of the executor, if its time has come.
  [[nodiscard]] std::optional<ExecutorEnd> take_replies(std::int64_t now_ns);
  [[nodiscard]] std::optional<ExecutorEnd> find_end();
  void say_farewell();
  void beat(std::int64_t now_ns);
  void look_at_ports(std::int64_t now_ns);
  [[nodiscard]] Heartbeat heartbeat(std::int64_t now_ns);
  void carry_out(const Order& order, std::int64_t now_ns);
  [[nodiscard]] ExecutorEnd end() const;

  Options options_;
  Link& link_;
  OutputQueue errors_;
  RankLogs logs_;
  RankSet ranks_;
  CheckRun checks_;
  StallReader stalls_;
  PortWatch ports_;
  bool resumed_ = false;  // rank 0 of this attempt has loaded its state
  OrderGate gate_;
  HostFacts facts_;
  std::int64_t sequence_ = 0, next_beat_ns_ = 0;
  bool urgent_ = true;  // a heartbeat is due now
  bool stop_requested_ = false, leaving_ = false;
  int interrupts_ = 0;
  std::optional<Order> release_;
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_EXECUTOR_H_
