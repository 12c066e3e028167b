#include "megascale/diagnose/system_files.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <system_error>

#include "megascale/base/numbers.h"

namespace megascale::diagnose {
namespace {

std::string without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\n") - first + 1));
}

}  // namespace

std::string first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string value_of_key(const std::filesystem::path& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    if (colon != std::string::npos && without_blanks(line.substr(0, colon)) == key)
      return without_blanks(std::string_view(line).substr(colon + 1));
  }
  return {};
}

std::vector<std::string> names_in(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error))
    names.push_back(entry->path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<int> parse_cpu_list(std::string_view text) {
  constexpr int kMost = 1 << 16;
  std::vector<int> numbers;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(item.size() + 1, text.size()));
    const auto dash = item.find('-');
    const auto first = parse_number<int>(item.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? first : parse_number<int>(item.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last > kMost) return {};
    for (int number = *first; number <= *last; ++number) numbers.push_back(number);
  }
  return numbers;
}

}  // namespace megascale::diagnose
