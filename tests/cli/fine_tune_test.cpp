// Goal: a model is trained on text, fine-tuned on conversations, and answers them better.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/workspace.h"

namespace megascale::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Questions whose answer is a word of the question, in another order each.
std::string questions(int first, int count) {
  std::string lines;
  for (int i = first; i < first + count; ++i) {
    const std::string word(1 + static_cast<std::size_t>(i % 3),
                           static_cast<char>('a' + i * 7 % 26));
    lines += R"({"prompt": "say )" + word + R"(: ", "completion": ")" + word + "\"}\n";
  }
  return lines;
}

class FineTuneTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string prepare(const char* name, const std::string& lines) const {
    const std::string prefix = (space / name).string();
    const Finished done =
        megascale({"prepare", space.write(std::string(name) + ".jsonl", lines).string(), "--format",
                   "chat", "--chat-template", "plain", "--output", prefix, "--json"});
    EXPECT_EQ(done.exit_code, 0) << done;
    EXPECT_LT(done.json().at("learned_tokens"), done.json().at("tokens"));
    return prefix;
  }
  [[nodiscard]] double loss_of(const char* run, const std::string& data) const {
    const Finished done = megascale({"eval", "--checkpoint", (space / run / "checkpoints").string(),
                                     "--data", data, "--set", "data.packed_documents=true", "--set",
                                     "data.whole_documents=true", "--json"});
    EXPECT_EQ(done.exit_code, 0) << done;
    EXPECT_FALSE(done.json().contains("bits_per_byte")) << "the loss is not that of the text";
    return done.json().at("loss");
  }
  const Workspace space;
};

TEST_F(FineTuneTest, ATrainedModelLearnsToAnswer) {
  const std::string chat = prepare("chat", questions(0, 300)),
                    valid = prepare("valid", questions(1000, 40));
  ASSERT_EQ(space.train("base", {"train.train_iters=5"}).exit_code, 0);
  const Finished tuned = space.train(
      "tuned",
      {"train.train_iters=60", "data.data_path=" + chat, "data.valid_data_path=" + valid,
       "data.packed_documents=true", "data.whole_documents=true", "optimizer.lr=0.01",
       "checkpoint.load=" + (space / "base/checkpoints").string(), "checkpoint.start=weights"});
  ASSERT_EQ(tuned.exit_code, 0) << tuned;
  EXPECT_THAT(tuned.err, AllOf(HasSubstr("whole documents fill"), HasSubstr("starting from the")));
  EXPECT_LT(loss_of("tuned", valid), 0.5 * loss_of("base", valid));
  const auto last = metrics_of(space / "tuned").back();
  EXPECT_LT(last.at("consumed_tokens"), 60 * 4 * 32) << "padding does not count";
  EXPECT_GT(last.at("consumed_tokens"), 60 * 4 * 32 * 8 / 10);
}

// Goal: a model is trained on preferences from the weights of another one, by threads and by processes, and its
// numbers are reported.
TEST_F(FineTuneTest, ATrainedModelLearnsWhatIsPreferred) {
  std::string lines;
  for (int i = 0; i < 200; ++i) {
    const std::string word(1 + static_cast<std::size_t>(i % 3),
                           static_cast<char>('a' + i * 7 % 26));
    lines += R"({"prompt": "say )" + word + R"(: ", "chosen": ")" + word +
             R"(", "rejected": "no"})"
             "\n";
  }
  const std::string pairs = (space / "pairs").string();
  const Finished prepared =
      megascale({"prepare", space.write("pairs.jsonl", lines).string(), "--format", "preference",
                 "--chat-template", "plain", "--output", pairs});
  ASSERT_EQ(prepared.exit_code, 0) << prepared;
  ASSERT_EQ(space.train("base", {"train.train_iters=5"}).exit_code, 0);
  const std::vector<std::string> set{"train.train_iters=20",
                                     "data.data_path=" + pairs,
                                     "preference.beta=0.1",
                                     "data.split=9,1,0",
                                     "train.eval_interval=10",
                                     "train.eval_iters=2",
                                     "checkpoint.load=" + (space / "base/checkpoints").string(),
                                     "checkpoint.start=weights"};
  const Finished tuned = space.train("tuned", set);
  ASSERT_EQ(tuned.exit_code, 0) << tuned;
  EXPECT_THAT(tuned.err, AllOf(HasSubstr("have scored 400 answers"),
                               HasSubstr("margin 0.0000, accuracy 0.0 %")));
  EXPECT_THAT(tuned.err, ::testing::Not(HasSubstr("perplexity")));
  const auto last = metrics_of(space / "tuned").back();
  EXPECT_GT(last.at("rewards/margins"), 0.1);
  EXPECT_GT(last.at("rewards/accuracies"), 0.9);
  EXPECT_GT(last.at("validation_rewards/margins"), 0.1);
  EXPECT_NEAR(last.at("rewards/margins"),
              last.at("rewards/chosen").get<double>() - last.at("rewards/rejected").get<double>(),
              1e-12);
  const Finished report = megascale({"report", (space / "tuned").string()});
  EXPECT_THAT(report.out,
              AllOf(HasSubstr("rewards"), HasSubstr("of pairs prefer the chosen answer")));
  const Finished unpaired = space.train("unpaired", {"data.data_path=" + pairs});
  EXPECT_EQ(unpaired.exit_code, 2) << unpaired;
  EXPECT_THAT(unpaired.err, HasSubstr("holds pairs of a chosen and a rejected answer"));
  // The checkpoint says that the data are pairs; the loss is then that of the tokens of both answers.
  const Finished evaluated = megascale(
      {"eval", "--checkpoint", (space / "tuned/checkpoints").string(), "--data", pairs, "--json"});
  EXPECT_EQ(evaluated.exit_code, 0) << evaluated;
}

TEST_F(FineTuneTest, MistakesAreNamed) {
  const auto input = space.write("chat.jsonl", questions(0, 3) + "{\"prompt\": 3}\n").string();
  const auto prepare_with = [&](std::vector<std::string> more) {
    std::vector<std::string> all{"prepare", input, "--output", (space / "chat").string()};
    all.insert(all.end(), more.begin(), more.end());
    return megascale(all);
  };
  const Finished wrong = prepare_with({"--format", "chat", "--chat-template", "plain"});
  EXPECT_EQ(wrong.exit_code, 2) << wrong;
  EXPECT_THAT(wrong.err, HasSubstr("chat.jsonl:4: \"prompt\": expected text, found 3"));
  const Finished unnamed = prepare_with({"--format", "chat"});
  EXPECT_EQ(unnamed.exit_code, 2) << unnamed;
  EXPECT_THAT(unnamed.err,
              HasSubstr("expected --chat-template and one of chatml, llama-3, mistral"));
  const Finished unknown = prepare_with({"--format", "chat", "--chat-template", "llama"});
  EXPECT_EQ(unknown.exit_code, 2) << unknown;
  const Finished bytes = prepare_with({"--format", "chat", "--chat-template", "gemma"});
  EXPECT_EQ(bytes.exit_code, 2) << bytes;
  EXPECT_THAT(bytes.err, HasSubstr("needs the special tokens <bos>, <start_of_turn>"));
  const Finished unpacked = space.train("run", {"data.whole_documents=true"});
  EXPECT_EQ(unpacked.exit_code, 2) << unpacked;
  EXPECT_THAT(unpacked.err, HasSubstr("whole_documents only with packed_documents"));
}

}  // namespace
}  // namespace megascale::testing
