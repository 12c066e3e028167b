#ifndef MEGASCALE_LAUNCH_FORKED_PROCESSES_H_
#define MEGASCALE_LAUNCH_FORKED_PROCESSES_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "megascale/base/files.h"

// Processes that are forked from this one and start with a copy of its memory. Measurements use
// them: they need real processes, but no command line.
namespace megascale::launch {

// Runs body(index) in `count` forked processes and waits for all. The value that the body returns
// is the exit code of its process. If one fails, the others are killed. No process outlives this
// one. Throws Error (failed) if an exit code is not 0.
void run_forked(std::uint32_t count, const std::function<int(std::uint32_t index)>& body);

// Forked processes that prepare their work, start it together on a signal, and each send back one
// report. One thread may use this object.
class ForkedWorkers {
 public:
  // Blocks a process until start() is called. Returns false if start() will not be called; the
  // process should then end.
  using Start = std::function<bool()>;
  // The work of a process. Returns its report: 1 to PIPE_BUF bytes.
  using Body = std::function<std::string(std::uint32_t index, const Start& start)>;
  // Forks the processes. Call it before the caller has threads.
  ForkedWorkers(std::uint32_t count, const Body& body);
  ForkedWorkers(const ForkedWorkers&) = delete;
  ForkedWorkers& operator=(const ForkedWorkers&) = delete;
  // Kills and reaps the processes that are left.
  ~ForkedWorkers();
  void start();
  // Passes every report to `take` in the order of arrival, so that the report of a failed process
  // comes before those of processes that wait for it. If `take` throws, collect() ends with that
  // error. Throws Error (failed) if a process ended without a report.
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
