// Composes paths, and finds rings by their file names.
#include "megascale/base/run_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>

namespace megascale {
namespace {

constexpr std::string_view kRingBegin = "rank", kRingEnd = ".ring", kStep = "-step";
constexpr std::string_view kStoreBegin = "steps-", kStoreEnd = ".sqlite";
constexpr std::size_t kMostRankDigits = 9;   // any number of 9 digits fits in 32 bits
constexpr std::size_t kMostStepDigits = 18;  // any number of 18 digits fits in 64 bits

// Returns the number between `begin` and `end` of a file's name, or nothing if the name is another.
std::optional<std::int64_t> number_in(std::string_view name, std::string_view begin,
                                      std::string_view end, std::size_t most_digits) {
  if (!name.starts_with(begin) || !name.ends_with(end)) return std::nullopt;
  if (name.size() <= begin.size() + end.size()) return std::nullopt;
  name.remove_prefix(begin.size());
  name.remove_suffix(end.size());
  if (name.size() > most_digits || name.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  return std::stoll(std::string(name));
}

// Calls `visit` with the name of every file of a folder that can be read.
template <class Visit>
void for_each_name(const std::filesystem::path& folder, const Visit& visit) {
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    visit(entry->path().filename().string());
  }
}

}  // namespace

std::filesystem::path RunDirectory::ring(std::int64_t rank) const {
  return events() / fmt::format("{}{}{}", kRingBegin, rank, kRingEnd);
}

std::filesystem::path RunDirectory::kept_ring(std::int64_t rank, std::int64_t step) const {
  return events() / fmt::format("{}{}{}{}{}", kRingBegin, rank, kStep, step, kRingEnd);
}

std::filesystem::path RunDirectory::incident(std::int64_t number) const {
  return control() / fmt::format("incident-{}.json", number);
}

std::filesystem::path RunDirectory::plan(std::string_view digest) const {
  return events() / fmt::format("plan-{}.json", digest);
}

std::filesystem::path RunDirectory::step_store(std::string_view host) const {
  return events() / fmt::format("{}{}{}", kStoreBegin, host, kStoreEnd);
}

std::vector<std::filesystem::path> RunDirectory::step_stores() const {
  std::vector<std::filesystem::path> paths;
  for_each_name(events(), [&](std::string_view name) {
    if (name.starts_with(kStoreBegin) && name.ends_with(kStoreEnd))
      paths.push_back(events() / name);
  });
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::optional<std::uint32_t> RunDirectory::rank_of_ring(std::string_view name) {
  const auto rank = number_in(name, kRingBegin, kRingEnd, kMostRankDigits);
  if (!rank) return std::nullopt;
  return static_cast<std::uint32_t>(*rank);
}

std::vector<std::uint32_t> RunDirectory::ranks_with_rings() const {
  std::vector<std::uint32_t> ranks;
  for_each_name(events(), [&](std::string_view name) {
    if (const auto rank = rank_of_ring(name)) ranks.push_back(*rank);
  });
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

std::vector<std::int64_t> RunDirectory::kept_steps(std::int64_t rank) const {
  const std::string begin = fmt::format("{}{}{}", kRingBegin, rank, kStep);
  std::vector<std::int64_t> steps;
  for_each_name(events(), [&](std::string_view name) {
    if (const auto step = number_in(name, begin, kRingEnd, kMostStepDigits)) steps.push_back(*step);
  });
  std::sort(steps.begin(), steps.end());
  return steps;
}

std::map<std::uint32_t, std::vector<std::int64_t>> RunDirectory::kept_steps_by_rank() const {
  std::map<std::uint32_t, std::vector<std::int64_t>> ranks;
  for_each_name(events(), [&](std::string_view name) {
    const std::size_t middle = name.find(kStep);
    if (middle == std::string_view::npos) return;
    const auto rank = number_in(name.substr(0, middle), kRingBegin, "", kMostRankDigits);
    const auto step = number_in(name.substr(middle), kStep, kRingEnd, kMostStepDigits);
    if (rank && step) ranks[static_cast<std::uint32_t>(*rank)].push_back(*step);
  });
  for (auto& [rank, steps] : ranks) std::sort(steps.begin(), steps.end());
  return ranks;
}

}  // namespace megascale
