// Tokenizers of small vocabularies that are written here. The comparison with other programs on
// published vocabularies is compare.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "megascale/base/error.h"
#include "megascale/base/philox.h"
#include "megascale/data/tokenizer.h"
#include "megascale/data/tokenizers/bpe.h"
#include "megascale/data/tokenizers/bpe_trainer.h"
#include "megascale/data/tokenizers/pre_tokenizer.h"
#include "megascale/data/tokenizers/regex.h"
#include "megascale/data/tokenizers/tiktoken.h"
#include "megascale/data/tokenizers/tokenizer_json.h"
#include "megascale/data/tokenizers/unicode.h"
#include "support/scratch_directory.h"

namespace megascale::tokenizers {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

// A byte-level BPE trained on a few words.
json small_tokenizer() {
  BpeTrainer trainer({.vocab_size = 300});
  for (int i = 0; i < 9; ++i) trainer.add("low lower lowest new newer newest wide wider widest\n");
  return json::parse(trainer.to_tokenizer_json(trainer.train()));
}

std::unique_ptr<const Tokenizer> open(const json& document, const std::string& config = "") {
  return read_tokenizer_json(document.dump(), config, "t.json");
}

std::vector<std::int32_t> ids_of(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<std::int32_t> ids;
  tokenizer.encode(text, ids);
  return ids;
}

// ---- text ---------------------------------------------------------------------------------------

TEST(UnicodeTest, IllFormedBytesBecomeOneReplacementForEachMaximalPart) {
  EXPECT_EQ(replace_invalid_utf8("a\xff"
                                 "b"),
            "a\uFFFDb");
  EXPECT_EQ(replace_invalid_utf8("\xe2\x82"), "\uFFFD");  // one unfinished character
  EXPECT_EQ(replace_invalid_utf8("\xf0\x9f\x98"
                                 "a"),
            "\uFFFDa");
  EXPECT_EQ(replace_invalid_utf8("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate
  EXPECT_EQ(replace_invalid_utf8("\xc0\xaf"), "\uFFFD\uFFFD");
  EXPECT_EQ(replace_invalid_utf8("\xf4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
}

TEST(UnicodeTest, NormalForms) {
  std::string text = "e\u0301\uFB01";
  normalize(text, NormalForm::nfc);
  EXPECT_EQ(text, "\u00E9\uFB01");
  normalize(text, NormalForm::nfkc);
  EXPECT_EQ(text, "\u00E9fi");
  to_lower(text = "A\u0130\u00C9");
  EXPECT_EQ(text, "ai\u0307\u00E9");
}

TEST(RegexTest, WhiteSpaceIsThatOfUnicodeAndUnknownConstructsAreNamed) {
  const Regex space(to_pcre2(R"(\s)")), other(to_pcre2(R"([^\s\p{L}])"));
  EXPECT_TRUE(space.find("\u2028", 0) && space.find("\u0085", 0) && space.find("\u3000", 0));
  EXPECT_FALSE(space.find("\u180E", 0));
  EXPECT_TRUE(other.find("\u180E", 0));
  for (const char* construct : {"\\b", "\\w", "&&", "^", "$", "}+", "(?<", "(*", "[ inside"}) {
    const std::string pattern = std::string(construct) == "&&"         ? "[a&&b]"
                                : std::string(construct) == "}+"       ? "a{1,2}+"
                                : std::string(construct) == "(?<"      ? "(?<name>a)"
                                : std::string(construct) == "(*"       ? "(*UCP)a"
                                : std::string(construct) == "[ inside" ? "[a[b]]"
                                                                       : construct;
    EXPECT_THAT(message_of([&] { (void)to_pcre2(pattern); }), HasSubstr(construct)) << pattern;
  }
  EXPECT_THAT(message_of([] { Regex("(a"); }), AllOf(HasSubstr("(a"), HasSubstr("byte 2")));
}

TEST(RegexTest, ASearchThatNeverEndsIsRefused) {
  const Regex slow("(?:a|aa)+[^a]");
  EXPECT_THAT(message_of([&] { (void)slow.find(std::string(100, 'a'), 0); }),
              HasSubstr("cannot be applied"));
}

// ---- pieces -------------------------------------------------------------------------------------

std::vector<std::string> pieces(std::string_view text, SplitBehavior behavior,
                                bool inverted = false) {
  std::vector<PreTokenizerStep> steps;
  steps.emplace_back(Split{Regex("-"), behavior, inverted});
  std::vector<std::string> found;
  PreTokenizer(std::move(steps)).run(text, true, [&](std::string_view piece, bool) {
    found.emplace_back(piece);
  });
  return found;
}

TEST(PreTokenizerTest, WhatBecomesOfMatches) {
  constexpr std::string_view kText = "the-final--countdown-";
  EXPECT_THAT(pieces(kText, SplitBehavior::removed), ElementsAre("the", "final", "countdown"));
  EXPECT_THAT(pieces(kText, SplitBehavior::isolated),
              ElementsAre("the", "-", "final", "-", "-", "countdown", "-"));
  EXPECT_THAT(pieces(kText, SplitBehavior::merged_with_previous),
              ElementsAre("the-", "final-", "-", "countdown-"));
  EXPECT_THAT(pieces(kText, SplitBehavior::merged_with_next),
              ElementsAre("the", "-final", "-", "-countdown", "-"));
  EXPECT_THAT(pieces(kText, SplitBehavior::contiguous),
              ElementsAre("the", "-", "final", "--", "countdown", "-"));
  EXPECT_THAT(pieces(kText, SplitBehavior::removed, true), ElementsAre("-", "-", "-", "-"));
}

// ---- byte-pair encoding -------------------------------------------------------------------------

// Applies the merge of the lowest rank, the leftmost first, until there is none.
std::vector<std::int32_t> merge_simply(std::vector<std::int32_t> ids, const MergeTable& merges) {
  for (;;) {
    std::size_t best = ids.size();
    std::uint32_t rank = MergeTable::kNoRank;
    for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
      if (const auto merge = merges.find(ids[i], ids[i + 1]); merge.rank < rank) {
        rank = merge.rank;
        best = i;
      }
    }
    if (best == ids.size()) return ids;
    ids[best] = merges.find(ids[best], ids[best + 1]).result;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

TEST(BpeTest, ShortAndLongWordsAreMergedByRankFromTheLeft) {
  const PhiloxStream stream(1, "bpe");
  std::uint64_t drawn = 0;
  const auto random = [&] { return stream.bits(drawn++); };
  TokenTable tokens;
  std::vector<std::string> texts;
  for (int byte = 0; byte < 256; ++byte) {
    texts.emplace_back(1, static_cast<char>(byte));
    tokens.add(texts.back(), byte);
  }
  MergeTable merges;
  std::vector<std::int32_t> known = {'a', 'b', 'c'};
  for (std::uint32_t rank = 0; rank < 60; ++rank) {
    const std::int32_t left = known[random() % known.size()],
                       right = known[random() % known.size()];
    const std::string text =
        texts[static_cast<std::size_t>(left)] + texts[static_cast<std::size_t>(right)];
    if (tokens.find(text) != TokenTable::kNone) continue;
    const auto id = static_cast<std::int32_t>(texts.size());
    texts.push_back(text);
    tokens.add(text, id);
    known.push_back(id);
    merges.add(left, right, {.rank = rank, .result = id});
  }
  const MergeTable rules = merges;
  const Bpe bpe(tokens, merges, {.byte_level = true});
  for (const std::size_t size : {1, 2, 5, 20, 63, 64, 65, 300}) {
    for (int trial = 0; trial < 50; ++trial) {
      std::string text;
      for (std::size_t i = 0; i < size; ++i) text += static_cast<char>('a' + random() % 3);
      std::vector<std::int32_t> ids;
      bpe.encode(text, ids);
      EXPECT_EQ(ids, merge_simply({text.begin(), text.end()}, rules)) << text;
    }
  }
}

TEST(BpeTest, AMegabyteOfOneLetterIsNoProblem) {
  json document = small_tokenizer();
  const auto tokenizer = open(document);
  const std::string text(1 << 20, 'w');
  const auto ids = ids_of(*tokenizer, text);
  EXPECT_EQ(tokenizer->decode(ids), text);
}

// ---- tokenizer.json -----------------------------------------------------------------------------

TEST(TokenizerJsonTest, EveryTextComesBack) {
  const auto tokenizer = open(small_tokenizer());
  for (const std::string text :
       {"", "low lowest", " \n\t newer\r\n", "h\u00E9llo \U0001F600 \u4E2D\u6587", "a\tb"}) {
    EXPECT_EQ(tokenizer->decode(ids_of(*tokenizer, text)), text);
  }
  EXPECT_LT(ids_of(*tokenizer, "lowest").size(), 6U);
  EXPECT_EQ(ids_of(*tokenizer, "low<|endoftext|>").back(), tokenizer->eod());
  EXPECT_EQ(tokenizer->decode(ids_of(*tokenizer, "a\xff")), "a\uFFFD");
  EXPECT_THAT(message_of([&] { (void)tokenizer->decode(std::vector{300}); }),
              HasSubstr("found 300"));
}

TEST(TokenizerJsonTest, PartsGiveTheIdsOfTheWhole) {
  const auto tokenizer = open(small_tokenizer());
  const std::string text =
      "low  lower\n\nnew. newest!\nwide\u00E9 \u4E2D\u6587\u3002\n\u6587 'low ";
  const auto whole = ids_of(*tokenizer, text);
  std::size_t cuts = 0;
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const std::size_t cut = tokenizer->separable_prefix(std::string_view(text).substr(0, size));
    ASSERT_LE(cut, size);
    auto ids = ids_of(*tokenizer, text.substr(0, cut));
    tokenizer->encode(std::string_view(text).substr(cut), ids);
    EXPECT_EQ(ids, whole) << cut;
    cuts += cut > 0 ? 1U : 0U;
  }
  EXPECT_GT(cuts, 20U);
}

TEST(TokenizerJsonTest, TheConfigurationNamesTheEndOfADocument) {
  json document = small_tokenizer();
  EXPECT_EQ(open(document)->eod(), 0);
  EXPECT_EQ(open(document, R"({"eos_token": {"content": "!"}})")->eod(), 1);
  document["added_tokens"][0]["content"] = "<x>";
  document["model"]["vocab"].erase("<|endoftext|>");
  document["model"]["vocab"]["<x>"] = 0;
  const auto none = open(document);
  EXPECT_THAT(message_of([&] { (void)none->eod(); }), HasSubstr("tokenizer_config.json"));
}

TEST(TokenizerJsonTest, TheFingerprintIsOfTheMeaning) {
  json document = small_tokenizer();
  const std::string fingerprint = open(document)->fingerprint();
  EXPECT_EQ(read_tokenizer_json(document.dump(2), "", "u.json")->fingerprint(), fingerprint);
  document["padding"] = {{"pad_id", 0}};
  EXPECT_EQ(open(document)->fingerprint(), fingerprint);
  document["model"]["merges"].erase(3);
  EXPECT_NE(open(document)->fingerprint(), fingerprint);
}

TEST(TokenizerJsonTest, WhatIsNotKnownIsRefusedByName) {
  const json good = small_tokenizer();
  const auto refusal = [&](const char* pointer, const json& value) {
    json document = good;
    document[json::json_pointer(pointer)] = value;
    return message_of([&] { (void)open(document); });
  };
  EXPECT_THAT(refusal("/normalizer", {{"type", "BertNormalizer"}}),
              AllOf(HasSubstr("t.json: normalizer: expected"), HasSubstr("BertNormalizer")));
  EXPECT_THAT(refusal("/pre_tokenizer/pretokenizers/0", {{"type", "Whitespace"}}),
              AllOf(HasSubstr("pre_tokenizer.pretokenizers[0]"), HasSubstr("Whitespace")));
  EXPECT_THAT(refusal("/pre_tokenizer/pretokenizers/0/behavior", "Odd"), HasSubstr("Odd"));
  EXPECT_THAT(refusal("/pre_tokenizer/pretokenizers/0/pattern/Regex", "\\bx"), HasSubstr("\\b"));
  EXPECT_THAT(refusal("/decoder", {{"type", "WordPiece"}}), HasSubstr("WordPiece"));
  EXPECT_THAT(refusal("/model/type", "WordPiece"), HasSubstr("WordPiece"));
  EXPECT_THAT(refusal("/model/dropout", 0.1), AllOf(HasSubstr("dropout"), HasSubstr("0.1")));
  EXPECT_THAT(refusal("/model/end_of_word_suffix", "</w>"), HasSubstr("end_of_word_suffix"));
  EXPECT_THAT(refusal("/model/vocab/low", -1), HasSubstr("ids from 0 to"));
  EXPECT_THAT(refusal("/model/vocab/low", 1 << 30), HasSubstr("ids from 0 to"));
  EXPECT_THAT(refusal("/model/vocab/low", 1), HasSubstr("1 twice"));
  EXPECT_THAT(refusal("/model/merges/0", json::array({"zz", "y"})), HasSubstr("merge 0"));
  EXPECT_THAT(refusal("/model/merges/0", "a b c"), HasSubstr("merges of two tokens"));
  EXPECT_THAT(refusal("/model/unk_token", "<unk>"), HasSubstr("unk_token"));
  EXPECT_THAT(refusal("/model", nullptr), HasSubstr("t.json"));
  EXPECT_THAT(refusal("/added_tokens/0/id", 1 << 30), HasSubstr("ids below"));
  EXPECT_THAT(message_of([] { (void)read_tokenizer_json("[1]", "", "t.json"); }),
              HasSubstr("t.json"));
  json doubling = good;
  for (int i = 0; i < 60; ++i)
    doubling["normalizer"]["normalizers"].push_back(
        {{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aa"}});
  doubling["normalizer"]["type"] = "Sequence";
  EXPECT_THAT(message_of([&] { (void)ids_of(*open(doubling), "aaa"); }), HasSubstr("too long"));
}

TEST(TokenizerJsonTest, UnigramTakesTheBestDivision) {
  const json document = json::parse(R"({"model": {"type": "Unigram", "unk_id": 0, "vocab": [
      ["<unk>", 0], ["a", 0], ["b", 0], ["c", 0], ["d", 0], ["cd", 1], ["ab", 2], ["abc", 5],
      ["abcd", 10]]}})");
  EXPECT_THAT(ids_of(*open(document), "abcdacdxx"), ElementsAre(8, 1, 5, 0));
}

// ---- tiktoken -----------------------------------------------------------------------------------

TEST(TiktokenTest, ErrorsNameTheLineAndTheEncoding) {
  const auto refusal = [](const char* text, const char* encoding) {
    return message_of([&] { (void)read_tiktoken(text, encoding, "r.tiktoken"); });
  };
  EXPECT_THAT(refusal("IQ== 0\n", "mine"), AllOf(HasSubstr("o200k_base"), HasSubstr("\"mine\"")));
  EXPECT_THAT(refusal("IQ== 0\nI 1\n", "gpt2"), HasSubstr("r.tiktoken:2: expected a token"));
  EXPECT_THAT(refusal("IQ== 0\nIg== 99999999999\n", "gpt2"), HasSubstr("r.tiktoken:2"));
  EXPECT_THAT(refusal("IQ== 0\n", "gpt2"), HasSubstr("none for 0x00"));
  EXPECT_THAT(refusal("IQ== 0\nIg== 0\n", "gpt2"), HasSubstr("r.tiktoken:2: expected each token"));
  EXPECT_THAT(refusal("IQ== 0\nIQ== 1\n", "gpt2"), HasSubstr("r.tiktoken:2: expected each token"));
}

// ---- training -----------------------------------------------------------------------------------

TEST(BpeTrainerTest, TheMostFrequentPairThenTheSmallestIds) {
  BpeTrainer trainer({.vocab_size = 261});
  for (int i = 0; i < 3; ++i) trainer.add("xy");
  for (int i = 0; i < 2; ++i) trainer.add("cd");
  for (int i = 0; i < 2; ++i) trainer.add("ab");
  const auto merges = trainer.train();
  ASSERT_EQ(merges.size(), 3U);  // min_count leaves no more
  EXPECT_EQ(merges[0].left + merges[0].right, "xy");
  EXPECT_EQ(merges[1].left + merges[1].right, "ab");
  EXPECT_EQ(merges[2].left + merges[2].right, "cd");
  EXPECT_THAT(message_of([] { BpeTrainer({.vocab_size = 256}); }), HasSubstr("257"));
  EXPECT_THAT(message_of([] { BpeTrainer({.encoding = "x"}); }), HasSubstr("o200k_base"));
}

}  // namespace
}  // namespace megascale::tokenizers
