// A folder is named megascale-USER-NAMESPACE-PROCESS-TICKS. Process and start time together name a
// process for good, so a folder whose process is not running is nobody's. A process of another
// namespace cannot be seen from here: its folder stays.
#include "megascale/comm/ucx/segment_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>

#include "megascale/base/environment.h"
#include "megascale/comm/ucx/endpoint_record.h"

namespace megascale::comm {
namespace {

constexpr const char* kRoot = "/dev/shm";
constexpr const char* kVariable = "UCX_POSIX_DIR";
constexpr const char* kPrefix = "megascale-";
constexpr std::string_view kSegmentPrefix = "ucx_shm_posix_";

std::string prefix_of(std::uint64_t pid_space) {
  return fmt::format("{}{}-{}-", kPrefix, ::geteuid(), pid_space);
}

// Removes a folder and the segments in it, if it holds nothing else.
void remove_folder(const std::filesystem::path& folder) noexcept {
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(folder, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    if (entry->path().filename().string().starts_with(kSegmentPrefix))
      ::unlink(entry->path().c_str());
  }
  ::rmdir(folder.c_str());
}

// Returns true if the folder is a directory of this user, not a link to one.
bool is_own_directory(const std::filesystem::path& path) noexcept {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid();
}

}  // namespace

std::shared_ptr<const SegmentFolder> SegmentFolder::of_this_process() {
  const char* given = environment_variable(kVariable);
  const auto prefix = std::filesystem::path(kRoot) / kPrefix;
  // A parent of this process may have set it to its own folder.
  if (given != nullptr && !std::string_view(given).starts_with(prefix.string())) return nullptr;
  const EndpointRecord self = EndpointRecord::of_this_process();
  remove_dead(kRoot);
  const auto path = std::filesystem::path(kRoot) /
                    fmt::format("{}{}-{}", prefix_of(self.pid_space), self.pid, self.start_ticks);
  if (::mkdir(path.c_str(), 0700) != 0) return nullptr;
  ::setenv(kVariable, path.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): one thread
  return std::make_shared<const SegmentFolder>(path);
}

void SegmentFolder::remove_dead(const std::filesystem::path& root) {
  const std::string prefix = prefix_of(EndpointRecord::of_this_process().pid_space);
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(root, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    std::int32_t pid = 0;
    unsigned long long ticks = 0;
    char rest = 0;
    if (!name.starts_with(prefix) ||
        std::sscanf(name.c_str() + prefix.size(), "%d-%llu%c", &pid, &ticks, &rest) != 2)
      continue;
    if (process_start_ticks(pid) != ticks && is_own_directory(entry->path()))
      remove_folder(entry->path());
  }
}

SegmentFolder::~SegmentFolder() { remove_folder(path_); }

}  // namespace megascale::comm
