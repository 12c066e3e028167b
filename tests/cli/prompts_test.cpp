// Many prompts with `megascale generate`: the order of the output, its form, and each mistake.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "cli/piped_input.h"
#include "cli/workspace.h"

namespace megascale::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

std::vector<json> lines_of(const Finished& finished) {
  EXPECT_EQ(finished.exit_code, 0) << finished;
  std::vector<json> objects;
  std::istringstream lines(finished.out);
  for (std::string line; std::getline(lines, line);) objects.push_back(json::parse(line));
  return objects;
}

class PromptsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    space = std::make_unique<Workspace>();
    ASSERT_EQ(space->train("run", {"train.train_iters=60"}).exit_code, 0);
    space->write("p.jsonl", R"({"prompt": "the king said"})"
                            "\n\n"
                            R"({"prompt": [116, 104, 101]})"
                            "\n"
                            R"({"prompt": "a"})"
                            "\n");
  }
  static void TearDownTestSuite() { space.reset(); }
  static Finished generate(const Words& more, const testing::Setup& setup = {}) {
    Words words{"generate",     "--checkpoint", (*space / "run/checkpoints").string(),
                "--max-tokens", "20",           "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return megascale(words, setup);
  }
  static std::string file(const char* name) { return (*space / name).string(); }
  static inline std::unique_ptr<Workspace> space;
};

TEST_F(PromptsTest, ALineForEachInTheirOrderAndEqualToThePromptAlone) {
  for (const Words& sampling : {Words{"--temperature", "0"}, Words{"--seed", "7"}}) {
    std::vector<std::vector<json>> of_batches;
    for (const char* batch : {"1", "2", "8"}) {
      Words words{"--prompts", file("p.jsonl"), "--batch-size", batch};
      words.insert(words.end(), sampling.begin(), sampling.end());
      of_batches.push_back(lines_of(generate(words)));
      ASSERT_EQ(of_batches.back().size(), 3U);
      EXPECT_EQ(of_batches.back(), of_batches.front()) << batch;
    }
    const json& first = of_batches[0][0];
    EXPECT_EQ(of_batches[0][1].at("prompt"), 1);
    EXPECT_EQ(first.at("finish_reason"), first.at("tokens").size() == 20 ? "length" : "stop");
    Words alone{"--prompt", "the king said"};
    alone.insert(alone.end(), sampling.begin(), sampling.end());
    const json single = generate(alone).json();
    for (const char* key : {"tokens", "text", "finish_reason"})
      EXPECT_EQ(single.at(key), first.at(key)) << key;
  }
}

TEST_F(PromptsTest, FromStdinAndAsText) {
  space->write("p.txt", "the king\nof the\n");
  const auto lines =
      lines_of(generate({"--prompts", "-", "--temperature", "0"}, reads_from(*space / "p.txt")));
  ASSERT_EQ(lines.size(), 2U);
  const Finished text =
      megascale({"generate", "--checkpoint", file("run/checkpoints"), "--max-tokens", "20",
                 "--temperature", "0", "--prompts", file("p.txt")});
  EXPECT_EQ(text.out, "--- 1\nthe king" + lines[0].at("text").get<std::string>() +
                          "\n--- 2\nof the" + lines[1].at("text").get<std::string>() + "\n");
}

TEST_F(PromptsTest, IdsInAndOutNeedNoTokenizer) {
  const json ids = generate({"--ids", "116,104,101", "--temperature", "0"}).json();
  const json text = generate({"--prompt", "the", "--temperature", "0"}).json();
  EXPECT_EQ(ids.at("tokens"), text.at("tokens"));
  EXPECT_FALSE(ids.contains("text"));
  const Finished wrong = generate({"--ids", "116,256"});
  EXPECT_EQ(wrong.exit_code, 2) << wrong;
  EXPECT_THAT(wrong.err, HasSubstr("expected token ids from 0 to 255"));
}

TEST_F(PromptsTest, LogProbabilitiesOfChosenAndLikelyTokens) {
  const json found =
      generate({"--prompt", "the", "--temperature", "0", "--logprobs", "--top-logprobs", "3"})
          .json();
  ASSERT_EQ(found.at("logprobs").size(), found.at("tokens").size());
  for (std::size_t i = 0; i < found.at("tokens").size(); ++i) {
    const json& one = found["logprobs"][i];
    EXPECT_EQ(one.at("token"), found["tokens"][i]);
    ASSERT_EQ(one.at("top").size(), 3U);
    EXPECT_EQ(one["top"][0].at("token"), one.at("token")) << "greedy";
    EXPECT_EQ(one["top"][0].at("logprob"), one.at("logprob"));
    EXPECT_LT(one.at("logprob"), 0);
    EXPECT_GE(one["top"][0].at("logprob"), one["top"][1].at("logprob"));
  }
}

TEST_F(PromptsTest, StopStringsEndTheText) {
  const json whole = generate({"--prompt", "the", "--temperature", "0", "--ignore-end"}).json();
  const auto text = whole.at("text").get<std::string>();
  ASSERT_GE(text.size(), 20U);
  const std::string stop = text.substr(7, 3);
  const json stopped = generate({"--prompt", "the", "--temperature", "0", "--ignore-end", "--stop",
                                 stop, "--stop", "never there"})
                           .json();
  EXPECT_EQ(stopped.at("text"), text.substr(0, text.find(stop)));
  EXPECT_EQ(stopped.at("finish_reason"), "stop");
  const Finished printed =
      megascale({"generate", "--checkpoint", file("run/checkpoints"), "--max-tokens", "20",
                 "--prompt", "the", "--temperature", "0", "--ignore-end", "--stop", stop});
  EXPECT_EQ(printed.out, "the" + text.substr(0, text.find(stop)) + "\n");
}

TEST_F(PromptsTest, MistakesAreNamed) {
  space->write("long.txt", "short\n" + std::string(33, 'x') + "\n");
  space->write("bad.jsonl", "{\"prompt\": \"a\"}\n{\"text\": \"b\"}\n");
  space->write("ids.jsonl", "{\"prompt\": [1]}\n{\"prompt\": [2, 300]}\n");
  struct Case {
    Words words;
    const char* message;
  };
  for (const Case& one : std::vector<Case>{
           {{"--prompts", file("long.txt")},
            "long.txt:2: expected a prompt of at most 32 tokens, the context of the model, found "
            "33"},
           {{"--prompts", file("bad.jsonl")}, "bad.jsonl:2: expected the key \"prompt\""},
           {{"--prompts", file("ids.jsonl")}, "ids.jsonl:2: expected token ids from 0 to 255"},
           {{"--prompts", file("p.jsonl"), "--prompt", "a"}, "expected one of --prompt"},
           {{"--prompt", "a", "--stop", ""}, "--stop: expected a text"},
           {{"--prompt", "a", "--batch-size", "65"}, "--batch-size"}}) {
    const Finished wrong = generate(one.words);
    EXPECT_EQ(wrong.exit_code, 2) << wrong;
    EXPECT_THAT(wrong.err, HasSubstr(one.message));
  }
  EXPECT_EQ(generate({"--prompts", file("none.txt")}).exit_code, 1);
}

}  // namespace
}  // namespace megascale::testing
