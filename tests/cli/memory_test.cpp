// What a process holds is what the plan says, and a bounded rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <sstream>
#include <string_view>

#include "cli/workspace.h"
#include "support/sanitizer.h"

namespace megascale::testing {
namespace {

// The rest beside the arena, without pages of the program and of libraries: of a process with one rank, and of
// a rank of several.
constexpr std::int64_t kBoundKib = 26 << 10, kOwnBoundKib = 24 << 10;

// The most memory that a process has filled while it runs, in KiB, and the most of it that was seen to be
// pages of files: of the program and of libraries.
struct Peak {
  std::int64_t resident = 0, of_files = 0;
};
Peak peak_kib(const std::vector<std::string>& arguments, Finished& finished) {
  Process process(arguments);
  Peak peak;
  (void)process.wait_until([&] {
    const std::string status = read("/proc/" + std::to_string(process.id()) + "/status");
    if (status.find("\tmegascale\n") == std::string::npos) return false;
    const auto keep_most = [&](std::string_view key, std::int64_t& most) {
      if (const std::size_t at = status.find(key); at != std::string::npos)
        most = std::max<std::int64_t>(most, std::atoll(status.c_str() + at + key.size()));
    };
    keep_most("VmHWM:", peak.resident);
    keep_most("RssFile:", peak.of_files);
    return false;
  });
  finished = process.wait();
  return peak;
}

// The memory that a process itself has filled: neither what it reads of its neighbours' memory nor
// pages of the program and of libraries, which all processes share. How many of those are resident
// depends on the page cache.
std::int64_t own_resident_kib(pid_t process) {
  std::istringstream maps(read("/proc/" + std::to_string(process) + "/smaps"));
  std::int64_t sum = 0;
  bool is_neighbours = false, is_file = false;
  for (std::string line; std::getline(maps, line);) {
    const std::string_view counted = is_file ? "Anonymous:" : "Rss:";
    if (line.compare(0, counted.size(), counted) == 0) {
      sum += is_neighbours ? 0 : std::atoll(line.c_str() + counted.size());
    } else if (line.find('-') < line.find(' ')) {  // the first line of a mapping
      const bool is_memory = line.find("/memfd:megascale") != std::string::npos;
      is_neighbours = is_memory && line.find(" r--s ") != std::string::npos;
      is_file = !is_memory && line.find(" /") != std::string::npos &&
                line.find(" /dev/") == std::string::npos;
    }
  }
  return sum;
}

std::vector<pid_t> children_of(pid_t process) {
  const std::string id = std::to_string(process);
  std::istringstream list(read("/proc/" + id + "/task/" + id + "/children"));
  std::vector<pid_t> children;
  for (pid_t child = 0; list >> child;) children.push_back(child);
  return children;
}

std::vector<std::string> bench_step(const Workspace& space, const std::vector<std::string>& more) {
  auto arguments =
      space.arguments("bench step", "run",
                      {"model.hidden_size=256", "model.num_layers=4", "train.micro_batch_size=8",
                       "train.global_batch_size=8", "model.seq_length=128"});
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

class Memory : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kSanitizer.empty()) GTEST_SKIP() << kSanitizer << " holds memory of its own";
  }
};

TEST_F(Memory, IsWhatThePlanSays) {
  const Workspace space;
  Finished bench;
  const Peak peak = peak_kib(bench_step(space, {"--steps", "3"}), bench);
  ASSERT_EQ(bench.exit_code, 0) << bench;
  const std::int64_t arena = bench.json().at("memory_bytes").get<std::int64_t>() >> 10;
  std::printf("arena %ld KiB, peak resident %ld KiB, %ld KiB of it of files\n", arena,
              peak.resident, peak.of_files);
  EXPECT_GT(arena, 60 << 10);
  EXPECT_GT(peak.resident - peak.of_files, arena * 9 / 10);
  EXPECT_LE(peak.resident - peak.of_files, arena + kBoundKib);
}

TEST_F(Memory, IsWhatThePlanSaysOnEveryRank) {
  const Workspace space;
  Process process(bench_step(
      space, {"--steps", "3", "--processes", "--ranks", "4", "--set",
              "parallel.tensor_model_parallel_size=2", "--set",
              "parallel.pipeline_model_parallel_size=2", "--set", "train.micro_batch_size=4"}));
  std::map<pid_t, std::int64_t> peaks;
  (void)process.wait_until([&] {
    for (const pid_t rank : children_of(process.id()))
      peaks[rank] = std::max(peaks[rank], own_resident_kib(rank));
    return false;
  });
  const Finished bench = process.wait();
  ASSERT_EQ(bench.exit_code, 0) << bench;
  const std::int64_t arena = bench.json().at("memory_bytes").get<std::int64_t>() >> 10;
  EXPECT_EQ(peaks.size(), 4U);
  for (const auto& [rank, peak] : peaks) {
    std::printf("process %d: %ld KiB, arena of the largest rank %ld KiB\n", rank, peak, arena);
    EXPECT_GT(peak, arena * 3 / 4);
    EXPECT_LE(peak, arena + kOwnBoundKib);
  }
}

}  // namespace
}  // namespace megascale::testing
