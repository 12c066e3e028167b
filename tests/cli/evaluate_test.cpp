// `megascale evaluate` as a whole, against a reference in Python that reads the same model and the same
// tasks (tests/tasks/reference.py): float64 numpy, and the rules of lm-evaluation-harness.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/workspace.h"
#include "support/shell.h"

namespace megascale::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

constexpr const char* kPython = "/usr/bin/python3";

class EvaluateTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    space = std::make_unique<Workspace>();
    ASSERT_EQ(run_in_shell(std::string(kPython) + " -c 'import numpy'"), 0)
        << "needs python3-numpy: scripts/install-dependencies --tests";
    ASSERT_EQ(run_in_shell(std::string(kPython) + " " + MEGASCALE_SOURCE_DIR +
                           "/tests/families/reference.py make llama '" + file("hf") + "'"),
              0);
    ASSERT_EQ(megascale({"checkpoint", "import", file("hf"), file("model")}).exit_code, 0);
    space->write(
        "choice.jsonl",
        R"({"context": "The king said ", "choices": ["yes", "no", "a longer answer"], "answer": 2})"
        "\n"
        R"({"query": "", "choices": ["b\u00e9", "bb"], "gold": 1})"
        "\n"
        R"({"context": "two lines\n", "choices": ["x", "yyyy"], "answer": "x"})"
        "\n"
        // The context of the model is 64 tokens.
        R"({"context": "a context that is far too long for this model, which sees sixty-four bytes only, so its beginning is lost", "choices": ["so", "or so it seems"], "answer": 0})"
        "\n");
    space->write("last.jsonl",
                 "{\"context\": \"in the begin\", \"continuation\": \"ning\"}\n"
                 "{\"context\": \"the\", \"continuation\": \" end\"}\n");
    std::string text;
    for (int i = 0; i < 40; ++i) text += "word " + std::to_string(i) + (i % 3 == 0 ? " \\n" : " ");
    space->write("text.jsonl", "{\"text\": \"" + text + "\"}\n{\"text\": \"short\"}\n");
    space->write("examples.jsonl", R"({"context": "Q: 1", "choices": ["A", "B"], "answer": 0})"
                                   "\n");
  }
  static void TearDownTestSuite() { space.reset(); }
  static std::string file(const char* name) { return (*space / name).string(); }
  static Finished evaluate(const Words& more) {
    Words words{"evaluate", file("model"), "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return megascale(words);
  }
  // The exit code of the reference: 0 if it finds the same numbers.
  static int reference(const std::string& results, const std::string& more) {
    return run_in_shell(std::string(kPython) + " " + MEGASCALE_SOURCE_DIR +
                        "/tests/tasks/reference.py '" + file("hf") + "' '" + results + "' " + more);
  }
  static inline std::unique_ptr<Workspace> space;
};

TEST_F(EvaluateTest, NumbersAreThoseOfTheReference) {
  const std::string tasks =
      "'" + file("choice.jsonl") + "' '" + file("last.jsonl") + "' '" + file("text.jsonl") + "'";
  for (const char* batch : {"1", "3"}) {
    const std::string results = file("results.json");
    const Finished finished =
        evaluate({"--tasks", file("choice.jsonl"), file("last.jsonl"), file("text.jsonl"),
                  "--batch-size", batch, "--output", results});
    ASSERT_EQ(finished.exit_code, 0) << finished;
    EXPECT_EQ(json::parse(read(results)), finished.json());
    EXPECT_THAT(finished.out, HasSubstr("|choice|     0|acc"));
    EXPECT_EQ(reference(results, tasks), 0);
    // The reference can find a difference.
    EXPECT_EQ(reference(results, "--with rope_theta=600.0 " + tasks), 1);
  }
}

// With continuations, since a perplexity changes with every example; how often a choice is right need not.
TEST_F(EvaluateTest, ExamplesAndLimitsAreThoseOfTheReference) {
  const std::string results = file("fewshot.json");
  space->write("example.jsonl", "{\"context\": \"Q: 1\", \"continuation\": \" A\"}\n");
  const Finished finished =
      evaluate({"--tasks", file("last.jsonl"), "--num-fewshot", "1", "--fewshot-file",
                file("example.jsonl"), "--limit", "1", "--output", results});
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const json found = finished.json();
  EXPECT_EQ(found.at("n-shot").at("last"), 1);
  EXPECT_EQ(found.at("n-samples").at("last"), (json{{"original", 2}, {"effective", 1}}));
  const std::string tasks = " '" + file("last.jsonl") + "'";
  EXPECT_EQ(reference(results, "--limit 1 --examples '" + file("example.jsonl") + "'" + tasks), 0);
}

TEST_F(EvaluateTest, MistakesAreNamed) {
  space->write("bad.jsonl", "{\"text\": \"a\"}\n{\"words\": 3}\n");
  space->write("long.jsonl",
               "{\"context\": \"a\", \"continuation\": \"" + std::string(65, 'b') + "\"}\n");
  struct Case {
    Words words;
    const char* message;
  };
  for (const Case& one : std::vector<Case>{
           {{"--tasks", file("bad.jsonl")}, "bad.jsonl:2: expected the key \"text\""},
           {{"--tasks", file("long.jsonl")},
            "long.jsonl:1: expected at most 64 tokens behind the context"},
           {{"--tasks", file("last.jsonl"), "--num-fewshot", "1"}, "--fewshot-file together"},
           {{"--tasks", file("choice.jsonl"), "--num-fewshot", "2", "--fewshot-file",
             file("examples.jsonl")},
            "choice.jsonl:1: "},
           {{"--tasks", file("choice.jsonl"), file("choice.jsonl")}, "of different names"},
           {{"--tasks", file("choice.jsonl"), "--tokenizer", "none.json"}, "none.json"}}) {
    const Finished wrong = evaluate(one.words);
    EXPECT_NE(wrong.exit_code, 0) << wrong;
    EXPECT_THAT(wrong.err, HasSubstr(one.message));
  }
}

TEST_F(EvaluateTest, ACheckpointWithoutATokenizerSaysSo) {
  ASSERT_EQ(run_in_shell(std::string(kPython) + " " + MEGASCALE_SOURCE_DIR +
                         "/tests/families/reference.py make llama '" + file("hf300") + "' 300"),
            0);
  ASSERT_EQ(megascale({"checkpoint", "import", file("hf300"), file("model300")}).exit_code, 0);
  const Finished none =
      megascale({"evaluate", file("model300"), "--tasks", file("choice.jsonl"), "--json"});
  EXPECT_EQ(none.exit_code, 2) << none;
  EXPECT_THAT(none.err, HasSubstr("expected a checkpoint that holds its tokenizer, found none"));
}

}  // namespace
}  // namespace megascale::testing
