#include "megascale/data/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>

#include "megascale/base/error.h"
#include "megascale/base/philox.h"
#include "megascale/config/derived.h"
#include "megascale/config/load.h"
#include "megascale/data/indexed_writer.h"
#include "support/scratch_directory.h"

namespace megascale {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Documents = std::vector<std::vector<std::int32_t>>;

std::string write_dataset(const testing::ScratchDirectory& scratch, const std::string& name,
                          const Documents& documents, TokenType type = TokenType::uint16) {
  IndexedDatasetWriter writer(scratch / name, type);
  for (const auto& document : documents) {
    writer.append(document);
    writer.end_document();
  }
  writer.finish();
  return (scratch / name).string();
}

std::vector<std::int32_t> counting(std::int32_t count, std::int32_t first = 0) {
  std::vector<std::int32_t> ids(static_cast<std::size_t>(count));
  std::iota(ids.begin(), ids.end(), first);
  return ids;
}

std::shared_ptr<const Corpus> corpus_of(const std::vector<std::string>& prefixes) {
  return std::make_shared<const Corpus>(prefixes);
}

struct Rows {
  explicit Rows(std::size_t size)
      : tokens(size, -7), targets(size, -7), positions(size, -7), segment_ids(size, -7) {}
  Batch view() { return {tokens, targets, positions, segment_ids}; }
  std::vector<std::int32_t> tokens, targets, positions, segment_ids;
};

Rows rows_of(const Dataset& dataset, std::int64_t first, std::size_t sequences = 1) {
  Rows rows(sequences * static_cast<std::size_t>(dataset.options().seq_length));
  dataset.fill(first, rows.view());
  return rows;
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

TEST(DatasetTest, WithoutShuffleSamplesFollowTheFileAndTargetsAreTheNextTokens) {
  const testing::ScratchDirectory scratch;
  const auto corpus = corpus_of({write_dataset(scratch, "a", {counting(7), counting(7, 7)})});
  const Dataset dataset(corpus, {1, 14}, {.seq_length = 4, .vocab_size = 14});
  EXPECT_EQ(dataset.samples_per_epoch(), 3);  // 13 tokens: three times 4, and the last target
  const Rows rows = rows_of(dataset, 1, 2);
  EXPECT_THAT(rows.tokens, ElementsAre(5, 6, 7, 8, 9, 10, 11, 12));
  EXPECT_THAT(rows.targets, ElementsAre(6, 7, 8, 9, 10, 11, 12, 13));
  EXPECT_THAT(rows.positions, ElementsAre(0, 1, 2, 3, 0, 1, 2, 3));
  EXPECT_THAT(rows.segment_ids, Each(0));
  EXPECT_EQ(rows_of(dataset, 3).tokens, rows_of(dataset, 0).tokens);  // the next epoch
  EXPECT_EQ(Dataset(corpus, {0, 12}, {.seq_length = 4, .vocab_size = 14}).samples_per_epoch(), 2);
}

TEST(DatasetTest, PositionsAndSegmentIdsAreOptional) {
  const testing::ScratchDirectory scratch;
  const auto corpus = corpus_of({write_dataset(scratch, "a", {counting(3), counting(3)})});
  for (const bool packed : {false, true}) {
    const Dataset dataset(corpus, {0, 6},
                          {.seq_length = 5, .vocab_size = 9, .packed_documents = packed});
    Rows rows(5);
    dataset.fill(
        0, {.tokens = rows.tokens, .targets = rows.targets, .positions = {}, .segment_ids = {}});
    EXPECT_THAT(rows.targets, ElementsAre(1, 2, packed ? -1 : 0, 1, 2));
  }
}

TEST(DatasetTest, EachEpochIsAnotherPermutationOfAllSamples) {
  const testing::ScratchDirectory scratch;
  const auto corpus = corpus_of({write_dataset(scratch, "a", {counting(201)})});
  const DatasetOptions options{.seq_length = 2, .vocab_size = 201, .shuffle = true, .seed = 5};
  const Dataset dataset(corpus, {0, 201}, options);
  std::vector<std::vector<std::int64_t>> epochs;
  for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
    std::vector<std::int64_t> places;
    for (std::int64_t i = 0; i < 100; ++i) {
      places.push_back(dataset.place_of(epoch * 100 + i));
      EXPECT_THAT(rows_of(dataset, epoch * 100 + i).tokens,
                  ElementsAre(2 * places.back(), 2 * places.back() + 1));
    }
    epochs.push_back(places);
    std::sort(places.begin(), places.end());
    for (std::int64_t i = 0; i < 100; ++i) EXPECT_EQ(places[static_cast<std::size_t>(i)], i);
  }
  EXPECT_NE(epochs[0], epochs[1]);
  EXPECT_NE(epochs[1], epochs[2]);
  DatasetOptions other = options;
  other.seed = 6;
  EXPECT_NE(Dataset(corpus, {0, 201}, other).place_of(0), dataset.place_of(0));
}

// Goal: packed rows are right at every border.  Method: random documents (empty ones too) in
// several files, against a model that knows each token's document.
TEST(DatasetTest, PackedRowsAgreeWithASimpleModel) {
  int masked = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const testing::ScratchDirectory scratch;
    const PhiloxStream stream(seed, "documents");
    std::uint64_t next = 0;
    std::vector<std::string> prefixes;
    std::vector<std::int32_t> tokens, document_of;
    for (std::uint64_t file = 0, files = 1 + stream.bits(next++) % 3, document = 0; file < files;
         ++file) {
      Documents documents;
      for (std::uint64_t d = 0, count = stream.bits(next++) % 8; d < count; ++d, ++document) {
        documents.emplace_back();
        for (std::uint64_t t = 0, size = stream.bits(next++) % 7; t < size; ++t) {
          documents.back().push_back(static_cast<std::int32_t>(stream.bits(next++) % 100));
          tokens.push_back(documents.back().back());
          document_of.push_back(static_cast<std::int32_t>(document));
        }
      }
      prefixes.push_back(write_dataset(scratch, "part" + std::to_string(file), documents));
    }
    const std::size_t length = 1 + stream.bits(next++) % 9, begin = stream.bits(next++) % 4;
    if (tokens.size() < begin + length + 1) continue;
    const Dataset dataset(
        corpus_of(prefixes),
        {static_cast<std::int64_t>(begin), static_cast<std::int64_t>(tokens.size())},
        {.seq_length = static_cast<std::int64_t>(length),
         .vocab_size = 100,
         .packed_documents = true});
    for (std::int64_t sample = 0; sample < dataset.samples_per_epoch(); ++sample) {
      const Rows rows = rows_of(dataset, sample);
      const std::size_t at = begin + static_cast<std::size_t>(sample) * length;
      std::int32_t position = 0, segment = 0;
      for (std::size_t i = 0; i < length; ++i) {
        if (i > 0 && document_of[at + i] != document_of[at + i - 1]) {
          position = 0;
          ++segment;
        }
        const bool crosses = document_of[at + i + 1] != document_of[at + i];
        masked += crosses ? 1 : 0;
        ASSERT_EQ(rows.tokens[i], tokens[at + i]) << "seed " << seed;
        ASSERT_EQ(rows.targets[i], crosses ? -1 : tokens[at + i + 1])
            << "seed " << seed << " sample " << sample;
        ASSERT_EQ(rows.positions[i], position++) << "seed " << seed << " sample " << sample;
        ASSERT_EQ(rows.segment_ids[i], segment) << "seed " << seed << " sample " << sample;
      }
    }
  }
  EXPECT_GT(masked, 100);
}

TEST(DatasetTest, ATokenOutsideOfTheVocabularyIsNamed) {
  const testing::ScratchDirectory scratch;
  const auto first = write_dataset(scratch, "a", {counting(10)}),
             second = write_dataset(scratch, "b", {{1, 99, 3}});
  const auto corpus = corpus_of({first, second});
  const auto fill = [&](std::int64_t vocab_size, std::int64_t sample) {
    return message_of([&] {
      (void)rows_of(Dataset(corpus, {0, 13}, {.seq_length = 4, .vocab_size = vocab_size}), sample);
    });
  };
  EXPECT_EQ(fill(99, 2), "train data: sample 2, position 3 (token 1 of " + second +
                             ".bin, in document 0): expected a token id from 0 to 98, found 99");
  EXPECT_EQ(fill(8, 1), "train data: sample 1, position 4 (token 8 of " + first +
                            ".bin, in document 0): expected a token id from 0 to 7, found 8");
  EXPECT_EQ(fill(100, 2), "no error");
}

TEST(DatasetTest, TokensThatInt32CannotHoldAreNamedWithTheirValue) {
  const testing::ScratchDirectory scratch;
  const std::string prefix = write_dataset(scratch, "a", {counting(3)}, TokenType::int64);
  std::string bin = read_text(scratch / "a.bin");
  const std::int64_t huge = (std::int64_t{1} << 32) + 1;
  std::memcpy(&bin[8], &huge, 8);
  scratch.write("a.bin", bin);
  EXPECT_THAT(
      message_of([&] {
        (void)rows_of(Dataset(corpus_of({prefix}), {0, 3}, {.seq_length = 2, .vocab_size = 9}), 0);
      }),
      HasSubstr("position 1 (token 1 of " + prefix +
                ".bin, in document 0): expected a token id from 0 to 8, found 4294967297"));
}

TEST(DatasetTest, AllTokensOfARangeAreComparedWithTheVocabulary) {
  const testing::ScratchDirectory scratch;
  const auto first = write_dataset(scratch, "a", {counting(10)}),
             second = write_dataset(scratch, "b", {{1, 2}, {99, 3}});
  const auto corpus = corpus_of({first, second});
  const auto check = [&](std::int64_t vocab_size, TokenRange range, std::int64_t most) {
    return message_of([&] {
      Dataset(corpus, range, {.seq_length = 4, .vocab_size = vocab_size})
          .require_known_tokens(most);
    });
  };
  EXPECT_THAT(check(99, {0, 14}, 14), HasSubstr("token 2 of " + second +
                                                ".bin, in document 1: expected a token id from 0 "
                                                "to 98 (model.vocab_size = 99), found 99"));
  EXPECT_EQ(check(99, {0, 14}, 12), "no error") << "the rest is not read";
  EXPECT_EQ(check(99, {0, 12}, 14), "no error") << "another split has the token";
  EXPECT_EQ(check(100, {0, 14}, 14), "no error");
}

TEST(DatasetTest, ASequenceLongerThanTheDataIsAnError) {
  const testing::ScratchDirectory scratch;
  const auto corpus = corpus_of({write_dataset(scratch, "a", {counting(10)})});
  EXPECT_THAT(
      message_of([&] {
        Dataset(corpus, {2, 10}, {.seq_length = 8, .vocab_size = 10});
      }),
      HasSubstr(
          "train data: expected at least seq_length + 1 = 9 tokens for one sample, found 8 of 10"));
  EXPECT_EQ(Dataset(corpus, {2, 10}, {.seq_length = 7, .vocab_size = 10}).samples_per_epoch(), 1);
  EXPECT_THAT(message_of([&] {
                Dataset(corpus, {3, 3}, {.seq_length = 1, .vocab_size = 10});
              }),
              HasSubstr("found 0"));
}

// ---- splits
// ------------------------------------------------------------------------------------------------------------

TEST(SplitTest, CutsFallOnDocumentBordersWhereTheseAreNearElseInside) {
  const testing::ScratchDirectory scratch;
  const auto parts =
      corpus_of({write_dataset(scratch, "a", {counting(79), counting(11), {}, counting(10)})});
  EXPECT_THAT(split_corpus(*parts, {0.8, 0.1, 0.1}),
              ElementsAre(TokenRange{0, 79}, TokenRange{79, 90}, TokenRange{90, 100}));
  EXPECT_THAT(split_corpus(*parts, {0.9, 0.0, 0.1}),
              ElementsAre(TokenRange{0, 90}, TokenRange{90, 90}, TokenRange{90, 100}));
  EXPECT_THAT(split_corpus(*parts, {0.5, 0.5, 0.0}),
              ElementsAre(TokenRange{0, 50}, TokenRange{50, 100}, TokenRange{100, 100}));
  EXPECT_THAT(split_corpus(*parts, {1.0, 0.0, 0.0}),
              ElementsAre(TokenRange{0, 100}, TokenRange{100, 100}, TokenRange{100, 100}));
  const auto one = corpus_of({write_dataset(scratch, "b", {counting(1000)})});
  EXPECT_THAT(split_corpus(*one, {0.969, 0.03, 0.001}),
              ElementsAre(TokenRange{0, 969}, TokenRange{969, 999}, TokenRange{999, 1000}));
}

// Every token is in one share, none is off by more than a fifth, and borders are taken where they
// are near.
TEST(SplitTest, SharesCoverTheCorpusAndKeepTheirSizes) {
  int on_border = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const testing::ScratchDirectory scratch;
    const PhiloxStream stream(seed, "split");
    Documents documents;
    std::set<std::int64_t> borders;
    std::int64_t tokens = 0;
    for (std::uint64_t d = 0, count = 1 + stream.bits(0) % 60; d < count; ++d) {
      documents.push_back(counting(static_cast<std::int32_t>(stream.bits(d + 1) % 50)));
      borders.insert(tokens);
      tokens += static_cast<std::int64_t>(documents.back().size());
    }
    if (tokens < 100) continue;
    const auto corpus = corpus_of({write_dataset(scratch, "a", documents)});
    const std::array<double, 3> shares{0.7, 0.2, 0.1};
    const auto ranges = split_corpus(*corpus, shares);
    EXPECT_EQ(ranges[2].end, tokens);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(ranges[i].begin, i == 0 ? 0 : ranges[i - 1].end);
      const double exact = shares[i] * static_cast<double>(tokens);
      EXPECT_NEAR(static_cast<double>(ranges[i].size()), exact, 0.2 * exact + 1) << "seed " << seed;
    }
    on_border += borders.contains(ranges[1].begin) ? 1 : 0;
  }
  EXPECT_GT(on_border, 5);
}

TEST(CorpusTest, NearestBorderAgreesWithASearchOverAll) {
  const testing::ScratchDirectory scratch;
  const auto corpus = corpus_of({write_dataset(scratch, "a", {counting(3), {}, counting(9)}),
                                 write_dataset(scratch, "b", {}),
                                 write_dataset(scratch, "c", {counting(1), counting(6), {}})});
  ASSERT_EQ(corpus->tokens(), 19);
  for (std::int64_t position = 0; position <= 19; ++position) {
    std::int64_t distance = 100;
    for (const std::int64_t border : {0, 3, 12, 13, 19})
      distance = std::min(distance, std::abs(border - position));
    EXPECT_EQ(std::abs(corpus->nearest_border(position) - position), distance) << position;
  }
}

// ---- from a configuration
// ----------------------------------------------------------------------------------------------

Config config_for(const std::vector<std::string>& settings) {
  return parse_config("", "test", settings);
}

TEST(OpenDatasetTest, TakesTheSharesOfTheSplitAndShufflesTrainingOnly) {
  const testing::ScratchDirectory scratch;
  const std::string prefix = write_dataset(scratch, "a", {counting(1000)});
  const Config config = config_for({"data.data_path=" + prefix, "data.split=8,1,1",
                                    "model.seq_length=10", "model.vocab_size=1000", "data.seed=3"});
  const Dataset train = open_dataset(config, Split::train),
                validation = open_dataset(config, Split::validation);
  EXPECT_EQ(train.streams()[0].range(), (TokenRange{0, 800}));
  EXPECT_EQ(validation.streams()[0].range(), (TokenRange{800, 900}));
  EXPECT_EQ(open_dataset(config, Split::test).streams()[0].range(), (TokenRange{900, 1000}));
  EXPECT_TRUE(train.options().shuffle);
  EXPECT_EQ(train.options().seed, 3U);
  EXPECT_FALSE(validation.options().shuffle);
  EXPECT_THAT(rows_of(validation, 0).tokens,
              ElementsAre(800, 801, 802, 803, 804, 805, 806, 807, 808, 809));
}

TEST(OpenDatasetTest, AValidationSetOfItsOwnLeavesAllOfTheDataForTraining) {
  const testing::ScratchDirectory scratch;
  const std::string a = write_dataset(scratch, "a", {counting(50)}),
                    b = write_dataset(scratch, "b", {counting(30, 100)});
  const Config config =
      config_for({"data.data_path=" + a, "data.valid_data_path=" + b, "model.seq_length=10"});
  EXPECT_EQ(open_dataset(config, Split::train).streams()[0].range(), (TokenRange{0, 50}));
  EXPECT_EQ(rows_of(open_dataset(config, Split::validation), 0).tokens[0], 100);
  EXPECT_THAT(message_of([&] { (void)open_dataset(config, Split::test); }),
              HasSubstr("expected a share of test data"));
}

TEST(OpenDatasetTest, MissingDataIsNamed) {
  const testing::ScratchDirectory scratch;
  EXPECT_THAT(message_of([] { (void)open_dataset(config_for({}), Split::train); }),
              HasSubstr("data.data_path"));
  const Config config =
      config_for({"data.data_path=" + write_dataset(scratch, "a", {counting(50)}), "data.split=1"});
  EXPECT_THAT(message_of([&] { (void)open_dataset(config, Split::validation); }),
              HasSubstr("data.split: expected a share of validation data, found \"1\""));
  EXPECT_THAT(message_of([&] { (void)open_dataset(config, Split::train); }),
              HasSubstr("seq_length + 1 = 1025"));
}

// Goal: no layout changes what a step trains on.  Method: over layouts with one global batch, the
// samples of a step are the same numbers, each once, and so is the rolling hash.
TEST(StepSamplesTest, EveryLayoutTrainsOnTheSameSamples) {
  const testing::ScratchDirectory scratch;
  const std::string prefix = write_dataset(scratch, "a", {counting(5000)});
  std::set<std::uint64_t> hashes;
  for (const auto& [data, micro, pipeline] :
       std::vector<std::array<int, 3>>{{1, 24, 1}, {1, 1, 1}, {4, 3, 1}, {2, 4, 3}, {24, 1, 2}}) {
    const Config config = config_for(
        {"data.data_path=" + prefix, "train.global_batch_size=24", "model.vocab_size=5000",
         "model.seq_length=16", "train.micro_batch_size=" + std::to_string(micro),
         "parallel.pipeline_model_parallel_size=" + std::to_string(pipeline),
         "parallel.world_size=" + std::to_string(data * pipeline)});
    const Dataset dataset = open_dataset(config, Split::train);
    std::uint64_t hash = 0;
    for (std::int64_t step = 0; step < 30; ++step) {
      std::vector<std::int64_t> numbers;
      for (std::int64_t micro_batch = 0; micro_batch < num_micro_batches(config); ++micro_batch) {
        for (std::int64_t rank = 0; rank < data; ++rank) {
          const std::int64_t first =
              first_sample(config, {.step = step, .data_rank = rank, .micro_batch = micro_batch});
          for (std::int64_t i = 0; i < micro; ++i) numbers.push_back(first + i);
        }
      }
      std::vector<std::int64_t> want(24);
      std::iota(want.begin(), want.end(), step * 24);
      EXPECT_EQ(numbers, want);  // also in this order: micro-batch outer, data rank inner
      hash = dataset.hash_samples(hash, step * 24, 24);
    }
    hashes.insert(hash);
  }
  EXPECT_EQ(hashes.size(), 1U);
}

TEST(StepSamplesTest, TheHashDependsOnEverySampleAndItsOrder) {
  const testing::ScratchDirectory scratch;
  const auto corpus = corpus_of({write_dataset(scratch, "a", {counting(401)})});
  const auto hash = [&](std::uint64_t seed, std::int64_t first, std::int64_t count,
                        std::uint64_t previous) {
    const DatasetOptions options{
        .seq_length = 4, .vocab_size = 401, .shuffle = seed != 0, .seed = seed};
    return Dataset(corpus, {0, 401}, options).hash_samples(previous, first, count);
  };
  const std::uint64_t base = hash(1, 0, 8, 0);
  EXPECT_EQ(hash(1, 4, 4, hash(1, 0, 4, 0)), base);
  EXPECT_NE(hash(2, 0, 8, 0), base);
  EXPECT_NE(hash(1, 1, 8, 0), base);
  EXPECT_NE(hash(1, 0, 7, 0), base);
  EXPECT_NE(hash(1, 0, 8, 1), base);
  EXPECT_NE(hash(1, 0, 4, hash(1, 4, 4, 0)), base);
}

}  // namespace
}  // namespace megascale
