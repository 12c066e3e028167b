// Goal: several sets are split one by one, and the content of data sets has a digest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>

#include "megascale/config/load.h"
#include "megascale/data/content_digest.h"
#include "megascale/data/dataset.h"
#include "megascale/data/indexed_writer.h"
#include "support/scratch_directory.h"

namespace megascale {
namespace {

using ::testing::ElementsAre;
using TokenIds = std::vector<std::int32_t>;

std::string write_set(const testing::ScratchDirectory& scratch, const std::string& name,
                      const std::vector<TokenIds>& documents) {
  IndexedDatasetWriter writer(scratch / name, TokenType::uint16);
  for (const TokenIds& document : documents) {
    writer.append(document);
    writer.end_document();
  }
  writer.finish();
  return (scratch / name).string();
}
TokenIds ids(std::int32_t first, std::int32_t count) {
  TokenIds result(static_cast<std::size_t>(count));
  std::iota(result.begin(), result.end(), first);
  return result;
}

// Two sets of 100 and 200 tokens, of one document each, in samples of 10.
class SeveralSetsTest : public ::testing::Test {
 protected:
  [[nodiscard]] Dataset open(Split split, std::vector<std::string> more = {}) const {
    std::vector<std::string> all{"data.data_path=" + a + "," + b, "data.split=8,1,1",
                                 "model.seq_length=10", "model.vocab_size=1000",
                                 "data.shuffle=false"};
    all.insert(all.end(), more.begin(), more.end());
    return open_dataset(parse_config("", "test", all), split);
  }
  // The inputs of all samples, and the target of the last one.
  static TokenIds tokens_of(const Dataset& data) {
    const auto samples = static_cast<std::size_t>(data.samples_per_epoch());
    TokenIds tokens(samples * 10), targets(samples * 10);
    data.fill(0, {.tokens = tokens, .targets = targets, .positions = {}, .segment_ids = {}});
    tokens.push_back(targets.back());
    return tokens;
  }
  static TokenIds joined(TokenIds first, const TokenIds& second, std::size_t count) {
    first.insert(first.end(), second.begin(), second.end());
    first.resize(count);
    return first;
  }
  const testing::ScratchDirectory scratch;
  const std::string a = write_set(scratch, "a", {ids(0, 100)}),
                    b = write_set(scratch, "b", {ids(200, 200)});
};

TEST_F(SeveralSetsTest, EachIsSplitByItself) {
  EXPECT_EQ(tokens_of(open(Split::train)), joined(ids(0, 80), ids(200, 160), 231));
  EXPECT_EQ(tokens_of(open(Split::validation)), joined(ids(80, 10), ids(360, 20), 21));
  EXPECT_EQ(tokens_of(open(Split::test)), joined(ids(90, 10), ids(380, 20), 21));
  EXPECT_EQ(open(Split::validation).streams()[0].corpus().describe(12),
            "token 162 of " + b + ".bin, in document 0");
}

// As version 0.1 did: validation comes from the end of all, so from the last set alone.
TEST_F(SeveralSetsTest, AreSplitAsOneOnRequest) {
  const std::vector<std::string> as_one{"data.split_each_set=false"};
  EXPECT_EQ(tokens_of(open(Split::train, as_one)), joined(ids(0, 100), ids(200, 140), 231));
  EXPECT_EQ(tokens_of(open(Split::validation, as_one)), ids(340, 21));
}

// A part that begins inside a document counts as a document: nothing is predicted across the cut.
TEST_F(SeveralSetsTest, PackedDocumentsEndAtTheCuts) {
  const Dataset data = open(Split::validation, {"data.packed_documents=true"});
  TokenIds tokens(20), targets(20), positions(20), segments(20);
  data.fill(0, {tokens, targets, positions, segments});
  EXPECT_EQ(tokens[9], 89);
  EXPECT_EQ(targets[9], -1) << "the next token is of the other set";
  EXPECT_EQ(targets[8], 89);
  EXPECT_EQ(positions[10], 0);
  EXPECT_EQ(targets[10], 361);
}

TEST(CorpusPartsTest, DocumentStartsAgreeWithASearchOverAll) {
  const testing::ScratchDirectory scratch;
  Corpus corpus(std::vector<std::string>{write_set(scratch, "a", {ids(0, 3), {}, ids(0, 9)}),
                                         write_set(scratch, "b", {}),
                                         write_set(scratch, "c", {ids(0, 1), ids(0, 6), {}})});
  corpus.keep({{3, 12}, {0, 0}, {3, 7}});  // at a border, nothing, inside a document
  EXPECT_EQ(corpus.tokens(), 13);
  std::vector<std::int64_t> starts;
  corpus.for_each_document_start(0, 13, [&](std::int64_t start) {
    if (starts.empty() || starts.back() != start) starts.push_back(start);
  });
  EXPECT_THAT(starts, ElementsAre(0, 9));
  starts.clear();
  corpus.for_each_document_start(1, 9, [&](std::int64_t start) { starts.push_back(start); });
  EXPECT_THAT(starts, ElementsAre());
}

TEST(ContentDigestTest, TellsContentOrderAndSizesButNotPaths) {
  const testing::ScratchDirectory scratch;
  const std::string a = write_set(scratch, "a", {ids(0, 50)}),
                    b = write_set(scratch, "b", {ids(0, 50)}),
                    other = write_set(scratch, "other", {ids(1, 50)}),
                    cut = write_set(scratch, "cut", {ids(0, 25), ids(25, 25)});
  const auto digest = [](std::vector<std::string> prefixes) { return content_digest(prefixes); };
  EXPECT_EQ(digest({a}).size(), 32U);
  EXPECT_EQ(digest({a}), digest({b}));
  EXPECT_NE(digest({a}), digest({other}));
  EXPECT_NE(digest({a}), digest({cut})) << "other documents";
  EXPECT_NE(digest({a}), digest({a, b}));
  EXPECT_NE(digest({a, other}), digest({other, a}));
  EXPECT_THROW((void)digest({(scratch / "none").string()}), Error);
}

// Of a large file, blocks count: the first and the last byte among them.
TEST(ContentDigestTest, SamplesLargeFiles) {
  const testing::ScratchDirectory scratch;
  const std::string prefix = write_set(scratch, "a", {ids(0, 5)});
  const auto bin = scratch / "a.bin";
  std::filesystem::resize_file(bin, (std::uint64_t{1} << 30) + 1);  // a hole
  const std::string before = content_digest(std::span(&prefix, 1));
  const auto change = [&](std::int64_t at, char to) {
    std::fstream file(bin, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file.put(to);
  };
  change(std::int64_t{1} << 30, 'x');
  EXPECT_NE(content_digest(std::span(&prefix, 1)), before);
  change(std::int64_t{1} << 30, '\0');
  EXPECT_EQ(content_digest(std::span(&prefix, 1)), before);
}

}  // namespace
}  // namespace megascale
