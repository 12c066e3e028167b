#include "megascale/data/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "megascale/base/error.h"

namespace megascale {
namespace {

TEST(ByteTokenizerTest, EveryByteThereAndBack) {
  std::string text;
  for (int byte = 0; byte < 256; ++byte) text += static_cast<char>(byte);
  std::vector<std::int32_t> ids{-5};
  const ByteTokenizer tokenizer;
  tokenizer.encode(text, ids);
  ASSERT_EQ(ids.size(), 257U);
  EXPECT_EQ(ids[0], -5);
  for (int byte = 0; byte < 256; ++byte) EXPECT_EQ(ids[static_cast<std::size_t>(byte) + 1], byte);
  EXPECT_EQ(tokenizer.decode(std::span(ids).subspan(1)), text);
}

TEST(ByteTokenizerTest, RefusesIdsOutsideOfTheVocabularyAndKnowsItsOwnByte) {
  const ByteTokenizer tokenizer;
  EXPECT_THROW((void)tokenizer.decode(std::vector{65, 256}), Error);
  EXPECT_THROW((void)tokenizer.decode(std::vector{-1}), Error);
  EXPECT_EQ(tokenizer.reserved_at(std::string_view("ab\0c", 4)), 2U);
  EXPECT_EQ(tokenizer.reserved_at("abc"), std::string_view::npos);
  EXPECT_EQ(tokenizer.eod(), 0);
}

TEST(OpenTokenizerTest, NamesWhatItCannotOpen) {
  EXPECT_EQ(open_tokenizer("byte")->vocab_size(), 256);
  const auto code_of = [](const char* name) {
    try {
      (void)open_tokenizer(name);
    } catch (const Error& error) {
      EXPECT_THAT(error.message(), ::testing::HasSubstr(name));
      return error.code();
    }
    return ErrorCode::failed;
  };
  EXPECT_EQ(code_of("gpt2"), ErrorCode::bad_usage);
  EXPECT_EQ(code_of("/nowhere/gpt2.json"), ErrorCode::io);
  EXPECT_EQ(code_of("/nowhere/o200k_base.tiktoken"), ErrorCode::io);
  EXPECT_EQ(code_of("/nowhere/tokenizer.model"), ErrorCode::io);
}

}  // namespace
}  // namespace megascale
