// Goal: conversations become tokens, documents and a loss mask, and mistakes are named with file and
// line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "megascale/base/files.h"
#include "megascale/data/content_digest.h"
#include "megascale/data/dataset.h"
#include "megascale/data/dataset_info.h"
#include "megascale/data/indexed_writer.h"
#include "megascale/data/prepare.h"
#include "megascale/data/tokenizers/bpe_trainer.h"
#include "megascale/data/tokenizers/tokenizer_json.h"
#include "support/scratch_directory.h"

namespace megascale {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kPairs =
    "{\"prompt\": \"ab\", \"completion\": \"c\"}\n\n{\"prompt\": \"d\", \"completion\": \"efé\"}\n";

PrepareOptions chat_options(const std::filesystem::path& input, const std::filesystem::path& output,
                            chat::ChatTemplate name = chat::ChatTemplate::plain) {
  return {.inputs = {input}, .output = output, .format = InputFormat::chat, .chat_template = name};
}

std::string error_of(const PrepareOptions& options, const Tokenizer& tokenizer) {
  try {
    (void)prepare(options, tokenizer);
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

TEST(PrepareChatTest, PromptsAreLeftOutAndCompletionsWithTheirEndCount) {
  const testing::ScratchDirectory scratch;
  const PrepareResult result =
      prepare(chat_options(scratch.write("a.txt", kPairs), scratch / "c"), ByteTokenizer());
  EXPECT_EQ(result.documents, 2);
  EXPECT_EQ(result.tokens, 4 + 6);
  EXPECT_EQ(result.learned_tokens, 2 + 5);
  EXPECT_EQ(result.text_nbytes, 3 + 5);
  const IndexedDataset set(scratch / "c");
  ASSERT_TRUE(set.has_loss_mask());
  std::vector<std::int32_t> ids(10);
  std::vector<std::uint8_t> mask(10);
  set.read(0, ids);
  set.read_loss_mask(0, mask);
  EXPECT_THAT(ids, ElementsAre('a', 'b', 'c', 0, 'd', 'e', 'f', 0xC3, 0xA9, 0));
  EXPECT_THAT(mask, ElementsAre(0, 0, 1, 1, 0, 1, 1, 1, 1, 1));
  EXPECT_EQ(set.index().document_start(1), 4);
  EXPECT_EQ(read_dataset_info(scratch / "c", 10)->chat_template, "plain");
  EXPECT_THAT(read_text(info_path(scratch / "c")), HasSubstr("\"version\": 2"));
}

TEST(PrepareChatTest, ConversationsOfATemplateReadBackAsTheirText) {
  const testing::ScratchDirectory scratch;
  tokenizers::BpeTrainer trainer(
      {.vocab_size = 300, .special_tokens = {"<|endoftext|>", "<|im_start|>", "<|im_end|>"}});
  trainer.add("user assistant user assistant what is this what is this");
  scratch.write("t.json", trainer.to_tokenizer_json(trainer.train()));
  const auto tokenizer = open_tokenizer((scratch / "t.json").string());
  const auto one_line =
      scratch.write("b.jsonl", R"({"messages": [{"role": "user", "content": "what is this"}, )"
                               R"({"role": "assistant", "content": "this is what"}]})"
                               "\n");
  (void)prepare(chat_options(one_line, scratch / "c", chat::ChatTemplate::chatml), *tokenizer);
  const IndexedDataset set(scratch / "c");
  std::vector<std::int32_t> ids(static_cast<std::size_t>(set.index().tokens()));
  set.read(0, ids);
  EXPECT_EQ(tokenizer->decode(ids),
            "<|im_start|>user\nwhat is this<|im_end|>\n<|im_start|>assistant\nthis is "
            "what<|im_end|>\n");
}

TEST(PrepareChatTest, MistakesAreNamedWithFileAndLineAndNothingIsWritten) {
  const testing::ScratchDirectory scratch;
  const auto a = scratch.write(
      "a.jsonl", std::string(kPairs) +
                     "{\"prompt\": \"x\"}\n{\"messages\": 3}\n\xff\n"
                     "{\"prompt\": \"x\", \"completion\": \" \"}\n"
                     "{\"messages\": [{\"role\": \"assistant\", \"content\": \"x\"}]}\n");
  const std::string error = error_of(chat_options(a, scratch / "c"), ByteTokenizer());
  EXPECT_THAT(error, HasSubstr("a.jsonl:4: expected the key \"completion\", found \"prompt\""));
  EXPECT_THAT(error, HasSubstr("a.jsonl:5: \"messages\": expected a list of messages, found 3"));
  EXPECT_THAT(error, HasSubstr("a.jsonl:6: in the line: byte 0: expected UTF-8, found 0xFF"));
  EXPECT_THAT(error, HasSubstr("a.jsonl:7: \"completion\": expected text, found white space only"));
  EXPECT_THAT(error, HasSubstr("a.jsonl:8: \"messages\"[0]: \"role\": expected one message of"));
  EXPECT_THAT(scratch.list(), ElementsAre("a.jsonl"));
  EXPECT_THAT(
      error_of(chat_options(scratch.write("e.jsonl", "\n"), scratch / "c"), ByteTokenizer()),
      HasSubstr("e.jsonl: expected lines of JSON, found none"));
  EXPECT_THAT(error_of(chat_options(a, scratch / "c", chat::ChatTemplate::gemma), ByteTokenizer()),
              HasSubstr("needs the special tokens <bos>, <start_of_turn>, <end_of_turn>"));
  PrepareOptions without = chat_options(a, scratch / "c");
  without.chat_template.reset();
  EXPECT_THAT(error_of(without, ByteTokenizer()),
              HasSubstr("--format chat: expected --chat-template and one of chatml, llama-3"));
  PrepareOptions text = chat_options(a, scratch / "c");
  text.format = InputFormat::jsonl;
  EXPECT_THAT(error_of(text, ByteTokenizer()),
              HasSubstr("--chat-template belongs to --format chat"));
}

TEST(PrepareChatTest, APairIsTwoDocuments) {
  const testing::ScratchDirectory scratch;
  PrepareOptions options =
      chat_options(scratch.write("a.jsonl", R"({"prompt": "ab", "chosen": "c", "rejected": "de"})"
                                            "\n"
                                            R"({"prompt": "f", "chosen": "gh", "rejected": "i"})"
                                            "\n"),
                   scratch / "p");
  options.format = InputFormat::preference;
  const PrepareResult result = prepare(options, ByteTokenizer());
  EXPECT_EQ(result.documents, 4);
  EXPECT_EQ(result.learned_tokens, 2 + 3 + 3 + 2);
  const IndexedDataset set(scratch / "p");
  std::vector<std::int32_t> ids(16);
  std::vector<std::uint8_t> mask(16);
  ASSERT_EQ(set.index().tokens(), 16);
  set.read(0, ids);
  set.read_loss_mask(0, mask);
  EXPECT_THAT(ids,
              ElementsAre('a', 'b', 'c', 0, 'a', 'b', 'd', 'e', 0, 'f', 'g', 'h', 0, 'f', 'i', 0));
  EXPECT_THAT(mask, ElementsAre(0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1));
  const auto info = read_dataset_info(scratch / "p", 16);
  EXPECT_TRUE(info->has_pairs);
  EXPECT_EQ(info->chat_template, "plain");
  EXPECT_EQ(parse_dataset_info(to_text(*info), "p"), *info);
  EXPECT_THAT(read_text(info_path(scratch / "p")), HasSubstr("\"version\": 3"));
  DatasetInfo odd = *info;
  odd.documents = 3;
  EXPECT_THROW((void)parse_dataset_info(to_text(odd), "p"), Error);
  options.inputs = {scratch.write("b.jsonl",
                                  R"({"prompt": "a", "chosen": "c", "rejected": "d\u0000"})"
                                  "\n")};
  EXPECT_THAT(error_of(options, ByteTokenizer()),
              AllOf(HasSubstr("b.jsonl:1: "), HasSubstr("the answer under \"rejected\"")));
  options.chat_template.reset();
  EXPECT_THAT(error_of(options, ByteTokenizer()),
              HasSubstr("--format preference: expected --chat-template"));
}

// Goal: pairs are neither trained on one by one, nor taken where there are none.
TEST(PrepareChatTest, PairsAreReadOnlyByATrainingOnPreferences) {
  const testing::ScratchDirectory scratch;
  PrepareOptions options = chat_options(
      scratch.write("a", R"({"prompt": "ab", "chosen": "c", "rejected": "de"})"), scratch / "p");
  (void)prepare(chat_options(scratch.write("c.jsonl", kPairs), scratch / "c"), ByteTokenizer());
  options.format = InputFormat::preference;
  (void)prepare(options, ByteTokenizer());
  const auto open = [&](const char* name, double beta, const char* split = "1",
                        Split share = Split::train) -> std::string {
    Config config;
    config.model.seq_length = 4;
    config.data.split = split;
    config.data.data_path = {(scratch / name).string()};
    config.preference.beta = beta;
    try {
      return std::to_string(open_dataset(config, share).samples_per_epoch());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      return error.message();
    }
  };
  EXPECT_EQ(open("p", 0.1), "2");
  EXPECT_EQ(open("c", 0), "2");
  EXPECT_THAT(open("p", 0), HasSubstr("p holds pairs of a chosen and a rejected answer"));
  EXPECT_THAT(open("c", 0.1), HasSubstr("expected pairs of answers, found none in"));
  // Half of three equal pairs ends within the second one, which stays whole.
  const std::string pair = R"({"prompt": "a", "chosen": "b", "rejected": "c"})"
                           "\n";
  options.inputs = {scratch.write("three", pair + pair + pair)};
  (void)prepare(options, ByteTokenizer());
  EXPECT_EQ(open("p", 0.1, "1,1") + open("p", 0.1, "1,1", Split::validation), "24");
}

TEST(PrepareChatTest, AMaskBelongsToItsDataSet) {
  const testing::ScratchDirectory scratch;
  const auto a = scratch.write("a", kPairs);
  const std::vector<std::string> sets{(scratch / "c").string()};
  (void)prepare(chat_options(a, scratch / "c"), ByteTokenizer());
  const std::string digest = content_digest(sets);
  std::string mask = read_text(scratch / "c.loss_mask");
  mask[0] ^= 1;
  scratch.write("c.loss_mask", mask);
  EXPECT_NE(content_digest(sets), digest) << "the mask is content";
  scratch.write("c.loss_mask", mask + "x");
  const auto problem = [&]() -> std::string {
    try {
      const Corpus corpus(sets);
    } catch (const Error& error) {
      return error.message();
    }
    return "no error";
  };
  EXPECT_THAT(problem(), HasSubstr("c.loss_mask: expected one byte for each of the 10 tokens of"));
  std::filesystem::remove(scratch / "c.loss_mask");
  EXPECT_THAT(problem(), HasSubstr("c.loss_mask: expected this file, since"));
  // A text of the same prefix has none.
  (void)prepare(chat_options(a, scratch / "c"), ByteTokenizer());
  EXPECT_EQ(problem(), "no error");
  (void)prepare({.inputs = {a}, .output = scratch / "c"}, ByteTokenizer());
  EXPECT_EQ(problem(), "no error");
  EXPECT_THAT(scratch.list(), Not(Contains("c.loss_mask")));
}

}  // namespace
}  // namespace megascale
