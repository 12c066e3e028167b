#ifndef MEGASCALE_LAUNCH_FORKED_PROCESSES_H_
#define MEGASCALE_LAUNCH_FORKED_PROCESSES_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "megascale/base/files.h"

// Processes that are forked from this one and go on with its memory as it was, for measurements
// that need real processes and no command line.
namespace megascale::launch {

// Runs body(index) in `count` forked processes and waits for all. What the body returns is the
// process' exit code. When one fails, the others are killed. No process outlives this one. Throws
// Error: failed where an exit code is not 0.
void run_forked(std::uint32_t count, const std::function<int(std::uint32_t index)>& body);

// Processes that prepare themselves, start their work together on a signal, and send back a report
// each.
class ForkedWorkers {
 public:
  // Blocks a process until start(); false: start() will not come, the process should leave.
  using Start = std::function<bool()>;
  // A process' work. It returns the report: at most PIPE_BUF bytes, never empty.
  using Body = std::function<std::string(std::uint32_t index, const Start& start)>;
  // Forks the processes. Call it before the caller has threads.
  ForkedWorkers(std::uint32_t count, const Body& body);
  ForkedWorkers(const ForkedWorkers&) = delete;
  ForkedWorkers& operator=(const ForkedWorkers&) = delete;
  // Kills and reaps the processes that are left.
  ~ForkedWorkers();
  void start();
  // Hands every report to `take`, in the order in which they come, so that a process that failed is
  // heard before those that wait for it. What `take` throws ends the collection. Throws Error:
  // failed where a process died without a report.
  void collect(const std::function<void(const std::string& report)>& take);

 private:
  struct Child {
    pid_t pid = -1;
    FileHandle start, report;
  };
  std::vector<Child> children_;
};

}  // namespace megascale::launch

#endif  // MEGASCALE_LAUNCH_FORKED_PROCESSES_H_
