// From text to a model and back with a tokenizer of one's own: `tokenizer`, `prepare`, and the
// commands that find the tokenizer in the checkpoint.
#include <gtest/gtest.h>
#include <signal.h>

#include <cmath>
#include <filesystem>

#include "cli/workspace.h"

namespace megascale::testing {
namespace {

using nlohmann::json;

::testing::AssertionResult fails(const Finished& finished, int code,
                                 const std::vector<std::string>& parts) {
  if (finished.exit_code != code) {
    return ::testing::AssertionFailure() << "expected exit " << code << "\n" << finished;
  }
  for (const std::string& part : parts) {
    if (finished.err.find(part) == std::string::npos)
      return ::testing::AssertionFailure() << "no \"" << part << "\"\n" << finished;
  }
  return ::testing::AssertionSuccess();
}

class TokenizerCommand : public ::testing::Test {
 protected:
  // `megascale WORDS... --json`: success, and the object.
  static json ok(std::vector<std::string> words) {
    words.emplace_back("--json");
    const Finished finished = megascale(words);
    EXPECT_EQ(finished.exit_code, 0) << finished;
    const json object = finished.json();
    return object.is_object() ? object : json::object();
  }
  [[nodiscard]] std::string path(std::string_view name) const { return (space / name).string(); }
  // Trains a tokenizer of `vocab_size` ids on the text of the workspace.
  json train_tokenizer(const std::string& name, const std::string& vocab_size) const {
    return ok({"tokenizer", "train", path("text.txt"), "--vocab-size", vocab_size, "--output",
               path(name)});
  }
  const Workspace space;
};

TEST_F(TokenizerCommand, TrainsEncodesDecodesAndInspects) {
  const json trained = train_tokenizer("own.json", "280");
  EXPECT_EQ(trained.at("vocab_size"), 280);
  space.write("line.txt", "the king said unto wäter");
  const json encoded = ok({"tokenizer", "encode", path("own.json"), path("line.txt")});
  const auto ids = encoded.at("ids").get<std::vector<std::int64_t>>();
  EXPECT_LT(ids.size(), std::string_view("the king said unto wäter").size() * 3 / 4);
  std::vector<std::string> words{"tokenizer", "decode", path("own.json")};
  for (const std::int64_t id : ids) words.push_back(std::to_string(id));
  EXPECT_EQ(ok(words).at("text"), "the king said unto wäter");
  const json shown = ok({"tokenizer", "inspect", path("own.json"), "--text", path("text.txt")});
  EXPECT_EQ(shown.at("vocab_size"), 280);
  EXPECT_EQ(shown.at("fingerprint"), trained.at("fingerprint"));
  EXPECT_EQ(shown.at("eod"), 0);
  EXPECT_EQ(shown.at("restored"), true);
  EXPECT_GT(shown.at("bytes_per_token"), 1.5);
  EXPECT_EQ(ok({"tokenizer", "inspect", "byte"}).at("vocab_size"), 256);
}

TEST_F(TokenizerCommand, WrongArgumentsAreNamed) {
  (void)train_tokenizer("own.json", "280");
  EXPECT_TRUE(fails(megascale({"tokenizer", "decode", path("own.json"), "280"}), 2,
                    {"from 0 to 279", "found 280"}));
  EXPECT_TRUE(fails(megascale({"tokenizer", "inspect", path("absent.json")}), 1, {"absent.json"}));
  EXPECT_TRUE(fails(megascale({"tokenizer", "inspect", "bytes"}), 2,
                    {"expected \"byte\"", "found \"bytes\""}));
  space.write("broken.json", R"({"model": {"type": "WordPiece", "vocab": {}}})");
  EXPECT_TRUE(fails(megascale({"tokenizer", "inspect", path("broken.json")}), 2,
                    {"broken.json", "WordPiece"}));
  EXPECT_TRUE(fails(megascale({"tokenizer", "train", path("text.txt"), "--output", path("x.json"),
                               "--pattern", "gpt9"}),
                    2, {"gpt9"}));
  space.write("lines.jsonl", "{\"body\": \"the king\"}\n");
  EXPECT_TRUE(
      fails(megascale({"tokenizer", "train", path("lines.jsonl"), "--output", path("x.json")}), 2,
            {"lines.jsonl:1", "\"body\"", "--json-key body"}));
  EXPECT_EQ(megascale({"tokenizer"}).exit_code, 2);
}

// The path of a first day. The tokenizer's own file is removed after the training: the checkpoint
// has it.
TEST_F(TokenizerCommand, TheCheckpointKeepsTheTokenizer) {
  const std::string fingerprint = train_tokenizer("own.json", "280").at("fingerprint");
  (void)train_tokenizer("other.json", "270");
  const auto prepare = [&](const std::string& tokenizer, const std::string& output) {
    return ok({"prepare", path("text.txt"), "--tokenizer", tokenizer, "--output", path(output)});
  };
  EXPECT_GT(prepare(path("own.json"), "own").at("text_bytes"), 12000);
  (void)prepare(path("other.json"), "other");
  const std::vector<std::string> set{"data.data_path=" + path("own"),
                                     "data.tokenizer=" + path("own.json"),
                                     "model.vocab_size=280",
                                     "train.train_iters=2",
                                     "optimizer.lr_decay_iters=3",
                                     "train.eval_interval=1",
                                     "train.eval_iters=1"};
  const auto with = [&](std::initializer_list<std::string> more) {
    std::vector<std::string> all = set;
    all.insert(all.end(), more);
    return all;
  };
  // Data of another tokenizer, in one set or in the validation set, is refused by check and train.
  for (const char* command : {"check", "train"}) {
    EXPECT_TRUE(
        fails(megascale(space.arguments(command, "x", with({"data.data_path=" + path("other")}))),
              2, {"other.json", "own.json", fingerprint}));
    EXPECT_TRUE(
        fails(megascale(space.arguments(
                  command, "x", with({"data.data_path=" + path("own") + "," + path("other")}))),
              2, {"expected ids of one tokenizer"}));
    EXPECT_TRUE(fails(
        megascale(space.arguments(command, "x", with({"data.valid_data_path=" + path("other")}))),
        2, {"expected ids of one tokenizer"}));
    EXPECT_TRUE(fails(megascale(space.arguments(command, "x", with({"data.tokenizer=byte"}))), 2,
                      {"set data.tokenizer = \"" + path("own.json")}));
  }
  ASSERT_EQ(space.train("run", set).exit_code, 0);
  const std::string checkpoints = path("run/checkpoints");
  // A later run with other data goes on from nothing.
  EXPECT_TRUE(fails(
      space.train("run", with({"data.data_path=" + path("other"),
                               "data.tokenizer=" + path("other.json"), "train.train_iters=3"})),
      2, {fingerprint, "step-00000002", "checkpoint.allow_changes=tokenizer,data"}));
  // The same data, whose ids are now said to mean something else: check refuses it as train does.
  const auto theirs = with({"data.data_path=" + path("other"),
                            "data.tokenizer=" + path("other.json"), "train.train_iters=3"});
  EXPECT_TRUE(fails(megascale(space.arguments("check", "run", theirs)), 2,
                    {fingerprint, "checkpoint.allow_changes=tokenizer,data"}));
  // From the weights alone only the tokenizer counts, and it may be another one if that is meant.
  auto weights = theirs;
  for (const char* key : {"checkpoint.start=weights", "train.eval_interval=0"})
    weights.emplace_back(key);
  weights.push_back("checkpoint.load=" + checkpoints);
  EXPECT_TRUE(
      fails(space.train("anew", weights), 2, {fingerprint, "checkpoint.allow_changes=tokenizer;"}));
  weights.emplace_back("checkpoint.allow_changes=tokenizer");
  const Finished anew = space.train("anew", weights);
  EXPECT_EQ(anew.exit_code, 0) << anew;
  EXPECT_NE(anew.err.find("allowed change of tokenizer"), std::string::npos) << anew;
  // A tokenizer with more ids than the model has cannot be meant, also if the text has none of them.
  std::string digits;
  for (int i = 0; i < 2000; ++i) digits += "0123456789\n";
  space.write("digits.txt", digits);
  (void)ok(
      {"prepare", path("digits.txt"), "--tokenizer", path("own.json"), "--output", path("digits")});
  for (const char* command : {"check", "train"}) {
    EXPECT_TRUE(fails(
        megascale(space.arguments(
            command, "x", with({"data.data_path=" + path("digits"), "model.vocab_size=279"}))),
        2, {"model.vocab_size = 279", "280 ids"}));
  }
  std::filesystem::remove(space / "own.json");
  const json text = ok({"generate", "--checkpoint", checkpoints, "--prompt", "the king",
                        "--max-tokens", "5", "--ignore-end"});
  EXPECT_EQ(text.at("tokens").size(), 5U);
  const Finished other = megascale({"generate", "--checkpoint", checkpoints, "--tokenizer",
                                    path("other.json"), "--prompt", "the"});
  EXPECT_TRUE(fails(other, 2, {fingerprint, "--any-tokenizer"}));
  (void)ok({"generate", "--checkpoint", checkpoints, "--tokenizer", path("other.json"),
            "--any-tokenizer", "--prompt", "the", "--max-tokens", "2"});
  EXPECT_TRUE(fails(megascale({"eval", "--checkpoint", checkpoints, "--data", path("other")}), 2,
                    {fingerprint, "other"}));
  const json eval = ok({"eval", "--checkpoint", checkpoints, "--data", path("own")});
  EXPECT_NEAR(eval.at("bits_per_byte").get<double>() * eval.at("bytes_per_token").get<double>() *
                  std::log(2.0),
              eval.at("loss").get<double>(), 1e-9);
  EXPECT_EQ(ok({"checkpoint", "inspect", checkpoints}).at("tokenizer"), fingerprint);
  // A run without the file goes on, with the files that its checkpoint has.
  const Finished later = space.train("run", with({"train.train_iters=3"}));
  EXPECT_EQ(later.exit_code, 0) << later;
  EXPECT_NE(later.err.find("step-00000002 are kept"), std::string::npos) << later;
  EXPECT_EQ(ok({"generate", "--checkpoint", checkpoints + "/step-00000003", "--prompt", "the king",
                "--max-tokens", "5", "--ignore-end"})
                .at("tokens")
                .size(),
            5U);
  const Finished fresh = space.train("fresh", set);
  EXPECT_EQ(fresh.exit_code, 0) << fresh;
  EXPECT_NE(fresh.err.find("checkpoints will lack them"), std::string::npos) << fresh;
}

TEST_F(TokenizerCommand, ExportAndImportCarryTheTokenizer) {
  const std::string fingerprint = train_tokenizer("own.json", "280").at("fingerprint");
  (void)ok({"prepare", path("text.txt"), "--tokenizer", path("own.json"), "--output", path("own")});
  ASSERT_EQ(
      space
          .train("run", {"data.data_path=" + path("own"), "data.tokenizer=" + path("own.json"),
                         "model.vocab_size=280", "train.train_iters=2"})
          .exit_code,
      0);
  (void)ok({"checkpoint", "export", path("run/checkpoints"), path("hf")});
  EXPECT_EQ(ok({"tokenizer", "inspect", path("hf")}).at("fingerprint"), fingerprint);
  EXPECT_EQ(json::parse(read(space / "hf/tokenizer_config.json")).at("eos_token"), "<|endoftext|>");
  EXPECT_EQ(json::parse(read(space / "hf/config.json")).at("eos_token_id"), 0);
  (void)ok({"checkpoint", "import", path("hf"), path("imported")});
  std::filesystem::remove_all(space / "hf");
  EXPECT_EQ(ok({"generate", "--checkpoint", path("imported"), "--prompt", "the", "--max-tokens",
                "3", "--ignore-end"})
                .at("tokens")
                .size(),
            3U);
  // A file of the tokenizer that was changed is damage.
  std::filesystem::resize_file(space / "imported/step-00000000/tokenizer.json", 100);
  EXPECT_TRUE(fails(megascale({"checkpoint", "verify", path("imported")}), 1, {}));
}

// Kills the program after a record, and compares what the next run makes with an undisturbed run.
TEST_F(TokenizerCommand, PrepareGoesOnAfterAKill) {
  (void)train_tokenizer("own.json", "280");
  std::string text = read(space / "text.txt");
  while (text.size() < 24'000'000) text += text;
  space.write("large.txt", text);
  const auto words = [&](const std::string& output) {
    return std::vector<std::string>{"prepare",  path("large.txt"), "--tokenizer",  path("own.json"),
                                    "--output", path(output),      "--save-every", "1m",
                                    "--json"};
  };
  const Finished whole = megascale(words("whole"));
  ASSERT_EQ(whole.exit_code, 0) << whole;
  bool was_killed = false;
  // A run may end before the signal arrives.
  for (int attempt = 0; attempt < 10 && !was_killed; ++attempt) {
    std::filesystem::remove(space / "out.idx");
    Process process(words("out"));
    process.wait_until([&] { return std::filesystem::exists(space / "out.prepare.json"); });
    process.send(SIGKILL);
    was_killed = process.wait().signal == SIGKILL;
  }
  ASSERT_TRUE(was_killed);
  EXPECT_FALSE(std::filesystem::exists(space / "out.idx"));
  const Finished last = megascale(words("out"));
  ASSERT_EQ(last.exit_code, 0) << last;
  EXPECT_GT(last.json().at("resumed_bytes"), 0) << last;
  EXPECT_NE(last.err.find("resuming at byte"), std::string::npos) << last;
  for (const char* suffix : {".bin", ".idx", ".info.json"})
    EXPECT_TRUE(read(path("out") + suffix) == read(path("whole") + suffix)) << suffix;
}

TEST_F(TokenizerCommand, PrepareTakesTokenIds) {
  space.write("ids.txt", "1 2 3\n4 5\n");
  EXPECT_TRUE(
      fails(megascale({"prepare", path("ids.txt"), "--format", "ids", "--output", path("x")}), 2,
            {"--tokenizer", "--vocab-size"}));
  EXPECT_EQ(ok({"prepare", path("ids.txt"), "--format", "ids", "--vocab-size", "6", "--eod", "0",
                "--output", path("x")})
                .at("tokens"),
            7);
  EXPECT_TRUE(fails(megascale({"prepare", path("ids.txt"), "--format", "ids", "--vocab-size", "5",
                               "--output", path("x")}),
                    2, {"ids.txt:2", "from 0 to 4", "found 5"}));
  EXPECT_TRUE(fails(megascale({"prepare", path("ids.txt"), "--format", "ids", "--vocab-size", "6",
                               "--eod", "6", "--output", path("x")}),
                    2, {"--eod", "below 6"}));
  EXPECT_TRUE(fails(megascale({"prepare", path("ids.txt"), "--vocab-size", "6", "--tokenizer",
                               "byte", "--output", path("x")}),
                    2, {"found both"}));
  EXPECT_TRUE(fails(megascale({"prepare", path("ids.txt"), "--output", path("ids.txt")}), 0, {}));
  space.write("own.bin", "text");
  EXPECT_TRUE(fails(megascale({"prepare", path("own.bin"), "--output", path("own")}), 2,
                    {"own.bin", "would replace the input"}));
  EXPECT_EQ(read(space / "own.bin"), "text");
}

}  // namespace
}  // namespace megascale::testing
