// The counter is the line "oom_kill N" of memory.events (cgroup 2) or memory.oom_control (cgroup 1)
// in the folder of the group, which /proc/PID/cgroup names: "0::/GROUP" and "N:memory:/GROUP".
#include "megascale/control/oom_watch.h"

#include <string>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/base/numbers.h"

namespace megascale::control {
namespace {

constexpr std::string_view kCounter = "oom_kill ";

// Calls visit(line) until it returns true.
template <class Visit>
void for_each_line(const std::filesystem::path& path, const Visit& visit) {
  std::string text;
  try {
    text = read_text(path);
  } catch (const Error&) {
    return;  // the process has ended, or the system has no such file
  }
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (visit(rest.substr(0, end)) || end == std::string_view::npos) return;
    rest.remove_prefix(end + 1);
  }
}

std::optional<std::int64_t> kills_in(const std::filesystem::path& counter) {
  std::optional<std::int64_t> kills;
  for_each_line(counter, [&](std::string_view line) {
    if (!line.starts_with(kCounter)) return false;
    kills = parse_number<std::int64_t>(line.substr(kCounter.size()));
    return true;
  });
  return kills;
}

// The counter of the group of a process; empty: there is none.
std::filesystem::path counter_of(const std::filesystem::path& memberships,
                                 const std::filesystem::path& cgroups) {
  std::filesystem::path counter;
  for_each_line(memberships, [&](std::string_view line) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first == std::string_view::npos ? 0 : first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) return false;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string group(line.substr(second + 2 <= line.size() ? second + 2 : line.size()));
    if (controllers == "memory") {
      counter = cgroups / "memory" / group / "memory.oom_control";
      return true;
    }
    if (controllers.empty()) counter = cgroups / group / "memory.events";
    return false;
  });
  return counter;
}

}  // namespace

OomWatch::OomWatch(std::filesystem::path proc, std::filesystem::path cgroups)
    : proc_(std::move(proc)), cgroups_(std::move(cgroups)) {}

void OomWatch::note(pid_t process) {
  counter_ = counter_of(proc_ / std::to_string(process) / "cgroup", cgroups_);
  kills_ = kills_in(counter_).value_or(0);
}

bool OomWatch::has_grown() const { return kills_in(counter_).value_or(0) > kills_; }

}  // namespace megascale::control
