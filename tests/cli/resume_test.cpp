// Equal bits: of equal runs, of every recomputation, and of runs that were interrupted in any way.
#include <gtest/gtest.h>

#include <csignal>

#include "cli/workspace.h"
#include "megascale/base/philox.h"

namespace megascale::testing {
namespace {

using nlohmann::json;
using Settings = std::vector<std::string>;

// The same bits, told apart from "both empty".
::testing::AssertionResult same_run(const std::filesystem::path& a, const std::filesystem::path& b,
                                    std::int64_t step) {
  const auto one = history_of(a), other = history_of(b);
  if (one.size() != static_cast<std::size_t>(step))
    return ::testing::AssertionFailure() << one.size() << " lines";
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one[i] != other.at(i)) return ::testing::AssertionFailure() << one[i] << "\n" << other[i];
  }
  const json first = checkpoint_of(a, step), second = checkpoint_of(b, step);
  if (!first.is_object() || first.at("tensors").size() < 10)
    return ::testing::AssertionFailure() << "no checkpoint";
  if (first != second)
    return ::testing::AssertionFailure() << "checkpoints differ: " << json::diff(first, second);
  return ::testing::AssertionSuccess();
}

struct Case {
  const char* name;
  Settings set;
};
void PrintTo(const Case& one, std::ostream* stream) { *stream << one.name; }
const std::vector<Case> kCases{
    {"adamw", {"train.eval_interval=5", "train.eval_iters=2"}},
    {"lamb", {"optimizer.name=lamb"}},
    {"packed",
     {"data.packed_documents=true", "model.type=llama", "model.sliding_window=8",
      "model.num_query_groups=1"}},
};
class Interrupted : public ::testing::TestWithParam<Case> {
 protected:
  // Settings of a run of `steps` steps. The learning rate does not depend on their number.
  [[nodiscard]] Settings settings(std::int64_t steps) const {
    Settings set = GetParam().set;
    for (const char* more :
         {"optimizer.lr_decay_iters=1000", "train.log_interval=100", "checkpoint.interval=50",
          "checkpoint.keep_last=3", "model.num_layers=1"}) {
      set.emplace_back(more);
    }
    set.push_back("train.train_iters=" + std::to_string(steps));
    return set;
  }
  // Settings of a run that does not end before it is interrupted, however slow the test is.
  [[nodiscard]] Settings endless() const { return settings(100'000'000); }
  // Continues an interrupted run to step `last`, and expects the bits of a straight run.
  void expect_continues_to(const std::string& run, std::int64_t last,
                           const std::string& says) const {
    const Finished straight = space.train("straight_" + run, settings(last));
    ASSERT_EQ(straight.exit_code, 0) << straight;
    EXPECT_EQ(straight.json().value("skipped_steps", -1), 0);
    const Finished continued = space.train(run, settings(last));
    EXPECT_EQ(continued.exit_code, 0) << continued;
    EXPECT_NE(continued.err.find(says), std::string::npos) << continued;
    EXPECT_TRUE(same_run(space / ("straight_" + run), space / run, last)) << run;
  }
  const Workspace space;
};

// Starts the run, waits for its first checkpoint and then `signal`s it at a random moment.
Finished interrupt(const Workspace& space, const char* run, const Settings& set, int signal,
                   std::uint64_t seed) {
  Process process(space.arguments("train", run, set));
  EXPECT_TRUE(process.wait_until([&] { return has_saved(space / run); }));
  const auto delay_ms = PhiloxStream(seed, "delay").bits(0) % 100;
  process.wait_until([] { return false; }, static_cast<double>(delay_ms) * 1e-3);
  process.send(signal);
  return process.wait();
}

TEST_P(Interrupted, EqualsTheStraightRun) {
  constexpr std::int64_t kMore = 120;  // steps after the interruption
  const Finished stopped = interrupt(space, "stopped", endless(), SIGTERM, 1);
  EXPECT_EQ(stopped.exit_code, 0) << stopped;
  const json result = stopped.json();
  ASSERT_TRUE(result.is_object()) << stopped;
  const std::int64_t at = result.at("steps_done");
  EXPECT_TRUE(result.at("interrupted")) << at;
  EXPECT_TRUE(checkpoint_of(space / "stopped", at).is_object())
      << "no checkpoint of the last step, " << at;
  expect_continues_to("stopped", at + kMore, "at step " + std::to_string(at));

  const std::uint64_t kills = GetParam().name == std::string("adamw") ? 2 : 1;
  for (std::uint64_t seed = 2; seed < 2 + kills; ++seed) {
    const std::string run = "killed" + std::to_string(seed);
    const Finished killed = interrupt(space, run.c_str(), endless(), SIGKILL, seed);
    EXPECT_EQ(killed.signal, SIGKILL);
    const auto done = static_cast<std::int64_t>(history_of(space / run).size());
    expect_continues_to(run, done + kMore, "resuming from");
  }
}
INSTANTIATE_TEST_SUITE_P(All, Interrupted, ::testing::ValuesIn(kCases),
                         [](const auto& one) { return one.param.name; });

// A line of /proc/ID/status, as a number: the signals that have a handler, say.
std::uint64_t signal_set(pid_t id, std::string_view name) {
  const std::string status = read("/proc/" + std::to_string(id) + "/status");
  const std::size_t at = status.find(name);
  return at == std::string::npos ? 0 : std::stoull(status.substr(at + name.size()), nullptr, 16);
}

// A handler's frame goes where the stack pointer is, and kernels of oneDNN point it at the heap
// (docs/decisions/0004-no-signal-handlers.md): any handler may ruin the run that it interrupts.
TEST(Train, HasNoSignalHandlers) {
  const Workspace space;
  Process process(space.arguments("train", "run", {"train.train_iters=100000"}));
  ASSERT_TRUE(
      process.wait_until([&] { return process.err().find("step 10/") != std::string::npos; }));
  std::uint64_t can_interrupt = (std::uint64_t{1} << 31) - 1;  // above: the C library's
  for (const int crash : {SIGILL, SIGBUS, SIGFPE, SIGSEGV})    // UCX reports them
    can_interrupt &= ~(std::uint64_t{1} << (crash - 1));
  EXPECT_EQ(signal_set(process.id(), "SigCgt:") & can_interrupt, 0U);
  constexpr std::uint64_t kStop = 1U << (SIGTERM - 1) | 1U << (SIGINT - 1);
  EXPECT_EQ(signal_set(process.id(), "SigBlk:") & kStop, kStop) << "the thread of the kernels";
  for (int i = 0; i < 1000; ++i) process.send(SIGTERM);
  const Finished stopped = process.wait();
  EXPECT_EQ(stopped.exit_code, 0) << stopped;
  EXPECT_TRUE(stopped.json().value("interrupted", false)) << stopped;
}

TEST(SameBits, OfTheSameSeedAndOfEveryRecomputation) {
  const Workspace space;
  ASSERT_EQ(space.train("one").exit_code, 0);
  ASSERT_EQ(space.train("two").exit_code, 0);
  EXPECT_TRUE(same_run(space / "one", space / "two", 12));
  ASSERT_EQ(space.train("other_seed", {"train.seed=5"}).exit_code, 0);
  EXPECT_FALSE(same_run(space / "one", space / "other_seed", 12));

  struct Policy {
    const char* name;
    Settings set;
  };
  const std::vector<Policy> policies{
      {"list", {"recompute.granularity=list", "recompute.ops=gelu,layer_norm"}},
      {"selective", {"recompute.granularity=selective"}},
      {"full", {"recompute.granularity=full"}}};
  for (const Policy& policy : policies) {
    const Finished trained = space.train(policy.name, policy.set);
    EXPECT_EQ(trained.exit_code, 0) << trained;
    EXPECT_TRUE(same_run(space / "one", space / policy.name, 12)) << policy.name;
  }
}

std::uint64_t retained(const std::vector<std::string>& arguments) {
  const Finished plan = megascale(arguments);
  EXPECT_EQ(plan.exit_code, 0) << plan;
  EXPECT_TRUE(plan.json().value("verified", false));
  return plan.json().at("ranks")[0].at("memory").at("by_category").at("retained");
}

TEST(Recompute, RetainsLess) {
  const Workspace space;
  for (const std::string& file : {(space / "tiny.toml").string(),
                                  std::string(MEGASCALE_SOURCE_DIR "/configs/gpt2-124m.toml")}) {
    const auto with = [&](Settings set) {
      std::vector<std::string> arguments{"plan", file, "--json"};
      for (std::string& assignment : set)
        arguments.insert(arguments.end(), {"--set", std::move(assignment)});
      return retained(arguments);
    };
    const std::uint64_t none = with({}),
                        list =
                            with({"recompute.granularity=list", "recompute.ops=gelu,layer_norm"}),
                        selective = with({"recompute.granularity=selective"}),
                        full = with({"recompute.granularity=full"});
    EXPECT_LT(list, none) << file;
    EXPECT_LT(selective, none) << file;
    EXPECT_LT(full, selective) << file;
    EXPECT_LT(full, list) << file;
  }
}

}  // namespace
}  // namespace megascale::testing
