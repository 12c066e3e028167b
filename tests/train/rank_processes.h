#ifndef MEGASCALE_TESTS_TRAIN_RANK_PROCESSES_H_
#define MEGASCALE_TESTS_TRAIN_RANK_PROCESSES_H_

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "megascale/comm/store/embedded/server.h"
#include "train/training.h"

// Runs of tiny models whose ranks are processes: this test program, started again as each rank.
namespace megascale::testing {

// What happens to one rank, at the start of a task.
struct ProcessFault {
  std::uint32_t rank = 0;
  std::int64_t number = -1;  // of the tasks that the rank starts; -1: nothing happens
  int signal = 0;            // that it sends itself
};

struct RankEnd {
  int status = 0;  // of waitpid
  std::string err;
};

// All ranks of a job. Those that are left are killed on destruction.
class RankProcesses {
 public:
  // `config`: resolved; `directory`: for its files.
  RankProcesses(const Config& config, const std::filesystem::path& directory,
                std::int64_t most_steps, const ProcessFault& fault = {});
  RankProcesses(const RankProcesses&) = delete;
  RankProcesses& operator=(const RankProcesses&) = delete;
  ~RankProcesses();
  [[nodiscard]] std::size_t size() const noexcept { return children_.size(); }
  // Until the rank has ended, or has stopped.
  void wait_for(std::uint32_t rank);
  void send(std::uint32_t rank, int signal) const;
  // Until all but `except` have ended; by rank, absent where it has not.
  std::vector<std::optional<RankEnd>> wait(std::optional<std::uint32_t> except = {});

 private:
  std::filesystem::path directory_;
  std::optional<comm::StoreServer> store_;
  std::vector<pid_t> children_;  // 0: has ended
  std::vector<int> statuses_;
};

// As Laboratory::run, with ranks as processes. Throws std::runtime_error with what they said where
// one fails.
Outcome run_as_processes(Laboratory& laboratory, const Settings& settings,
                         std::int64_t most_steps = 1 << 20);

// What main() does where it was started as a rank; absent: it was not.
std::optional<int> run_as_rank(int argc, char** argv);

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_TRAIN_RANK_PROCESSES_H_
