#include "megascale/generate/stop_strings.h"

#include <algorithm>
#include <utility>

namespace megascale::generate {
namespace {

// Returns the length of the longest end of `text` that `stop` begins with and that is shorter than it.
std::size_t begun(std::string_view text, std::string_view stop) {
  for (std::size_t size = std::min(text.size(), stop.size() - 1); size > 0; --size) {
    if (text.ends_with(stop.substr(0, size))) return size;
  }
  return 0;
}

}  // namespace

std::string StopStrings::push(std::string_view part) {
  if (found_) return {};
  held_ += part;
  std::size_t end = std::string::npos, held = 0;
  for (const std::string& stop : stops_) {
    end = std::min(end, held_.find(stop));
    held = std::max(held, begun(held_, stop));
  }
  found_ = end != std::string::npos;
  if (!found_) end = held_.size() - held;
  std::string text = held_.substr(0, end);
  held_ = found_ ? "" : held_.substr(end);
  return text;
}

std::string StopStrings::finish() { return std::exchange(held_, {}); }

}  // namespace megascale::generate
