// Training on preferences (DPO): the loss, the reference, every layout, adapters, and what a resume needs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "megascale/base/digest.h"
#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/base/run_directory.h"
#include "megascale/comm/ucx/ucx_worker.h"
#include "megascale/train/reference_scores.h"
#include "support/watchdog.h"
#include "train/layouts.h"
#include "train/preference_pairs.h"
#include "train/rank_processes.h"
#include "train/routed_model.h"
#include "train/training.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

const Settings kModel{"model.num_layers=4", "model.hidden_size=24", "model.num_attention_heads=12",
                      "train.micro_batch_size=2"};
const Settings kLlama{"model.type=llama",         "model.num_layers=4",
                      "model.hidden_size=24",     "model.num_attention_heads=4",
                      "model.num_query_groups=2", "model.ffn_hidden_size=48",
                      "train.micro_batch_size=2"};

class PreferenceTest : public ::testing::Test {
 protected:
  PreferenceTest() { write("pairs", 90); }
  void write(const std::string& name, std::uint64_t pairs) const {
    write_pairs(scratch_ / name, pairs);
  }
  [[nodiscard]] Settings data(const std::string& name = "pairs") const {
    return {"data.data_path=" + (scratch_ / name).string(), "preference.beta=0.3"};
  }
  // Runs and keeps the metrics of every step.
  Outcome run(const Settings& settings, RunOptions options = {}) {
    metrics_.clear();
    options.on_step = [&](const train::StepMetrics& step) { metrics_.push_back(step); };
    options.on_message = [&](const std::string& message) { messages_ += message + "\n"; };
    return laboratory_.run(settings, options);
  }
  std::string error_of(const Settings& settings, const RunOptions& options = {}) {
    try {
      (void)run(settings, options);
    } catch (const Error& error) {
      return error.message();
    }
    return "no error";
  }
  [[nodiscard]] static std::filesystem::path reference_of(const Outcome& outcome) {
    return RunDirectory(outcome.checkpoints.parent_path()).reference_scores();
  }

  Laboratory laboratory_;
  const ScratchDirectory scratch_;
  std::vector<train::StepMetrics> metrics_;
  std::string messages_;
};

// Goal: the first step is at the reference, where every margin is 0; then the margin and the accuracy grow, in
// training and in validation.
TEST_F(PreferenceTest, RaisesTheMarginFromZero) {
  const Outcome outcome =
      run(joined({kModel, data(), {"train.train_iters=40", "optimizer.lr=0.01"}}));
  EXPECT_DOUBLE_EQ(metrics_.front().loss, std::log(2.0));
  EXPECT_EQ(metrics_.front().rewards->margin(), 0);
  EXPECT_EQ(metrics_.front().rewards->accuracy, 0);
  EXPECT_LT(metrics_.back().loss, 0.3);
  EXPECT_GT(metrics_.back().rewards->margin(), 1);
  EXPECT_GT(metrics_.back().rewards->accuracy, 0.8);
  EXPECT_LT(outcome.validation_losses.back(), 0.4);
  EXPECT_GT(metrics_.back().validation_rewards->margin(), 1);
  EXPECT_GT(metrics_.back().validation_rewards->accuracy, 0.9);
  EXPECT_THAT(messages_, HasSubstr(" pairs of answers"));
  EXPECT_THAT(messages_, HasSubstr("reference: the weights of the start have scored 180 answers"));
}

// Goal: a step and an evaluation compute the same numbers of the same weights and pairs.  Method: a batch holds all
// pairs, which are also the validation set.
TEST_F(PreferenceTest, AnEvaluationOfTheTrainingPairsIsTheNextStep) {
  write("few", Laboratory::kGlobalBatchSize / 2);
  (void)run(
      joined({kModel,
              data("few"),
              {"data.valid_data_path=" + (scratch_ / "few").string(),
               "preference.label_smoothing=0.1", "train.eval_interval=1", "optimizer.lr=0.02"}}));
  for (std::size_t step = 1; step < metrics_.size(); ++step) {
    const train::StepMetrics &before = metrics_[step - 1], &now = metrics_[step];
    EXPECT_NEAR(now.loss, before.validation_loss.value(), 1e-6) << step;
    EXPECT_NEAR(now.rewards->chosen, before.validation_rewards->chosen, 1e-6);
    EXPECT_NEAR(now.rewards->rejected, before.validation_rewards->rejected, 1e-6);
    EXPECT_EQ(now.rewards->accuracy, before.validation_rewards->accuracy);
  }
  EXPECT_GT(metrics_.back().rewards->margin(), 0.1) << "too small to tell";
}

// Goal: with equal settings all layouts compute the same, as they do without preferences.
TEST_F(PreferenceTest, LayoutsAgree) {
  const std::vector<Layout> layouts{
      {split(1, 1, 2, 2), true},
      {split(1, 1, 4, 4, {"parallel.pipeline_schedule=zb-h1"}), true},
      {split(1, 1, 2, 2,
             {"parallel.virtual_pipeline_size=2", "parallel.pipeline_schedule=interleaved"}),
       true},
      {{"recompute.granularity=full"}, true},
      {{"recompute.granularity=selective"}, true},
      {{"data.prefetch=false"}, true},
      {split(2, 1, 1, 2), false},
      {split(2, 1, 1, 2, {"overlap.tensor_pieces=2"}), false},
      {split(1, 2, 1, 2), false},
      {split(1, 2, 1, 2, {"overlap.context_pieces=2"}), false},
      {split(1, 1, 1, 2), false},
      {split(1, 1, 1, 3, {"parallel.zero_stage=2"}), false},
      {split(1, 1, 1, 2, {"parallel.zero_stage=3"}), false},
      {split(2, 1, 1, 4, {"parallel.zero_stage=1"}), false},
      {split(2, 2, 2, 8), false},
      {split(1, 2, 2, 8, {"parallel.zero_stage=2"}), false}};
  for (const Settings& model : {kModel, kLlama}) {
    const Settings base = joined({model, data(), {"preference.label_smoothing=0.1"}});
    std::vector<train::StepMetrics> of_one;  // what the first run said
    expect_layouts_agree(
        base, layouts,
        {.run =
             [&](const Settings& settings, const RunOptions& options) {
               Outcome outcome = run(settings, options);
               if (of_one.empty()) of_one = metrics_;
               return outcome;
             },
         .expect_more =
             [&](const Layout& layout, const Outcome& got, const Outcome& one) {
               for (std::size_t i = 0; i < metrics_.size(); ++i) {
                 EXPECT_NEAR(metrics_[i].rewards->chosen, of_one[i].rewards->chosen, 1e-4);
                 EXPECT_NEAR(metrics_[i].rewards->rejected, of_one[i].rewards->rejected, 1e-4);
               }
               EXPECT_NEAR(metrics_.back().validation_rewards->margin(),
                           of_one.back().validation_rewards->margin(), 1e-4);
               if (layout.same_bits) {
                 EXPECT_EQ(got.state.reference_digest, one.state.reference_digest);
               }
             }});
  }
}

// Goal: the reference and the training route alike, in all layouts, and each records its own numbers.
TEST_F(PreferenceTest, ExpertsLearnPreferences) {
  const Settings base = joined({routed_model(), data(), {"train.micro_batch_size=2"}});
  const auto layout = [](const RoutedLayout& of) { return Layout{settings(of)}; };
  expect_layouts_agree(
      base,
      {{settings({"pipeline2", 1, 1, 1, 2, 1}), true},
       layout({"expert2", 1, 1, 2, 1, 2, {"parallel.zero_stage=2"}}),
       layout({"tensor2_context2", 2, 2, 1, 1, 2}),
       layout({"gather", 2, 1, 1, 1, 2, {"moe.token_dispatcher_type=allgather"}})},
      {.run = [&](const Settings& all, const RunOptions& options) { return run(all, options); },
       .expect_more =
           [&](const Layout&, const Outcome&, const Outcome&) {
             EXPECT_EQ(metrics_.front().rewards->margin(), 0);
             EXPECT_NE(metrics_.back().rewards->margin(), 0);
             const auto& loads = metrics_.front().routing->loads.at(0);
             EXPECT_EQ(std::accumulate(loads.begin(), loads.end(), std::int64_t{0}),
                       3 * metrics_.front().consumed_tokens);
           }});
}

// Goal: a resume takes the scores of its run, here from the other run directory, and repeats the bits.
TEST_F(PreferenceTest, AResumeRepeatsTheBits) {
  const Settings all = joined({kModel, data()});
  const Outcome whole = run(all);
  const Outcome begun = run(all, {.most_steps = 3});
  const std::string bytes = read_text(reference_of(begun));
  EXPECT_EQ(train::parse_reference_scores(bytes, "begun").digest(), begun.state.reference_digest);
  const Outcome resumed = run(all, {.load = begun.checkpoints});
  EXPECT_EQ(first_difference(resumed.tensors, whole.tensors), "");
  EXPECT_EQ(read_text(reference_of(resumed)), bytes);
  // In the same run directory, in another layout.
  const Outcome again = run(joined({all, split(1, 1, 2, 2)}), {.again = begun.checkpoints});
  EXPECT_EQ(first_difference(again.tensors, whole.tensors), "");
}

TEST_F(PreferenceTest, AMissingOrAnotherReferenceIsRefused) {
  const Settings all = joined({kModel, data()});
  const Outcome begun = run(all, {.most_steps = 3});
  const RunOptions again{.again = begun.checkpoints};
  const std::string bytes = read_text(reference_of(begun));
  const auto with = [&](const std::string& content) {
    write_text_atomically(reference_of(begun), content);
    return error_of(all, again);
  };
  EXPECT_THAT(with(bytes.substr(0, bytes.size() - 1)), HasSubstr("the file was changed"));
  train::ReferenceScores other = train::parse_reference_scores(bytes, "");
  other.sets[0][0] += 1;
  EXPECT_THAT(with(to_bytes(other)), HasSubstr("expected the reference that"));
  other = train::parse_reference_scores(bytes, "");
  other.data = "others";
  EXPECT_THAT(with(to_bytes(other)), HasSubstr("expected scores of the data sets of this run"));
  std::filesystem::remove(reference_of(begun));
  EXPECT_THAT(error_of(all, again), HasSubstr("found no such file"));
  // A checkpoint of a run without preferences goes on without them only.
  const Outcome plain = laboratory_.run(kModel, {.most_steps = 3});
  EXPECT_THAT(error_of(all, {.again = plain.checkpoints}), HasSubstr("preference.beta"));
  write_text_atomically(reference_of(begun), bytes);
  EXPECT_EQ(error_of(all, again), "no error");
}

// Goal: a run that was lost before its first checkpoint uses its scores again, and only those of its own start.
TEST_F(PreferenceTest, ScoresOfTheSameStartAreUsedAgain) {
  const Settings all = joined({kModel, data()});
  const Outcome begun = run(all, {.most_steps = 1});
  const auto start_anew = [&](const Settings& settings, const std::filesystem::path& load = {}) {
    std::filesystem::remove_all(begun.checkpoints);
    messages_.clear();
    const Outcome outcome =
        run(settings, {.most_steps = 1, .load = load, .again = begun.checkpoints});
    EXPECT_DOUBLE_EQ(outcome.losses.at(0), std::log(2.0));
    return messages_.find("have scored") != std::string::npos;
  };
  EXPECT_FALSE(start_anew(all));
  EXPECT_TRUE(start_anew(joined({all, {"train.seed=5"}}))) << "other weights";
  EXPECT_TRUE(start_anew(joined({all, {"model.seq_length=12"}}))) << "other sequences";
  EXPECT_TRUE(start_anew(all)) << "as at first, after another start";
  write("pairs", 91);
  EXPECT_TRUE(start_anew(all)) << "other pairs in the same files";
  EXPECT_FALSE(start_anew(all));
  // Weights of a checkpoint are known by their content, not by their path.
  const Settings from_weights = joined({all, {"checkpoint.start=weights"}});
  const Outcome one = laboratory_.run(kModel, {.most_steps = 1}),
                two = laboratory_.run(kModel, {.most_steps = 2});
  EXPECT_TRUE(start_anew(from_weights, one.checkpoints));
  EXPECT_FALSE(start_anew(from_weights, one.checkpoints));
  std::filesystem::remove_all(one.checkpoints);
  std::filesystem::rename(two.checkpoints, one.checkpoints);
  EXPECT_TRUE(start_anew(from_weights, one.checkpoints)) << "other weights";
}

// Goal: adapters learn preferences relative to the weights that they are added to, and nothing else moves.
TEST_F(PreferenceTest, AdaptersLearnPreferences) {
  const Outcome base = laboratory_.run(kModel, {.most_steps = 4});
  const Settings adapters =
      joined({kModel, data(), {"lora.rank=4", "optimizer.lr=0.1", "train.train_iters=60"}});
  const Settings added = joined({adapters, {"checkpoint.start=weights"}});
  const Outcome outcome = run(added, {.load = base.checkpoints});
  EXPECT_DOUBLE_EQ(metrics_.front().loss, std::log(2.0));
  EXPECT_LT(metrics_.back().loss, 0.62);
  EXPECT_GT(metrics_.back().rewards->margin(), 0);
  for (const auto& [name, values] : base.tensors) {
    if (name.ends_with("_moment")) continue;
    EXPECT_EQ(outcome.tensors.at(name), values) << name;
  }
  const Outcome begun = run(added, {.most_steps = 3, .load = base.checkpoints});
  const Outcome resumed = run(adapters, {.again = begun.checkpoints});
  EXPECT_EQ(first_difference(resumed.tensors, outcome.tensors), "");
}

TEST_F(PreferenceTest, ProcessesTrainToTheBitsOfThreads) {
  if (!comm::ucx_is_available()) GTEST_SKIP() << "built without UCX";
  const Watchdog watchdog("preferences with ranks as processes");
  const Settings all = joined({kModel, data(), split(1, 2, 2, 4)});
  const Outcome threads = run(all, {.most_steps = 5});
  const Outcome processes = run_as_processes(laboratory_, all, 5);
  EXPECT_EQ(first_difference(processes.tensors, threads.tensors), "");
  EXPECT_EQ(processes.state.reference_digest, threads.state.reference_digest);
}

// Goal: dropout is in the training only: the reference and its own sequence scores have none.
TEST_F(PreferenceTest, TheReferenceHasNoDropout) {
  const Settings all = joined({kModel, data()});
  const Outcome none = run(all, {.most_steps = 1});
  const Outcome dropped = run(joined({all, {"model.hidden_dropout=0.2"}}), {.most_steps = 1});
  EXPECT_EQ(dropped.state.reference_digest, none.state.reference_digest);
  EXPECT_NE(dropped.losses, none.losses);
}

TEST(ReferenceScoresTest, AreWhatWasWritten) {
  const train::ReferenceScores scores{.data = "d", .weights = "w", .sets = {{-1.5, 0, -3e300}, {}}};
  const std::string bytes = to_bytes(scores);
  EXPECT_EQ(train::parse_reference_scores(bytes, "f"), scores);
  for (std::size_t i = 0; i < bytes.size(); i += 7) {
    std::string changed = bytes;
    changed[i] ^= 1;
    EXPECT_THROW((void)train::parse_reference_scores(changed, "f"), Error) << i;
    EXPECT_THROW((void)train::parse_reference_scores(bytes.substr(0, i), "f"), Error) << i;
  }
  // Its digest is right, its counts are not.
  const std::string empty = train::to_bytes({.data = "d", .weights = "w", .sets = {{}}});
  for (const std::string count : {"\"x\"", "-1", "null", "1", "18446744073709551615"}) {
    std::string body = empty.substr(0, empty.find('[')) + "[" + count + "]}\n";
    body += digest128(std::as_bytes(std::span(body)));
    EXPECT_THROW((void)train::parse_reference_scores(body, "f"), Error) << count;
  }
  std::string more = train::to_bytes({.data = "d", .weights = "w", .sets = {{1.5}}});
  more = more.substr(0, more.size() - 32).replace(more.find("[1]"), 3, "[0]");
  more += digest128(std::as_bytes(std::span(more)));
  EXPECT_THROW((void)train::parse_reference_scores(more, "f"), Error) << "scores behind the last";
  EXPECT_THROW((void)train::parse_reference_scores(
                   train::to_bytes({.data = "d", .weights = "w", .sets = {}}), "f"),
               Error)
      << "no set";
}

}  // namespace
}  // namespace megascale
