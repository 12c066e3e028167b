#include "megascale/data/text_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "megascale/data/tokenizers/tokenizer_json.h"

namespace megascale {
namespace {

// Llama 2's form: spaces are marks, the first one is dropped, and unknown characters are bytes.
std::unique_ptr<const Tokenizer> llama_like() {
  std::string vocab = R"("<unk>": 0, "\u2581": 1, "a": 2, "\u2581a": 3)";
  for (int byte = 0; byte < 256; ++byte) {
    constexpr const char* kDigits = "0123456789ABCDEF";
    vocab += std::string(", \"<0x") + kDigits[byte / 16] + kDigits[byte % 16] +
             ">\": " + std::to_string(byte + 4);
  }
  return tokenizers::read_tokenizer_json(
      R"({"normalizer": {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "\u2581"},
          {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}]},
          "model": {"type": "BPE", "unk_token": "<unk>", "fuse_unk": true, "byte_fallback": true,
          "vocab": {)" +
          vocab +
          R"(}, "merges": [["\u2581", "a"]]},
          "decoder": {"type": "Sequence", "decoders": [
          {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "},
          {"type": "ByteFallback"}, {"type": "Fuse"},
          {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}})",
      "", "t.json");
}

// Passes the ids of `text` after those of `prompt`.
std::string streamed(const Tokenizer& tokenizer, std::string_view prompt, std::string_view text,
                     std::size_t* pieces = nullptr) {
  std::vector<std::int32_t> before, ids;
  tokenizer.encode(prompt, before);
  tokenizer.encode(std::string(prompt) + std::string(text), ids);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), ids.begin()));
  TextStream stream(tokenizer, before);
  std::string result;
  for (std::size_t i = before.size(); i < ids.size(); ++i) {
    const std::string piece = stream.push(ids[i]);
    if (pieces != nullptr && !piece.empty()) ++*pieces;
    result += piece;
  }
  return result + stream.finish();
}

TEST(TextStreamTest, SpacesAndCharactersOfSeveralIdsComeWhole) {
  const auto tokenizer = llama_like();
  std::size_t pieces = 0;
  EXPECT_EQ(streamed(*tokenizer, "a", " a a\u4E2D\U0001F600 a", &pieces), " a a\u4E2D\U0001F600 a");
  EXPECT_EQ(pieces, 5U);  // " a", " a", the two characters, " a"
  EXPECT_EQ(streamed(ByteTokenizer(), "x", "\u4E2D\xff\xfe!", &pieces), "\u4E2D\xff\xfe!");
  std::string text;
  for (int i = 0; i < 2000; ++i) text += " a \u4E2D\n";
  EXPECT_EQ(streamed(*tokenizer, "a", text), text);
}

TEST(TextStreamTest, AnUnfinishedCharacterIsTheRest) {
  const ByteTokenizer tokenizer;
  TextStream stream(tokenizer, {});
  EXPECT_EQ(stream.push('a'), "a");
  EXPECT_EQ(stream.push(0xE4), "");
  EXPECT_EQ(stream.push(0xB8), "");
  EXPECT_EQ(stream.finish(), "\xE4\xB8");
}

}  // namespace
}  // namespace megascale
