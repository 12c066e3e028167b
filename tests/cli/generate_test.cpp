// The key-value cache changes speed, never a token.
#include <gtest/gtest.h>

#include <set>

#include "cli/workspace.h"

namespace megascale::testing {
namespace {

using nlohmann::json;

struct Model {
  const char* name;
  std::vector<std::string> set;
};
void PrintTo(const Model& model, std::ostream* stream) { *stream << model.name; }

class Generate : public ::testing::TestWithParam<Model> {};

// 256 tokens with 32 positions: the context moves on many times.
TEST_P(Generate, GreedyTokensAreTheSameWithAndWithoutTheCache) {
  const Workspace space;
  std::vector<std::string> set{"train.train_iters=150", "train.log_interval=1000"};
  set.insert(set.end(), GetParam().set.begin(), GetParam().set.end());
  const Finished trained = space.train("run", set);
  ASSERT_EQ(trained.exit_code, 0) << trained;
  const auto tokens = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{
        "generate", "--checkpoint",  (space / "run/checkpoints").string(),
        "--prompt", "the king said", "--max-tokens",
        "256",      "--ignore-end",  "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished finished = megascale(words);
    EXPECT_EQ(finished.exit_code, 0) << finished;
    return finished.json().at("tokens").get<std::vector<int>>();
  };
  const std::vector<int> cached = tokens({"--temperature", "0"});
  EXPECT_EQ(cached.size(), 256U);
  EXPECT_GE(std::set<int>(cached.begin(), cached.end()).size(), 4U) << "too easy a text";
  EXPECT_EQ(tokens({"--temperature", "0", "--no-cache"}), cached);
  const std::vector<int> sampled = tokens({"--seed", "5"});
  EXPECT_EQ(tokens({"--seed", "5", "--no-cache"}), sampled);
  EXPECT_NE(tokens({"--seed", "6"}), sampled);
}

INSTANTIATE_TEST_SUITE_P(
    All, Generate,
    ::testing::Values(Model{"gpt2", {}},
                      Model{"llama", {"model.type=llama", "model.num_query_groups=1"}},
                      Model{"llama_window", {"model.type=llama", "model.sliding_window=8"}}),
    [](const auto& one) { return one.param.name; });

// Goal: memory is placed for the tokens that the model sees, not for its longest context.  Method:
// 16 million positions would need a cache of 17 GB, and activations of more.
TEST(GenerateContext, ALongContextNeedsNoMemoryUntilItIsAskedFor) {
  const Workspace space;
  const Finished trained =
      space.train("run", {"model.type=llama", "model.max_position_embeddings=16777216",
                          "train.train_iters=2", "checkpoint.interval=0"});
  ASSERT_EQ(trained.exit_code, 0) << trained;
  const auto generated = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{
        "generate", "--checkpoint",  (space / "run/checkpoints").string(),
        "--prompt", "the king said", "--max-tokens",
        "40",       "--temperature", "0",
        "--json"};
    words.insert(words.end(), more.begin(), more.end());
    Finished finished = megascale(words);
    EXPECT_EQ(finished.exit_code, 0) << finished;
    return finished;
  };
  const Finished all = generated({});
  EXPECT_EQ(generated({"--context", "100"}).json().at("tokens"), all.json().at("tokens"));
  const Finished few = generated({"--context", "8"});
  EXPECT_NE(few.json().at("tokens"), all.json().at("tokens"));
  EXPECT_NE(few.err.find("the prompt has 13 tokens, of which the model sees the last 8"),
            std::string::npos)
      << few;
  const Finished none = megascale(
      {"generate", "--checkpoint", (space / "run/checkpoints").string(), "--context", "0"});
  EXPECT_EQ(none.exit_code, 2) << none;
}

}  // namespace
}  // namespace megascale::testing
