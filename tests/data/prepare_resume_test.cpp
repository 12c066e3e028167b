// Threads, interruptions and records of a preparation: whatever happens on the way, the output has
// the same bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <chrono>
#include <filesystem>

#include "megascale/base/files.h"
#include "megascale/base/philox.h"
#include "megascale/data/dataset_info.h"
#include "megascale/data/indexed_dataset.h"
#include "megascale/data/prepare.h"
#include "megascale/data/prepare_record.h"
#include "megascale/data/tokenizers/bpe_trainer.h"
#include "support/scratch_directory.h"

namespace megascale {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string words(std::size_t nbytes, std::uint64_t seed) {
  constexpr const char* kWords[] = {"the ",    "king ",  "said",      " unto",
                                    " him.\n", "wäter ", "\U0001F600"};
  const PhiloxStream stream(seed, "words");
  std::string text;
  for (std::uint64_t i = 0; text.size() < nbytes; ++i) text += kWords[stream.bits(i) % 7];
  return text;
}

// Three inputs of several parts each: a document in many parts, documents between separators, and
// lines of JSON.
class PrepareResumeTest : public ::testing::Test {
 protected:
  PrepareResumeTest() {
    tokenizers::BpeTrainer trainer({.vocab_size = 300});
    trainer.add(words(10'000, 1));
    scratch_.write("t.json", trainer.to_tokenizer_json(trainer.train()));
    tokenizer_ = open_tokenizer((scratch_ / "t.json").string());
    std::string lines;
    for (int i = 0; i < 6000; ++i)
      lines +=
          "{\"text\": \"" + std::string(static_cast<std::size_t>(i % 300), 'a') + " the king\"}\n";
    options_.inputs = {scratch_.write("a.txt", words(2'000'000, 2)),
                       scratch_.write("b.jsonl", lines),
                       scratch_.write("c.txt", words(1'200'000, 3))};
    options_.separator = " him.\n";
    options_.threads = 2;
    options_.record_nbytes = 1 << 19;
    options_.on_message = [this](const std::string& text) { messages_.push_back(text); };
  }
  // The bytes of all output files.
  std::string outputs(const std::string& name) {
    std::string all;
    for (const char* suffix : {".bin", ".idx", ".info.json"})
      all += read_text(scratch_ / (name + suffix));
    return all;
  }
  PrepareResult run(const std::string& name) {
    options_.output = scratch_ / name;
    return prepare(options_, *tokenizer_);
  }
  std::string error_of(const std::string& name) {
    try {
      (void)run(name);
    } catch (const Error& error) {
      return error.message();
    }
    return "none";
  }
  // Runs until a file would be larger than `nbytes`, as if the disk were full then.
  std::string run_on_a_small_disk(const std::string& name, std::uint64_t nbytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small{.rlim_cur = nbytes, .rlim_max = before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    const std::string error = error_of(name);
    ::setrlimit(RLIMIT_FSIZE, &before);
    return error;
  }

  const testing::ScratchDirectory scratch_;
  std::unique_ptr<const Tokenizer> tokenizer_;
  PrepareOptions options_;
  std::vector<std::string> messages_;
};

TEST_F(PrepareResumeTest, TheOutputIsTheSameForEveryNumberOfThreads) {
  options_.threads = 1;
  const PrepareResult one = run("one");
  EXPECT_GT(one.documents, 6000 + 1000);
  for (const std::size_t threads : {2, 3, 7}) {
    options_.threads = threads;
    const PrepareResult several = run("several");
    EXPECT_EQ(several.tokens, one.tokens);
    EXPECT_EQ(several.text_nbytes, one.text_nbytes);
    EXPECT_TRUE(outputs("several") == outputs("one")) << threads;
  }
}

TEST_F(PrepareResumeTest, AFullDiskKeepsTheWorkAndTheOldOutput) {
  (void)run("whole");
  const std::string whole = outputs("whole");
  options_.inputs.resize(1);
  (void)run("out");
  const std::string old = outputs("out");
  options_.inputs = {scratch_ / "a.txt", scratch_ / "b.jsonl", scratch_ / "c.txt"};
  const std::string error = run_on_a_small_disk("out", 1'000'000);
  EXPECT_THAT(error, HasSubstr("out.bin.partial"));
  EXPECT_THAT(error, HasSubstr("the work so far is kept"));
  EXPECT_TRUE(outputs("out") == old);
  messages_.clear();
  const PrepareResult result = run("out");
  EXPECT_GT(result.resumed_nbytes, 500'000);
  ASSERT_EQ(messages_.size(), 1U);
  EXPECT_THAT(messages_[0], HasSubstr("resuming at byte"));
  EXPECT_TRUE(outputs("out") == whole);
  EXPECT_FALSE(std::filesystem::exists(record_path(scratch_ / "out")));
}

TEST_F(PrepareResumeTest, EveryRecordLeadsToTheSameBytes) {
  (void)run("whole");
  const std::string whole = outputs("whole");
  for (std::uint64_t nbytes = 600'000; nbytes < 2'600'000; nbytes += 400'000) {
    const std::string error = run_on_a_small_disk("out", nbytes);
    if (error == "none") break;
    EXPECT_THAT(error, HasSubstr("kept")) << nbytes;
    (void)run("out");
    EXPECT_TRUE(outputs("out") == whole) << nbytes;
  }
}

TEST_F(PrepareResumeTest, OtherInputsOrOptionsAreRefusedWithWords) {
  (void)run_on_a_small_disk("out", 1'000'000);
  const PrepareOptions options = options_;
  options_.separator = "|";
  EXPECT_THAT(error_of("out"), HasSubstr("--separator was \" him.\n\" and is \"|\""));
  options_ = options;
  options_.append_eod = false;
  EXPECT_THAT(error_of("out"), HasSubstr("--no-eod was \"no\" and is \"yes\""));
  options_ = options;
  options_.inputs.pop_back();
  EXPECT_THAT(error_of("out"), HasSubstr("there were 3 inputs and are 2"));
  options_ = options;
  const auto other = ByteTokenizer();
  try {
    options_.output = scratch_ / "out";
    (void)prepare(options_, other);
    ADD_FAILURE() << "another tokenizer is accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_usage);
    EXPECT_THAT(error.message(), HasSubstr("fingerprint of the tokenizer was"));
    EXPECT_THAT(error.message(), HasSubstr("--restart"));
  }
  // The same size at another time, then another size.
  const std::string text = read_text(scratch_ / "a.txt");
  std::filesystem::last_write_time(
      scratch_ / "a.txt", std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_THAT(error_of("out"), HasSubstr("a.txt was written again"));
  scratch_.write("a.txt", text + "x");
  EXPECT_THAT(error_of("out"), HasSubstr("a.txt had"));
  options_.begin_anew = true;
  (void)run("out");
  (void)run("whole");
  EXPECT_TRUE(outputs("out") == outputs("whole"));
}

TEST_F(PrepareResumeTest, DamagedPartsAreDoneAgain) {
  (void)run("whole");
  (void)run_on_a_small_disk("out", 1'000'000);
  scratch_.write("out.bin.partial", "short");
  (void)run("out");
  EXPECT_THAT(messages_, ElementsAre(HasSubstr("beginning anew")));
  EXPECT_TRUE(outputs("out") == outputs("whole"));
  (void)run_on_a_small_disk("out", 1'000'000);
  scratch_.write("out.prepare.json", "{}");
  EXPECT_THAT(error_of("out"), HasSubstr("out.prepare.json"));
  EXPECT_THAT(error_of("out"), HasSubstr("--restart"));
}

// A preparation of conversations goes on with the loss mask, and notices if its bytes are others.
TEST_F(PrepareResumeTest, ConversationsGoOnWithTheirLossMask) {
  std::string lines;
  for (std::size_t i = 0; i < 40'000; ++i)
    lines += "{\"prompt\": \"" + std::string(1 + i % 90, 'q') + "\", \"completion\": \"" +
             std::string(1 + i % 37, 'a') + "\"}\n";
  options_.inputs = {scratch_.write("chat", lines)};
  options_.separator.clear();
  options_.format = InputFormat::chat;
  options_.chat_template = chat::ChatTemplate::plain;
  const auto all = [&](const std::string& name) {
    return outputs(name) + read_text(scratch_ / (name + ".loss_mask"));
  };
  options_.threads = 1;
  const PrepareResult whole = run("whole");
  EXPECT_GT(whole.learned_tokens, 40'000);
  options_.threads = 2;
  EXPECT_THAT(run_on_a_small_disk("out", 1'500'000), HasSubstr("the work so far is kept"));
  PrepareResult result = run("out");
  EXPECT_GT(result.resumed_nbytes, 500'000);
  EXPECT_EQ(result.learned_tokens, whole.learned_tokens);
  EXPECT_TRUE(all("out") == all("whole"));
  EXPECT_THAT(run_on_a_small_disk("out", 1'500'000), HasSubstr("the work so far is kept"));
  std::string mask = read_text(scratch_ / "out.loss_mask.partial");
  mask[mask.size() / 4] ^= 1;
  scratch_.write("out.loss_mask.partial", mask);
  messages_.clear();
  result = run("out");
  EXPECT_THAT(messages_, ElementsAre(HasSubstr("beginning anew")));
  EXPECT_TRUE(all("out") == all("whole"));
}

TEST_F(PrepareResumeTest, TheInfoSaysWhichTokenizerMadeTheIds) {
  options_.tokenizer_name = "t.json";
  const PrepareResult result = run("out");
  const auto info = read_dataset_info(scratch_ / "out", result.tokens);
  ASSERT_TRUE(info && info->tokenizer);
  EXPECT_EQ(info->tokenizer->fingerprint, tokenizer_->fingerprint());
  EXPECT_EQ(info->tokenizer->vocab_size, tokenizer_->vocab_size());
  EXPECT_EQ(info->tokenizer->eod, tokenizer_->eod());
  EXPECT_EQ(info->documents, result.documents);
  EXPECT_EQ(info->text_nbytes, result.text_nbytes);
  EXPECT_THROW((void)read_dataset_info(scratch_ / "out", result.tokens + 1), Error);
  // Tokens of another writer never stand beside it.
  IndexedDatasetWriter writer(scratch_ / "out", TokenType::uint16);
  writer.append(std::vector{1});
  writer.end_document();
  writer.finish();
  EXPECT_FALSE(std::filesystem::exists(info_path(scratch_ / "out")));
}

TEST_F(PrepareResumeTest, ASecondWriterIsRefused) {
  const IndexedDatasetWriter first(scratch_ / "out", TokenType::uint16);
  EXPECT_THAT(error_of("out"), HasSubstr("another process writes this data set"));
}

TEST_F(PrepareResumeTest, AnInputIsNeverReplaced) {
  const auto own = scratch_.write("own.bin", "the text");
  std::filesystem::create_hard_link(own, scratch_ / "linked.idx");
  options_.inputs = {own};
  for (const char* name : {"own", "linked"}) {
    EXPECT_THAT(error_of(name), HasSubstr("would replace the input")) << name;
  }
  EXPECT_EQ(read_text(own), "the text");
}

}  // namespace
}  // namespace megascale
