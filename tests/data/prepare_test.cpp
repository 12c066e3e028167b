#include "megascale/data/prepare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <utility>

#include "megascale/base/philox.h"
#include "megascale/base/utf8.h"
#include "megascale/data/indexed_dataset.h"
#include "megascale/data/input_parts.h"
#include "megascale/data/text_checks.h"
#include "support/scratch_directory.h"

namespace megascale {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::string_literals;

std::vector<std::string> documents_of(const std::filesystem::path& prefix) {
  const IndexedDataset dataset(prefix);
  std::vector<std::string> documents;
  for (std::int64_t d = 0; d < dataset.index().documents(); ++d) {
    const std::int64_t begin = dataset.index().document_start(d);
    std::vector<std::int32_t> ids(
        static_cast<std::size_t>(dataset.index().document_start(d + 1) - begin));
    dataset.read(begin, ids);
    documents.push_back(ByteTokenizer().decode(ids));
  }
  return documents;
}

std::vector<std::string> problems_of(const PrepareOptions& options) {
  std::vector<std::string> lines;
  try {
    (void)prepare(options, ByteTokenizer());
  } catch (const Error& error) {
    std::istringstream stream(error.message());
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
  }
  return lines;
}

TEST(PrepareTest, ATextFileIsOneDocumentThatEndsInTheEndToken) {
  const testing::ScratchDirectory scratch;
  const auto a = scratch.write("a.txt", "one\ntwo é"), b = scratch.write("b", "three");
  const PrepareResult result =
      prepare({.inputs = {a, b}, .output = scratch / "out/corpus"}, ByteTokenizer());
  EXPECT_THAT(documents_of(scratch / "out/corpus"), ElementsAre("one\ntwo é\0"s, "three\0"s));
  EXPECT_EQ(result.documents, 2);
  EXPECT_EQ(result.tokens, 10 + 1 + 5 + 1);
  EXPECT_EQ(result.input_nbytes, 15);
}

TEST(PrepareTest, JsonlWithItsKeyBlankLinesAndNoLastNewline) {
  const testing::ScratchDirectory scratch;
  const auto a =
      scratch.write("a.jsonl", "{\"id\": 1, \"body\": \"a\\u00e9\\n\"}\r\n\n  \n{\"body\": \"b\"}");
  (void)prepare({.inputs = {a}, .output = scratch / "c", .json_key = "body", .append_eod = false},
                ByteTokenizer());
  EXPECT_THAT(documents_of(scratch / "c"), ElementsAre("aé\n", "b"));
  (void)prepare({.inputs = {a}, .output = scratch / "d", .format = InputFormat::text},
                ByteTokenizer());
  EXPECT_THAT(documents_of(scratch / "d"), SizeIs(1));
}

TEST(PrepareTest, ASeparatorCutsDocumentsAndDropsBlankOnes) {
  const testing::ScratchDirectory scratch;
  const auto a = scratch.write("a", "one<|e|>\ntwo<<|e|><|e|> \n<|e|>three<|e|\n");
  (void)prepare({.inputs = {a}, .output = scratch / "c", .separator = "<|e|>", .append_eod = false},
                ByteTokenizer());
  EXPECT_THAT(documents_of(scratch / "c"), ElementsAre("one", "\ntwo<", "three<|e|\n"));
}

TEST(PrepareTest, TheFirstTenProblemsOfAllInputsAreReportedAndNothingIsWritten) {
  const testing::ScratchDirectory scratch;
  const auto a = scratch.write(
      "a.jsonl",
      "{\"text\": \"good\"}\n{\"text\": }\n[1]\n{\"txt\": \"x\"}\n{\"text\": 3}\n{\"text\": \"\"}\n"
      "{\"text\": \"\\u0000\"}\n{\"text\": \"\xff\"}\n{\"text\": \"\\ud800\"}\n{\"text\": \"x\"");
  EXPECT_THAT(
      problems_of({.inputs = {a, "/nowhere/b"}, .output = scratch / "c"}),
      ElementsAre(
          HasSubstr("a.jsonl:2: byte 10 of the line: expected JSON, found a syntax error"),
          HasSubstr("a.jsonl:3: expected a JSON object, found array"),
          HasSubstr("a.jsonl:4: expected the key \"text\", found \"txt\"; if \"txt\" holds the "
                    "documents, add --json-key txt"),
          HasSubstr("a.jsonl:5: \"text\": expected a text or a list of token ids, found 3"),
          HasSubstr("a.jsonl:6: \"text\": expected text, found \"\""),
          HasSubstr("a.jsonl:7: \"text\": byte 0: expected text without the tokenizer's end"),
          HasSubstr("a.jsonl:8: in the line: byte 10: expected UTF-8, found 0xFF"),
          HasSubstr("a.jsonl:9: byte 17 of the line: expected JSON"),
          HasSubstr("a.jsonl:10: byte 13 of the line: expected JSON"),
          HasSubstr("/nowhere/b: No such file"), HasSubstr("stopped after 10 problems")));
  EXPECT_THAT(scratch.list(), ElementsAre("a.jsonl"));
  std::string many;
  for (int i = 0; i < 12; ++i) many += "x\n";
  const auto b = scratch.write("b.jsonl", many);
  EXPECT_THAT(problems_of({.inputs = {b, a}, .output = scratch / "c"}),
              AllOf(SizeIs(11), Contains("stopped after 10 problems")));
  const auto five = scratch.write("five.jsonl", "{\"text\": \"ok\"}\nx\nx\nx\nx\nx\n");
  EXPECT_THAT(problems_of({.inputs = {five}, .output = scratch / "c"}), SizeIs(5));
}

TEST(PrepareTest, TextMustBeUtf8WithoutReservedBytesUnlessRaw) {
  const testing::ScratchDirectory scratch;
  const auto bad = scratch.write("bad", "abc\xc3("), nul = scratch.write("nul", "ab\0c"s),
             cut = scratch.write("cut", "ab\xe2\x82");
  EXPECT_THAT(problems_of({.inputs = {bad, nul, cut}, .output = scratch / "c"}),
              ElementsAre(HasSubstr("bad: byte 3: expected UTF-8, found 0xC3"),
                          HasSubstr("nul: byte 2: expected text without the tokenizer's "
                                    "end-of-document byte, found 0x00"),
                          HasSubstr("cut: byte 2: expected UTF-8, found 0xE2")));
  (void)prepare({.inputs = {bad, nul}, .output = scratch / "c", .raw_bytes = true},
                ByteTokenizer());
  EXPECT_THAT(documents_of(scratch / "c"), ElementsAre("abc\xc3(\0"s, "ab\0c\0"s));
}

TEST(PrepareTest, EmptyInputsAreErrors) {
  const testing::ScratchDirectory scratch;
  const auto empty = scratch.write("empty", ""), lines = scratch.write("empty.jsonl", "\n \n");
  EXPECT_THAT(problems_of({.inputs = {empty, lines}, .output = scratch / "c"}),
              ElementsAre(HasSubstr("empty: expected text, found none"),
                          HasSubstr("empty.jsonl: expected lines of JSON, found none")));
  EXPECT_THAT(problems_of({.output = scratch / "c"}), ElementsAre(HasSubstr("at least one input")));
}

TEST(PrepareTest, AnOutputThatCannotBeWrittenIsNamedAtOnce) {
  const testing::ScratchDirectory scratch;
  const auto a = scratch.write("a", "text");
  EXPECT_THAT(problems_of({.inputs = {a}, .output = a / "below"}),
              ElementsAre(HasSubstr("cannot create directory")));
}

TEST(PrepareTest, AFullDiskIsNamedAndEndsTheWork) {
  const testing::ScratchDirectory scratch;
  const auto a = scratch.write("a", std::string(2 << 20, 'x'));
  std::filesystem::create_symlink("/dev/full", scratch / "c.bin.partial");
  EXPECT_THAT(problems_of({.inputs = {a, "/nowhere/b"}, .output = scratch / "c"}),
              ElementsAre(AllOf(HasSubstr("c.bin.partial"), HasSubstr("No space left"))));
}

// ---- pieces: any cut of the input gives the same documents
// -----------------------------------------------------------

// A tokenizer that, like byte-pair encoding, needs whole words: here it takes text apart after
// spaces only.
class WordTokenizer : public Tokenizer {
 public:
  explicit WordTokenizer(bool separable) : separable_(separable) {}
  std::int64_t vocab_size() const override { return 256; }
  std::int32_t eod() const override { return 0; }
  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override {
    ByteTokenizer().encode(text, ids);
  }
  std::string decode(std::span<const std::int32_t> ids) const override {
    return ByteTokenizer().decode(ids);
  }
  std::size_t separable_prefix(std::string_view text) const override {
    return separable_ ? text.find_last_of(' ') + 1 : 0;  // npos + 1 = 0
  }

  std::string fingerprint() const override { return "words"; }

 private:
  bool separable_;
};

// The documents of a text that is read in parts of `part_nbytes`.
std::vector<std::string> read_in_parts(const std::string& text, const std::string& separator,
                                       const Tokenizer& tokenizer, std::size_t part_nbytes) {
  std::size_t at = 0;
  const ByteSource source = [&](std::span<char> buffer) {
    const std::size_t size = std::min({std::size_t{3}, buffer.size(), text.size() - at});
    std::copy_n(text.begin() + static_cast<std::ptrdiff_t>(at), size, buffer.begin());
    at += size;
    return size;
  };
  std::vector<std::string> documents;
  const auto reader = read_texts(source, {.part_nbytes = part_nbytes}, separator, tokenizer);
  std::string document;
  for (bool is_last = false; !is_last;) {
    const InputPart part = reader->next();
    is_last = part.is_last;
    const auto wrong = find_wrong_byte(part.bytes, tokenizer, "test", part.offset);
    if (wrong) throw Error(ErrorCode::bad_input, *wrong);
    for (const auto& piece : part.pieces) {
      EXPECT_EQ(piece.begins_document, document.empty());
      document += part.bytes.substr(piece.begin, piece.end - piece.begin);
      if (piece.ends_document) documents.push_back(std::exchange(document, {}));
    }
    EXPECT_EQ(part.in_document, !document.empty());
  }
  return documents;
}

// The simple model: cut the whole text, drop blank pieces.
std::vector<std::string> cut(const std::string& text, const std::string& separator) {
  if (separator.empty()) return {text};
  std::vector<std::string> documents;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    const std::string piece = text.substr(at, end - at);
    if (piece.find_first_not_of(" \n") != std::string::npos) documents.push_back(piece);
    at = end + separator.size();
  }
  return documents;
}

TEST(TextPartsTest, AnyCutOfTheInputGivesTheSameDocuments) {
  static const std::vector<std::string> pieces{"a", " ",  "\n",  "é",  "€",   "\U0001F600",
                                               "<", "<|", "<|>", "|>", "<<|>"};
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const PhiloxStream stream(seed, "pieces");
    std::uint64_t next = 0;
    std::string text = "x";
    for (std::uint64_t i = 0, count = stream.bits(next++) % 30; i < count; ++i) {
      text += pieces[stream.bits(next++) % pieces.size()];
    }
    for (const std::string separator : {"", "<|>", "<"}) {
      const auto want = cut(text, separator);
      if (want.empty()) continue;
      for (const bool separable : {false, true}) {
        const auto got =
            read_in_parts(text, separator, WordTokenizer(separable), 1 + stream.bits(next++) % 9);
        ASSERT_EQ(got, want) << "seed " << seed << " separator " << separator;
      }
      ASSERT_EQ(read_in_parts(text, separator, ByteTokenizer(), 1), want) << "seed " << seed;
    }
  }
}

TEST(TextPartsTest, ABadByteIsFoundAtItsPlaceWhereverTheInputIsCut) {
  const std::string good = "aé€\U0001F600b";
  int found = 0;
  for (std::size_t at = 0; at <= good.size(); ++at) {
    for (const std::string bad : {"\xff", "\x80", "\xe2(", "\xf0\x9f\x98"}) {
      const std::string text = good.substr(0, at) + bad + good.substr(at);
      const std::size_t place = valid_utf8_prefix(text);
      if (place == text.size()) continue;
      for (const std::size_t piece : {1, 2, 3, 5, 100}) {
        try {
          (void)read_in_parts(text, "", ByteTokenizer(), piece);
          ADD_FAILURE() << "accepted at " << at;
        } catch (const Error& error) {
          EXPECT_THAT(error.message(),
                      HasSubstr("test: byte " + std::to_string(place) + ": expected UTF-8"));
          ++found;
        }
      }
    }
  }
  EXPECT_GT(found, 200);
}

}  // namespace
}  // namespace megascale
