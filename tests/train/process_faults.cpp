#include "train/process_faults.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <random>
#include <set>
#include <thread>

#include "megascale/comm/ucx/segment_folder.h"
#include "support/watchdog.h"
#include "train/rank_processes.h"

namespace megascale::testing {
namespace {

constexpr std::int64_t kSteps = 4, kRanks = 4;

Settings four_ranks() {
  return {"model.num_layers=2",
          "model.hidden_size=24",
          "model.num_attention_heads=4",
          fmt::format("parallel.world_size={}", kRanks),
          "parallel.tensor_model_parallel_size=2",
          "parallel.pipeline_model_parallel_size=2",
          "checkpoint.interval=1"};
}

// The runs that faults are seen beside, made once.
struct Straight {
  Straight() {
    const auto begin = std::chrono::steady_clock::now();
    const Outcome outcome = laboratory.run(
        four_ranks(), {.most_steps = kSteps, .before_task = [&](std::uint32_t rank, std::uint32_t) {
                         ++tasks.at(rank);
                       }});
    tensors = outcome.tensors;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    timeout = std::max(5.0, 4 * took.count());
  }
  Laboratory laboratory;
  std::array<std::atomic<std::int64_t>, kRanks> tasks{};  // that each rank starts
  Tensors tensors;
  // control.timeout_seconds of the runs with faults: long beside a whole run, so that none is slow
  // enough for it without a fault, however much else this machine has to do.
  double timeout = 0;
};
Straight& straight() {
  static Straight straight;
  return straight;
}

ProcessFault draw(std::uint64_t seed, int signal) {
  std::mt19937_64 engine(seed);
  ProcessFault fault{.rank = static_cast<std::uint32_t>(engine() % kRanks), .signal = signal};
  // Not in the last step: what fails there may fail when the others have all they need.
  const std::int64_t tasks = straight().tasks[fault.rank] * (kSteps - 1) / kSteps;
  fault.number = static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(tasks));
  return fault;
}

// Steps that the rank has finished when the fault comes: all have the same tasks.
std::int64_t steps_before(const ProcessFault& fault) {
  return fault.number * kSteps / straight().tasks[fault.rank];
}

// Names in the shared memory of this machine.
std::set<std::string> shared_memory() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
    names.insert(entry.path().filename().string());
  return names;
}

// What is left of a run whose processes have all ended: no file of theirs, once the next start has
// removed the folder of a process that was killed. Those of other programs come and go meanwhile.
void expect_nothing_new_beside(const std::set<std::string>& before) {
  std::set<std::string> left;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  do {
    left.clear();
    comm::SegmentFolder::remove_dead();
    const std::set<std::string> now = shared_memory();
    std::set_difference(now.begin(), now.end(), before.begin(), before.end(),
                        std::inserter(left, left.end()));
    std::erase_if(left, [](const std::string& name) {
      return name.find("ucx") == std::string::npos && name.find("megascale") == std::string::npos;
    });
    if (!left.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  } while (!left.empty() && std::chrono::steady_clock::now() < deadline);
  EXPECT_EQ(left, std::set<std::string>()) << "left in /dev/shm";
}

class FaultyRun {
 public:
  explicit FaultyRun(const ProcessFault& fault)
      : checkpoints_(straight().laboratory.new_checkpoints()),
        processes_(config(), checkpoints_.parent_path() / "ranks", kSteps, fault) {}
  RankProcesses& processes() { return processes_; }
  [[nodiscard]] std::int64_t steps_saved() const {
    const auto saved = checkpoint::open_newest(checkpoints_);
    return saved ? saved->state().step : 0;
  }
  // What was saved before goes on, here with ranks as threads, to the bits of the straight run.
  void expect_to_go_on() {
    const std::int64_t saved = steps_saved();
    ASSERT_LT(saved, kSteps);
    const Outcome rest = straight().laboratory.run(
        four_ranks(),
        {.most_steps = kSteps - saved, .load = saved > 0 ? checkpoints_ : std::filesystem::path()});
    EXPECT_EQ(first_difference(rest.tensors, straight().tensors), "");
  }

 private:
  [[nodiscard]] Config config() const {
    Settings all = four_ranks();
    all.push_back(fmt::format("control.timeout_seconds={}", straight().timeout));
    all.push_back("train.run_dir=" + checkpoints_.parent_path().string());
    return straight().laboratory.config(all);
  }
  std::filesystem::path checkpoints_;
  RankProcesses processes_;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// It failed, and says as which rank and at which task, or which agreement.
void expect_to_say_where(const std::optional<RankEnd>& end, std::uint32_t rank) {
  ASSERT_TRUE(end);
  EXPECT_TRUE(WIFEXITED(end->status) && WEXITSTATUS(end->status) == 1) << end->err;
  EXPECT_TRUE(has(end->err, fmt::format("running rank {}", rank))) << end->err;
  const std::vector<std::string> places{
      fmt::format(") on rank {}", rank), fmt::format("rank {}: no task has finished", rank),
      fmt::format("rank {} waited for the others: ", rank),
      fmt::format("rank {} has waited {} s", rank, straight().timeout)};
  EXPECT_TRUE(std::any_of(places.begin(), places.end(), [&](const std::string& place) {
    return has(end->err, place);
  })) << end->err;
}

}  // namespace

void kill_one_rank(std::uint64_t seed) {
  const Watchdog watchdog("ranks one of which is killed");
  const ProcessFault fault = draw(seed, SIGKILL);
  SCOPED_TRACE(fmt::format("seed {}: rank {} at its task {}", seed, fault.rank, fault.number));
  const auto before = shared_memory();
  FaultyRun run(fault);
  const auto ends = run.processes().wait();
  expect_nothing_new_beside(before);
  for (std::uint32_t rank = 0; rank < ends.size(); ++rank) {
    if (rank == fault.rank) {
      EXPECT_TRUE(WIFSIGNALED(ends[rank]->status)) << ends[rank]->err;
      continue;
    }
    expect_to_say_where(ends[rank], rank);
    EXPECT_TRUE(has(ends[rank]->err, fmt::format("rank {} (process", fault.rank)) &&
                has(ends[rank]->err, "is lost"))
        << ends[rank]->err;
  }
  run.expect_to_go_on();
}

void stop_one_rank(std::uint64_t seed) {
  const Watchdog watchdog("ranks one of which is stopped");
  const ProcessFault fault = draw(seed, SIGSTOP);
  SCOPED_TRACE(fmt::format("seed {}: rank {} at its task {}", seed, fault.rank, fault.number));
  FaultyRun run(fault);
  run.processes().wait_for(fault.rank);
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    if (rank != fault.rank) run.processes().send(rank, SIGTERM);
  }
  const auto ends = run.processes().wait(fault.rank);
  for (std::uint32_t rank = 0; rank < ends.size(); ++rank) {
    if (rank == fault.rank) continue;
    expect_to_say_where(ends[rank], rank);
    EXPECT_TRUE(has(ends[rank]->err, fmt::format("no answer any more from rank {}; ", fault.rank)))
        << ends[rank]->err;
  }
  // A finished step is saved beside the next one, so this may have gone on after the rank stopped.
  EXPECT_LE(run.steps_saved(), steps_before(fault)) << "saved without one rank";
  run.expect_to_go_on();
}

}  // namespace megascale::testing
