// What `check` and `plan` find before anything runs, and sizes that multiply: refused by an
// estimate, before any work.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "cli/workspace.h"

namespace megascale::testing {
namespace {

// Refused as bad usage; the message contains every one of `parts`.
::testing::AssertionResult refused(const Finished& finished,
                                   const std::vector<std::string>& parts) {
  if (finished.exit_code != 2 || finished.timed_out)
    return ::testing::AssertionFailure() << "expected exit 2\n" << finished;
  for (const std::string& part : parts) {
    if (finished.err.find(part) == std::string::npos)
      return ::testing::AssertionFailure() << "no \"" << part << "\"\n" << finished;
  }
  return ::testing::AssertionSuccess();
}

TEST(Foresight, SizesThatMultiplyAreRefusedByAnEstimate) {
  const Workspace space;
  struct Case {
    std::vector<std::string> settings, parts;
  };
  for (const Case& one : std::vector<Case>{
           {{"model.num_layers=1000000"}, {"at most 2e+06 ops", "model.num_layers = 1000000"}},
           {{"model.num_layers=20000", "train.global_batch_size=8192", "train.micro_batch_size=1"},
            {"at most 6e+07 tasks", "8192 micro-batches"}},
           {{"model.hidden_size=16777216", "model.num_layers=4096", "model.seq_length=16777216",
             "train.micro_batch_size=65536", "train.global_batch_size=65536"},
            {"byte counts below 2^62", "model.hidden_size = 16777216"}},
           {{"parallel.pipeline_schedule=/dev/zero"}, {"/dev/zero", "regular file"}}}) {
    for (const char* command : {"check", "plan", "train"})
      EXPECT_TRUE(refused(megascale(space.arguments(command, "run", one.settings)), one.parts))
          << command;
  }
  const auto fifo = space / "schedule.fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_TRUE(refused(
      megascale(space.arguments("plan", "run", {"parallel.pipeline_schedule=" + fifo.string()})),
      {"regular file"}));
  EXPECT_FALSE(std::filesystem::exists(space / "run"));
}

TEST(Foresight, MoreRanksThanAHostRunsAreRefused) {
  const Workspace space;
  const std::vector<std::string> many{"parallel.world_size=100000",
                                      "train.global_batch_size=200000"};
  for (const char* how : {"processes", "threads"}) {
    auto words = space.arguments("train", "run", many);
    if (how == std::string("processes")) words.emplace_back("--processes");
    EXPECT_TRUE(
        refused(megascale(words), {"at most 1024 ranks as", how, "found 100000", "mpirun"}));
  }
}

TEST(Foresight, KeysOfManyPartsAreRefused) {
  const Workspace space;
  std::string key = "a";
  for (int i = 1; i < 50'000; ++i) key += ".a";
  for (const std::string& text : {"[model]\n\n" + key + " = 1\n", "[" + key + "]\n",
                                  "[model]\n\nx = { " + key + " = 1 }\n"}) {
    EXPECT_TRUE(refused(megascale({"check", space.write("deep.toml", text).string()}),
                        {"deep.toml", "line ", "at most 32 parts"}));
  }
  const auto cluster = space.write("cluster.toml", key + " = 1\n");
  EXPECT_TRUE(refused(
      megascale({"simulate", (space / "tiny.toml").string(), "--cluster", cluster.string()}),
      {"cluster.toml", "at most 32 parts"}));
  EXPECT_TRUE(refused(megascale({"check", (space / "tiny.toml").string(), "--set",
                                 "observe.trace_steps=[{" + key + "=1}]"}),
                      {"observe.trace_steps"}));
}

TEST(Foresight, CheckComparesVocabularyTokenizerDataAndDevice) {
  const Workspace space;
  const auto check = [&](const std::vector<std::string>& settings) {
    return megascale(space.arguments("check", "run", settings));
  };
  ASSERT_EQ(check({}).exit_code, 0);
  const auto tokenizer =
      space.write("tokenizer.json",
                  R"({"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2}, "merges": []}})");
  EXPECT_TRUE(refused(check({"model.vocab_size=2", "data.tokenizer=" + tokenizer.string()}),
                      {"ids of one tokenizer, found \"byte\"", "tokenizer.json",
                       "corpus.bin, in document 0", "id from 0 to 1"}));
  std::string letters;
  for (int i = 0; i < 300; ++i) letters += "abc"[i % 3];
  const std::string prefix = (space / "letters").string();
  const Finished prepared =
      megascale({"prepare", space.write("letters.txt", letters).string(), "--tokenizer",
                 tokenizer.string(), "--no-eod", "--output", prefix});
  ASSERT_EQ(prepared.exit_code, 0) << prepared;
  EXPECT_TRUE(refused(check({"model.vocab_size=2", "data.tokenizer=" + tokenizer.string(),
                             "data.data_path=" + prefix}),
                      {"model.vocab_size = 2", "at least the 3 ids"}));
  const Finished cuda = check({"train.device=cuda"});
  if (cuda.exit_code != 0) {  // this machine has no device, or the binary no CUDA
    EXPECT_TRUE(refused(cuda, {"train.device = cuda: "}));
  }
}

// A token outside of the vocabulary ends the run before it has written anything.
TEST(Foresight, TrainRefusesDataOfAnotherVocabularyBeforeItStarts) {
  const Workspace space;
  const Finished trained =
      space.train("run", {"model.vocab_size=110", "data.tokenizer=other", "data.shuffle=false"});
  EXPECT_TRUE(refused(trained, {"corpus.bin", "in document", "from 0 to 109"}));
  EXPECT_FALSE(std::filesystem::exists(space / "run"));
}

TEST(Foresight, MisspeltCommandsAreNamed) {
  EXPECT_TRUE(refused(megascale({"trian", "x.toml"}), {"\"trian\"", "did you mean train?"}));
  EXPECT_TRUE(refused(megascale({"bench", "stpe", "x.toml"}),
                      {"bench: unknown command \"stpe\"", "did you mean step?"}));
  EXPECT_TRUE(refused(megascale({"bench", "everything", "--json"}),
                      {"\"everything\"", "known commands: peak"}));
  EXPECT_TRUE(refused(megascale({"plan", "x.toml", "y.toml"}), {"y.toml"}));
}

TEST(Foresight, AnUnevenPipelineIsPlanned) {
  const Workspace space;
  const std::vector<std::string> stages{"model.num_layers=126",
                                        "parallel.pipeline_model_parallel_size=16"};
  EXPECT_TRUE(refused(megascale(space.arguments("plan", "run", stages)),
                      {"num_layers to be a multiple", "pipeline_layers"}));
  auto with = stages;
  with.insert(with.end(), {"parallel.account_for_embedding_in_pipeline_split=true",
                           "parallel.account_for_loss_in_pipeline_split=true"});
  const Finished counted = megascale(space.arguments("plan", "run", with));
  ASSERT_EQ(counted.exit_code, 0) << counted;
  EXPECT_EQ(counted.json().at("ranks").size(), 16U);
}

TEST(Foresight, PicturesAreWhatTheirNamesSay) {
  const Workspace space;
  const auto draw = [&](const char* name) {
    auto words = space.arguments("plan", "run", {"parallel.pipeline_model_parallel_size=2"});
    words.insert(words.end(), {"--draw", (space / name).string()});
    return megascale(words);
  };
  EXPECT_TRUE(refused(draw("x.png"), {"x.png", ".svg", "found .png"}));
  EXPECT_FALSE(std::filesystem::exists(space / "x.png"));
  ASSERT_EQ(draw("x.svg").exit_code, 0);
  EXPECT_EQ(read(space / "x.svg").rfind("<svg", 0), 0U);
  ASSERT_EQ(draw("x.txt").exit_code, 0);
  EXPECT_EQ(read(space / "x.txt").rfind("1f1b", 0), 0U);
}

}  // namespace
}  // namespace megascale::testing
