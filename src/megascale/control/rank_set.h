#ifndef MEGASCALE_CONTROL_RANK_SET_H_
#define MEGASCALE_CONTROL_RANK_SET_H_

#include <poll.h>
#include <signal.h>
#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/base/files.h"
#include "megascale/comm/store/secret.h"
#include "megascale/control/line_reader.h"
#include "megascale/control/messages.h"

namespace megascale::comm {
class StoreServer;
struct StoreAddress;
}  // namespace megascale::comm

namespace megascale::control {

// The processes of the ranks of one attempt on this host: starts them, learns of their ends at once
// (a pidfd per process), reads their output, and ends them. Each rank leads a process group. No rank
// outlives this process. The rendezvous store of the attempt runs in the process that starts rank 0.
// One thread may use it, the same that lives until the process ends (launch::spawn()).
class RankSet {
 public:
  struct Options {
    std::filesystem::path run_dir;  // of the rings
    std::string host;               // the name of this host
    const char* program = "/proc/self/exe";
    const sigset_t* blocked = nullptr;  // blocked signals of the ranks; null: those of this thread
    // A line that a rank has written to stderr.
    std::function<void(std::uint32_t rank, std::string_view line)> on_line;
  };
  explicit RankSet(Options options);
  RankSet(const RankSet&) = delete;
  RankSet& operator=(const RankSet&) = delete;
  // Kills and reaps the processes that are left.
  ~RankSet();

  // Starts the ranks of an order, after it has killed and reaped those of the attempt before.
  void start(const Order& order);
  // Asks all ranks to end (SIGTERM); kills those that are left when `grace_seconds` are over, and at
  // once those that SIGSTOP or a debugger has stopped.
  void stop(std::int64_t now_ns, double grace_seconds);
  // Sends a signal to the process groups of the ranks that run.
  void send(int signal) const;
  void kill_all();

  // Adds the descriptors that wake the caller when take() has something to do.
  void add_to(std::vector<pollfd>& descriptors) const;
  // Takes ends, output and reports that have come. Returns whether the driver should hear of it now:
  // a rank has ended or has loaded its state.
  bool take(std::int64_t now_ns);
  // When the grace of stop() ends; nothing: no rank is being stopped.
  [[nodiscard]] std::optional<std::int64_t> deadline_ns() const noexcept { return deadline_ns_; }

  [[nodiscard]] bool any_left() const noexcept;
  // Returns the processes that have not ended, by rank.
  [[nodiscard]] std::map<std::uint32_t, pid_t> processes() const;
  // Reads the rings of the ranks and returns a report of each. The outcome of a step is reported once.
  [[nodiscard]] std::vector<RankReport> report(std::int64_t now_ns);
  [[nodiscard]] std::vector<Finding> findings() const {
    return {findings_.begin(), findings_.end()};
  }
  // The store that runs here for other hosts; empty if there is none.
  [[nodiscard]] Rendezvous rendezvous() const;
  // The last line that rank 0 has written to stdout; "" without one.
  [[nodiscard]] const std::string& last_output() const noexcept { return last_output_; }
  // Where copies of the state in memory are; "" if no rank of this host has said so.
  [[nodiscard]] const std::string& copies() const noexcept { return copies_; }

 private:
  struct Rank;
  void start_rank(const Order& order, std::uint32_t number, const comm::StoreAddress& store);
  void take_line(std::uint32_t rank, std::string_view line);
  bool take_end(Rank& rank, std::int64_t now_ns);
  [[nodiscard]] bool is_stopped(const Rank& rank) const;
  [[nodiscard]] RankReport report_of(Rank& rank, std::int64_t now_ns) const;

  Options options_;
  std::unique_ptr<comm::StoreServer> store_;
  bool store_is_for_others_ = false;
  comm::JobSecret secret_;
  std::vector<Rank> ranks_;
  std::uint32_t ends_ = 0;
  std::optional<std::int64_t> deadline_ns_;
  std::deque<Finding> findings_;
  std::string last_output_, copies_;
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_RANK_SET_H_
