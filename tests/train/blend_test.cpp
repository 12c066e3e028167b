// Goal: a run on a blend is the same in every layout and after a resume, and each named validation set
// has the loss that it has by itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "megascale/base/error.h"
#include "megascale/base/philox.h"
#include "megascale/data/dataset.h"
#include "megascale/data/indexed_writer.h"
#include "train/training.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using ::testing::AllOf;
using ::testing::HasSubstr;

class BlendTrainingTest : public ::testing::Test {
 protected:
  // Writes a set of random words from 0 to `words` - 1. Returns its prefix.
  [[nodiscard]] std::string make_set(const std::string& name, std::uint64_t words,
                                     std::size_t documents) const {
    const PhiloxStream random(words, name);
    std::uint64_t number = 0;
    IndexedDatasetWriter writer(scratch_ / name, TokenType::int32);
    for (std::size_t d = 0; d < documents; ++d) {
      std::vector<std::int32_t> document(1 + random.bits(number++) % 40);
      for (std::int32_t& word : document)
        word = static_cast<std::int32_t>(random.bits(number++) % words);
      writer.append(document);
      writer.end_document();
    }
    writer.finish();
    return (scratch_ / name).string();
  }
  [[nodiscard]] Settings with(Settings more) const {
    Settings all{"model.num_layers=2", "model.hidden_size=24", "model.num_attention_heads=4",
                 "data.data_path=" + few_ + "," + many_, "data.data_weights=0.7,0.3"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  static Settings layout(int tensor, int context, int pipeline, int ranks, Settings more = {}) {
    more.insert(more.end(), {"parallel.world_size=" + std::to_string(ranks),
                             "parallel.tensor_model_parallel_size=" + std::to_string(tensor),
                             "parallel.context_parallel_size=" + std::to_string(context),
                             "parallel.pipeline_model_parallel_size=" + std::to_string(pipeline)});
    return more;
  }

  Laboratory laboratory_;
  const ScratchDirectory scratch_;
  // 6 steps of 12 samples read 50 of the first set, which has about 27: it begins its second epoch.
  const std::string few_ = make_set("few", 20, 40), many_ = make_set("many", 300, 300);
};

TEST_F(BlendTrainingTest, LayoutsAgree) {
  const Dataset data = open_dataset(laboratory_.config(with({})), Split::train);
  ASSERT_LT(data.samples_per_epoch(), 5 * Laboratory::kGlobalBatchSize)
      << "the test needs a set that is used up";
  const Outcome one = laboratory_.run(with({}), {.most_steps = 6});
  const Settings equal = layout(1, 1, 2, 2);
  EXPECT_EQ(first_difference(laboratory_.run(with(equal), {.most_steps = 6}), one), "");
  const std::vector<Settings> others{{"train.micro_batch_size=3"},
                                     layout(1, 1, 1, 2),
                                     layout(1, 1, 1, 3, {"parallel.zero_stage=2"}),
                                     layout(2, 1, 1, 2),
                                     layout(1, 2, 1, 2),
                                     layout(2, 1, 2, 8)};
  for (const Settings& settings : others) {
    SCOPED_TRACE(::testing::PrintToString(settings));
    const Outcome outcome = laboratory_.run(with(settings), {.most_steps = 6});
    EXPECT_EQ(outcome.state.sample_digest, one.state.sample_digest);
    EXPECT_LE(worst_relative_difference(outcome.losses, one.losses), 1e-5);
    EXPECT_LE(worst_relative_difference(outcome.validation_losses, one.validation_losses), 1e-5);
  }
}

TEST_F(BlendTrainingTest, AResumeHasTheSameBits) {
  const Outcome straight = laboratory_.run(with({}));
  Outcome half = laboratory_.run(with({}), {.most_steps = 4});
  const Outcome rest = laboratory_.run(with({}), {.load = half.checkpoints});
  EXPECT_EQ(rest.state.sample_digest, straight.state.sample_digest);
  EXPECT_EQ(first_difference(rest.tensors, straight.tensors), "");
  half.losses.insert(half.losses.end(), rest.losses.begin(), rest.losses.end());
  EXPECT_EQ(half.losses, straight.losses);
}

TEST_F(BlendTrainingTest, AnotherBlendMustBeAllowed) {
  const Outcome half = laboratory_.run(with({}), {.most_steps = 4});
  const auto problem = [&](Settings more) -> std::string {
    try {
      (void)laboratory_.run(with(std::move(more)), {.load = half.checkpoints});
    } catch (const Error& error) {
      return error.message();
    }
    return "no error";
  };
  EXPECT_THAT(problem({"data.data_weights=0.6,0.4"}),
              AllOf(HasSubstr("data.data_weights = [0.6, 0.4]"), HasSubstr("[0.7, 0.3]"),
                    HasSubstr("(data)"), HasSubstr("checkpoint.allow_changes=data")));
  EXPECT_THAT(problem({"data.data_weights=[]"}), HasSubstr("data.data_weights = []"));
  EXPECT_THAT(problem({"data.data_path=" + many_ + "," + few_}), HasSubstr("has the digest"));
  EXPECT_THAT(problem({"data.data_path=" + few_ + "," + make_set("other", 300, 300)}),
              HasSubstr("has the digest"));
  EXPECT_EQ(problem({"data.data_weights=0.6,0.4", "checkpoint.allow_changes=data"}), "no error");
}

// Goal: a named set has the loss that it has as the only validation set, in every layout.
TEST_F(BlendTrainingTest, NamedValidationSetsHaveTheirOwnLosses) {
  const std::string wiki = make_set("wiki", 20, 100), code = make_set("code", 300, 100);
  using Losses = std::map<std::string, std::vector<double>>;
  const auto losses_of = [&](Settings more) {
    Losses losses;
    RunOptions options;
    options.on_step = [&](const train::StepMetrics& metrics) {
      EXPECT_EQ(metrics.is_evaluated(), metrics.step == 5 || metrics.step == 8);
      if (metrics.validation_loss) losses[""].push_back(*metrics.validation_loss);
      for (const auto& [name, loss] : metrics.validation_losses) losses[name].push_back(loss);
    };
    (void)laboratory_.run(with(std::move(more)), options);
    return losses;
  };
  const Losses of_wiki = losses_of({"data.valid_data_path=" + wiki}),
               of_code = losses_of({"data.valid_data_path=" + code});
  const std::string named = "data.validation_sets=wiki=" + wiki + ",code=" + code;
  const Losses all = losses_of({"data.valid_data_path=" + code, named});
  ASSERT_EQ(of_wiki.at("").size(), 2U);
  EXPECT_EQ(all.at("wiki"), of_wiki.at(""));
  EXPECT_EQ(all.at("code"), of_code.at(""));
  EXPECT_EQ(all.at(""), of_code.at(""));
  EXPECT_NE(of_wiki.at(""), of_code.at(""));
  // Nothing but named sets, and all of the data for the training.
  const Losses only_named = losses_of({"data.split=1", named});
  EXPECT_EQ(only_named.size(), 2U);
  EXPECT_EQ(only_named.at("wiki"), of_wiki.at(""));
  for (const Settings& settings : {layout(1, 1, 1, 2), layout(2, 1, 2, 4)}) {
    Settings more = settings;
    more.insert(more.end(), {"data.valid_data_path=" + code, named});
    const Losses split = losses_of(more);
    for (const auto& [name, losses] : all)
      EXPECT_LE(worst_relative_difference(split.at(name), losses), 1e-5) << name;
  }
}

}  // namespace
}  // namespace megascale
