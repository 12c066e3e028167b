// `megascale logs`: what the ranks of a job have written to stderr, in the order of time. Executors
// keep it in the run directory.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <thread>

#include "megascale/cli/command.h"
#include "megascale/cli/stop_signals.h"
#include "megascale/control/rank_logs.h"

namespace megascale::cli {
namespace {

struct LogsArguments {
  std::filesystem::path run_dir;
  std::int64_t rank = -1, lines = 1000;
  bool follow = false;
};

using control::RankLine;

// The log of a rank, from a place on.
class Reader {
 public:
  Reader(const std::filesystem::path& run_dir, std::uint32_t rank)
      : path_(control::rank_log(run_dir, rank)), rank_(rank) {}
  // Appends the lines of the older file.
  void read_older(std::vector<RankLine>& to) const {
    std::ifstream file(path_.string() + ".1");
    for (std::string line; std::getline(file, line);)
      to.push_back(control::parse_rank_line(rank_, line));
  }
  // Appends the lines that have come since the last call.
  void read_new(std::vector<RankLine>& to) {
    std::error_code none;
    const auto nbytes = std::filesystem::file_size(path_, none);
    if (!none && nbytes < place_) place_ = 0;  // it has become the older file
    std::ifstream file(path_);
    file.seekg(static_cast<std::streamoff>(place_));
    for (std::string line; std::getline(file, line) && !file.eof();) {
      place_ += line.size() + 1;
      to.push_back(control::parse_rank_line(rank_, line));
    }
  }

 private:
  std::filesystem::path path_;
  std::uint32_t rank_;
  std::uint64_t place_ = 0;
};

// Adds readers for the ranks whose logs have begun since the last call.
void add_readers(const LogsArguments& arguments, std::map<std::uint32_t, Reader>& readers) {
  for (const std::uint32_t rank : control::ranks_with_logs(arguments.run_dir)) {
    if (arguments.rank < 0 || rank == arguments.rank)
      readers.try_emplace(rank, arguments.run_dir, rank);
  }
}

void sort_by_time(std::vector<RankLine>& lines) {
  std::stable_sort(lines.begin(), lines.end(),
                   [](const RankLine& a, const RankLine& b) { return a.time < b.time; });
}

void print(const std::vector<RankLine>& lines) {
  for (const RankLine& line : lines)
    fmt::print("{} attempt {} rank {}: {}\n", line.time, line.attempt, line.rank, line.text);
  std::fflush(stdout);
}

Outcome show(const LogsArguments& arguments) {
  std::map<std::uint32_t, Reader> readers;
  add_readers(arguments, readers);
  // A reader who follows the job may start before its ranks have logs.
  if (readers.empty() && !(arguments.follow && std::filesystem::exists(arguments.run_dir))) {
    throw Error(
        ErrorCode::bad_usage,
        fmt::format("{}: expected the log of {}, which the executors of a job write, found "
                    "none",
                    arguments.run_dir.string(),
                    arguments.rank < 0 ? "a rank" : fmt::format("rank {}", arguments.rank)));
  }
  std::vector<RankLine> lines;
  for (auto& [rank, reader] : readers) {
    reader.read_older(lines);
    reader.read_new(lines);
  }
  sort_by_time(lines);
  const auto most = static_cast<std::size_t>(arguments.lines);
  if (lines.size() > most)
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(most));
  print(lines);
  Outcome outcome{.json = {{"lines", nlohmann::ordered_json::array()}}};
  for (const RankLine& line : lines) {
    outcome.json["lines"].push_back(
        {{"time", line.time}, {"attempt", line.attempt}, {"rank", line.rank}, {"text", line.text}});
  }
  if (!arguments.follow) return outcome;
  StopSignals signals([](const char*) {});
  signals.begin_to_stop();
  while (!signals.requested().load()) {
    lines.clear();
    add_readers(arguments, readers);
    for (auto& [rank, reader] : readers) reader.read_new(lines);
    sort_by_time(lines);
    print(lines);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  return outcome;
}

}  // namespace

void add_logs(Command& app) {
  const auto arguments = std::make_shared<LogsArguments>();
  Command command = app.subcommand("logs", "shows what the ranks of a job have written to stderr");
  command.option("RUN_DIR", arguments->run_dir, "run directory").required();
  command.option("--rank", arguments->rank, "only of this rank").at_least_zero();
  command.option("--lines", arguments->lines, "the newest lines, so many")
      .positive()
      .shows_default();
  command.flag("--follow", arguments->follow, "goes on with new lines, until Ctrl-C");
  command.does([arguments] { return show(*arguments); });
}

}  // namespace megascale::cli
