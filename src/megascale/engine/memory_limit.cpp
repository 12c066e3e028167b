// Reads the limits of host memory from /proc and /sys: the control groups of the process, the
// memory that the machine has now, and whether the machine can get more.
#include "megascale/engine/memory_limit.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <string_view>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/base/files.h"

namespace megascale::engine {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  try {
    return read_text(file);
  } catch (const Error&) {
    return {};
  }
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// The number that `text` begins with; kUnknown for "max" and for text without one.
std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? number : MemoryLimit::kUnknown;
}

// Whether a list such as "cpu,memory" has the memory controller.
bool limits_memory(std::string_view controllers) {
  return fmt::format(",{},", controllers).find(",memory,") != std::string::npos;
}

// A mounted hierarchy of control groups that can limit memory.
struct Hierarchy {
  bool is_v2 = false;
  fs::path mount_point;  // as the process sees it
  fs::path group;        // of this process, below the mount point
};

// The group's path below a mount that shows the hierarchy from `mount_root` on. In a container the
// path can be that of the host, which the mount does not show: then the mount point's own group.
fs::path below_mount(const fs::path& group, const fs::path& mount_root) {
  const fs::path below = group.lexically_relative(mount_root);
  return below.empty() || *below.begin() == ".." ? fs::path(".") : below;
}

std::vector<Hierarchy> hierarchies(const fs::path& root) {
  // Lines of cgroup: "ID:CONTROLLERS:PATH"; version 2 has ID 0 and no controllers.
  std::string v1_group, v2_group;
  std::istringstream groups(text_of(root / "proc/self/cgroup"));
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (controllers.empty()) v2_group = line.substr(second + 1);
    if (limits_memory(controllers)) v1_group = line.substr(second + 1);
  }
  // Lines of mountinfo: ID PARENT DEVICE ROOT MOUNT_POINT OPTIONS [TAGS...] - TYPE SOURCE OPTIONS.
  std::vector<Hierarchy> found;
  std::istringstream mounts(text_of(root / "proc/self/mountinfo"));
  for (std::string line; std::getline(mounts, line);) {
    const std::vector<std::string> words = words_of(line);
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (words.size() < 6 || words.end() - dash < 4) continue;
    const fs::path mount_root = words[3], mount_point = words[4];
    if (dash[1] == "cgroup2" && !v2_group.empty())
      found.push_back({true, mount_point, below_mount(v2_group, mount_root)});
    if (dash[1] == "cgroup" && limits_memory(dash[3]) && !v1_group.empty())
      found.push_back({false, mount_point, below_mount(v1_group, mount_root)});
  }
  return found;
}

void read_groups(const fs::path& root, MemoryLimit& limit) {
  for (const Hierarchy& hierarchy : hierarchies(root)) {
    // Version 1 says "no limit" by a number near 2^63.
    constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 62U;
    const char* name = hierarchy.is_v2 ? "memory.max" : "memory.limit_in_bytes";
    fs::path group = (hierarchy.mount_point / hierarchy.group).lexically_normal();
    const fs::path top = hierarchy.mount_point.lexically_normal();
    for (;; group = group.parent_path()) {
      const fs::path file = group / name;
      const std::uint64_t nbytes = number_of(text_of(root / file.relative_path()));
      if (nbytes < kNoLimit && nbytes < limit.group_nbytes) {
        limit.group_nbytes = nbytes;
        limit.group_file = file.string();
      }
      if (group == top || group == group.parent_path()) break;
    }
  }
}

// "NAME: 24684084 kB".
std::uint64_t memory_total(const std::string& meminfo) {
  std::istringstream lines(meminfo);
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> words = words_of(line);
    if (words.size() < 2 || words[0] != "MemTotal:") continue;
    const std::uint64_t kib = number_of(words[1]);
    if (kib != MemoryLimit::kUnknown) return kib << 10U;
  }
  return MemoryLimit::kUnknown;
}

// Whether a device is bound to the driver: its folder then has a link to it, named after it.
bool drives(const fs::path& driver, std::string_view device) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(driver, ignored)) {
    if (entry.path().filename().string().rfind(device, 0) == 0) return true;
  }
  return false;
}

// Bytes of all pages that are present, those inside a balloon included.
std::uint64_t present_nbytes(const std::string& zoneinfo) {
  std::istringstream lines(zoneinfo);
  std::uint64_t pages = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> words = words_of(line);
    if (words.size() == 2 && words[0] == "present") pages += number_of(words[1]);
  }
  return pages == 0 ? MemoryLimit::kUnknown
                    : pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t most_memory(const fs::path& root, std::uint64_t total_nbytes) {
  const fs::path drivers = root / "sys/bus/virtio/drivers";
  const bool grows_unseen = drives(drivers / "virtio_mem", "virtio") ||
                            drives(root / "sys/bus/vmbus/drivers/hv_balloon", "vmbus") ||
                            fs::exists(root / "sys/devices/system/xen_memory") ||
                            fs::exists(root / "proc/sentry-meminfo");
  if (grows_unseen) return MemoryLimit::kUnknown;
  if (!drives(drivers / "virtio_balloon", "virtio")) return total_nbytes;
  return std::max(total_nbytes, present_nbytes(text_of(root / "proc/zoneinfo")));
}

std::string gib(std::uint64_t nbytes) {
  return fmt::format("{:.2f} GiB", static_cast<double>(nbytes) / (1U << 30U));
}

}  // namespace

MemoryLimit read_memory_limit(const fs::path& root) {
  MemoryLimit limit;
  read_groups(root, limit);
  limit.total_nbytes = memory_total(text_of(root / "proc/meminfo"));
  limit.most_nbytes = most_memory(root, limit.total_nbytes);
  return limit;
}

MemoryVerdict judge_memory(std::uint64_t nbytes, const MemoryLimit& limit) {
  if (nbytes > limit.group_nbytes) {
    return {MemoryFit::no, fmt::format("the control group of this process allows {} ({})",
                                       gib(limit.group_nbytes), limit.group_file)};
  }
  if (limit.total_nbytes == MemoryLimit::kUnknown || nbytes <= limit.total_nbytes) return {};
  std::string has = fmt::format("this machine has {} of memory", gib(limit.total_nbytes));
  if (limit.most_nbytes == limit.total_nbytes) return {MemoryFit::no, has};
  if (limit.most_nbytes == MemoryLimit::kUnknown)
    return {MemoryFit::if_it_grows, has + " now and can get more"};
  has += fmt::format(" now and can get {}", gib(limit.most_nbytes));
  return {nbytes > limit.most_nbytes ? MemoryFit::no : MemoryFit::if_it_grows, has};
}

}  // namespace megascale::engine
