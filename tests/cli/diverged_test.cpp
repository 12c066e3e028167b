// Goal: a run whose steps are skipped for good stops, says so, and keeps what is worth keeping.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/workspace.h"

namespace megascale::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Settings = std::vector<std::string>;

// Learns, and then meets a learning rate that makes the weights overflow.
const Settings kDiverges{"model.type=llama",           "model.num_layers=2",
                         "train.train_iters=400",      "train.log_interval=10",
                         "optimizer.lr=1e6",           "optimizer.lr_warmup_iters=0",
                         "optimizer.clip_grad=0",      "optimizer.lr_decay_style=constant",
                         "checkpoint.interval=1",      "checkpoint.keep_last=2",
                         "checkpoint.background=false"};

TEST(Diverged, ARunStopsAndKeepsItsLastHealthyCheckpoint) {
  const Workspace space;
  Settings all = kDiverges;
  all.emplace_back("train.max_skipped_steps=7");
  const Finished stopped = space.train("run", all);
  EXPECT_EQ(stopped.exit_code, 1) << stopped;
  EXPECT_THAT(stopped.err,
              AllOf(HasSubstr("the last 7 steps in a row were skipped"),
                    HasSubstr("the newest healthy checkpoint is"), HasSubstr("checkpoint.load=")));
  const auto lines = metrics_of(space / "run");
  ASSERT_GT(lines.size(), 7U);
  EXPECT_LT(lines.size(), 400U);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_TRUE(lines[lines.size() - 1 - i].at("skipped"));
  EXPECT_FALSE(lines[lines.size() - 8].at("skipped"));
  // Two last ones, as asked, and the healthy one before them.
  const Finished verified =
      megascale({"checkpoint", "verify", (space / "run/checkpoints").string(), "--json"});
  ASSERT_EQ(verified.exit_code, 0) << verified;
  const json found = verified.json().at("checkpoints");
  ASSERT_EQ(found.size(), 3U) << verified;
  EXPECT_FALSE(found[0].at("healthy"));
  EXPECT_FALSE(found[1].at("healthy"));
  EXPECT_TRUE(found[2].at("healthy"));
  EXPECT_EQ(found[2].at("step"), lines.size() - 8) << "the weights of the step after it failed";
  EXPECT_THAT(verified.out, HasSubstr("not healthy"));
  EXPECT_THAT(stopped.err, HasSubstr(found[2].at("path").get<std::string>()));
  // The same command goes on counting.
  const Finished again = space.train("run", all);
  EXPECT_EQ(again.exit_code, 1) << again;
  EXPECT_THAT(again.err, AllOf(HasSubstr("its run had diverged"),
                               HasSubstr("the last 7 steps in a row were skipped")));
  // The advice of the message works.
  const Finished better = space.train(
      "better", {"model.type=llama", "model.num_layers=2", "optimizer.lr=1e-4",
                 "train.train_iters=40", "optimizer.lr_warmup_iters=0", "optimizer.clip_grad=0",
                 "optimizer.lr_decay_style=constant", "checkpoint.allow_changes=schedule",
                 "checkpoint.load=" + found[2].at("path").get<std::string>()});
  EXPECT_THAT(better.err, HasSubstr("resuming from"));
}

TEST(Diverged, NeverStopsOnRequest) {
  const Workspace space;
  Settings all = kDiverges;
  all.insert(all.end(),
             {"train.max_skipped_steps=0", "train.train_iters=60", "checkpoint.interval=0"});
  const Finished finished = space.train("run", all);
  EXPECT_EQ(finished.exit_code, 0) << finished;
  EXPECT_EQ(metrics_of(space / "run").size(), 60U);
}

// Documents of one token have no target under packed_documents.
TEST(Diverged, ABatchWithoutTargetsIsNamed) {
  const Workspace space;
  std::string text;
  for (int i = 0; i < 4000; ++i) text += "a\n";
  const auto file = space.write("short.txt", text);
  const std::string prefix = (space / "short").string();
  ASSERT_EQ(
      megascale({"prepare", file.string(), "--separator", "\n", "--no-eod", "--output", prefix})
          .exit_code,
      0);
  const Finished finished =
      space.train("run", {"data.data_path=" + prefix, "data.packed_documents=true"});
  EXPECT_EQ(finished.exit_code, 2) << finished;
  EXPECT_THAT(finished.err, AllOf(HasSubstr("step 1: expected a token with a target"),
                                  HasSubstr("data.packed_documents"), Not(HasSubstr("nan"))));
  const Finished eval = [&] {
    EXPECT_EQ(space.train("good", {"data.packed_documents=true", "train.train_iters=2"}).exit_code,
              0);
    return megascale({"eval", "--checkpoint", (space / "good/checkpoints").string(), "--data",
                      prefix, "--json"});
  }();
  EXPECT_EQ(eval.exit_code, 2) << eval;
  EXPECT_THAT(eval.err, HasSubstr("evaluation: expected a token with a target"));
}

TEST(Log, TellsTheDataAndTheMeanLossOfTheInterval) {
  const Workspace space;
  const Finished trained =
      space.train("run", {"data.data_path=" + space.corpus() + "," + space.corpus(),
                          "train.log_interval=4", "train.eval_interval=12", "train.eval_iters=1"});
  ASSERT_EQ(trained.exit_code, 0) << trained;
  EXPECT_THAT(trained.err,
              AllOf(HasSubstr("data: " + space.corpus() + " with "), HasSubstr("training data: "),
                    HasSubstr("12 steps of 4 samples are 0."), HasSubstr("validation data: ")));
  const auto lines = metrics_of(space / "run");
  for (const std::size_t end : {4U, 8U, 12U}) {
    double sum = 0;
    for (std::size_t i = end - 4; i < end; ++i) sum += lines[i].at("loss").get<double>();
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "step %zu/12 | loss %.4f", end, sum / 4);
    EXPECT_THAT(trained.err, HasSubstr(text.data()));
  }
}

}  // namespace
}  // namespace megascale::testing
