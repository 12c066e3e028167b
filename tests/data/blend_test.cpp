// Goal: blends of sets and named validation sets hold what docs/blend.md promises.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/config/load.h"
#include "megascale/data/dataset.h"
#include "megascale/data/dataset_info.h"
#include "megascale/data/indexed_writer.h"
#include "megascale/data/tokenizer_files.h"
#include "support/scratch_directory.h"

namespace megascale {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string problem_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

// Sets whose ids tell them apart, in samples of 10 tokens.
class BlendTest : public ::testing::Test {
 protected:
  static constexpr std::int32_t kIdsOfSet = 1000;

  // A set of one document, whose ids are first, first + 1, ... It says nothing about its tokenizer if
  // `fingerprint` is empty.
  std::string make_set(const std::string& name, std::int32_t first, std::int64_t tokens,
                       const std::string& fingerprint = "",
                       TokenType type = TokenType::uint16) const {
    std::vector<std::int32_t> ids(static_cast<std::size_t>(tokens));
    for (std::size_t i = 0; i < ids.size(); ++i)
      ids[i] = first + static_cast<std::int32_t>(i % kIdsOfSet);
    IndexedDatasetWriter writer(scratch_ / name, type);
    writer.append(ids);
    writer.end_document();
    writer.finish();
    if (!fingerprint.empty()) {
      scratch_.write(
          name + ".info.json",
          to_text(DatasetInfo{.tokenizer = checkpoint::TokenizerRecord{.name = name + ".json",
                                                                       .fingerprint = fingerprint,
                                                                       .vocab_size = 4000,
                                                                       .eod = {},
                                                                       .files = {}},
                              .documents = 1,
                              .tokens = tokens,
                              .text_nbytes = 3 * tokens,
                              .chat_template = {}}));
    }
    return (scratch_ / name).string();
  }
  static Config configure(const std::string& paths, const std::string& weights,
                          const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{"data.data_path=" + paths, "data.data_weights=" + weights,
                                 "data.split=8,1,1", "model.seq_length=10",
                                 "model.vocab_size=4000"};
    all.insert(all.end(), more.begin(), more.end());
    return parse_config("", "test", all);
  }
  // The first token of a sample tells its set.
  static std::size_t set_of(const Dataset& data, std::int64_t number) {
    std::vector<std::int32_t> tokens(10), targets(10);
    data.fill(number, {.tokens = tokens, .targets = targets, .positions = {}, .segment_ids = {}});
    return static_cast<std::size_t>(tokens[0] / kIdsOfSet);
  }
  // The places in their set of the samples of one set, in their order.
  static std::vector<std::int64_t> places_of(const Dataset& data, std::size_t set,
                                             std::int64_t count) {
    std::vector<std::int64_t> places;
    for (std::int64_t i = 0; i < count; ++i) places.push_back(data.streams()[set].place_of(i));
    return places;
  }

  testing::ScratchDirectory scratch_;
  const std::string a_ = make_set("a", 0, 5000), b_ = make_set("b", 1000, 1000),
                    c_ = make_set("c", 2000, 1000);
};

// Goal: what is read has the shares, not only what the order says.
TEST_F(BlendTest, MeasuredSharesAreTheWeightsInAllSplits) {
  const std::vector<double> shares{0.6, 0.3, 0.1};
  const Config config = configure(a_ + "," + b_ + "," + c_, "6,3,1");
  for (const Split split : {Split::train, Split::validation, Split::test}) {
    const Dataset data = open_dataset(config, split);
    constexpr std::int64_t kSamples = 10'000;
    std::vector<double> counts(3);
    for (std::int64_t n = 0; n < kSamples; ++n) ++counts[set_of(data, n)];
    for (std::size_t s = 0; s < 3; ++s)
      EXPECT_NEAR(counts[s] / kSamples, shares[s], 2e-4) << to_string(split) << ", set " << s;
  }
}

TEST_F(BlendTest, EverySetIsSplitByItself) {
  const Config config = configure(a_ + "," + b_, "1,1");
  const auto range = [&](Split split, std::size_t set) {
    return open_dataset(config, split).streams()[set].range();
  };
  EXPECT_EQ(range(Split::train, 0), (TokenRange{0, 4000}));
  EXPECT_EQ(range(Split::validation, 0), (TokenRange{4000, 4500}));
  EXPECT_EQ(range(Split::test, 0), (TokenRange{4500, 5000}));
  EXPECT_EQ(range(Split::train, 1), (TokenRange{0, 800}));
  EXPECT_EQ(range(Split::validation, 1), (TokenRange{800, 900}));
  // With a validation set of its own they are training data, all of them.
  const Config own = configure(a_ + "," + b_, "1,1", {"data.valid_data_path=" + c_});
  EXPECT_EQ(open_dataset(own, Split::train).streams()[1].range(), (TokenRange{0, 1000}));
  EXPECT_EQ(set_of(open_dataset(own, Split::validation), 0), 2U);
}

// Goal: a set that is used up begins anew, shuffled in another way, and repeats no sample before.
TEST_F(BlendTest, AnExhaustedSetBeginsItsNextEpochWithoutARepeat) {
  // Of b, 799 / 10 samples: it is used up after 2 x 79 samples of the blend.
  const Dataset data = open_dataset(configure(a_ + "," + b_, "1,1"), Split::train);
  EXPECT_EQ(data.streams()[1].samples(), 79);
  std::vector<std::vector<std::int32_t>> epochs(3);
  for (std::int64_t number = 0; number < 3 * 2 * 79; ++number) {
    std::vector<std::int32_t> tokens(10), targets(10);
    data.fill(number, {.tokens = tokens, .targets = targets, .positions = {}, .segment_ids = {}});
    if (tokens[0] < kIdsOfSet) continue;
    auto& epoch = epochs[static_cast<std::size_t>(number / (2 * 79))];
    epoch.push_back(tokens[0]);
  }
  for (const auto& epoch : epochs) {
    EXPECT_EQ(epoch.size(), 79U);
    EXPECT_EQ(std::set(epoch.begin(), epoch.end()).size(), 79U) << "no sample comes twice";
  }
  EXPECT_NE(epochs[0], epochs[1]);
  EXPECT_NE(epochs[1], epochs[2]);
}

// Goal: samples_per_epoch() is the number of the first sample that comes twice.
TEST_F(BlendTest, AnEpochEndsBeforeTheFirstRepeat) {
  for (const char* weights : {"1,1,1", "5,1,1", "1,7,3", "0.01,1,1"}) {
    const Dataset data = open_dataset(configure(a_ + "," + b_ + "," + c_, weights), Split::train);
    std::set<std::int64_t> seen;
    std::int64_t number = 0;
    while (seen.insert(data.place_of(number)).second) ++number;
    EXPECT_EQ(data.samples_per_epoch(), number) << weights;
  }
}

TEST_F(BlendTest, SetsOfEqualSizesAreReadInDifferentOrders) {
  const Dataset data = open_dataset(configure(b_ + "," + c_, "1,1"), Split::train);
  EXPECT_NE(places_of(data, 0, 79), places_of(data, 1, 79));
  const Dataset validation = open_dataset(configure(b_ + "," + c_, "1,1"), Split::validation);
  EXPECT_EQ(places_of(validation, 0, 9), places_of(validation, 1, 9)) << "these are not shuffled";
}

// A corpus may be moved: its path does not count.
TEST_F(BlendTest, TheOrderDependsOnSeedWeightsAndSetsAlone) {
  const auto hash = [](const Config& config) {
    return open_dataset(config, Split::train).hash_samples(0, 0, 500);
  };
  const std::uint64_t one = hash(configure(a_ + "," + b_, "2,1"));
  EXPECT_EQ(hash(configure(a_ + "," + make_set("moved", 1000, 1000), "2,1")), one);
  EXPECT_EQ(hash(configure(a_ + "," + b_, "4,2")), one);
  EXPECT_NE(hash(configure(a_ + "," + b_, "3,1")), one);
  EXPECT_NE(hash(configure(b_ + "," + a_, "1,2")), one);
  EXPECT_NE(hash(configure(a_ + "," + b_, "2,1", {"data.seed=5"})), one);
  EXPECT_NE(hash(configure(a_ + "," + b_, "2,1", {"data.shuffle=false"})), one);
  EXPECT_NE(hash(parse_config(
                "", "test",
                std::vector<std::string>{"data.data_path=" + a_ + "," + b_, "data.split=8,1,1",
                                         "model.seq_length=10", "model.vocab_size=4000"})),
            one)
      << "without weights";
}

// Goal: numbers of tokens are right where samples are not full.
TEST_F(BlendTest, TokensOfPackedDocumentsAddUp) {
  // Of `shortest` or shortest + 1 tokens, so with one position less.
  const auto documents = [&](const std::string& name, std::int32_t first, std::size_t shortest) {
    IndexedDatasetWriter writer(scratch_ / name, TokenType::uint16);
    for (std::size_t d = 0; d < 200; ++d) {
      writer.append(std::vector<std::int32_t>(shortest + d % 2, first));
      writer.end_document();
    }
    writer.finish();
    return (scratch_ / name).string();
  };
  const Dataset data =
      open_dataset(configure(documents("short", 0, 4) + "," + documents("long", 1000, 8), "2,1",
                             {"data.packed_documents=true", "data.whole_documents=true"}),
                   Split::train);
  std::int64_t tokens = 0, full = 0;
  for (std::int64_t number = 0; number < 500; ++number) {
    ASSERT_EQ(data.tokens_before(number), tokens) << number;
    std::vector<std::int32_t> inputs(10), targets(10);
    data.fill(number, {.tokens = inputs, .targets = targets, .positions = {}, .segment_ids = {}});
    const std::int64_t of_sample = std::count_if(targets.begin(), targets.end(),
                                                 [](std::int32_t target) { return target >= 0; });
    ASSERT_EQ(data.tokens_of(number, 1), of_sample) << number;
    tokens += of_sample;
    full += of_sample == 10 ? 1 : 0;
  }
  EXPECT_EQ(data.tokens_of(0, 500), tokens);
  EXPECT_LT(full, 400) << "the test needs padding";
}

TEST_F(BlendTest, BytesPerTokenIsTheMeanOverTheSamples) {
  const std::string three = make_set("three", 0, 1000, "f");
  EXPECT_DOUBLE_EQ(*open_dataset(configure(three, "1"), Split::train).bytes_per_token(), 3);
  EXPECT_FALSE(open_dataset(configure(three + "," + b_, "1,1"), Split::train).bytes_per_token());
  const std::string six = make_set("six", 1000, 1000, "f");
  std::string info = read_text(scratch_ / "six.info.json");
  info.replace(info.find("3000"), 4, "6000");
  scratch_.write("six.info.json", info);
  EXPECT_DOUBLE_EQ(
      *open_dataset(configure(three + "," + six, "1,2"), Split::train).bytes_per_token(), 5);
}

TEST_F(BlendTest, SetsThatDoNotFitTogetherAreNamed) {
  const auto problem = [](const Config& config, Split split = Split::train) {
    return problem_of([&] { (void)open_dataset(config, split); });
  };
  const std::string one = make_set("one", 0, 1000, "f1"), other = make_set("other", 0, 1000, "f2");
  EXPECT_THAT(problem(configure(one + "," + other, "1,1")),
              AllOf(HasSubstr("ids of one tokenizer"), HasSubstr("f1"), HasSubstr("f2"),
                    HasSubstr(one), HasSubstr(other), HasSubstr("a blend needs sets of one")));
  EXPECT_THAT(problem(configure(one + "," + a_ + "," + other, "1,1,1")),
              HasSubstr("ids of one tokenizer"))
      << "a set that says nothing between them";
  const std::string wide = make_set("wide", 0, 1000, "", TokenType::int32);
  EXPECT_THAT(problem(configure(a_ + "," + wide, "1,1")),
              AllOf(HasSubstr("ids of one type"), HasSubstr("uint16 in " + a_),
                    HasSubstr("int32 in " + wide)));
  const std::string tiny = make_set("tiny", 0, 9);
  EXPECT_THAT(
      problem(configure(a_ + "," + tiny, "1,1")),
      AllOf(HasSubstr("seq_length + 1 = 11"), HasSubstr("opening " + tiny + " of a blend")));
  EXPECT_THAT(
      problem(configure(a_ + "," + tiny, "1,1", {"data.split=98,1,1"}), Split::test),
      AllOf(HasSubstr("data.split = \"98,1,1\": expected tokens for the share of test data, "
                      "found none: the set has 9 tokens"),
            HasSubstr("opening " + tiny)));
  EXPECT_THAT(problem(configure(a_ + "," + b_, "1,1", {"data.split=1"}), Split::test),
              HasSubstr("expected a share of test data, found \"1\""));
  EXPECT_THAT(problem(configure(a_ + "," + a_ + "x", "1,1")), HasSubstr(a_ + "x"));
}

// ---- named validation sets

TEST_F(BlendTest, ValidationSetsAreReadWholeAndByName) {
  const std::vector<std::string> named{"data.validation_sets=wiki=" + b_ + ",code=" + c_,
                                       "train.eval_interval=1"};
  const auto sets = open_validation(configure(a_, "1", named));
  ASSERT_EQ(sets.size(), 3U);
  EXPECT_EQ(sets[0].name, "");
  EXPECT_EQ(sets[0].data.streams()[0].range(), (TokenRange{4000, 4500}));
  EXPECT_EQ(sets[1].name, "wiki");
  EXPECT_EQ(set_of(sets[1].data, 0), 1U);
  EXPECT_EQ(sets[1].data.streams()[0].range(), (TokenRange{0, 1000}));
  EXPECT_EQ(sets[2].name, "code");
  EXPECT_EQ(set_of(sets[2].data, 0), 2U);
  // No share is kept back for a set without a name.
  std::vector<std::string> alone = named;
  alone.emplace_back("data.split=1");
  const auto only_named = open_validation(configure(a_, "1", alone));
  ASSERT_EQ(only_named.size(), 2U);
  EXPECT_EQ(only_named[0].name, "wiki");
}

TEST_F(BlendTest, ValidationSetsThatCannotBeUsedAreNamed) {
  const std::string tiny = make_set("tiny", 0, 9);
  EXPECT_THAT(problem_of([&] {
                (void)open_validation(configure(a_, "1", {"data.validation_sets=wiki=" + tiny}));
              }),
              HasSubstr("validation set wiki data: expected at least seq_length + 1 = 11"));
  const std::string one = make_set("one", 0, 1000, "f1"), other = make_set("other", 0, 1000, "f2");
  const Config config = configure(
      one, "1", {"data.validation_sets=good=" + a_ + ",wiki=" + other, "data.tokenizer=none.json"});
  EXPECT_THAT(problem_of([&] {
                (void)find_training_tokenizer(config, open_dataset(config, Split::train),
                                              open_validation(config));
              }),
              AllOf(HasSubstr("ids of one tokenizer"), HasSubstr("f1"), HasSubstr("f2")));
}

}  // namespace
}  // namespace megascale
