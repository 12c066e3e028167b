// What a run leaves behind: configuration, plan, metrics, records, and a trace of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <map>
#include <set>
#include <thread>

#include "cli/workspace.h"
#include "megascale/config/load.h"

namespace megascale::testing {
namespace {

using nlohmann::json;

TEST(RunDirectory, HoldsWhatItsReaderExpects) {
  const Workspace space;
  const std::vector<std::string> set{"train.eval_interval=2", "train.eval_iters=1",
                                     "train.train_iters=5", "checkpoint.interval=3"};
  const Finished trained = space.train("run", set);
  ASSERT_EQ(trained.exit_code, 0) << trained;
  const std::set<std::string> fields{"step",
                                     "loss",
                                     "grad_norm",
                                     "lr",
                                     "step_seconds",
                                     "tokens_per_second",
                                     "mfu",
                                     "mfu_megatron",
                                     "hfu",
                                     "consumed_tokens",
                                     "exposed_comm_seconds",
                                     "bubble_seconds",
                                     "data_wait_seconds",
                                     "memory_bytes",
                                     "skipped",
                                     "skipped_steps"};
  const auto lines = metrics_of(space / "run");
  ASSERT_EQ(lines.size(), 5U);
  const Finished plan = megascale(space.arguments("plan", "run", set));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const json& line = lines[i];
    const bool evaluates = i == 1 || i == 3 || i == 4;
    EXPECT_EQ(line.contains("validation_loss"), evaluates) << line;
    EXPECT_EQ(line.contains("checkpoint_stall_seconds"), i == 2) << line;
    std::set<std::string> keys;
    for (const auto& [key, value] : line.items()) {
      if (key != "validation_loss" && key != "checkpoint_stall_seconds") keys.insert(key);
      EXPECT_TRUE(value.is_number() || key == "skipped") << key;
    }
    EXPECT_EQ(keys, fields);
    EXPECT_EQ(line.at("step"), i + 1);
    EXPECT_EQ(line.at("consumed_tokens"), (i + 1) * 4 * 32);
    EXPECT_NEAR(line.at("tokens_per_second").get<double>() * line.at("step_seconds").get<double>(),
                4 * 32, 1e-6);
    EXPECT_EQ(line.at("memory_bytes"), plan.json().at("ranks")[0].at("memory").at("total"));
  }
  EXPECT_LT(lines.back().at("loss"), lines.front().at("loss"));

  // The resolved configuration is one: it loads as itself and makes the same plan.
  const std::string written = read(space / "run/config.toml");
  EXPECT_EQ(to_toml(parse_config(written, "config.toml", {})), written);
  const std::string digest = plan.json().at("digest");
  EXPECT_EQ(megascale({"plan", (space / "run/config.toml").string(), "--json"}).json().at("digest"),
            digest);
  EXPECT_EQ(json::parse(read(space / "run/plan.json")).at("digest"), digest);
  EXPECT_TRUE(std::filesystem::exists(space / "run/events/rank0.ring"));
  const Finished again = megascale(
      {"train", (space / "run/config.toml").string(), "--set", "train.train_iters=6", "--json"});
  EXPECT_EQ(again.exit_code, 0) << again;
  EXPECT_EQ(metrics_of(space / "run").size(), 6U);
}

struct Slice {
  double begin = 0, end = 0;
  std::string name;
};

// By lane, in the order of time; at least one lane.
std::map<int, std::vector<Slice>> slices_of(const json& trace) {
  std::map<int, std::vector<Slice>> lanes;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    const double begin = event.at("ts"), length = event.at("dur");
    EXPECT_GE(length, 0.0) << event;
    lanes[event.at("tid")].push_back({begin, begin + length, event.at("name")});
  }
  for (auto& [lane, slices] : lanes) {
    std::sort(slices.begin(), slices.end(),
              [](const Slice& a, const Slice& b) { return a.begin < b.begin; });
  }
  EXPECT_GE(lanes.size(), 2U);
  return lanes;
}

void expect_no_overlap(const json& trace) {
  constexpr double kRounding = 1e-3;  // microseconds: records are in whole nanoseconds
  for (const auto& [lane, slices] : slices_of(trace)) {
    for (std::size_t i = 1; i < slices.size(); ++i) {
      ASSERT_LE(slices[i - 1].end, slices[i].begin + kRounding)
          << slices[i - 1].name << ", " << slices[i].name << " on lane " << lane;
    }
  }
}

// The dump of the run's plan, which is named by its digest.
std::filesystem::path dump_of(const std::filesystem::path& run) {
  const std::string digest = json::parse(read(run / "plan.json")).at("digest");
  return run / "events" / ("plan-" + digest + ".json");
}

TEST(RunDirectory, TraceOfAFinishedRun) {
  const Workspace space;
  ASSERT_EQ(space.train("run", {"observe.ring_steps=4"}).exit_code, 0);
  const Finished finished = megascale({"trace", (space / "run").string(), "--json"});
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_EQ(finished.json().at("steps"), (json{8, 9, 10, 11}));
  EXPECT_FALSE(finished.json().contains("unfinished"));
  const json trace = json::parse(read(space / "run/trace.json"));
  EXPECT_EQ(trace.at("traceEvents").size(), finished.json().at("events"));
  expect_no_overlap(trace);
  const auto tasks = json::parse(read(dump_of(space / "run"))).at("tasks").size();
  std::size_t slices = 0;
  for (const auto& [lane, of_lane] : slices_of(trace)) slices += of_lane.size();
  // The last step loads no batch for a step after it... unless it did: that task is carried.
  EXPECT_GE(slices, 4 * tasks - 1);
  EXPECT_LE(slices, 4 * tasks);
  const Finished one = megascale({"trace", (space / "run").string(), "--step", "9", "--output",
                                  (space / "one.json").string(), "--json"});
  EXPECT_EQ(one.exit_code, 0) << one;
  EXPECT_EQ(one.json().at("steps"), json{9}) << "what the file holds";
  EXPECT_NE(one.out.find("of rank 0, step 9 (counted from 0)\nalso recorded: steps 8, 10, 11"),
            std::string::npos)
      << one;
  const json of_one = json::parse(read(space / "one.json"));
  for (const json& event : of_one.at("traceEvents")) {
    if (event.at("ph") == "X") {
      EXPECT_EQ(event.at("args").at("step"), 9);
    }
  }
  const Finished gone = megascale({"trace", (space / "run").string(), "--step", "2", "--json"});
  EXPECT_EQ(gone.exit_code, 2) << gone;
  EXPECT_NE(gone.err.find("8, 9, 10, 11"), std::string::npos) << gone;
}

// Goal: the records of the steps in observe.trace_steps outlive the ring, in a resumed run too.
TEST(RunDirectory, TraceStepsAreKept) {
  const Workspace space;
  const auto train = [&](const std::string& most) {
    return space.train(
        "run", {"observe.ring_steps=2", "observe.trace_steps=1,5,9,400", "parallel.world_size=2",
                "optimizer.lr_decay_iters=12", "train.train_iters=" + most});
  };
  const auto steps_of = [&](const std::string& rank) {
    const Finished traced =
        megascale({"trace", (space / "run").string(), "--rank", rank, "--json"});
    EXPECT_EQ(traced.exit_code, 0) << traced;
    return traced.json().at("steps");
  };
  ASSERT_EQ(train("8").exit_code, 0);
  for (const char* rank : {"0", "1"}) EXPECT_EQ(steps_of(rank), (json{1, 5, 6, 7}));
  ASSERT_EQ(train("12").exit_code, 0);
  for (const char* rank : {"0", "1"}) EXPECT_EQ(steps_of(rank), (json{1, 5, 9, 10, 11}));
  const Finished one =
      megascale({"trace", (space / "run").string(), "--rank", "0", "--step", "5", "--json"});
  ASSERT_EQ(one.exit_code, 0) << one;
  const json trace = json::parse(read(space / "run/trace.json"));
  expect_no_overlap(trace);
  const auto tasks = json::parse(read(dump_of(space / "run"))).at("tasks").size();
  std::size_t slices = 0;
  for (const auto& [lane, of_lane] : slices_of(trace)) slices += of_lane.size();
  EXPECT_EQ(slices, tasks) << "carried tasks write to the kept place after their step";
  // A run that begins anew keeps nothing of the steps that it will do again.
  std::filesystem::remove_all(space / "run/checkpoints");
  ASSERT_EQ(train("4").exit_code, 0);
  EXPECT_EQ(steps_of("0"), (json{1, 2, 3}));
}

// Ranks of a stage share their plan, so one dump serves the traces of all.
TEST(RunDirectory, OneDumpPerStage) {
  const Workspace space;
  const Finished trained =
      space.train("run", {"parallel.world_size=4", "parallel.tensor_model_parallel_size=2",
                          "parallel.pipeline_model_parallel_size=2", "train.micro_batch_size=1",
                          "train.global_batch_size=2", "train.train_iters=2",
                          "optimizer.lr_decay_iters=3", "train.threads_per_rank=1"});
  ASSERT_EQ(trained.exit_code, 0) << trained;
  int dumps = 0;
  for (const auto& entry : std::filesystem::directory_iterator(space / "run/events")) {
    dumps += entry.path().extension() == ".json";
  }
  EXPECT_EQ(dumps, 2);
  for (const char* rank : {"0", "1", "2", "3"}) {
    const Finished traced =
        megascale({"trace", (space / "run").string(), "--rank", rank, "--json"});
    EXPECT_EQ(traced.exit_code, 0) << traced;
    EXPECT_EQ(traced.json().at("steps"), (json{0, 1})) << traced;
  }
  // One file holds all ranks, each as a process.
  const Finished traced = megascale({"trace", (space / "run").string(), "--json"});
  ASSERT_EQ(traced.exit_code, 0) << traced;
  EXPECT_EQ(traced.json().at("ranks"), (json{0, 1, 2, 3})) << traced;
  std::map<int, int> slices;  // by rank
  std::set<std::size_t> arrows;
  std::size_t heads = 0;
  const json trace = json::parse(read(space / "run/trace.json"));
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "X") ++slices[event.at("pid").get<int>()];
    if (event.at("ph") == "s") arrows.insert(event.at("id").get<std::size_t>());
    heads += event.at("ph") == "f" ? 1 : 0;
  }
  EXPECT_EQ(slices.size(), 4U);
  for (const auto& [rank, count] : slices) EXPECT_GT(count, 50) << rank;
  EXPECT_EQ(arrows.size(), heads) << "two arrows have one number";
  // A run that goes on with fewer ranks leaves no rings of ranks that it does not have.
  ASSERT_EQ(space
                .train("run", {"train.micro_batch_size=1", "train.global_batch_size=2",
                               "train.train_iters=3"})
                .exit_code,
            0);
  const Finished alone = megascale({"trace", (space / "run").string(), "--json"});
  EXPECT_EQ(alone.json().at("ranks"), json{0}) << alone;
}

// A run that is killed is nearly always in a step: the trace says which, and what it had come to.
TEST(RunDirectory, TraceOfAKilledRunNamesTheUnfinishedStep) {
  const Workspace space;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const std::string run = "run" + std::to_string(attempt);
    {
      Process process(space.arguments("train", run,
                                      {"model.hidden_size=128", "train.micro_batch_size=8",
                                       "train.global_batch_size=32", "train.train_iters=100000"}));
      ASSERT_TRUE(process.wait_until([&] {
        const std::string text = read(space / run / "metrics.jsonl");
        return std::count(text.begin(), text.end(), '\n') >= 3 + attempt;
      }));
      // The line is written between two steps.
      std::this_thread::sleep_for(std::chrono::milliseconds(2 + 5 * attempt));
      process.send(SIGKILL);
      EXPECT_EQ(process.wait().signal, SIGKILL);
    }
    const Finished finished = megascale({"trace", (space / run).string(), "--json"});
    ASSERT_EQ(finished.exit_code, 0) << finished;
    const json summary = finished.json();
    ASSERT_TRUE(summary.is_object()) << finished;
    expect_no_overlap(json::parse(read(space / run / "trace.json")));
    if (!summary.contains("unfinished")) continue;  // between two steps
    const json unfinished = summary.at("unfinished").at(0);
    EXPECT_EQ(unfinished.at("step"), summary.at("steps").back());
    EXPECT_NE(finished.out.find("is not finished"), std::string::npos);
    const json tasks = json::parse(read(dump_of(space / run))).at("tasks");
    EXPECT_TRUE(std::any_of(tasks.begin(), tasks.end(),
                            [&](const json& task) {
                              return task.at("name") == unfinished.at("last_task");
                            }) ||
                unfinished.at("last_task") == "none")
        << summary;
    return;
  }
  FAIL() << "five kills, and never in a step";
}

// All float32 values of a checkpoint's only shard.
std::vector<float> values_of(const std::filesystem::path& checkpoint) {
  const std::string bytes = read(checkpoint / "shard-00000-of-00001.safetensors");
  std::uint64_t header = 0;
  if (bytes.size() < sizeof header) return {};
  std::memcpy(&header, bytes.data(), sizeof header);
  std::vector<float> values((bytes.size() - sizeof header - header) / sizeof(float));
  std::memcpy(values.data(), bytes.data() + sizeof header + header, values.size() * sizeof(float));
  return values;
}

TEST(RunDirectory, ADivergingRunSkipsUpdatesAndKeepsFiniteWeights) {
  const Workspace space;
  // With this decay weights grow by 1e9 in every step, until the loss is no number.
  const Finished finished =
      space.train("run", {"optimizer.lr=1e6", "optimizer.weight_decay=1e3", "optimizer.clip_grad=0",
                          "optimizer.lr_decay_style=constant", "checkpoint.interval=6"});
  EXPECT_EQ(finished.exit_code, 0) << finished;
  const auto lines = metrics_of(space / "run");
  ASSERT_EQ(lines.size(), 12U);
  std::int64_t skipped = 0;
  for (const json& line : lines) {
    skipped += line.at("skipped").get<bool>() ? 1 : 0;
    EXPECT_EQ(line.at("skipped_steps"), skipped);
    EXPECT_EQ(line.at("skipped").get<bool>(),
              line.at("loss").is_null() || line.at("grad_norm").is_null())
        << line;
  }
  EXPECT_GE(skipped, 6) << finished;
  EXPECT_NE(finished.err.find("update skipped, because loss"), std::string::npos) << finished;
  const auto values = values_of(space / "run/checkpoints/step-00000012");
  ASSERT_GT(values.size(), 30000U);
  EXPECT_TRUE(
      std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); }));
  const json last = checkpoint_of(space / "run", 12), before = checkpoint_of(space / "run", 6);
  EXPECT_EQ(last.at("tensors"), before.at("tensors"))
      << "a skipped step leaves weights and moments";
  EXPECT_EQ(last.at("state").at("skipped"), skipped);
  EXPECT_EQ(last.at("state").at("updates"), 12 - skipped);
}

}  // namespace
}  // namespace megascale::testing
