// Goal: blends, named validation sets and `eval --split` as users meet them: what is printed and
// written, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cli/workspace.h"

namespace megascale::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Settings = std::vector<std::string>;

// Beside the corpus of the workspace, a set of digits.
class BlendCommandTest : public ::testing::Test {
 protected:
  BlendCommandTest() {
    std::string digits;
    for (int i = 0; digits.size() < 4000; ++i) digits += std::to_string(i * i) + "\n";
    const auto text = space_.write("digits.txt", digits);
    const Finished prepared =
        megascale({"prepare", text.string(), "--output", digits_, "--separator", "\n"});
    EXPECT_EQ(prepared.exit_code, 0) << prepared;
  }
  [[nodiscard]] Settings with(Settings more = {}) const {
    Settings all{"data.data_path=" + space_.corpus() + "," + digits_, "data.data_weights=3,1",
                 "data.split=8,1,1", "train.train_iters=4"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  [[nodiscard]] json eval(const Settings& words) const {
    Settings all{"eval", "--checkpoint", (space_ / "run/checkpoints").string(), "--json"};
    all.insert(all.end(), words.begin(), words.end());
    const Finished finished = megascale(all);
    EXPECT_EQ(finished.exit_code, 0) << finished;
    return finished.json();
  }
  const Workspace space_;
  const std::string digits_ = (space_ / "digits").string();
};

TEST_F(BlendCommandTest, ABlendTrainsAndSaysWhatItReads) {
  const Finished first = space_.train("run", with());
  ASSERT_EQ(first.exit_code, 0) << first;
  EXPECT_THAT(first.err, AllOf(HasSubstr("75.00 % of the samples are of " + space_.corpus()),
                               HasSubstr("25.00 % of the samples are of " + digits_),
                               HasSubstr("the run reads 12, "), HasSubstr("the run reads 4, ")));
  // A longer run goes on in the same order as a run without an interruption.
  const Settings longer = with({"train.train_iters=6", "optimizer.lr_decay_iters=4"});
  EXPECT_EQ(space_.train("run", longer).exit_code, 0);
  EXPECT_EQ(space_.train("straight", longer).exit_code, 0);
  EXPECT_EQ(history_of(space_ / "run"), history_of(space_ / "straight"));
  // Another blend is another run.
  const Finished other = space_.train(
      "run", with({"data.data_weights=1,1", "train.train_iters=8", "optimizer.lr_decay_iters=4"}));
  EXPECT_EQ(other.exit_code, 2) << other;
  EXPECT_THAT(other.err, AllOf(HasSubstr("data.data_weights = [1.0, 1.0]"),
                               HasSubstr("checkpoint.allow_changes=data")));
}

TEST_F(BlendCommandTest, NamedValidationSetsAreReportedEverywhere) {
  const Settings set = with({"data.validation_sets=digits=" + digits_ + ",words=" + space_.corpus(),
                             "train.eval_interval=2", "train.eval_iters=2", "observe.csv=true"});
  const Finished trained = space_.train("run", set);
  ASSERT_EQ(trained.exit_code, 0) << trained;
  EXPECT_THAT(trained.err,
              AllOf(HasSubstr("validation data digits: "), HasSubstr("validation data words: "),
                    HasSubstr(" | loss on digits "), HasSubstr(" | loss on words "),
                    HasSubstr("validation loss ")));
  const auto lines = metrics_of(space_ / "run");
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_FALSE(lines[0].contains("validation_losses"));
  for (const std::size_t step : {1U, 3U}) {
    const json losses = lines[step].at("validation_losses");
    EXPECT_EQ(losses.size(), 2U);
    EXPECT_GT(losses.at("digits").get<double>(), 0);
    EXPECT_NE(losses.at("digits"), losses.at("words"));
    EXPECT_TRUE(lines[step].contains("validation_loss"));
  }
  const double digits = lines[3].at("validation_losses").at("digits");
  EXPECT_NEAR(eval({"--data", digits_, "--steps", "2"}).at("loss").get<double>(), digits,
              1e-5 * digits);
  const Finished report = megascale({"report", (space_ / "run").string(), "--json"});
  EXPECT_EQ(report.json().at("newest").at("validation_losses").at("digits"), digits) << report;
  EXPECT_THAT(report.out, HasSubstr("validation of digits"));
  const std::string table = read(space_ / "run/metrics.csv");
  EXPECT_THAT(table, HasSubstr(",validation_loss_digits,validation_loss_words\n"));
  EXPECT_THAT(table, HasSubstr("," + lines[3].at("validation_losses").at("digits").dump() + ","));
}

TEST_F(BlendCommandTest, EvalReadsTheSharesOfTheTraining) {
  ASSERT_EQ(space_.train("run", with({"train.eval_interval=4", "train.eval_iters=3"})).exit_code,
            0);
  const double trained = metrics_of(space_ / "run").back().at("validation_loss");
  const json validation = eval({"--split", "validation", "--steps", "3"});
  EXPECT_NEAR(validation.at("loss").get<double>(), trained, 1e-5 * trained);
  const json test = eval({"--split", "test"}), train = eval({"--split", "train", "--steps", "2"});
  EXPECT_NE(test.at("loss"), eval({"--split", "validation"}).at("loss"));
  EXPECT_EQ(train.at("batches"), 2);
  // Of the test shares of 1,200 and 400 tokens, 37 and 12 samples: the second is used up after 49.
  EXPECT_EQ(test.at("batches"), 12) << test;
  // The same share of other data.
  const json other = eval(
      {"--split", "test", "--set", "data.data_weights=[]", "--set", "data.data_path=" + digits_});
  EXPECT_NE(other.at("loss"), test.at("loss"));
}

TEST_F(BlendCommandTest, EvalSaysWhichDataItNeeds) {
  ASSERT_EQ(space_.train("run", with({"data.split=1"})).exit_code, 0);
  const auto refused = [&](const Settings& words, const std::string& says) {
    Settings all{"eval", "--checkpoint", (space_ / "run/checkpoints").string()};
    all.insert(all.end(), words.begin(), words.end());
    const Finished finished = megascale(all);
    EXPECT_EQ(finished.exit_code, 2) << finished;
    EXPECT_THAT(finished.err, HasSubstr(says));
  };
  refused({}, "found neither");
  refused({"--data", digits_, "--split", "test"}, "found both");
  refused({"--split", "tests"}, "tests");
  refused({"--split", "test"}, "expected a share of test data, found \"1\"");
}

TEST_F(BlendCommandTest, CheckNamesWhatDoesNotFit) {
  const auto problem = [&](const Settings& more) {
    const Finished finished = megascale(space_.arguments("check", "fresh", with(more)));
    EXPECT_EQ(finished.exit_code, 2) << finished;
    return finished.err;
  };
  EXPECT_THAT(problem({"data.data_weights=3"}), HasSubstr("one weight in data_weights for each"));
  EXPECT_THAT(problem({"data.data_weights=3,0"}), HasSubstr("expected list of finite numbers > 0"));
  EXPECT_THAT(problem({"data.data_weights=3,-1"}),
              HasSubstr("expected list of finite numbers > 0"));
  EXPECT_THAT(problem({"data.data_weights=3,nan"}),
              HasSubstr("expected list of finite numbers > 0"));
  EXPECT_THAT(problem({"data.data_path=0.7," + space_.corpus() + ",0.3," + digits_}),
              HasSubstr("weights have a key of their own"));
  EXPECT_THAT(problem({"data.data_path=" + digits_ + "," + digits_}),
              HasSubstr("every prefix of data_path once"));
  EXPECT_THAT(problem({"data.validation_sets=" + digits_, "train.eval_interval=2"}),
              HasSubstr("NAME=PREFIX in validation_sets"));
  EXPECT_THAT(problem({"data.validation_sets=none=" + digits_ + "x", "train.eval_interval=2"}),
              HasSubstr(digits_ + "x"));
  const auto ids = space_.write(
      "ids.txt", "1 2 3 4 5 6 7 8 9 " + [] {
        std::string many;
        for (int i = 0; i < 2000; ++i) many += std::to_string(i % 250) + " ";
        return many;
      }());
  const std::string wide = (space_ / "wide").string();
  const Finished prepared = megascale({"prepare", ids.string(), "--format", "ids", "--vocab-size",
                                       "70000", "--eod", "0", "--output", wide});
  ASSERT_EQ(prepared.exit_code, 0) << prepared;
  EXPECT_THAT(problem({"data.data_path=" + space_.corpus() + "," + wide}),
              HasSubstr("ids of one type"));
}

}  // namespace
}  // namespace megascale::testing
