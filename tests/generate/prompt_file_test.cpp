#include "megascale/generate/prompt_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "megascale/base/error.h"

namespace megascale::generate {
namespace {

using ::testing::HasSubstr;
using Ids = std::vector<std::int64_t>;

TEST(PromptFileTest, LinesAreTexts) {
  const auto prompts = parse_prompts("one \r\n\n  two\n{three}", "p.txt");
  ASSERT_EQ(prompts.size(), 3U);
  EXPECT_EQ(std::get<std::string>(prompts[0].prompt), "one ");
  EXPECT_EQ(std::get<std::string>(prompts[1].prompt), "  two");
  EXPECT_EQ(prompts[1].line, 3U);
  EXPECT_EQ(std::get<std::string>(prompts[2].prompt), "{three}");
}

TEST(PromptFileTest, ObjectsHoldTextsOrIds) {
  const auto prompts =
      parse_prompts("\n{\"prompt\": \"a\\nb\", \"id\": 7}\n{\"prompt\": [1, 22]}\n", "p.jsonl");
  ASSERT_EQ(prompts.size(), 2U);
  EXPECT_EQ(std::get<std::string>(prompts[0].prompt), "a\nb");
  EXPECT_EQ(prompts[0].line, 2U);
  EXPECT_EQ(std::get<Ids>(prompts[1].prompt), (Ids{1, 22}));
}

TEST(PromptFileTest, MistakesNameFileAndLine) {
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"", "p: expected a prompt on each line, found none"},
           {"\n \n", "p: expected a prompt on each line, found none"},
           {"a\n\xff", "p:2: in the line: byte 0: expected UTF-8"},
           {"{\"prompt\": \"a\"}\nb", "p:2: byte 1 of the line: expected JSON"},
           {"{\"text\": \"a\"}", "p:1: expected the key \"prompt\", found \"text\""},
           {"{\"prompt\": \"\"}",
            "p:1: \"prompt\": expected a text or a list of token ids, found \"\""},
           {"{\"prompt\": []}", "p:1: \"prompt\": expected a text"},
           {"{\"prompt\": [1.5]}", "p:1: \"prompt\": expected a text"},
           {"{\"prompt\": [18446744073709551615]}", "p:1: \"prompt\": expected a text"},
           {"{\"prompt\": 3}", "p:1: \"prompt\": expected a text"}}) {
    try {
      (void)parse_prompts(text, "p");
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      EXPECT_THAT(error.message(), HasSubstr(message));
    }
  }
}

}  // namespace
}  // namespace megascale::generate
