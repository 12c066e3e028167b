// Goal: a checkpoint is the authority on its model, and a run that resumes goes on as it was, unless
// the user says otherwise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cli/workspace.h"

namespace megascale::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Settings = std::vector<std::string>;

// A run of 6 steps in run "first", whose model has keys that no shape of a tensor shows.
class AuthorityTest : public ::testing::Test {
 protected:
  AuthorityTest() {
    const Finished trained = train("first", kModel);
    EXPECT_EQ(trained.exit_code, 0) << trained;
  }
  [[nodiscard]] Finished train(const char* run, const Settings& more) const {
    Settings all{"train.train_iters=6", "optimizer.lr_decay_iters=12"};
    all.insert(all.end(), more.begin(), more.end());
    return space.train(run, all);
  }
  [[nodiscard]] std::string checkpoints(const char* run = "first") const {
    return (space / run / "checkpoints").string();
  }
  [[nodiscard]] json config_of(const char* run) const {
    const Finished inspected = megascale({"checkpoint", "inspect", checkpoints(run), "--json"});
    EXPECT_EQ(inspected.exit_code, 0) << inspected;
    return inspected.json().at("config");
  }

  static inline const Settings kModel{"model.num_attention_heads=2", "model.norm_epsilon=1e-6",
                                      "model.sliding_window=16", "model.position_embedding=rope",
                                      "model.rotary_base=500"};
  const Workspace space;
};

// All of these train without a complaint if the tensors alone are compared.
TEST_F(AuthorityTest, AnotherModelOfTheSameShapesIsRefusedWithBothValues) {
  struct Case {
    const char *setting, *now, *before;
  };
  for (const Case& other :
       {Case{"model.num_attention_heads=4", "model.num_attention_heads = 4", "has 2"},
        Case{"model.norm_epsilon=1e-5", "model.norm_epsilon = 1e-05", "has 1e-06"},
        Case{"model.sliding_window=8", "model.sliding_window = 8", "has 16"},
        Case{"model.rotary_base=10000", "model.rotary_base = 10000.0", "has 500.0"}}) {
    for (const Settings& start :
         {Settings{}, Settings{"train.run_dir=" + (space / "other").string(),
                               "checkpoint.load=" + checkpoints(), "checkpoint.start=weights"}}) {
      Settings all = kModel;
      all.insert(all.end(), start.begin(), start.end());
      all.emplace_back(other.setting);
      for (const char* command : {"train", "check"}) {
        const Finished refused = megascale(space.arguments(command, "first", all));
        EXPECT_EQ(refused.exit_code, 2) << refused;
        EXPECT_THAT(refused.err,
                    AllOf(HasSubstr(std::string("--set ") + other.setting), HasSubstr(other.now),
                          HasSubstr(other.before), HasSubstr("step-00000006")));
      }
    }
  }
  EXPECT_FALSE(std::filesystem::exists(space / "other/metrics.jsonl"));
  for (const char* command : {"generate", "eval"}) {
    Settings words{command, "--checkpoint", checkpoints(), "--set", "model.num_attention_heads=4"};
    if (command == std::string("eval")) words.insert(words.end(), {"--data", space.corpus()});
    const Finished refused = megascale(words);
    EXPECT_EQ(refused.exit_code, 2) << refused;
    EXPECT_THAT(refused.err, HasSubstr("--set model.num_attention_heads=4"));
  }
}

// tiny.toml gives some keys of [model]; the others come from the checkpoint, also where their
// defaults differ.
TEST_F(AuthorityTest, KeysThatAreLeftOutComeFromTheCheckpoint) {
  const Finished resumed = train("first", {"train.train_iters=8"});
  ASSERT_EQ(resumed.exit_code, 0) << resumed;
  EXPECT_EQ(resumed.json().at("steps_done"), 8);
  EXPECT_THAT(read(space / "first/config.toml"),
              AllOf(HasSubstr("rotary_base = 500.0"), HasSubstr("sliding_window = 16"),
                    HasSubstr("position_embedding = \"rope\"")));
  const Settings load{"checkpoint.load=" + checkpoints(), "checkpoint.start=weights"};
  const Finished plan = megascale(space.arguments("plan", "elsewhere", load));
  ASSERT_EQ(plan.exit_code, 0) << plan;
  EXPECT_EQ(plan.json().at("digest"), json::parse(read(space / "first/plan.json")).at("digest"));
  const Finished check = megascale(space.arguments("check", "elsewhere", load));
  EXPECT_EQ(check.exit_code, 0) << check;
}

TEST_F(AuthorityTest, InspectPrintsTheWholeConfiguration) {
  const Finished inspected = megascale({"checkpoint", "inspect", checkpoints()});
  ASSERT_EQ(inspected.exit_code, 0) << inspected;
  EXPECT_THAT(inspected.out, AllOf(HasSubstr("[model]\n"), HasSubstr("rotary_base = 500.0"),
                                   HasSubstr("[optimizer]\n"), HasSubstr("[checkpoint]\n"),
                                   HasSubstr("embedding.word.weight")));
}

TEST_F(AuthorityTest, StartFromWeightsBeginsAnew) {
  const Settings start{"checkpoint.load=" + checkpoints(), "checkpoint.start=weights",
                       "data.seed=7", "optimizer.lr=1e-3", "train.train_iters=3"};
  const Finished tuned = train("tuned", start);
  ASSERT_EQ(tuned.exit_code, 0) << tuned;
  EXPECT_THAT(tuned.err, HasSubstr("starting from the weights of"));
  const auto first = metrics_of(space / "first"), lines = metrics_of(space / "tuned");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].at("step"), 1);
  EXPECT_EQ(lines[0].at("consumed_tokens"), 4 * 32);
  EXPECT_EQ(lines[0].at("lr"), 1e-3) << "the warm-up of one step begins anew";
  EXPECT_LT(lines[0].at("loss"), first[0].at("loss"));
  EXPECT_LT(lines[0].at("loss").get<double>(), first[5].at("loss").get<double>() + 0.2);
  EXPECT_EQ(checkpoint_of(space / "tuned", 3).at("state").at("updates"), 3);
  // Once the run has a checkpoint of its own, it resumes that.
  const Finished again = train("tuned", {start[0], start[1], start[2], start[3]});
  ASSERT_EQ(again.exit_code, 0) << again;
  EXPECT_THAT(again.err, HasSubstr("resuming from"));
  EXPECT_EQ(again.json().at("steps_done"), 6);
  // Weights without a checkpoint are no start.
  EXPECT_EQ(train("none", {"checkpoint.start=weights"}).exit_code, 2);
}

TEST_F(AuthorityTest, AnotherRunIsRefusedUntilItIsAllowed) {
  struct Case {
    const char *setting, *kind, *says;
  };
  const Settings more{"train.train_iters=7"};
  for (const Case& change :
       {Case{"data.seed=7", "data", "data.seed = 7, the checkpoint has 1234"},
        Case{"data.split=8,1,1", "data", "data.split = "},
        Case{"data.shuffle=false", "data", "data.shuffle = false"},
        Case{"model.seq_length=16", "data", "model.seq_length = 16, the checkpoint has 32"},
        Case{"optimizer.lr=1e-3", "schedule", "optimizer.lr = 0.001, the checkpoint has 0.003"},
        Case{"optimizer.lr_decay_iters=9", "schedule", "lr_decay_iters = 9"},
        Case{"optimizer.weight_decay=0.2", "optimizer", "optimizer.weight_decay = 0.2"},
        Case{"optimizer.name=lamb", "optimizer", "optimizer.name = "}}) {
    Settings all = more;
    all.emplace_back(change.setting);
    const Finished refused = train("first", all);
    EXPECT_EQ(refused.exit_code, 2) << refused;
    EXPECT_THAT(refused.err,
                AllOf(HasSubstr(change.says), HasSubstr(std::string("--set ") + change.setting),
                      HasSubstr(std::string("checkpoint.allow_changes=") + change.kind)));
    all.insert(all.end(), {std::string("checkpoint.allow_changes=") + change.kind,
                           "checkpoint.load=" + checkpoints()});
    const std::string run = std::string("allowed_") + change.setting;
    const Finished allowed = train(run.c_str(), all);
    EXPECT_EQ(allowed.exit_code, 0) << allowed;
    EXPECT_THAT(allowed.err, AllOf(HasSubstr("allowed change of"), HasSubstr(change.says)));
  }
  // A longer run has another schedule, unless its decay is given.
  const Finished longer = space.train("first", {"train.train_iters=20"});
  EXPECT_EQ(longer.exit_code, 2) << longer;
  EXPECT_THAT(longer.err, HasSubstr("optimizer.lr_decay_iters = 20 (not given"));
}

// The content of the data counts, not its path.
TEST_F(AuthorityTest, OtherDataBehindThePathIsNoticed) {
  const auto copy = [&](const char* name) {
    for (const char* end : {".bin", ".idx"}) {
      std::filesystem::copy_file(space.corpus() + end, (space / name).string() + end,
                                 std::filesystem::copy_options::overwrite_existing);
    }
    return "data.data_path=" + (space / name).string();
  };
  const std::string moved = copy("moved");
  EXPECT_EQ(train("first", {moved, "train.train_iters=7"}).exit_code, 0);
  std::fstream bin(space / "moved.bin", std::ios::in | std::ios::out | std::ios::binary);
  bin.put('#');
  bin.close();
  const Finished refused = train("first", {moved, "train.train_iters=8"});
  EXPECT_EQ(refused.exit_code, 2) << refused;
  EXPECT_THAT(refused.err, AllOf(HasSubstr("the content of data.data_path"),
                                 HasSubstr("checkpoint.allow_changes=data")));
}

// After a change of the batch no sample comes twice and none is left out.
TEST_F(AuthorityTest, SamplesGoOnBehindTheConsumedOnes) {
  const Finished changed =
      train("first",
            {"train.global_batch_size=8", "checkpoint.allow_changes=batch", "train.train_iters=9"});
  ASSERT_EQ(changed.exit_code, 0) << changed;
  EXPECT_EQ(metrics_of(space / "first").back().at("consumed_tokens"), (6 * 4 + 3 * 8) * 32);
  const json state = checkpoint_of(space / "first", 9).at("state");
  EXPECT_EQ(state.at("consumed_samples"), 6 * 4 + 3 * 8);
  // The rolling hash of the samples is that of a run that never changed its batch.
  Settings straight = kModel;
  straight.insert(straight.end(), {"train.train_iters=12"});
  ASSERT_EQ(train("straight", straight).exit_code, 0);
  const json all = checkpoint_of(space / "straight", 12).at("state");
  EXPECT_EQ(state.at("sample_digest"), all.at("sample_digest"));
  // And it stays so when the run resumes with its new batch.
  const Finished resumed = train("first", {"train.global_batch_size=8", "train.train_iters=10"});
  ASSERT_EQ(resumed.exit_code, 0) << resumed;
  EXPECT_EQ(checkpoint_of(space / "first", 10).at("state").at("consumed_samples"), 56);
}

// Goal: what an import writes trains as it is, but for the data.
TEST_F(AuthorityTest, AnImportIsReadyToTrain) {
  ASSERT_EQ(space.train("gpt2", {"train.train_iters=3"}).exit_code, 0);
  const std::string exported = (space / "exported").string(),
                    to = (space / "in/checkpoints").string();
  ASSERT_EQ(megascale({"checkpoint", "export", checkpoints("gpt2"), exported}).exit_code, 0);
  const Finished imported = megascale({"checkpoint", "import", exported, to, "--json"});
  ASSERT_EQ(imported.exit_code, 0) << imported;
  EXPECT_EQ(imported.json().at("train_file"), to + "/train.toml");
  EXPECT_THAT(imported.out, HasSubstr("megascale train " + to + "/train.toml"));
  const Settings short_run{"data.data_path=" + space.corpus(), "train.train_iters=2",
                           "train.global_batch_size=2", "optimizer.lr_decay_iters=1000"};
  const auto run = [&](const char* command) {
    Settings words{command, to + "/train.toml", "--json"};
    for (const std::string& set : short_run) words.insert(words.end(), {"--set", set});
    return megascale(words);
  };
  EXPECT_EQ(run("check").exit_code, 0);
  const Finished trained = run("train");
  ASSERT_EQ(trained.exit_code, 0) << trained;
  EXPECT_THAT(trained.err, HasSubstr("in/checkpoints/step-00000000 (step 0)"));
  EXPECT_EQ(metrics_of(space / "in/tuned").size(), 2U);
  // A file that the user has edited is kept.
  std::ofstream(to + "/train.toml") << "# mine\n";
  const Finished again = megascale({"checkpoint", "import", exported, to});
  EXPECT_EQ(again.exit_code, 0) << again;
  EXPECT_THAT(again.err, HasSubstr("is now " + to + "/train.toml.1"));
  EXPECT_EQ(read(to + "/train.toml.1"), "# mine\n");
  EXPECT_EQ(run("check").exit_code, 0);
  EXPECT_EQ(megascale({"checkpoint", "import", exported, to}).err, "") << "the same content";
}

}  // namespace
}  // namespace megascale::testing
