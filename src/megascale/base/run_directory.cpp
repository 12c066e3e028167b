// Composes paths, and finds rings by their file names.
#include "megascale/base/run_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>

namespace megascale {
namespace {

constexpr std::string_view kRingBegin = "rank", kRingEnd = ".ring";

}  // namespace

std::filesystem::path RunDirectory::ring(std::int64_t rank) const {
  return events() / fmt::format("{}{}{}", kRingBegin, rank, kRingEnd);
}

std::filesystem::path RunDirectory::plan(std::string_view digest) const {
  return events() / fmt::format("plan-{}.json", digest);
}

std::optional<std::uint32_t> RunDirectory::rank_of_ring(std::string_view name) {
  constexpr std::size_t kMostDigits = 9;  // any number of 9 digits fits in 32 bits
  if (!name.starts_with(kRingBegin) || !name.ends_with(kRingEnd)) return std::nullopt;
  if (name.size() <= kRingBegin.size() + kRingEnd.size()) return std::nullopt;
  name.remove_prefix(kRingBegin.size());
  name.remove_suffix(kRingEnd.size());
  if (name.size() > kMostDigits || name.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  return static_cast<std::uint32_t>(std::stoul(std::string(name)));
}

std::vector<std::uint32_t> RunDirectory::ranks_with_rings() const {
  std::vector<std::uint32_t> ranks;
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(events(), failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (const auto rank = rank_of_ring(entry->path().filename().string())) ranks.push_back(*rank);
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

}  // namespace megascale
