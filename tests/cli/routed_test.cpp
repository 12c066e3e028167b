// A model with routed experts by the command line: plan, check, training on two expert ranks, trace,
// simulation, evaluation and text.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cli/workspace.h"

namespace megascale::testing {
namespace {

using nlohmann::json;

std::vector<std::string> on_two_expert_ranks(std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"model.type=mixtral", "model.ffn_hidden_size=48", "moe.num_experts=4",
                             "moe.aux_loss_coeff=0.01", "parallel.world_size=2",
                             "parallel.expert_model_parallel_size=2", "observe.trace_steps=1"});
  return more;
}

TEST(RoutedCommands, PlanSaysWorstCaseMeanAndBoundOfRows) {
  const Workspace space;
  const Finished plan =
      megascale(space.arguments("plan", "run", on_two_expert_ranks({"moe.rows_bound=1.5"})));
  ASSERT_EQ(plan.exit_code, 0) << plan;
  const json found = plan.json();
  EXPECT_TRUE(found.at("verified").get<bool>()) << plan;
  const json rows = found.at("expert_rows");
  const auto mean = rows.at("mean").get<std::int64_t>();
  EXPECT_GT(mean, 0);
  EXPECT_EQ(rows.at("worst"), 2 * mean) << plan;
  EXPECT_EQ(rows.at("bound"), mean * 3 / 2) << plan;
  EXPECT_LT(found.at("active_parameters"), found.at("parameters"));
  EXPECT_NE(plan.out.find("memory for " + std::to_string(mean * 3 / 2)), std::string::npos) << plan;
}

TEST(RoutedCommands, PlanSaysHowTokensAreDispatchedAndWhatBothWaysSend) {
  const Workspace space;
  const auto plan = [&](const std::string& type) {
    return megascale(
        space.arguments("plan", "run", on_two_expert_ranks({"moe.token_dispatcher_type=" + type})));
  };
  const Finished automatic = plan("auto");
  ASSERT_EQ(automatic.exit_code, 0) << automatic;
  const json facts = automatic.json().at("dispatch");
  EXPECT_EQ(facts.at("type"), "allgather") << "two experts per token on two ranks";
  EXPECT_EQ(facts.at("alltoall_bytes"), facts.at("allgather_bytes"))
      << "the mean of either is as many rows as a rank has";
  EXPECT_NE(automatic.out.find("allgather (auto)"), std::string::npos) << automatic;
  EXPECT_EQ(plan("alltoall").json().at("dispatch").at("type"), "alltoall");
}

// With the rates of a machine `auto` goes by them, says so once, and a run keeps what was chosen.
TEST(RoutedCommands, AutomaticDispatchGoesByTheRatesOfAMachine) {
  const Workspace space;
  const auto machine = [&](const std::string& name, double exchanged, double gathered) {
    std::string text = read(MEGASCALE_SOURCE_DIR "/clusters/h800.toml");
    text += fmt::format(
        "\n[transfers]\nbase_us = 10\n[transfers.gb_per_s]\nall_to_all = [[1, {0}]]\n"
        "all_to_all_v = [[1, {0}]]\nall_gather = [[1, {1}]]\nreduce_scatter = [[1, {1}]]\n",
        exchanged, gathered);
    std::ofstream(space / name) << text;
    return (space / name).string();
  };
  const auto settings = [&](const std::string& file) {
    return on_two_expert_ranks(
        {"moe.token_dispatcher_type=auto", "moe.token_dispatcher_rates=" + file});
  };
  const std::string exchanges = machine("exchanges.toml", 8, 2),
                    gathers = machine("gathers.toml", 2, 8);
  for (const auto& [file, type] :
       {std::pair{exchanges, "alltoall"}, std::pair{gathers, "allgather"}}) {
    const Finished plan = megascale(space.arguments("plan", "run", settings(file)));
    ASSERT_EQ(plan.exit_code, 0) << plan;
    EXPECT_EQ(plan.json().at("dispatch").at("type"), type) << plan;
    EXPECT_NE(plan.err.find(std::string("tokens go to their experts by ") + type + ": "),
              std::string::npos)
        << plan;
    EXPECT_NE(plan.err.find(" ms at the rates of " + file), std::string::npos) << plan;
  }
  const Finished trained = space.train("run", settings(exchanges));
  ASSERT_EQ(trained.exit_code, 0) << trained;
  EXPECT_NE(read(space / "run/config.toml").find("token_dispatcher_type = \"alltoall\""),
            std::string::npos);
  // Two pieces fit the 2 ranks of a cut by rank, but not the 3 experts of a rank of a cut by expert.
  auto cut = settings(exchanges);
  cut.insert(cut.end(), {"overlap.expert_pieces=2", "moe.num_experts=6"});
  const Finished refused = megascale(space.arguments("plan", "run", cut));
  EXPECT_EQ(refused.exit_code, 2) << refused;
  EXPECT_NE(refused.err.find("overlap.expert_pieces: "), std::string::npos) << refused;
  EXPECT_NE(refused.err.find("by alltoall"), std::string::npos) << refused;
  EXPECT_EQ(megascale(space.arguments("plan", "run", settings("/nowhere.toml"))).exit_code, 2);
}

// Four expert ranks do not fit the two context ranks of the stage.
TEST(RoutedCommands, AllErrorsOfExpertsAreReportedAtOnce) {
  const Workspace space;
  const Finished check = megascale(space.arguments(
      "check", "run",
      on_two_expert_ranks({"moe.num_experts=5", "moe.router_topk=6", "moe.rows_bound=0.5",
                           "moe.first_dense_layers=9", "moe.shared_expert_width=3",
                           "moe.expert_capacity_factor=0.5", "parallel.context_parallel_size=2",
                           "parallel.expert_model_parallel_size=4"})));
  EXPECT_EQ(check.exit_code, 2) << check;
  const std::string errors = check.json().at("errors").dump();
  for (const char* part : {"router_topk <= num_experts", "multiple of expert_model_parallel_size",
                           "rows_bound 0 or at least 1", "first_dense_layers < num_layers",
                           "moe.shared_expert_width", "expert_capacity_factor 0 or at least 1",
                           "the ranks of a stage (world_size / pipeline size) to be a multiple of",
                           "context_parallel_size = 2"})
    EXPECT_NE(errors.find(part), std::string::npos) << part << " is missing in " << errors;
}

// The cluster of the repository is only a description; the shares are checked by other tests.
TEST(RoutedCommands, SimulateAndPlanKnowLoadsOfExperts) {
  const Workspace space;
  const auto set = on_two_expert_ranks({"moe.rows_bound=1.5"});
  const auto simulated = [&](const std::string& load) {
    auto arguments = space.arguments("simulate", "run", set);
    arguments.insert(arguments.end(), {"--cluster", MEGASCALE_SOURCE_DIR "/clusters/h800.toml",
                                       "--expert-load", load});
    return megascale(arguments);
  };
  const Finished even = simulated("even"), steep = simulated("zipf:2");
  ASSERT_EQ(even.exit_code, 0) << even;
  ASSERT_EQ(steep.exit_code, 0) << steep;
  EXPECT_EQ(even.json().at("imbalance").at("share"), 0.0) << even;
  EXPECT_GT(steep.json().at("imbalance").at("share"), 0.0) << steep;
  EXPECT_GT(steep.json().at("imbalance").at("busiest_rank"), 1.0) << steep;
  // All tokens go to the first two of the four experts: the first rank gets twice its mean.
  const std::string file = (space / "metrics.jsonl").string();
  space.write("metrics.jsonl",
              R"({"step":0,"routing":{"layers":[0,1],"loads":[[8,8,0,0],[2,2,2,2]]}})"
              "\n");
  const Finished recorded = simulated(file);
  ASSERT_EQ(recorded.exit_code, 0) << recorded;
  EXPECT_EQ(recorded.json().at("imbalance").at("busiest_rank"), 2.0) << recorded;
  auto arguments = space.arguments("plan", "run", set);
  arguments.insert(arguments.end(), {"--expert-load", file});
  const Finished plan = megascale(arguments);
  ASSERT_EQ(plan.exit_code, 0) << plan;
  EXPECT_EQ(plan.json().at("expert_loads").at("busiest_rank"), 2.0) << plan;
  EXPECT_EQ(plan.json().at("expert_loads").at("layers_above_bound"), 1) << plan;
  EXPECT_EQ(recorded.json().at("expert_loads"), plan.json().at("expert_loads")) << recorded;
  for (const Finished& said : {recorded, plan}) {
    EXPECT_NE(said.out.find("at most 2.00 x the mean rows of an expert rank, in layer 0; memory is "
                            "for 1.50 x: too little in 1 layers"),
              std::string::npos)
        << said;
  }
  // A bound of all rows that can ever arrive is allowed.
  arguments.insert(arguments.end(), {"--set", "moe.rows_bound=0"});
  EXPECT_EQ(megascale(arguments).json().at("expert_loads").at("layers_above_bound"), 0);
  space.write("metrics.jsonl", R"({"routing":{"layers":[0],"loads":[[8,0]]}})"
                               "\n");
  for (const std::string& wrong : {std::string("zipf:-1"), std::string("uneven"), file}) {
    const Finished failed = simulated(wrong);
    EXPECT_EQ(failed.exit_code, 2) << failed;
    EXPECT_NE((failed.out + failed.err).find("--expert-load"), std::string::npos) << failed;
  }
}

// Goal: a layout, and a row, takes the seconds that `simulate` says with the same loads.
TEST(RoutedCommands, TuneAndAblateKnowLoadsOfExperts) {
  const Workspace space;
  const auto set = on_two_expert_ranks({"moe.rows_bound=1.5"});
  const auto run = [&](const std::string& command, const std::vector<std::string>& more) {
    auto arguments = space.arguments(command, "run", set);
    arguments.insert(arguments.end(), more.begin(), more.end());
    return megascale(arguments);
  };
  const std::vector<std::string> even{"--cluster", MEGASCALE_SOURCE_DIR "/clusters/h800.toml"};
  const auto with = [&](const std::string& load, std::vector<std::string> more = {}) {
    more.insert(more.end(), even.begin(), even.end());
    more.insert(more.end(), {"--expert-load", load});
    return more;
  };
  const auto seconds_of = [](const Finished& simulated) {
    return simulated.json().at("step_seconds").get<double>();
  };
  const double steep = seconds_of(run("simulate", with("zipf:2")));
  ASSERT_GT(steep, seconds_of(run("simulate", even)));

  const Finished ablated = run("ablate", with("zipf:2"));
  ASSERT_EQ(ablated.exit_code, 0) << ablated;
  const nlohmann::json rows = ablated.json().at("rows");
  double last = 0;
  for (const auto& row : rows) {
    if (!row.contains("not_in_this_job")) last = row.at("step_seconds").at("median");
  }
  EXPECT_EQ(last, steep) << ablated;

  const Finished tuned = run("tune", with("zipf:2", {"--simulations", "3"}));
  ASSERT_EQ(tuned.exit_code, 0) << tuned;
  const nlohmann::json found = tuned.json();
  for (const auto& one : found.at("tried")) {
    auto layout = with("zipf:2", {"--steps", "2"});
    for (const auto& override : one.at("overrides"))
      layout.insert(layout.end(), {"--set", override.get<std::string>()});
    EXPECT_EQ(one.at("step_seconds"), seconds_of(run("simulate", layout))) << one;
  }
  EXPECT_TRUE(found.contains("expert_loads")) << tuned;
  EXPECT_NE(tuned.out.find("x the mean rows of an expert rank"), std::string::npos) << tuned;

  for (const char* command : {"tune", "ablate"}) {
    const Finished wrong = run(command, with("uneven"));
    EXPECT_EQ(wrong.exit_code, 2) << wrong;
    EXPECT_NE(wrong.err.find("--expert-load uneven: expected even"), std::string::npos) << wrong;
  }
  const Finished measured = run("ablate", {"--expert-load", "zipf:2"});
  EXPECT_EQ(measured.exit_code, 2) << measured;
  EXPECT_NE(measured.err.find("expected --cluster"), std::string::npos) << measured;
}

TEST(RoutedCommands, TrainsTracesSimulatesAndWrites) {
  const Workspace space;
  const auto set = on_two_expert_ranks({"train.train_iters=3"});
  const Finished trained = space.train("run", set);
  ASSERT_EQ(trained.exit_code, 0) << trained;
  ASSERT_EQ(metrics_of(space / "run").size(), 3U);
  const std::string run = (space / "run").string(), trace = (space / "trace.json").string();
  const Finished traced = megascale({"trace", run, "--step", "1", "--output", trace});
  ASSERT_EQ(traced.exit_code, 0) << traced;
  const std::string text = read(trace);
  for (const char* task : {"route", "dispatch_map", "all_to_all_v", "grouped_linear"})
    EXPECT_NE(text.find(task), std::string::npos) << task;
  auto simulate = space.arguments("simulate", "run", set);
  simulate.insert(simulate.end(),
                  {"--cluster", MEGASCALE_SOURCE_DIR "/clusters/a100-megascale.toml"});
  const Finished simulated = megascale(simulate);
  ASSERT_EQ(simulated.exit_code, 0) << simulated;
  EXPECT_GT(simulated.json().at("step_seconds"), 0.0);
  const Finished wrote = megascale({"generate", "--checkpoint", run + "/checkpoints", "--prompt",
                                    "a", "--max-tokens", "5", "--seed", "1"});
  EXPECT_EQ(wrote.exit_code, 0) << wrote;
}

}  // namespace
}  // namespace megascale::testing
