#ifndef MEGASCALE_TESTS_CLI_PROCESS_H_
#define MEGASCALE_TESTS_CLI_PROCESS_H_

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

// The real binary as a child process.
namespace megascale::testing {

struct Finished {
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;
  bool timed_out = false;  // and was killed
  std::string out, err;
  long peak_resident_kib = 0;

  // The last line of stdout, which must be the only one that is a JSON object; null where it is
  // not.
  [[nodiscard]] nlohmann::json json() const;
};
// Everything that a failed expectation should show.
std::ostream& operator<<(std::ostream& stream, const Finished& finished);

// How a child differs from a plain one.
struct Setup {
  std::string stdout_to, stderr_to;      // paths instead of pipes
  unsigned user = 0;                     // runs as this user; 0: as the test does
  std::vector<std::string> launcher;     // a command in front of it: mpirun and its options
  std::vector<std::string> environment;  // "NAME=value", beside the test's own
};

// A running `megascale ARGUMENTS...`. Killed and reaped on destruction.
class Process {
 public:
  explicit Process(const std::vector<std::string>& arguments, const Setup& setup = {});
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();
  [[nodiscard]] pid_t id() const noexcept { return pid_; }
  void send(int signal) const;
  // As a reader of its log that goes away.
  void close_stderr();
  // Its output so far.
  [[nodiscard]] const std::string& out() const noexcept { return finished_.out; }
  [[nodiscard]] const std::string& err() const noexcept { return finished_.err; }
  // Reads its output until it has ended; kills it after `timeout_seconds`.
  Finished wait(double timeout_seconds = 60);
  // Reads until `condition` holds; false when it has ended or the time is over before.
  bool wait_until(const std::function<bool()>& condition, double timeout_seconds = 60);

 private:
  bool step(int milliseconds);  // reads what there is; false once both pipes are closed
  pid_t pid_ = -1;
  int out_fd_ = -1, err_fd_ = -1;
  Finished finished_;
  bool reaped_ = false;
};

Finished megascale(const std::vector<std::string>& arguments, const Setup& setup = {});

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_CLI_PROCESS_H_
