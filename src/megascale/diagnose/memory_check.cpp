// A thread that is bound to the cores of one node, with a memory policy that allows another node
// only, starts the measurement: the threads and pages of the measurement inherit both.
#include "megascale/diagnose/memory_check.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <thread>

#include "megascale/base/core_binding.h"
#include "megascale/base/error.h"
#include "megascale/base/numbers.h"
#include "megascale/diagnose/system_files.h"
#include "megascale/kernels/cpu/peak.h"

namespace megascale::diagnose {
namespace {

constexpr const char* kNodes = "/sys/devices/system/node";
constexpr std::size_t kMostMeshNodes = 4;  // 16 pairs of half a second
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
// Bytes of each of the three arrays: more than most last-level caches.
constexpr std::uint64_t kArrayNbytes = 128 * kMiB;

struct MemoryNode {
  int number = 0;
  std::vector<int> cores;  // of this process
};

// Returns the nodes that have cores of this process; one without a number in /sys counts as node 0.
std::vector<MemoryNode> nodes_with_cores() {
  std::vector<MemoryNode> nodes;
  for (const std::string& name : names_in(kNodes)) {
    if (!name.starts_with("node")) continue;
    const auto number = parse_number<int>(std::string_view(name).substr(4));
    if (!number) continue;
    MemoryNode node{.number = *number, .cores = {}};
    const auto cores = parse_cpu_list(first_line(std::filesystem::path(kNodes) / name / "cpulist"));
    for (const int core : process_cores())
      if (std::find(cores.begin(), cores.end(), core) != cores.end()) node.cores.push_back(core);
    if (!node.cores.empty()) nodes.push_back(std::move(node));
  }
  if (nodes.empty()) nodes.push_back({.number = 0, .cores = process_cores()});
  return nodes;
}

// Lets the calling thread take memory of one node only. Returns false if the system does not.
bool take_memory_of(int node) {
  constexpr long kBind = 2;  // MPOL_BIND
  constexpr std::size_t kBits = 8 * sizeof(unsigned long);
  std::array<unsigned long, 16> mask{};
  if (static_cast<std::size_t>(node) >= mask.size() * kBits) return false;
  mask[static_cast<std::size_t>(node) / kBits] = 1UL << (static_cast<std::size_t>(node) % kBits);
  return ::syscall(SYS_set_mempolicy, kBind, mask.data(), mask.size() * kBits) == 0;
}

// Returns the bandwidth in bytes/s, or nothing if the memory of the node cannot be chosen.
std::optional<double> bandwidth(const MemoryNode& from, int to, bool choose) {
  std::optional<double> rate;
  std::optional<Error> error;
  std::thread([&] {
    try {
      const CoreBinding binding(from.cores);
      if (choose && !take_memory_of(to)) return;
      rate = kernels::cpu::triad_bandwidth(from.cores.size(), kArrayNbytes,
                                           {.seconds = 0.05, .repetitions = 3})
                 .best;
    } catch (const Error& thrown) {
      error = thrown;
    } catch (const std::bad_alloc&) {
      error = Error(ErrorCode::out_of_memory, fmt::format("expected {} MiB of memory on node {}",
                                                          3 * kArrayNbytes / kMiB, to));
    }
  }).join();
  if (error) throw Error(*error);
  return rate;
}

std::uint64_t kib_of(std::string_view key) {
  const std::string value = value_of_key("/proc/meminfo", key);
  return parse_number<std::uint64_t>(std::string_view(value).substr(0, value.find(' ')))
      .value_or(0);
}

}  // namespace

void check_memory(std::uint64_t least_free_nbytes, CheckReport& report) {
  const std::uint64_t total = kib_of("MemTotal") * 1024, available = kib_of("MemAvailable") * 1024;
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  report.rates.push_back({"memory.size", static_cast<double>(total) / kGiB, "GiB", 0.98});
  report.text = fmt::format("{:.1f} of {:.1f} GiB are free", static_cast<double>(available) / kGiB,
                            static_cast<double>(total) / kGiB);
  if (available < std::max(least_free_nbytes, 4 * kArrayNbytes)) {
    return report.fail(fmt::format(
        "expected at least {:.1f} GiB: end the processes that use it, or lower --free-memory",
        static_cast<double>(std::max(least_free_nbytes, 4 * kArrayNbytes)) / kGiB));
  }
  const auto nodes = nodes_with_cores();
  double lowest = 0;
  for (std::size_t from = 0; from < nodes.size(); ++from) {
    for (std::size_t to = 0; to < nodes.size(); ++to) {
      const bool near = to == from || to == (from + 1) % nodes.size();
      if (nodes.size() > kMostMeshNodes && !near) continue;
      const auto rate = bandwidth(nodes[from], nodes[to].number, nodes.size() > 1);
      if (!rate) continue;
      report.rates.push_back(
          {fmt::format("memory.node{}.node{}", nodes[from].number, nodes[to].number), *rate * 1e-9,
           "GB/s"});
      lowest = lowest == 0 ? *rate : std::min(lowest, *rate);
    }
  }
  report.text += fmt::format(", {} memory {}, slowest way {:.1f} GB/s", nodes.size(),
                             nodes.size() == 1 ? "node" : "nodes", lowest * 1e-9);
}

}  // namespace megascale::diagnose
