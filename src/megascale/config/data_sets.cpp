// Reads the names of validation sets, and finds the mistakes that lists of sets invite: a set given
// twice, and weights in the list of paths.
#include "megascale/config/data_sets.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

#include "megascale/base/numbers.h"
#include "megascale/config/derived.h"

namespace megascale {
namespace {

bool is_name(std::string_view text) {
  constexpr std::size_t kLongest = 32;
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return !text.empty() && text.size() <= kLongest &&
         text.find_first_not_of(kAllowed) == std::string_view::npos;
}

}  // namespace

std::optional<std::vector<NamedSet>> parse_validation_sets(std::span<const std::string> elements) {
  std::vector<NamedSet> sets;
  std::set<std::string> names;
  std::vector<std::string> prefixes;
  for (const std::string& element : elements) {
    const std::size_t equals = element.find('=');
    if (equals == std::string::npos || equals + 1 == element.size()) return std::nullopt;
    sets.push_back({.name = element.substr(0, equals), .prefix = element.substr(equals + 1)});
    if (!is_name(sets.back().name) || !names.insert(sets.back().name).second) return std::nullopt;
    prefixes.push_back(sets.back().prefix);
  }
  if (has_duplicates(prefixes)) return std::nullopt;
  return sets;
}

bool has_main_validation(const DataConfig& data) {
  if (!data.valid_data_path.empty()) return true;
  const auto shares = parse_split(data.split);
  return shares && (*shares)[1] > 0;
}

bool has_duplicates(std::span<const std::string> paths) {
  std::set<std::filesystem::path> seen;
  return !std::all_of(paths.begin(), paths.end(), [&](const std::string& path) {
    return seen.insert(std::filesystem::path(path).lexically_normal()).second;
  });
}

bool has_least_shares(std::span<const double> weights) noexcept {
  if (weights.empty()) return true;
  const auto [least, largest] = std::minmax_element(weights.begin(), weights.end());
  double sum = 0;  // relative to the largest weight: the sum of huge ones is not finite
  for (const double weight : weights) sum += weight / *largest;
  return *least / *largest >= kLeastShare * sum;
}

bool has_weights_between(std::span<const std::string> paths) {
  if (paths.empty() || paths.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < paths.size(); i += 2) {
    if (!parse_number<double>(paths[i])) return false;
  }
  return true;
}

}  // namespace megascale
