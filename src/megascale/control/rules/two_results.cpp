// Rule two_results: a task that was done twice with the same inputs had two results
// (train.repeat_interval).
//
// The rank says so on stderr and ends; the other ranks end with the same words, to which each adds
// its own task. So the first task that the line names is the one. The hardware of its host was at
// fault: kernels always give the same bits.
#include <fmt/format.h>

#include <charconv>

#include "megascale/control/rules/rule.h"

namespace megascale::control {
namespace {

// Returns N of "... while running task 7 (NAME) on rank N...", or -1.
std::int64_t rank_in(std::string_view line) {
  constexpr std::string_view kTask = "while running task ", kOn = ") on rank ";
  const std::size_t task = line.find(kTask);
  const std::size_t on = task == std::string_view::npos ? task : line.find(kOn, task);
  std::uint32_t rank = 0;
  if (on == std::string_view::npos) return -1;
  const char* const begin = line.data() + on + kOn.size();
  return std::from_chars(begin, line.data() + line.size(), rank).ec == std::errc()
             ? static_cast<std::int64_t>(rank)
             : -1;
}

}  // namespace

std::optional<Verdict> two_results(const JobSight& sight) {
  const auto told = told_line(sight, "two results");
  if (!told) return std::nullopt;
  Verdict verdict{.rule = "two_results",
                  .rank = rank_in(told->line),
                  .step = told->steps_done,
                  .what = "a task that was done twice had two results",
                  .evidence = fmt::format("rank {}: {}", told->rank, told->line)};
  if (verdict.rank < 0) return verdict;
  verdict.what = fmt::format("a task of rank {} that was done twice had two results", verdict.rank);
  for_each_rank(sight, [&](const std::string& host, const RankReport& rank) {
    if (rank.rank == verdict.rank) verdict.host = host;
  });
  verdict.blames_host = true;
  return verdict;
}

}  // namespace megascale::control
