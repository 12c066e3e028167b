// Each line is one write to a file in append mode, so that a reader never sees half a line of a
// healthy disk.
#include "megascale/control/rank_logs.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/base/numbers.h"
#include "megascale/base/run_directory.h"

namespace megascale::control {
namespace {

constexpr std::string_view kPrefix = "rank", kSuffix = ".log";

std::filesystem::path log_folder(const std::filesystem::path& run_dir) {
  return RunDirectory(run_dir).control() / "logs";
}

std::string stamp() {
  const auto now = std::chrono::system_clock::now();
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)), ms);
}

}  // namespace

std::filesystem::path rank_log(const std::filesystem::path& run_dir, std::uint32_t rank) {
  return log_folder(run_dir) / fmt::format("{}{}{}", kPrefix, rank, kSuffix);
}

RankLine parse_rank_line(std::uint32_t rank, std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t second = first == std::string_view::npos ? first : line.find(' ', first + 1);
  if (second != std::string_view::npos) {
    const auto attempt = parse_number<std::int64_t>(line.substr(first + 1, second - first - 1));
    if (attempt && first > 0 && line[first - 1] == 'Z') {
      return {.time = std::string(line.substr(0, first)),
              .attempt = *attempt,
              .rank = rank,
              .text = std::string(line.substr(second + 1))};
    }
  }
  return {.time = {}, .rank = rank, .text = std::string(line)};
}

std::vector<std::uint32_t> ranks_with_logs(const std::filesystem::path& run_dir) {
  std::vector<std::uint32_t> ranks;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(log_folder(run_dir), none)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) continue;
    const auto rank = parse_number<std::uint32_t>(std::string_view(name).substr(
        kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size()));
    if (rank) ranks.push_back(*rank);
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

RankLogs::RankLogs(std::filesystem::path run_dir, std::uint64_t most_nbytes)
    : run_dir_(std::move(run_dir)), most_nbytes_(most_nbytes), thread_([this] { work(); }) {}

RankLogs::~RankLogs() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  comes_.notify_all();
  thread_.join();
}

void RankLogs::add(std::uint32_t rank, std::int64_t attempt, std::string_view line) {
  std::string whole = fmt::format("{} {} {}\n", stamp(), attempt, line);
  {
    const std::lock_guard lock(mutex_);
    if (waiting_nbytes_ + whole.size() > kMostWaitingNbytes) {
      ++dropped_;
      return;
    }
    if (dropped_ > 0) {
      const std::string note = fmt::format("{} {} ({} lines were dropped: the disk was too slow)\n",
                                           stamp(), attempt, std::exchange(dropped_, 0));
      waiting_nbytes_ += note.size();
      waiting_.push_back({.rank = rank, .line = note});
    }
    waiting_nbytes_ += whole.size();
    waiting_.push_back({.rank = rank, .line = std::move(whole)});
  }
  comes_.notify_all();
}

void RankLogs::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    comes_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const Waiting one = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    write(one);
    lock.lock();
    waiting_nbytes_ -= one.line.size();
  }
}

void RankLogs::write(const Waiting& one) const {
  const std::filesystem::path path = rank_log(run_dir_, one.rank);
  const auto open_log = [&] {
    return FileHandle(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  };
  FileHandle file = open_log();
  if (file.get() < 0 && errno == ENOENT) {
    std::error_code failed;
    std::filesystem::create_directories(path.parent_path(), failed);
    file = open_log();
  }
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) return;
  if (static_cast<std::uint64_t>(status.st_size) >= most_nbytes_) {
    std::error_code failed;
    std::filesystem::rename(path, path.string() + ".1", failed);
    file = open_log();
    if (file.get() < 0) return;
  }
  (void)!::write(file.get(), one.line.data(), one.line.size());
}

}  // namespace megascale::control
