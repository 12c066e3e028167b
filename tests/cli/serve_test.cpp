// Goal: `megascale serve` shows a run of several ranks: heat map, history of a rank, timeline, plan.
// Method: a training of four ranks, then the real program, asked with a real client; and a simulated run.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "cli/launch_support.h"

namespace megascale::testing {
namespace {

using ::testing::HasSubstr;

class ServeCommandTest : public LaunchTest {
 protected:
  nlohmann::json get(const std::string& path) {
    httplib::Client client("127.0.0.1", port_);
    const auto answer = client.Get(path.c_str(), {{"Authorization", "Bearer " + token_}});
    if (!answer) return {{"no answer", path}};
    EXPECT_EQ(answer->status, 200) << path << ": " << answer->body;
    return nlohmann::json::parse(answer->body, nullptr, false);
  }
  // The heat map with all ranks: while rings are still read, the answer tells of some of them only.
  nlohmann::json table_of(const std::string& path) {
    nlohmann::json table;
    do {
      table = get(path);
    } while (table.contains("reading"));
    return table;
  }
  // Starts the program and waits until it serves.
  void serve(const std::filesystem::path& run) {
    const auto token_file = space_ / "token";
    process_ = std::make_unique<Process>(std::vector<std::string>{
        "serve", run.string(), "--port", "0", "--token-file", token_file.string()});
    ASSERT_TRUE(process_->wait_until([&] {
      return process_->out().find("Ctrl-C ends it") != std::string::npos;
    })) << process_->err();
    take_address(process_->out(), token_file);
  }
  // Reads the port from what a server has said, and the token from its file.
  void take_address(const std::string& said, const std::filesystem::path& token_file) {
    constexpr std::string_view kAddress = "serving http://127.0.0.1:";
    const std::size_t at = said.find(kAddress);
    ASSERT_NE(at, std::string::npos) << said;
    port_ = std::stoi(said.substr(at + kAddress.size()));
    struct stat facts {};
    ASSERT_EQ(::stat(token_file.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777U, 0600U);
    token_ = read(token_file);
    while (!token_.empty() && token_.back() == '\n') token_.pop_back();
  }
  void expect_shown(std::size_t ranks) {
    const auto table = table_of("/api/runs/0/ranks?steps=4");
    ASSERT_EQ(table.at("rank").size(), ranks) << table;
    EXPECT_EQ(table.at("host").size(), ranks);
    EXPECT_EQ(table.at("work").size(), ranks);
    EXPECT_TRUE(table.at("problems").empty()) << table;
    for (const auto& column : table.at("columns")) EXPECT_EQ(column.at("values").size(), ranks);
    const auto rank = get("/api/runs/0/rank?rank=1");
    EXPECT_EQ(rank.at("columns").at(0).at("key"), "compute");
    const auto timeline = get("/api/runs/0/timeline?ranks=0-" + std::to_string(ranks - 1));
    ASSERT_EQ(timeline.at("ranks").size(), ranks);
    EXPECT_EQ(rank.at("worst").size(), rank.at("steps").size());
    const auto& worst = rank["worst"].at(0).at("tasks");
    ASSERT_GT(worst.size(), 3U);
    EXPECT_GE(worst[0].at("seconds"), worst[1].at("seconds"));
    const auto memory = get("/api/runs/0/memory?rank=1&points=50");
    EXPECT_GT(memory.at("time").size(), 10U);
    EXPECT_LE(memory["time"].size(), 50U);
    EXPECT_GT(memory.at("bytes").at("retained").size(), 10U) << memory;
    EXPECT_EQ(timeline.at("clocks").at("uncertainty_ns"), 0) << "all ranks are on one host";
    EXPECT_EQ(timeline["clocks"].at("hosts").size(), 1U);
    for (const auto& lane : timeline.at("ranks").at(0).at("lanes")) {
      EXPECT_EQ(lane.at("id").size(), lane.at("end").size());
      for (std::size_t i = 0; i < lane.at("id").size(); ++i)
        EXPECT_LE(lane.at("start").at(i), lane.at("end").at(i));
    }
    EXPECT_EQ(get("/api/runs/0/plan").at("world_size"), ranks);
  }

  // Of rank 1 in 2 tensor x 2 data ranks; and of a choice of columns.
  void expect_groups() {
    const auto peers = get("/api/runs/0/peers?rank=1");
    EXPECT_EQ(peers.at("times_of"), 1);
    bool tensor = false, data = false;
    for (const auto& group : peers.at("groups")) {
      EXPECT_GT(group.at("transfers"), 0) << group;
      EXPECT_GE(group.at("moving_seconds"), 0) << group;
      if (group.at("axes") == nlohmann::json({"tensor"})) {
        tensor = group.at("members") == nlohmann::json({0, 1});
        EXPECT_EQ(group.at("direction"), "both");
        EXPECT_GT(group.at("sent_bytes"), 0);
        EXPECT_EQ(group.at("sent_bytes"), group.at("received_bytes"));
      }
      data = data || group.at("members") == nlohmann::json({1, 3});
    }
    EXPECT_TRUE(tensor && data) << peers;
    const auto chosen = table_of("/api/runs/0/ranks?columns=compute");
    for (const auto& column : chosen.at("columns"))
      EXPECT_EQ(column.at("values").size(), column.at("key") == "compute" ? 4 : 0) << column;
    httplib::Client client("127.0.0.1", port_);
    const auto answer =
        client.Get("/api/runs/0/peers?rank=4", {{"Authorization", "Bearer " + token_}});
    EXPECT_EQ(answer->status, 400);
    EXPECT_THAT(answer->body, HasSubstr("a rank from 0 to 3"));
  }

  const Workspace& space_ = space;
  int port_ = 0;  // chosen by the server
  std::string token_;
  std::unique_ptr<Process> process_;
};

TEST_F(ServeCommandTest, ShowsATraining) {
  const std::vector<std::string> set{
      "parallel.world_size=4", "parallel.tensor_model_parallel_size=2", "train.train_iters=10"};
  const Finished trained = space_.train("run", set);
  ASSERT_EQ(trained.exit_code, 0) << trained;
  serve(space_ / "run");
  expect_shown(4);
  expect_groups();
  EXPECT_EQ(get("/api/runs/0/hang").at("hangs"), false) << "it has ended";
  EXPECT_EQ(get("/api/runs").at("runs").at(0).at("newest").at("step"), 10);
  process_->send(SIGTERM);
  const Finished finished = process_->wait();
  EXPECT_EQ(finished.exit_code, 0) << finished;
  EXPECT_EQ(finished.out.find(token_), std::string::npos) << "the token stays in its file";
}

TEST_F(ServeCommandTest, BesideATrainingAndEndsWithIt) {
  auto arguments = space_.arguments("train", "run", kEndless);
  Process training(with(with(std::move(arguments), "--serve"), "--json"));
  ASSERT_TRUE(training.wait_until([&] {
    return training.err().find("Ctrl-C ends it") != std::string::npos &&
           std::filesystem::exists(space_ / "run" / "metrics.jsonl");
  })) << training.err();
  take_address(training.err(), space_ / "run" / "serve-token");
  EXPECT_EQ(training.err().find(token_), std::string::npos) << "the token stays in its file";
  EXPECT_EQ(get("/api/runs").at("runs").at(0).at("kind"), "trained");
  training.send(SIGTERM);
  const Finished finished = training.wait();
  EXPECT_EQ(finished.exit_code, 0) << finished;
  EXPECT_TRUE(finished.json().at("interrupted")) << "stdout has the results only: " << finished;
  const auto is_gone = [&] { return !httplib::Client("127.0.0.1", port_).Get("/"); };
  for (int i = 0; i < 100 && !is_gone(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_TRUE(is_gone());
}

TEST_F(ServeCommandTest, ShowsStepsThatWereMeasured) {
  const std::string kept = (space_ / "kept").string();
  auto arguments = space_.arguments("bench", "none", {"parallel.world_size=2"});
  arguments.insert(arguments.begin() + 1, "step");
  arguments.insert(arguments.end(),
                   {"--steps", "3", "--warmup", "1", "--peak", "1e9", "--keep", kept});
  const Finished measured = megascale(arguments);
  ASSERT_EQ(measured.exit_code, 0) << measured;
  serve(kept);
  expect_shown(2);
  EXPECT_EQ(get("/api/runs").at("runs").at(0).at("kind"), "measured");
}

// Of 32 ranks on four nodes, the eight of node 1 are slower.
TEST_F(ServeCommandTest, NamesTheSlowRanksOfASimulation) {
  const std::string root(MEGASCALE_SOURCE_DIR), kept = (space_ / "kept").string();
  const Finished simulated = megascale(
      {"simulate", root + "/configs/gpt2-124m.toml", "--cluster",
       root + "/clusters/a100-megascale.toml", "--set", "parallel.world_size=32", "--set",
       "parallel.tensor_model_parallel_size=4", "--set", "train.global_batch_size=32", "--set",
       "train.micro_batch_size=2", "--unfolded", "--slow-node", "1=0.95", "--keep", kept});
  ASSERT_EQ(simulated.exit_code, 0) << simulated;
  serve(kept);
  expect_shown(32);
  std::vector<int> named;
  const auto table = table_of("/api/runs/0/ranks");
  for (const auto& straggler : table.at("stragglers")) {
    EXPECT_EQ(straggler.at("cause"), "compute") << straggler;
    named.push_back(straggler.at("ranks").at(0));
  }
  EXPECT_THAT(named, ::testing::UnorderedElementsAre(8, 9, 10, 11, 12, 13, 14, 15));
  EXPECT_EQ(get("/api/runs").at("runs").at(0).at("kind"), "simulated");
}

TEST_F(ServeCommandTest, NamesTheRankThatHangsAliveAndDead) {
  Process job(with(space_.arguments("train", "run", four_ranks(kLong)), "--processes"));
  ASSERT_TRUE(job.wait_until([&] { return has_saved(space_ / "run"); }));
  ASSERT_EQ(::kill(processes_of(space_ / "run").at(2), SIGSTOP), 0);
  serve(space_ / "run");
  const auto suspects = [&] {
    nlohmann::json verdict;
    do {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      verdict = get("/api/runs/0/hang");
    } while (verdict.contains("watching"));
    return verdict.at("suspects");
  };
  // Until the others have come to the transfer in which they wait, they move, and nobody is named.
  nlohmann::json named;
  for (int i = 0; i < 40 && named.empty(); ++i) named = suspects();
  const auto expect_named = [&](const char* process) {
    ASSERT_FALSE(named.empty());
    for (const auto& suspect : named) EXPECT_EQ(suspect.at("rank"), 2) << suspect;
    EXPECT_THAT(named[0].at("process").get<std::string>(), HasSubstr(process));
  };
  expect_named("stopped");
  for (const auto& [rank, pid] : processes_of(space_ / "run")) ::kill(pid, SIGKILL);
  (void)job.wait();
  named = suspects();
  expect_named("gone");
}

TEST_F(ServeCommandTest, WithoutATerminalTheTokenNeedsAFile) {
  const Finished finished = megascale({"serve", (space_ / "").string()});
  EXPECT_EQ(finished.exit_code, 2) << finished;
  EXPECT_THAT(finished.err, HasSubstr("--token-file"));
  const std::string token = (space_ / "token").string();
  const auto refused = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"serve", (space_ / "").string(), "--token-file", token});
    const Finished ended = megascale(more);
    EXPECT_EQ(ended.exit_code, 2) << ended;
    return ended.err;
  };
  EXPECT_THAT(refused({"--address", "0.0.0.0"}), HasSubstr("--tls-cert FILE"));
  EXPECT_THAT(refused({"--operator-cert", "x"}), HasSubstr("--driver HOST:PORT"));
  EXPECT_THAT(refused({"--driver", "127.0.0.1:1"}), HasSubstr("--insecure"));
  EXPECT_EQ(
      megascale({"serve", (space_ / "none").string(), "--token-file", (space_ / "token").string()})
          .exit_code,
      2);
}

}  // namespace
}  // namespace megascale::testing
