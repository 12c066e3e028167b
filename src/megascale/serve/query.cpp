#include "megascale/serve/query.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "megascale/base/error.h"

namespace megascale::serve {
namespace {

// Returns the text of a client in a form that is safe to show in a message.
std::string shown(std::string_view text) {
  std::string clean;
  for (const char c : text.substr(0, 60)) clean += c >= ' ' && c <= '~' ? c : '?';
  return "\"" + clean + "\"";
}

[[noreturn]] void refuse(std::string_view name, const std::string& expected,
                         std::string_view found) {
  throw Error(ErrorCode::bad_input,
              fmt::format("parameter {}: expected {}, found {}", name, expected, shown(found)));
}

template <class Integer>
std::optional<Integer> parse_integer(std::string_view text) {
  Integer value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Query::Query(const Parameters& parameters, const std::vector<std::string_view>& known)
    : parameters_(&parameters) {
  for (const auto& [name, value] : parameters) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw Error(ErrorCode::bad_input,
                  fmt::format("unknown parameter {}; expected {}", shown(name),
                              known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
    }
    if (parameters.count(name) > 1) refuse(name, "it once", value);
  }
}

const std::string* Query::find(std::string_view name) const {
  const auto found = parameters_->find(std::string(name));
  return found == parameters_->end() ? nullptr : &found->second;
}

bool Query::has(std::string_view name) const { return find(name) != nullptr; }

std::int64_t Query::integer(std::string_view name, std::int64_t low, std::int64_t high,
                            std::int64_t otherwise) const {
  const std::string* text = find(name);
  if (text == nullptr) return otherwise;
  const auto value = parse_integer<std::int64_t>(*text);
  if (!value || *value < low || *value > high)
    refuse(name, fmt::format("a whole number from {} to {}", low, high), *text);
  return *value;
}

std::vector<std::uint32_t> Query::ranks(std::string_view name, std::uint32_t ranks,
                                        std::size_t most) const {
  const std::string* given = find(name);
  if (given == nullptr) refuse(name, "ranks, such as 0-3,8", "");
  const std::string expected = fmt::format("at most {} ranks below {}, such as 0-3,8", most, ranks);
  std::set<std::uint32_t> found;
  std::string_view text = *given;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, comma);
    const std::size_t dash = std::min(part.find('-'), part.size());
    const auto first = parse_integer<std::uint32_t>(part.substr(0, dash));
    const auto last =
        dash == part.size() ? first : parse_integer<std::uint32_t>(part.substr(dash + 1));
    if (!first || !last || *first > *last || *last >= ranks || *last - *first >= most)
      refuse(name, expected, *given);
    for (std::uint32_t rank = *first; rank <= *last; ++rank) found.insert(rank);
    if (found.size() > most) refuse(name, expected, *given);
    if (comma == text.size()) break;
    text.remove_prefix(comma + 1);
  }
  return {found.begin(), found.end()};
}

std::optional<std::set<std::string, std::less<>>> Query::words(std::string_view name) const {
  const std::string* given = find(name);
  if (given == nullptr) return std::nullopt;
  std::set<std::string, std::less<>> found;
  std::string_view text = *given;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) found.emplace(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return found;
}

std::optional<RunPath> parse_run_path(std::string_view path) {
  constexpr std::string_view kPrefix = "/api/runs/";
  if (!path.starts_with(kPrefix)) return std::nullopt;
  path.remove_prefix(kPrefix.size());
  const std::size_t slash = std::min(path.find('/'), path.size());
  const auto run = parse_integer<std::uint32_t>(path.substr(0, slash));
  if (!run) return std::nullopt;
  path.remove_prefix(std::min(slash + 1, path.size()));
  if (path.find('/') != std::string_view::npos) return std::nullopt;
  return RunPath{.run = *run, .what = path};
}

}  // namespace megascale::serve
