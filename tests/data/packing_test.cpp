#include "megascale/data/packing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "megascale/base/error.h"
#include "megascale/base/philox.h"
#include "megascale/data/dataset.h"
#include "megascale/data/indexed_writer.h"
#include "support/scratch_directory.h"

namespace megascale {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Documents of these numbers of tokens, back to back from position 0.
std::vector<TokenRange> back_to_back(const std::vector<std::int64_t>& sizes) {
  std::vector<TokenRange> documents;
  std::int64_t at = 0;
  for (const std::int64_t size : sizes) {
    documents.push_back({at, at + size});
    at += size;
  }
  return documents;
}

std::vector<std::vector<std::int64_t>> begins_of(const DocumentPacking& packing) {
  std::vector<std::vector<std::int64_t>> begins;
  for (std::int64_t sample = 0; sample < packing.samples(); ++sample) {
    begins.emplace_back();
    for (const auto& part : packing.parts_of(sample)) begins.back().push_back(part.begin);
  }
  return begins;
}

TEST(DocumentPackingTest, EachDocumentGoesWhereTheLeastRoomIsLeft) {
  // Positions 6, 3, 4, 2, 1 in samples of 7: 6 takes 1, 4 takes 3, and 2 has a sample of its own.
  const DocumentPacking packing(back_to_back({7, 4, 5, 3, 2}), 7);
  EXPECT_THAT(begins_of(packing),
              ElementsAre(ElementsAre(0, 19), ElementsAre(7, 11), ElementsAre(16)));
  EXPECT_EQ(packing.positions(), 6 + 3 + 4 + 2 + 1);
  EXPECT_EQ(packing.cut(), 0);
}

TEST(DocumentPackingTest, LongDocumentsAreCutAndThoseWithoutATargetAreLeftOut) {
  const DocumentPacking packing(back_to_back({1, 6, 5, 0, 2}), 4,
                                [](const auto& part) { return part.begin != 7; });
  EXPECT_THAT(begins_of(packing), ElementsAre(ElementsAre(1), ElementsAre(12)));
  EXPECT_EQ(packing.parts_of(0)[0].positions, 4);
  EXPECT_EQ(packing.cut(), 1);
  EXPECT_EQ(packing.left_out(), 3);
  EXPECT_EQ(DocumentPacking({}, 4).samples(), 0);
}

// Goal: no document is lost or doubled, no sample is too full, and little room is left over.
TEST(DocumentPackingTest, RandomDocumentsFillTheSamples) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const PhiloxStream stream(seed, "lengths");
    const std::int64_t seq_length = 8 + static_cast<std::int64_t>(stream.bits(0) % 120);
    std::vector<std::int64_t> sizes;
    for (std::uint64_t i = 1; i < 3000; ++i)
      sizes.push_back(2 + static_cast<std::int64_t>(stream.bits(i) % 128) % seq_length);
    const auto documents = back_to_back(sizes);
    const DocumentPacking packing(documents, seq_length);
    std::vector<std::int64_t> begins;
    std::int64_t all = 0, last = -1;
    for (std::int64_t sample = 0; sample < packing.samples(); ++sample) {
      const auto parts = packing.parts_of(sample);
      std::int64_t positions = 0;
      for (const auto& part : parts) {
        positions += part.positions;
        begins.push_back(part.begin);
      }
      ASSERT_LE(positions, seq_length) << "seed " << seed;
      ASSERT_GT(parts.front().begin, last) << "samples are ordered by their first documents";
      last = parts.front().begin;
      all += positions;
    }
    EXPECT_EQ(all, packing.positions());
    std::sort(begins.begin(), begins.end());
    ASSERT_EQ(begins.size(), documents.size());
    for (std::size_t i = 0; i < begins.size(); ++i) ASSERT_EQ(begins[i], documents[i].begin);
    // Best fit decreasing needs at most 11/9 of the fewest samples, and a few (Johnson, 1973).
    const auto least = (all + seq_length - 1) / seq_length;
    EXPECT_LE(packing.samples(), 11 * least / 9 + 4) << "seed " << seed;
  }
}

TEST(DocumentPackingTest, PairsHaveASampleForEachDocumentAndAreLeftOutTogether) {
  // The third pair has a document without a target, the last one a document that is cut.
  const auto documents = back_to_back({4, 2, 3, 5, 1, 4, 9, 2});
  const auto packing = DocumentPacking::of_pairs(documents, 4);
  EXPECT_THAT(begins_of(packing), ElementsAre(ElementsAre(0), ElementsAre(4), ElementsAre(6),
                                              ElementsAre(9), ElementsAre(19), ElementsAre(28)));
  EXPECT_EQ(packing.positions(), 3 + 1 + 2 + 4 + 4 + 1);
  EXPECT_EQ(packing.left_out(), 1);
  EXPECT_EQ(packing.cut(), 1);
  const auto masked =
      DocumentPacking::of_pairs(documents, 4, [](const auto& part) { return part.begin != 9; });
  EXPECT_THAT(begins_of(masked),
              ElementsAre(ElementsAre(0), ElementsAre(4), ElementsAre(19), ElementsAre(28)));
  EXPECT_THROW((void)DocumentPacking::of_pairs(back_to_back({2, 2, 2}), 4), Error);
}

// Five conversations of two sets; the second set has a loss mask.
class WholeDocumentsTest : public ::testing::Test {
 protected:
  WholeDocumentsTest() {
    IndexedDatasetWriter plain(scratch_ / "a", TokenType::uint16);
    for (const std::vector<std::int32_t>& document :
         std::vector<std::vector<std::int32_t>>{{1, 2, 3}, {4, 5, 6, 7, 8}}) {
      plain.append(document);
      plain.end_document();
    }
    plain.finish();
    IndexedDatasetWriter masked(scratch_ / "b", TokenType::uint16, {.has_loss_mask = true});
    masked.append(std::vector{10, 11, 12, 13}, std::vector<std::uint8_t>{1, 0, 1, 0});
    masked.end_document();
    masked.append(std::vector{20, 21, 22}, std::vector<std::uint8_t>{1, 0, 0});
    masked.end_document();
    masked.append(std::vector{30, 31, 32, 33, 34, 35, 36, 37, 38},
                  std::vector<std::uint8_t>{0, 0, 0, 0, 0, 1, 1, 0, 1});
    masked.end_document();
    masked.finish();
  }
  [[nodiscard]] Dataset dataset(DatasetOptions options) const {
    const auto corpus = std::make_shared<const Corpus>(
        std::vector{(scratch_ / "a").string(), (scratch_ / "b").string()});
    options.packed_documents = true;
    return {corpus, {0, corpus->tokens()}, options};
  }
  const testing::ScratchDirectory scratch_;
};

struct PackedRow {
  explicit PackedRow(const Dataset& data, std::int64_t sample)
      : tokens(size_of(data), -7), targets(tokens), positions(tokens), segment_ids(tokens) {
    data.fill(sample, {tokens, targets, positions, segment_ids});
  }
  static std::size_t size_of(const Dataset& data) {
    return static_cast<std::size_t>(data.options().seq_length);
  }
  std::vector<std::int32_t> tokens, targets, positions, segment_ids;
};

TEST_F(WholeDocumentsTest, RowsHoldDocumentsMasksAndPadding) {
  const Dataset data = dataset({.seq_length = 7, .vocab_size = 100, .whole_documents = true});
  // 7 positions of the document that is cut; 4 and 3; 2. {20, 21, 22} has no target.
  ASSERT_EQ(data.samples_per_epoch(), 3);
  EXPECT_EQ(data.streams()[0].packing()->left_out(), 1);
  EXPECT_EQ(data.streams()[0].packing()->cut(), 1);
  const PackedRow first(data, 0), second(data, 1), third(data, 2);
  EXPECT_THAT(first.tokens, ElementsAre(1, 2, 0, 0, 0, 0, 0));
  EXPECT_THAT(first.targets, ElementsAre(2, 3, -1, -1, -1, -1, -1));
  EXPECT_THAT(first.positions, ElementsAre(0, 1, 0, 1, 2, 3, 4));
  EXPECT_THAT(first.segment_ids, ElementsAre(0, 0, 1, 1, 1, 1, 1));
  EXPECT_THAT(second.tokens, ElementsAre(4, 5, 6, 7, 10, 11, 12));
  EXPECT_THAT(second.targets, ElementsAre(5, 6, 7, 8, -1, 12, -1));
  EXPECT_THAT(second.positions, ElementsAre(0, 1, 2, 3, 0, 1, 2));
  EXPECT_THAT(second.segment_ids, ElementsAre(0, 0, 0, 0, 1, 1, 1));
  EXPECT_THAT(third.tokens, ElementsAre(30, 31, 32, 33, 34, 35, 36));
  EXPECT_THAT(third.targets, ElementsAre(-1, -1, -1, -1, 35, 36, -1));
  EXPECT_THAT(third.segment_ids, Each(0));
}

TEST_F(WholeDocumentsTest, TokensAreCountedWithoutPadding) {
  const Dataset data =
      dataset({.seq_length = 7, .vocab_size = 100, .shuffle = true, .whole_documents = true});
  std::int64_t before = 0;
  for (std::int64_t number = 0; number < 3 * 4; ++number) {
    EXPECT_EQ(data.tokens_before(number), before);
    const PackedRow row(data, number);
    const std::int64_t padding = std::count(row.tokens.begin(), row.tokens.end(), 0);
    EXPECT_EQ(data.tokens_of(number, 1), 7 - padding);
    before += 7 - padding;
  }
  EXPECT_EQ(data.tokens_of(0, 12), before);
  EXPECT_EQ(before, 4 * (2 + 7 + 7));
  const Dataset stream = dataset({.seq_length = 7, .vocab_size = 100});
  EXPECT_EQ(stream.tokens_of(3, 2), 14);
  EXPECT_EQ(stream.tokens_before(5), 35);
}

TEST_F(WholeDocumentsTest, TheMaskHoldsInSamplesOfTheStreamToo) {
  const Dataset data = dataset({.seq_length = 10, .vocab_size = 100});
  const PackedRow row(data, 1);  // from token 10 of both sets on
  EXPECT_THAT(row.tokens, ElementsAre(12, 13, 20, 21, 22, 30, 31, 32, 33, 34));
  EXPECT_THAT(row.targets, ElementsAre(-1, -1, -1, -1, -1, -1, -1, -1, -1, 35));
}

// Goal: in every epoch a shuffle gives all pairs once, and chosen and rejected stay together.
TEST(PairsTest, StayTogetherInEveryOrder) {
  const testing::ScratchDirectory scratch;
  constexpr std::int32_t kPairs = 37;
  IndexedDatasetWriter writer(scratch / "p", TokenType::int32, {.has_loss_mask = true});
  for (std::int32_t i = 0; i < 2 * kPairs; ++i) {
    writer.append(std::vector{100 + i, 1, 2}, std::vector<std::uint8_t>{0, 1, 1});
    writer.end_document();
  }
  writer.finish();
  const auto corpus = std::make_shared<const Corpus>(std::vector{(scratch / "p").string()});
  const Dataset data(corpus, {0, corpus->tokens()},
                     {.seq_length = 4, .vocab_size = 200, .shuffle = true, .pairs = true});
  ASSERT_EQ(data.samples_per_epoch(), 2 * kPairs);
  for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
    std::vector<std::int32_t> chosen;
    for (std::int64_t i = 0; i < kPairs; ++i) {
      const std::int64_t number = 2 * (epoch * kPairs + i);
      const PackedRow first(data, number), second(data, number + 1);
      EXPECT_EQ(first.tokens[0] % 2, 0);
      EXPECT_EQ(second.tokens[0], first.tokens[0] + 1);
      EXPECT_THAT(first.targets, ElementsAre(1, 2, -1, -1));
      EXPECT_EQ(data.place_of(number), first.tokens[0] - 100);
      EXPECT_EQ(PackedRow(data.in_order(), data.place_of(number + 1)).tokens, second.tokens);
      chosen.push_back(first.tokens[0]);
    }
    EXPECT_FALSE(std::is_sorted(chosen.begin(), chosen.end())) << "the order is drawn";
    std::sort(chosen.begin(), chosen.end());
    for (std::int32_t i = 0; i < kPairs; ++i)
      EXPECT_EQ(chosen[static_cast<std::size_t>(i)], 100 + 2 * i);
  }
  // The nearest border between documents to half of the tokens is inside of pair 18.
  const auto shares = split_corpus(*corpus, {0.5, 0.5, 0}, SplitAt::pairs);
  EXPECT_EQ(shares[0].end % 6, 0);
  EXPECT_NEAR(static_cast<double>(shares[0].end), 111, 3.1);
  EXPECT_EQ(split_corpus(*corpus, {0.5, 0.5, 0}, SplitAt::borders)[0].end, 111);
}

TEST_F(WholeDocumentsTest, ProblemsAreNamed) {
  const auto problem = [&](const std::function<void()>& action) -> std::string {
    try {
      action();
    } catch (const Error& error) {
      return error.message();
    }
    return "no error";
  };
  EXPECT_THAT(problem([&] {
                (void)PackedRow(
                    dataset({.seq_length = 7, .vocab_size = 36, .whole_documents = true}), 2);
              }),
              HasSubstr("sample 2, position 6 (token 13 of"));
  const auto corpus = std::make_shared<const Corpus>(std::vector{(scratch_ / "b").string()});
  EXPECT_THAT(problem([&] {
                const Dataset data(corpus, {4, 7},
                                   {.seq_length = 4,
                                    .vocab_size = 100,
                                    .packed_documents = true,
                                    .whole_documents = true});
              }),
              HasSubstr("train data: expected a document with a token for the loss among its first "
                        "seq_length + 1 = 5, found none in 3 tokens of 16 in all"));
}

}  // namespace
}  // namespace megascale
