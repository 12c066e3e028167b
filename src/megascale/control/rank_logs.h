#ifndef MEGASCALE_CONTROL_RANK_LOGS_H_
#define MEGASCALE_CONTROL_RANK_LOGS_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace megascale::control {

// Executors keep the lines that ranks write to stderr, in a file for each rank:
//   RUN_DIR/control/logs/rank<R>.log, and rank<R>.log.1 with the older lines
// A line is "TIME ATTEMPT TEXT", with the time as 2026-01-31T12:00:00.123Z.
[[nodiscard]] std::filesystem::path rank_log(const std::filesystem::path& run_dir,
                                             std::uint32_t rank);

struct RankLine {
  std::string time;
  std::int64_t attempt = 0;
  std::uint32_t rank = 0;
  std::string text;
};
// Parses a line of the log of a rank. A line that something else has written is all text.
[[nodiscard]] RankLine parse_rank_line(std::uint32_t rank, std::string_view line);
// Returns the ranks that have a log, ascending.
[[nodiscard]] std::vector<std::uint32_t> ranks_with_logs(const std::filesystem::path& run_dir);

// Writes these files. A thread of its own does it, since a disk may hang, and an executor that waits
// for it would miss its heartbeats. Lines that come faster than the disk takes them are dropped, and
// their number is written. A file that cannot be written loses its lines; the job goes on.
class RankLogs {
 public:
  static constexpr std::size_t kMostWaitingNbytes = std::size_t{1} << 20;
  // A file that has grown to this size becomes the older one. `most_nbytes` is for tests.
  static constexpr std::uint64_t kMostNbytes = std::uint64_t{8} << 20;
  explicit RankLogs(std::filesystem::path run_dir, std::uint64_t most_nbytes = kMostNbytes);
  RankLogs(const RankLogs&) = delete;
  RankLogs& operator=(const RankLogs&) = delete;
  ~RankLogs();  // writes what waits
  // Any thread.
  void add(std::uint32_t rank, std::int64_t attempt, std::string_view line);

 private:
  struct Waiting {
    std::uint32_t rank = 0;
    std::string line;
  };
  void work();
  void write(const Waiting& one) const;

  std::filesystem::path run_dir_;
  std::uint64_t most_nbytes_;
  std::mutex mutex_;
  std::condition_variable comes_;
  std::deque<Waiting> waiting_;
  std::size_t waiting_nbytes_ = 0;
  std::uint64_t dropped_ = 0;
  bool ending_ = false;
  std::thread thread_;  // the last member
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_RANK_LOGS_H_
