// What is wrong with a file, a key or a disk is said, with its name; nothing crashes, hangs or is
// lost.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "cli/workspace.h"

namespace megascale::testing {
namespace {

using nlohmann::json;

// Refused with `code`; the message and the JSON object contain every one of `parts`.
::testing::AssertionResult refused(const Finished& finished, int code,
                                   const std::vector<std::string>& parts) {
  if (finished.exit_code != code || finished.timed_out)
    return ::testing::AssertionFailure() << "expected exit " << code << "\n" << finished;
  const json object = finished.json();
  if (!object.is_object() || object.value("errors", json::array()).empty())
    return ::testing::AssertionFailure() << "no JSON\n" << finished;
  for (const std::string& part : parts) {
    if (finished.err.find(part) == std::string::npos)
      return ::testing::AssertionFailure() << "no \"" << part << "\"\n" << finished;
    if (object.at("errors").dump().find(part) == std::string::npos)
      return ::testing::AssertionFailure() << "no \"" << part << "\" in the object\n" << finished;
  }
  return ::testing::AssertionSuccess();
}

TEST(BadInput, Texts) {
  const Workspace space;
  const auto prepare = [&](const char* name, std::string_view content) {
    return megascale({"prepare", space.write(name, content).string(), "--output",
                      (space / "out").string(), "--json"});
  };
  EXPECT_TRUE(refused(prepare("empty.txt", ""), 2, {"empty.txt", "found none"}));
  EXPECT_TRUE(refused(prepare("broken.txt", "abc\xff\xfe"), 2, {"broken.txt", "byte 3", "0xFF"}));
  EXPECT_TRUE(refused(
      prepare("broken.jsonl", "{\"text\": \"good\"}\n{\"text\": 3}\n{broken\n{\"txt\": \"\"}\n"), 2,
      {"broken.jsonl:2", "found 3", "broken.jsonl:3", "expected JSON", "broken.jsonl:4"}));
  EXPECT_TRUE(
      refused(megascale({"prepare", "/nothing", "--output", (space / "out").string(), "--json"}), 1,
              {"/nothing"}));
  EXPECT_TRUE(refused(
      megascale({"prepare", (space / "text.txt").string(), "--output", "/proc/out", "--json"}), 1,
      {"/proc/out"}));
  EXPECT_FALSE(std::filesystem::exists(space / "out.idx"));
}

TEST(BadInput, IndexedDatasets) {
  const Workspace space;
  const std::string index = read(space / "corpus.idx"), tokens = read(space / "corpus.bin");
  const auto train = [&](std::string_view name, std::string idx, std::string_view bin) {
    space.write(std::string(name) + ".idx", idx);
    space.write(std::string(name) + ".bin", bin);
    return space.train("run", {"data.data_path=" + (space / name).string()});
  };
  std::string magic = index, count = index, shorter = index.substr(0, index.size() - 5);
  magic[0] = 'X';
  count[18] = static_cast<char>(
      count[18] + 1);  // sequences: after 9 bytes of magic, 8 of version and 1 of dtype
  EXPECT_TRUE(refused(train("magic", magic, tokens), 2, {"magic.idx", "MMIDIDX"}));
  EXPECT_TRUE(refused(train("count", count, tokens), 2, {"count.idx"}));
  EXPECT_TRUE(refused(train("shorter", shorter, tokens), 2, {"shorter.idx"}));
  EXPECT_TRUE(refused(train("half", index, std::string_view(tokens).substr(0, tokens.size() / 2)),
                      2, {"half."}));
  EXPECT_TRUE(refused(train("none", index, ""), 2, {"none."}));
  EXPECT_TRUE(refused(space.train("run", {"data.data_path=" + (space / "absent").string()}), 1,
                      {"absent."}));
  EXPECT_TRUE(
      refused(space.train("run", {"model.seq_length=20000"}), 2, {"seq_length + 1 = 20001"}));
  // Tokens of a larger vocabulary.
  EXPECT_TRUE(refused(space.train("run", {"model.vocab_size=90", "data.tokenizer=other"}), 2,
                      {"corpus.bin", "from 0 to 89"}));
}

TEST(BadInput, Configurations) {
  const Workspace space;
  struct Wrong {
    const char* assignment;
    std::vector<std::string> parts;
  };
  for (const Wrong& wrong : std::vector<Wrong>{
           {"model.hidden_size=0", {"model.hidden_size", "found 0"}},
           {"model.num_layers=-1", {"model.num_layers", "found -1"}},
           {"train.micro_batch_size=0", {"train.micro_batch_size"}},
           {"train.global_batch_size=3", {"train.global_batch_size", "multiple"}},
           {"model.num_attention_heads=3", {"model.hidden_size", "num_attention_heads = 3"}},
           {"model.hiden_size=4", {"did you mean model.hidden_size?"}},
           {"modle.hidden_size=4", {"did you mean [model]?"}},
           {"model.n_embd=4", {"here it is model.hidden_size"}},
           {"optimizer.lr=1e30", {"optimizer.lr", "1e+30"}},
           {"optimizer.lr=nan", {"optimizer.lr", "nan"}},
           {"train.eval_interval=three", {"train.eval_interval", "three"}},
           {"train.threads_per_rank=-1", {"train.threads_per_rank"}}}) {
    for (const char* command : {"train", "check", "plan"}) {
      EXPECT_TRUE(
          refused(megascale(space.arguments(command, "run", {wrong.assignment})), 2, wrong.parts))
          << command;
    }
  }
  EXPECT_TRUE(refused(megascale({"train", "/nothing.toml", "--json"}), 2, {"/nothing.toml"}));
  EXPECT_TRUE(
      refused(megascale({"train", space.write("broken.toml", "[model\n").string(), "--json"}), 2,
              {"broken.toml:1"}));
  // All errors at once.
  EXPECT_TRUE(
      refused(megascale(space.arguments(
                  "check", "run", {"model.hidden_size=0", "train.seeed=1", "model.num_layers=0"})),
              2, {"model.hidden_size", "train.seed", "model.num_layers"}));
  EXPECT_FALSE(std::filesystem::exists(space / "run"));
}

// Comparisons with a bound let NaN pass, and numbers that are too large become others.
TEST(BadInput, NumbersOfTheCommandLine) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"generate", "--checkpoint", "x", "--temperature", "nan"},
           {"generate", "--checkpoint", "x", "--temperature", "inf"},
           {"generate", "--checkpoint", "x", "--top-p", "nan"},
           {"generate", "--checkpoint", "x", "--seed", "18446744073709551616"},
           {"generate", "--checkpoint", "x", "--max-tokens", "1e3"},
           {"calibrate", "--output", "x", "--seconds", "nan"},
           {"simulate", "x", "--jitter", "nan"}}) {
    std::vector<std::string> all = words;
    all.emplace_back("--json");
    EXPECT_TRUE(refused(megascale(all), 2, {words[words.size() - 2], "expected ", words.back()}));
  }
}

TEST(BadInput, RunDirectories) {
  const Workspace space;
  space.write("file", "");
  EXPECT_TRUE(refused(space.train("file"), 1, {(space / "file").string()}));
  EXPECT_TRUE(refused(megascale(space.arguments("check", "file")), 2, {"is no directory"}));
  EXPECT_TRUE(refused(space.train("x", {"train.run_dir=/proc/run"}), 1, {"/proc/run"}));
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  constexpr unsigned kNobody = 65534;
  ::chmod((space / "").c_str(), 0755);
  for (const char* command : {"train", "check"}) {
    const Finished finished = megascale(space.arguments(command, "run"), {.user = kNobody});
    EXPECT_TRUE(refused(finished, command == std::string("train") ? 1 : 2,
                        {(space / "").parent_path().string()}))
        << command;
  }
}

// A checkpoint of another model is refused by the name of a tensor, and the run that is there stays
// as it is.
TEST(BadInput, CheckpointsOfOtherModels) {
  const Workspace space;
  ASSERT_EQ(space.train("run", {"train.train_iters=2"}).exit_code, 0);
  const std::string config = read(space / "run/config.toml"),
                    ring = read(space / "run/events/rank0.ring"),
                    metrics = read(space / "run/metrics.jsonl");
  EXPECT_TRUE(refused(space.train("run", {"model.hidden_size=64"}), 2,
                      {"another model",
                       "--set model.hidden_size=64: model.hidden_size = 64, the "
                       "checkpoint has 32"}));
  EXPECT_TRUE(refused(space.train("run", {"model.num_layers=3"}), 2, {"num_layers = 3"}));
  EXPECT_TRUE(refused(space.train("new", {"checkpoint.load=" + (space / "run/checkpoints").string(),
                                          "model.type=llama"}),
                      2, {"model.type = ", "the checkpoint has ", "gpt2"}));
  EXPECT_TRUE(refused(space.train("new", {"checkpoint.load=/nothing"}), 2, {"/nothing"}));
  // Under another batch size or seed, samples would come again or not at all.
  EXPECT_TRUE(refused(space.train("run", {"train.global_batch_size=2"}), 2,
                      {"train.global_batch_size = 2, the checkpoint has 4 (batch)",
                       "checkpoint.allow_changes=batch", "checkpoint.start"}));
  EXPECT_TRUE(refused(space.train("run", {"data.seed=7"}), 2, {"data.seed"}));
  EXPECT_EQ(read(space / "run/config.toml"), config);
  EXPECT_TRUE(read(space / "run/events/rank0.ring") == ring);
  EXPECT_EQ(read(space / "run/metrics.jsonl"), metrics);
  // Without its newest checkpoint's bytes the one before is used.
  ASSERT_EQ(space.train("two", {"train.train_iters=4", "checkpoint.interval=2"}).exit_code, 0);
  std::ofstream(space / "two/checkpoints/step-00000004/manifest.json") << "{}";
  const Finished fallen_back = space.train(
      "two", {"train.train_iters=6", "optimizer.lr_decay_iters=4", "checkpoint.interval=2"});
  EXPECT_EQ(fallen_back.exit_code, 0) << fallen_back;
  EXPECT_NE(fallen_back.err.find("step-00000004/manifest.json"), std::string::npos) << fallen_back;
  EXPECT_NE(fallen_back.err.find("step-00000002 at step 2"), std::string::npos) << fallen_back;
  EXPECT_EQ(metrics_of(space / "two").size(), 6U);
}

// A tiny file system of its own.
class FullDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root to mount a tmpfs";
    std::filesystem::create_directory(space / "disk");
    if (::mount("tmpfs", (space / "disk").c_str(), "tmpfs", 0, "size=6m") != 0)
      GTEST_SKIP() << "cannot mount a tmpfs here";
    mounted_ = true;
  }
  void TearDown() override {
    if (mounted_) ::umount2((space / "disk").c_str(), MNT_DETACH);
  }
  // Takes what is left.
  void fill() const {
    std::ofstream filler(space / "disk/filler", std::ios::binary);
    const std::string block(4096, 'x');
    while (filler.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
    }
  }
  // In the system's words, or in ours before anything is written.
  static ::testing::AssertionResult says_that_the_disk_is_full(const Finished& finished) {
    for (const char* words : {"No space left on device", " 0 are free"}) {
      if (finished.err.find(words) != std::string::npos) return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure() << finished;
  }
  const Workspace space;

 private:
  bool mounted_ = false;
};

TEST_F(FullDisk, IsSurvivedByTheRunAndItsFormerCheckpoint) {
  const std::vector<std::string> set{"train.train_iters=4000", "model.num_layers=1",
                                     "checkpoint.interval=200", "checkpoint.keep_last=2",
                                     "train.log_interval=1000"};
  Process process(space.arguments("train", "disk/run", set));
  ASSERT_TRUE(process.wait_until([&] { return has_saved(space / "disk/run"); }));
  fill();
  // Metrics and a checkpoint fail, then there is space again.
  process.wait_until([&] {
    return process.err().find("not saved, training goes on") != std::string::npos &&
           process.err().find("metrics are kept in memory") != std::string::npos;
  });
  std::filesystem::remove(space / "disk/filler");
  const Finished finished = process.wait();
  EXPECT_EQ(finished.exit_code, 0) << finished;
  EXPECT_NE(finished.err.find("not saved, training goes on"), std::string::npos) << finished;
  EXPECT_NE(finished.err.find("metrics are kept in memory"), std::string::npos) << finished;
  EXPECT_NE(finished.err.find("none is missing"), std::string::npos) << finished;
  const auto lines = metrics_of(space / "disk/run");
  for (std::size_t i = 0; i < lines.size(); ++i)
    ASSERT_EQ(lines[i].at("step"), i + 1) << "the history has a gap";
  EXPECT_EQ(lines.size(), 4000U);
  EXPECT_TRUE(checkpoint_of(space / "disk/run", 4000).is_object());
  EXPECT_EQ(
      megascale({"checkpoint", "verify", (space / "disk/run/checkpoints").string()}).exit_code, 0);
}

TEST_F(FullDisk, IsSaidBeforeTheFirstStep) {
  fill();
  const Finished finished = space.train("disk/run");
  EXPECT_EQ(finished.exit_code, 1) << finished;
  EXPECT_NE(finished.err.find((space / "disk/run").string()), std::string::npos) << finished;
}

// Nothing comes after the last checkpoint: that it is not there is a failure.
TEST_F(FullDisk, FailsTheRunWhoseLastCheckpointDoesNotFit) {
  Process process(space.arguments(
      "train", "disk/run",
      {"train.train_iters=1000000", "checkpoint.interval=300", "train.log_interval=1000000"}));
  ASSERT_TRUE(process.wait_until([&] { return has_saved(space / "disk/run"); }));
  fill();
  process.send(SIGTERM);
  const Finished finished = process.wait();
  EXPECT_EQ(finished.exit_code, 1) << finished;
  EXPECT_TRUE(says_that_the_disk_is_full(finished));
  EXPECT_NE(finished.err.find((space / "disk/run/checkpoints").string()), std::string::npos)
      << finished;
  EXPECT_EQ(
      megascale({"checkpoint", "verify", (space / "disk/run/checkpoints").string()}).exit_code, 0);
}

TEST_F(FullDisk, IsSaidByEveryCommandThatWrites) {
  ASSERT_EQ(space.train("run", {"train.train_iters=2"}).exit_code, 0);
  fill();
  const std::string checkpoints = (space / "run/checkpoints").string(),
                    out = (space / "disk/out").string();
  for (std::vector<std::string> words : std::vector<std::vector<std::string>>{
           {"prepare", (space / "text.txt").string(), "--output", out},
           {"checkpoint", "export", checkpoints, out},
           {"trace", (space / "run").string(), "--output", out},
           {"plan", (space / "tiny.toml").string(), "--dump", out}}) {
    SCOPED_TRACE(words.front());
    words.emplace_back("--json");
    const Finished finished = megascale(words);
    EXPECT_TRUE(refused(finished, 1, {out}));
    EXPECT_TRUE(says_that_the_disk_is_full(finished));
  }
  EXPECT_FALSE(std::filesystem::exists(out + ".idx"));
}

}  // namespace
}  // namespace megascale::testing
