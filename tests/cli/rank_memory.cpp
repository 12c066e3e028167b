// The arena is the only memory file of its size that the process may write: those of other ranks are
// mapped for reading.
#include "cli/rank_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/workspace.h"
#include "megascale/base/files.h"

namespace megascale::testing {
namespace {

constexpr std::uint64_t kPage = 4096;

// The address of the arena; 0: not found.
std::uint64_t arena_of(pid_t process, std::uint64_t nbytes) {
  std::istringstream lines(read("/proc/" + std::to_string(process) + "/maps"));
  for (std::string line; std::getline(lines, line);) {
    std::uint64_t begin = 0, end = 0;
    char access[8] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %7s", &begin, &end, access) != 3) continue;
    if (line.find("/memfd:megascale") == std::string::npos || access[1] != 'w') continue;
    if (end - begin >= nbytes && end - begin < nbytes + kPage) return begin;
  }
  return 0;
}

}  // namespace

std::string flip_bit(const std::filesystem::path& run_dir, pid_t process, const std::string& buffer,
                     std::uint64_t element, unsigned bit) {
  nlohmann::json plan;
  for (const auto& entry : std::filesystem::directory_iterator(run_dir / "events")) {
    if (entry.path().filename().string().starts_with("plan-"))
      plan = nlohmann::json::parse(read(entry.path()));
  }
  if (!plan.is_object()) return "no plan was dumped";
  std::string names;
  for (const auto& one : plan.at("buffers")) {
    const std::string name = one.at("name");
    names += " " + name;
    if (name.find(buffer) == std::string::npos) continue;
    // The evaluation plan may need more memory than the training plan.
    std::uint64_t arena = 0;
    for (std::uint64_t nbytes = plan.at("arena_bytes"); arena == 0 && nbytes < (1U << 28U);
         nbytes += kPage)
      arena = arena_of(process, nbytes);
    if (arena == 0) return "the process has no arena";
    const FileHandle memory(
        ::open(("/proc/" + std::to_string(process) + "/mem").c_str(), O_RDWR | O_CLOEXEC));
    const auto at =
        static_cast<off_t>(arena + one.at("offset").get<std::uint64_t>() + element * sizeof(float));
    std::uint32_t value = 0;
    if (::pread(memory.get(), &value, sizeof value, at) != sizeof value) return "cannot read";
    value ^= 1U << bit;
    return ::pwrite(memory.get(), &value, sizeof value, at) == sizeof value ? "" : "cannot write";
  }
  return "no buffer has such a name:" + names;
}

}  // namespace megascale::testing
