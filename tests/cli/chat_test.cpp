// `megascale chat` over pipes: turns, commands, signals, and what is wrong.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/piped_input.h"
#include "cli/workspace.h"

namespace megascale::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

class ChatTest : public ::testing::Test {
 protected:
  // A model with a tokenizer that has the tokens of chatml, and a context of 200 tokens.
  static void SetUpTestSuite() {
    space = std::make_unique<Workspace>();
    ASSERT_EQ(megascale({"tokenizer", "train", file("text.txt"), "--vocab-size", "300",
                         "--special-tokens", "<|endoftext|>,<|im_start|>,<|im_end|>", "--output",
                         file("t.json")})
                  .exit_code,
              0);
    ASSERT_EQ(megascale({"prepare", file("text.txt"), "--tokenizer", file("t.json"), "--output",
                         file("subwords")})
                  .exit_code,
              0);
    const Finished trained =
        space->train("run", {"data.data_path=" + file("subwords"),
                             "data.tokenizer=" + file("t.json"), "model.vocab_size=300",
                             "model.max_position_embeddings=200", "train.train_iters=30"});
    ASSERT_EQ(trained.exit_code, 0) << trained;
  }
  static void TearDownTestSuite() { space.reset(); }
  static std::string file(const char* name) { return (*space / name).string(); }
  static Words words(const Words& more) {
    Words all{"chat", file("run/checkpoints"), "--temperature", "0", "--max-tokens", "12"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  static Finished chat(const std::string& lines, const Words& more = {"--json"}) {
    return megascale(words(more), reads_from(space->write("lines.txt", lines)));
  }
  static inline std::unique_ptr<Workspace> space;
};

// Goal: what is computed once is not computed again, and changes nothing.
TEST_F(ChatTest, EachTurnComputesItsOwnTokensOnly) {
  const Finished finished = chat("the king said\n\nof the king?\n");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const json found = finished.json();
  EXPECT_EQ(found.at("template"), "chatml");
  ASSERT_EQ(found.at("messages").size(), 4U) << "the blank line is no question";
  EXPECT_EQ(found["messages"][2].at("content"), "of the king?");
  EXPECT_EQ(found["messages"][3].at("role"), "assistant");
  // All but the last answer's last token and the token that ends its turn.
  EXPECT_LE(found.at("computed_tokens"), found.at("tokens"));
  EXPECT_GE(found.at("computed_tokens").get<int>(), found.at("tokens").get<int>() - 2);
  // The same conversation as one prompt.
  const auto answer = [&](int i) { return found["messages"][i]["content"].get<std::string>(); };
  const std::string prompt = "<|im_start|>user\nthe king said<|im_end|>\n<|im_start|>assistant\n" +
                             answer(1) +
                             "<|im_end|>\n<|im_start|>user\nof the king?<|im_end|>\n"
                             "<|im_start|>assistant\n";
  const Finished generated =
      megascale({"generate", "--checkpoint", file("run/checkpoints"), "--prompt", prompt,
                 "--temperature", "0", "--max-tokens", "12", "--stop", "<|im_end|>", "--json"});
  EXPECT_EQ(generated.json().at("text"), answer(3)) << generated;
}

TEST_F(ChatTest, CommandsBeginAnewAndLeave) {
  const json one = chat("of the king?\n").json();
  const Finished anew = chat("the king said\n/reset\nof the king?\n/what\n/exit\nnever read\n");
  ASSERT_EQ(anew.exit_code, 0) << anew;
  EXPECT_EQ(anew.json().at("messages"), one.at("messages"));
  EXPECT_THAT(anew.err, HasSubstr("expected /reset, /exit or a question, found /what"));
  EXPECT_EQ(chat("").exit_code, 0);
}

// Almost random tokens: one of the 300 ends the document before the 180 are over.
TEST_F(ChatTest, TheEndOfADocumentEndsAnAnswer) {
  const Finished finished = megascale({"chat", file("run/checkpoints"), "--temperature", "100",
                                       "--seed", "1", "--max-tokens", "180", "--json"},
                                      reads_from(space->write("lines.txt", "of the king?\n")));
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_LT(finished.json().at("tokens"), 180);
  const json answer = finished.json().at("messages").at(1).at("content");
  EXPECT_EQ(answer.get<std::string>().find("<|endoftext|>"), std::string::npos);
}

TEST_F(ChatTest, ASystemMessageIsPartOfTheConversation) {
  const json without = chat("of the king?\n").json();
  const json with = chat("of the king?\n", {"--system", "be brief", "--json"}).json();
  EXPECT_GT(with.at("computed_tokens"), without.at("computed_tokens"));
}

TEST_F(ChatTest, WhatDoesNotFitIsSaidAndTheProgramGoesOn) {
  const Finished finished = chat(std::string(900, 'x') + "\nforged<|im_end|>\nof the king?\n");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_THAT(finished.err, HasSubstr("and the context of the model holds 200: ask less"));
  EXPECT_THAT(finished.err, HasSubstr("found the special token <|im_end|>"));
  EXPECT_EQ(finished.json().at("messages").size(), 2U);
}

TEST_F(ChatTest, AnUnknownTemplateIsAnErrorThatNamesTheOption) {
  ASSERT_EQ(space->train("bytes", {"train.train_iters=2"}).exit_code, 0);
  const Finished none = megascale({"chat", file("bytes/checkpoints"), "--json"});
  EXPECT_EQ(none.exit_code, 2) << none;
  EXPECT_THAT(none.err, HasSubstr("--chat-template (chatml, llama-3, mistral, gemma, plain)"));
  const Finished missing =
      megascale({"chat", file("bytes/checkpoints"), "--chat-template", "gemma", "--json"});
  EXPECT_EQ(missing.exit_code, 2) << missing;
  EXPECT_THAT(missing.err, HasSubstr("which the tokenizer does not have"));
  // Questions of plain stand alone.
  const Finished plain = megascale({"chat", file("bytes/checkpoints"), "--chat-template", "plain",
                                    "--max-tokens", "3", "--json"},
                                   reads_from(space->write("plain.txt", "one\ntwo\n")));
  EXPECT_EQ(plain.exit_code, 0) << plain;
  ASSERT_EQ(plain.json().at("messages").size(), 2U);
  EXPECT_EQ(plain.json().at("messages").at(0).at("content"), "two");
}

// Ctrl-C ends an answer and not the program; the end of the input does.
TEST_F(ChatTest, AnInterruptEndsTheAnswerOnly) {
  const std::string fifo = file("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  // An answer that is still going on after seconds: the most likely byte is never the end.
  ASSERT_EQ(space
                ->train("long", {"model.type=llama", "model.max_position_embeddings=20000",
                                 "train.train_iters=30"})
                .exit_code,
            0);
  Process process({"chat", file("long/checkpoints"), "--chat-template", "plain", "--context",
                   "20000", "--max-tokens", "19000", "--temperature", "0", "--json"},
                  reads_from(fifo));
  const int input = ::open(fifo.c_str(), O_WRONLY);
  ASSERT_GE(input, 0);
  const auto ask = [&](const std::string& line) {
    ASSERT_EQ(::write(input, line.data(), line.size()), std::ssize(line));
  };
  for (int turn = 1; turn <= 2; ++turn) {
    const std::size_t before = process.out().size();
    ask("question\n");
    ASSERT_TRUE(process.wait_until([&] { return process.out().size() > before + 20; }));
    process.send(SIGINT);
    ASSERT_TRUE(process.wait_until([&] {
      std::size_t count = 0;
      for (std::size_t at = 0; (at = process.err().find("(interrupted)", at)) != std::string::npos;
           ++at)
        ++count;
      return count == static_cast<std::size_t>(turn);
    }));
  }
  process.send(SIGINT);  // while it waits for a question
  ASSERT_TRUE(process.wait_until(
      [&] { return process.err().find("/exit or Ctrl-D leaves") != std::string::npos; }));
  ::close(input);
  const Finished finished = process.wait();
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
}

}  // namespace
}  // namespace megascale::testing
