// Every subcommand with --json, its exit codes and its help.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/workspace.h"
#include "support/sanitizer.h"

namespace megascale::testing {
namespace {

using nlohmann::json;

std::vector<std::string> keys_of(const json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

TEST(Commands, EvalReadsTheWholeCorpus) {
  const Workspace space;
  ASSERT_EQ(space.train("run", {"train.train_iters=2"}).exit_code, 0);
  const Finished eval = megascale({"eval", "--checkpoint", (space / "run/checkpoints").string(),
                                   "--data", space.corpus(), "--json"});
  ASSERT_EQ(eval.exit_code, 0) << eval;
  const json found = eval.json();
  ASSERT_TRUE(found.is_object()) << eval;
  EXPECT_EQ(found.at("batches"), 12000 / 32 / 4)
      << eval;  // some_text(12000) is a little longer; a batch is 4 x 32 tokens
  EXPECT_EQ(found.at("step"), 2);
  EXPECT_DOUBLE_EQ(found.at("perplexity"), std::exp(found.at("loss").get<double>()));
}

// The ranks of the training divided a batch; the evaluation is one rank and reads all of it.
TEST(Commands, EvalReadsWholeBatchesOfARunWithSeveralRanks) {
  const Workspace space;
  ASSERT_EQ(space.train("run", {"train.train_iters=2", "parallel.world_size=2"}).exit_code, 0);
  std::vector<std::string> words{"eval",   "--checkpoint", (space / "run/checkpoints").string(),
                                 "--data", space.corpus(), "--steps",
                                 "2",      "--json"};
  const json of_two = megascale(words).json();
  words.insert(words.end(), {"--set", "parallel.world_size=1"});
  EXPECT_EQ(of_two.at("loss"), megascale(words).json().at("loss"));
}

// `megascale WORDS... --json`: success, and the object.
json ok(std::vector<std::string> words) {
  words.emplace_back("--json");
  const Finished finished = megascale(words);
  EXPECT_EQ(finished.exit_code, 0) << words[0] << "\n" << finished;
  const json object = finished.json();
  EXPECT_TRUE(object.is_object()) << words[0] << ": one object, as the last line\n" << finished;
  return object.is_object() ? object : json::object();
}

// Goal: the text around the object may be anything, the object is one line and the last.
TEST(Commands, EveryOneEndsWithOneJsonObject) {
  const Workspace space;
  const std::string checkpoints = (space / "run/checkpoints").string();
  const Finished trained =
      space.train("run", {"train.train_iters=3", "train.eval_interval=2", "train.eval_iters=1"});
  ASSERT_EQ(trained.exit_code, 0) << trained;
  EXPECT_EQ(trained.json().value("steps_done", 0), 3) << trained;
  EXPECT_EQ(trained.json().value("interrupted", true), false) << trained;
  // The run is done: nothing to report but that, and its records stay.
  const Finished again =
      space.train("run", {"train.train_iters=3", "train.eval_interval=2", "train.eval_iters=1"});
  EXPECT_EQ(again.exit_code, 0) << again;
  EXPECT_EQ(again.json(), (json{{"steps_done", 3}, {"interrupted", false}})) << again;

  const auto words = [&](std::string_view command) {
    auto all = space.arguments(command, "run");
    all.pop_back();  // its --json
    return all;
  };
  const json plan = ok(words("plan"));
  EXPECT_EQ(plan.value("verified", false), true);
  EXPECT_EQ(plan.value("world_size", 0), 1);
  ASSERT_EQ(plan.at("ranks").size(), 1U);
  std::uint64_t bytes = 0;
  for (const auto& [category, nbytes] : plan["ranks"][0]["memory"]["by_category"].items())
    bytes += nbytes.get<std::uint64_t>();
  EXPECT_GE(plan["ranks"][0]["memory"]["total"], bytes * 99 / 100);
  for (const char* key : {"flops", "communication_bytes", "errors"})
    EXPECT_TRUE(plan.contains(key)) << key;
  auto check = words("check");
  check.insert(check.end(), {"--set", "train.train_iters=3"});  // as the run was trained
  EXPECT_EQ(ok(check).at("errors"), json::array());
  EXPECT_EQ(ok({"trace", (space / "run").string()}).at("steps"), (json{0, 1, 2}));
  EXPECT_EQ(ok({"checkpoint", "verify", checkpoints}).at("good"), true);
  EXPECT_EQ(ok({"checkpoint", "inspect", checkpoints}).at("step"), 3);
  EXPECT_TRUE(ok({"checkpoint", "export", checkpoints, (space / "hf").string()}).contains("files"));
  EXPECT_TRUE(ok({"checkpoint", "import", (space / "hf").string(), (space / "imported").string()})
                  .contains("checkpoint"));
  const json text = ok({"generate", "--checkpoint", checkpoints, "--prompt", "the king",
                        "--max-tokens", "20", "--ignore-end", "--seed", "3"});
  EXPECT_EQ(text.at("tokens").size(), 20U);
  // The text itself, not a text of a text: each byte is a token.
  EXPECT_NE(text.at("text").get<std::string>().front(), '"') << text;
  EXPECT_TRUE(ok({"prepare", (space / "text.txt").string(), "--output", (space / "again").string()})
                  .at("tokens") > 12000);
}

TEST(Commands, PlanDrawsThePipeline) {
  const Workspace space;
  const std::string svg = (space / "order.svg").string(), text = (space / "order.txt").string();
  for (const std::string& file : {svg, text}) {
    auto words = space.arguments("plan", "run",
                                 {"parallel.pipeline_model_parallel_size=2",
                                  "parallel.world_size=2", "parallel.pipeline_schedule=zb-h1",
                                  "train.micro_batch_size=1", "train.global_batch_size=3"});
    words.insert(words.end(), {"--draw", file});
    const Finished plan = megascale(words);
    EXPECT_NE(plan.out.find("zb-h1: 2 stages, 3 micro-batches, makespan 10, idle 10.0 %\n"
                            "stage 0 |F0|F1|..|B0|W0|F2|B1|W1|B2|W2|  idle 10.0 %, 2 in flight"),
              std::string::npos)
        << plan;
  }
  EXPECT_EQ(read(svg).rfind("<svg", 0), 0U);
  EXPECT_EQ(read(text).rfind("zb-h1: 2 stages", 0), 0U);
}

TEST(Commands, BenchPeakSetsTheBestProductBesideTheFmaPeak) {
  if (!kSanitizer.empty())
    GTEST_SKIP() << kSanitizer << " slows the loop of FMAs, not the library's products";
  const json peak = ok({"bench", "peak", "--seconds", "0.02", "--gemm-sizes", "256,512"});
  for (const char* who : {"one_core", "all_cores"}) {
    const json& figures = peak.at(who);
    EXPECT_TRUE(figures.at("gemm_size") == 256 || figures.at("gemm_size") == 512) << figures;
    EXPECT_DOUBLE_EQ(
        figures.at("gemm_of_peak").get<double>() * figures.at("fma_flops").get<double>(),
        figures.at("gemm_flops").get<double>());
    EXPECT_GT(figures.at("gemm_of_peak"), 0.001) << figures;
    EXPECT_LT(figures.at("gemm_of_peak"), 1.5) << figures;
    EXPECT_GT(figures.at("memory_bytes_per_second"), 1e8) << figures;
  }
  EXPECT_EQ(megascale({"bench", "peak", "--gemm-sizes", "0", "--json"}).exit_code, 2);
}

const std::vector<std::vector<std::string>> commands{{"prepare"},
                                                     {"train"},
                                                     {"plan"},
                                                     {"check"},
                                                     {"generate"},
                                                     {"chat"},
                                                     {"eval"},
                                                     {"evaluate"},
                                                     {"checkpoint"},
                                                     {"checkpoint", "verify"},
                                                     {"checkpoint", "inspect"},
                                                     {"checkpoint", "export"},
                                                     {"checkpoint", "import"},
                                                     {"trace"},
                                                     {"ablate"},
                                                     {"bench"},
                                                     {"bench", "peak"},
                                                     {"bench", "step"},
                                                     {"bench", "decode"},
                                                     {"bench", "collectives"}};

TEST(Commands, HelpAndWrongUsage) {
  for (auto words : commands) {
    SCOPED_TRACE(words.back());
    words.emplace_back("--help");
    const Finished help = megascale(words);
    EXPECT_EQ(help.exit_code, 0) << help;
    EXPECT_NE(help.out.find("Usage: megascale " + words[0]), std::string::npos) << help;
    EXPECT_EQ(help.err, "");
    words.back() = "--no-such-option";
    words.emplace_back("--json");
    const Finished wrong = megascale(words);
    EXPECT_EQ(wrong.exit_code, 2) << wrong;
    ASSERT_TRUE(wrong.json().is_object()) << wrong;
    EXPECT_EQ(wrong.json().at("errors").size(), 1U) << wrong;
  }
  EXPECT_EQ(megascale({}).exit_code, 2);
  EXPECT_EQ(megascale({"tarin"}).exit_code, 2);
  const Finished version = megascale({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.out.rfind("megascale 0.", 0), 0U) << version;
}

// A log that takes nothing more stops no run; a result that is lost is a failure.
TEST(Commands, OutputThatNobodyTakes) {
  const Workspace space;
  const std::vector<std::string> set{"train.train_iters=2"};
  const Finished full_log =
      megascale(space.arguments("train", "full_log", set), {.stderr_to = "/dev/full"});
  EXPECT_EQ(full_log.exit_code, 0) << full_log;
  EXPECT_EQ(metrics_of(space / "full_log").size(), 2U);
  Process deaf(space.arguments("train", "deaf", set));
  deaf.close_stderr();
  const Finished nobody_reads = deaf.wait();
  EXPECT_EQ(nobody_reads.exit_code, 0) << nobody_reads;
  EXPECT_EQ(metrics_of(space / "deaf").size(), 2U);
  const Finished full = megascale(space.arguments("plan", "run"), {.stdout_to = "/dev/full"});
  EXPECT_EQ(full.exit_code, 1) << full;
  EXPECT_NE(full.err.find("cannot write to stdout"), std::string::npos) << full;
}

TEST(Commands, MessagesThatAreNoUtf8AreStillJson) {
  const Finished finished = megascale({"prepare", "/nothing\xff", "--output", "x", "--json"});
  EXPECT_EQ(finished.exit_code, 1) << finished;
  EXPECT_TRUE(finished.json().is_object()) << finished;
}

TEST(Commands, BenchStepTakesAConfigurationThatEvaluates) {
  const Workspace space;
  auto arguments = space.arguments("bench step", "run", {"train.eval_interval=2"});
  arguments.insert(arguments.end(), {"--steps", "3", "--warmup", "1"});
  const Finished bench = megascale(arguments);
  ASSERT_EQ(bench.exit_code, 0) << bench;
  const json found = bench.json();
  ASSERT_TRUE(found.is_object()) << bench;
  const json& seconds = found.at("step_seconds");
  EXPECT_EQ(keys_of(seconds), (std::vector<std::string>{"max", "median", "min"}));
  const double median = seconds.at("median");
  EXPECT_GT(seconds.at("min"), 0.0);
  EXPECT_LE(seconds.at("min"), median);
  EXPECT_LE(median, seconds.at("max"));
  EXPECT_EQ(found.at("steps"), 3);
  EXPECT_NEAR(found.at("tokens_per_second").get<double>(), 4 * 32 / median, 1e-6 * 4 * 32 / median);
  const double rate = found.at("flops_per_step").get<double>() / median;
  EXPECT_NEAR(found.at("mfu").get<double>(), rate / found.at("peak_flops").get<double>(), 1e-9);
  EXPECT_GT(found.at("mfu_megatron"), found.at("mfu"));  // it credits the whole attention square
  double in_ops = 0;
  for (const auto& [op, time] : found.at("time_by_op").items()) {
    EXPECT_GT(time.at("tasks"), 0) << op;
    in_ops += time.at("seconds").get<double>();
  }
  EXPECT_GT(in_ops, 0.0);
  EXPECT_LE(in_ops, median);
}

// The text of the first step's weights knows nothing: ln(256).
TEST(Commands, BenchStepPrintsTheLoss) {
  const Workspace space;
  auto arguments = space.arguments("bench step", "run", {"model.init_method_std=0.02"});
  arguments.insert(arguments.end(), {"--steps", "3", "--warmup", "1"});
  const Finished bench = megascale(arguments);
  ASSERT_EQ(bench.exit_code, 0) << bench;
  const json found = bench.json();
  const json& loss = found.at("loss");
  EXPECT_NEAR(loss.at("expected_first").get<double>(), std::log(256.0), 1e-12);
  EXPECT_NEAR(loss.at("first").get<double>(), std::log(256.0), 0.1);
  EXPECT_LT(loss.at("last"), loss.at("first")) << "it sees the same tokens again";
  EXPECT_NE(bench.out.find("; expected about ln V = 5.5452 at the start"), std::string::npos)
      << bench.out;
}

TEST(Commands, BenchStepKeepsRecordsForTheTrace) {
  const Workspace space;
  const std::string kept = (space / "kept").string();
  auto arguments = space.arguments("bench step", "run", {});
  arguments.insert(arguments.end(), {"--steps", "2", "--warmup", "1", "--keep", kept});
  ASSERT_EQ(megascale(arguments).exit_code, 0);
  EXPECT_EQ(ok({"trace", kept}).at("steps"), (std::vector<int>{0, 1, 2}));
}

TEST(Commands, BenchStepOfComputationAloneUpdatesToo) {
  const Workspace space;
  // Wide enough for its transfers not to count as small ones.
  auto arguments =
      space.arguments("bench step", "run",
                      {"parallel.world_size=2", "parallel.tensor_model_parallel_size=2",
                       "model.hidden_size=256", "train.micro_batch_size=4"});
  arguments.insert(arguments.end(), {"--steps", "2", "--warmup", "1", "--only", "computation"});
  const Finished bench = megascale(arguments);
  ASSERT_EQ(bench.exit_code, 0) << bench;
  EXPECT_EQ(bench.json().at("skipped_steps"), 0) << bench;
  EXPECT_FALSE(bench.json().contains("loss")) << "sums of which parts are missing";
}

// Nothing is computed then, and so no token is counted.
TEST(Commands, BenchStepOfCommunicationAloneNeedsNoTokens) {
  const Workspace space;
  auto arguments = space.arguments(
      "bench step", "run", {"parallel.world_size=2", "parallel.tensor_model_parallel_size=2"});
  arguments.insert(arguments.end(), {"--steps", "2", "--warmup", "1", "--only", "communication"});
  const Finished bench = megascale(arguments);
  ASSERT_EQ(bench.exit_code, 0) << bench;
  EXPECT_GT(bench.json().at("step_seconds").at("median").get<double>(), 0) << bench;
}

// A plan for CUDA devices is sized and verified anywhere; what executes it says why it cannot.
TEST(Commands, WithoutADeviceItsPlansAreSizedAndNotExecuted) {
  const Workspace space;
  const std::string device = "train.device=cuda";
  if (megascale(space.arguments("bench gemm", "run")).exit_code == 0)
    GTEST_SKIP() << "there is a device";
  const auto memory = [&](const std::vector<std::string>& set) {
    const json planned = ok(space.arguments("plan", "run", set));
    EXPECT_EQ(planned.at("verified"), true);
    return planned.at("ranks").at(0).at("memory").at("total").get<std::int64_t>();
  };
  // Products ask for 32 MiB of workspace there.
  EXPECT_GT(memory({device}), memory({}) + (std::int64_t{16} << 20U));
  for (const std::string command : {"train", "bench step", "bench gemm", "bench attention"}) {
    const Finished refused = megascale(space.arguments(command, "run", {device}));
    EXPECT_EQ(refused.exit_code, 1) << command << refused;
    EXPECT_NE(refused.err.find("CUDA"), std::string::npos) << command << refused;
  }
  // The rules hold for the option as for the key.
  auto plain = space.arguments("bench step", "run", {"kernels.fused=false"});
  plain.insert(plain.end(), {"--device", "cuda"});
  EXPECT_EQ(megascale(plain).exit_code, 2);
}

// Times mean nothing here; what is said about them must fit.
TEST(Commands, BenchCollectivesOverEveryTransport) {
  for (const std::string transport : {"local", "ucx", "ucx-tcp"}) {
    const Finished bench =
        megascale({"bench", "collectives", "--ranks", "3", "--transport", transport, "--sizes",
                   "1000,64k", "--batches", "1", "--json"});
    if (bench.exit_code == 1 && bench.err.find("built without UCX") != std::string::npos) continue;
    ASSERT_EQ(bench.exit_code, 0) << bench;
    const json found = bench.json();
    EXPECT_EQ(found.at("transport"), transport);
    ASSERT_EQ(found.at("results").size(), 12U) << "six kinds, two sizes";
    for (const json& one : found.at("results")) {
      SCOPED_TRACE(one.dump());
      EXPECT_EQ(one.at("bytes").get<int>() % 12, 0) << "whole floats of every rank";
      const double median = one.at("seconds").at("median");
      EXPECT_GT(median, 0.0);
      EXPECT_NEAR(one.at("algbw_gb_per_s"), one.at("bytes").get<double>() / median * 1e-9, 1e-6);
      double factor = one.at("kind") == "all_reduce" ? 4.0 / 3 : 2.0 / 3;
      if (one.at("kind") == "broadcast" || one.at("kind") == "shift") factor = 1;
      EXPECT_NEAR(one.at("busbw_gb_per_s"), factor * one.at("algbw_gb_per_s").get<double>(), 1e-6);
    }
  }
  EXPECT_EQ(megascale({"bench", "collectives", "--transport", "pigeon"}).exit_code, 2);
  EXPECT_EQ(megascale({"bench", "collectives", "--kinds", "all_togather"}).exit_code, 2);
  EXPECT_EQ(megascale({"bench", "collectives", "--ranks", "0"}).exit_code, 2);
}

// The same plans in simulated time: classes take what all ranks take, and a slow node slows the
// job.
TEST(Commands, Simulate) {
  const std::string cluster = std::string(MEGASCALE_SOURCE_DIR) + "/clusters/a100-megascale.toml";
  const auto simulate = [&](std::vector<std::string> more) {
    std::vector<std::string> all{"simulate",
                                 std::string(MEGASCALE_SOURCE_DIR) + "/configs/gpt2-124m.toml",
                                 "--cluster", cluster, "--json"};
    for (const char* setting : {"parallel.world_size=32", "parallel.tensor_model_parallel_size=4",
                                "parallel.pipeline_model_parallel_size=2",
                                "train.global_batch_size=32", "train.micro_batch_size=2"}) {
      all.insert(all.end(), {"--set", setting});
    }
    all.insert(all.end(), more.begin(), more.end());
    return megascale(all);
  };
  const Finished folded = simulate({}), unfolded = simulate({"--unfolded"});
  ASSERT_EQ(folded.exit_code, 0) << folded;
  ASSERT_EQ(unfolded.exit_code, 0) << unfolded;
  EXPECT_EQ(folded.json().at("simulated_ranks"), 2);
  EXPECT_EQ(unfolded.json().at("simulated_ranks"), 32);
  EXPECT_EQ(folded.json().at("step_seconds"), unfolded.json().at("step_seconds"));
  EXPECT_GT(folded.json().at("mfu"), 0.0);
  // Six replicas of two ranks: the groups of the first stage stand on nodes otherwise than most.
  const std::vector<std::string> across{"--set", "parallel.world_size=24",
                                        "--set", "parallel.tensor_model_parallel_size=2",
                                        "--set", "train.global_batch_size=24"};
  std::vector<std::string> all_across = across;
  all_across.emplace_back("--unfolded");
  const Finished some = simulate(across), all = simulate(all_across);
  ASSERT_EQ(some.exit_code, 0) << some;
  ASSERT_EQ(all.exit_code, 0) << all;
  EXPECT_LT(some.json().at("simulated_ranks"), 24);
  EXPECT_EQ(some.json().at("step_seconds"), all.json().at("step_seconds"));
  const Finished slow = simulate({"--slow-node", "1=0.5"});
  ASSERT_EQ(slow.exit_code, 0) << slow;
  EXPECT_GT(slow.json().at("step_seconds"), folded.json().at("step_seconds"));
  const Workspace space;
  const std::string kept = (space / "kept").string();
  ASSERT_EQ(simulate({"--keep", kept}).exit_code, 0);
  const Finished trace = megascale({"trace", kept, "--rank", "16", "--json"});
  ASSERT_EQ(trace.exit_code, 0) << "the last step of the second stage's first rank: " << trace;
  EXPECT_EQ(trace.json().at("steps"), nlohmann::json({2}));
  EXPECT_GT(trace.json().at("events"), 100);
  EXPECT_EQ(simulate({"--slow-node", "4=0.5"}).exit_code, 2) << "there are nodes 0 to 3";
  EXPECT_EQ(simulate({"--slow-node", "1=fast"}).exit_code, 2);
  EXPECT_EQ(simulate({"--cluster", "/nowhere.toml"}).exit_code, 2);
}

// Layouts by predicted time: what is said of one is what simulate says of it.
TEST(Commands, Tune) {
  const std::string root(MEGASCALE_SOURCE_DIR), cluster = root + "/clusters/a100-megascale.toml",
                                                config = root + "/configs/gpt2-124m.toml";
  const Finished tuned =
      megascale({"tune", config, "--cluster", cluster, "--set", "parallel.world_size=8", "--set",
                 "train.global_batch_size=32", "--simulations", "6", "--show", "3", "--json"});
  ASSERT_EQ(tuned.exit_code, 0) << tuned;
  const nlohmann::json found = tuned.json();
  EXPECT_EQ(found.at("simulated"), 6);
  EXPECT_GT(found.at("layouts"), 50);
  const nlohmann::json& tried = found.at("tried");
  ASSERT_EQ(tried.size(), 6U);
  EXPECT_EQ(std::count_if(tried.begin(), tried.end(),
                          [](const nlohmann::json& one) { return one.at("given").get<bool>(); }),
            1);
  for (std::size_t i = 1; i < tried.size(); ++i)
    EXPECT_LE(tried[i - 1].at("step_seconds"), tried[i].at("step_seconds"));
  std::vector<std::string> simulate{"simulate",  config,
                                    "--cluster", cluster,
                                    "--set",     "parallel.world_size=8",
                                    "--set",     "train.global_batch_size=32",
                                    "--json",    "--steps",
                                    "2"};
  for (const nlohmann::json& override : tried[0].at("overrides"))
    simulate.insert(simulate.end(), {"--set", override.get<std::string>()});
  EXPECT_EQ(megascale(simulate).json().at("step_seconds"), tried[0].at("step_seconds"));
  EXPECT_EQ(megascale({"tune", config, "--cluster", cluster, "--simulations", "0"}).exit_code, 2);
}

TEST(Commands, BenchCollectivesBesideOpenMpi) {
  const std::vector<std::string> bench{"bench",     "collectives", "--ranks",   "2",
                                       "--kinds",   "all_gather",  "--sizes",   "4k",
                                       "--batches", "1",           "--openmpi", "--json"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), bench.begin(), bench.end());
    return megascale(more);
  };
  const Finished missing = with({"--openmpi-program", "/nowhere/yardstick"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_NE(missing.err.find("/nowhere/yardstick"), std::string::npos) << missing;
  const Finished beside = with({});
  if (beside.err.find("no program") != std::string::npos)
    GTEST_SKIP() << "the bench build has no Open MPI yardstick: " << beside.err;
  ASSERT_EQ(beside.exit_code, 0) << beside;
  EXPECT_GT(beside.json().at("results").at(0).at("openmpi_seconds"), 0.0);
}

}  // namespace
}  // namespace megascale::testing
