// Training on conversations: the loss counts the tokens of a loss mask, whole documents share a
// sequence without seeing each other, and padding counts nowhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "megascale/base/philox.h"
#include "megascale/data/dataset.h"
#include "megascale/data/indexed_writer.h"
#include "train/conversations.h"
#include "train/layouts.h"
#include "train/training.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

const Settings kLlamaModel{"model.type=llama",         "model.num_layers=4",
                           "model.hidden_size=24",     "model.num_attention_heads=4",
                           "model.num_query_groups=2", "model.ffn_hidden_size=48"};
const Settings kGptModel{"model.num_layers=4", "model.hidden_size=24",
                         "model.num_attention_heads=12"};
class MaskedTest : public ConversationsTest {};

// Goal: losses, gradients and weights do not depend on the layout. Layouts that change no bits of a
// dense model change none here; the others stay as close.
TEST_F(MaskedTest, LayoutsAgree) {
  const Settings data = data_of("chat", conversations(150, 8));
  const std::vector<Layout> layouts{
      {split(1, 1, 2, 2), true},
      {split(1, 1, 4, 4, {"parallel.pipeline_schedule=zb-h1"}), true},
      {split(1, 1, 2, 2,
             {"parallel.virtual_pipeline_size=2", "parallel.pipeline_schedule=interleaved"}),
       true},
      {{"recompute.granularity=full"}, true},
      {split(2, 1, 1, 2), false},
      {split(1, 2, 1, 2), false},
      {split(1, 1, 1, 2), false},
      {split(1, 1, 1, 3, {"parallel.zero_stage=2"}), false},
      {split(2, 1, 1, 4, {"parallel.zero_stage=1"}), false},
      {split(2, 2, 2, 8), false},
      {split(2, 1, 2, 8, {"parallel.zero_stage=2"}), false}};
  for (const Settings& model : {kLlamaModel, kGptModel}) {
    const Settings base = joined({model, data});
    expect_layouts_agree(base, layouts,
                         {.run = [&](const Settings& settings, const RunOptions& options) {
                           return laboratory_.run(settings, options);
                         }});
  }
}

// Goal: the loss of a conversation is the same alone, beside others, and whatever they say: packed
// conversations do not see each other, and each token of the loss has the same weight.
TEST_F(MaskedTest, AConversationsLossIsTheSameAloneAndPacked) {
  std::vector<MaskedDocument> documents = conversations(3, 3);
  for (MaskedDocument& document : documents) {
    document.ids.resize(std::min<std::size_t>(document.ids.size(), 9));
    document.loss_mask.resize(document.ids.size());
    document.loss_mask.back() = 1;
  }
  for (const Settings& model : {kLlamaModel, kGptModel}) {
    const auto loss_of = [&](const std::string& name, const std::vector<MaskedDocument>& all) {
      return laboratory_.run(joined({model, data_of(name, all), kOneStep}), {.most_steps = 1})
          .losses.at(0);
    };
    double sum = 0, tokens = 0;
    for (const MaskedDocument& document : documents) {
      const auto count = static_cast<double>(learned(document));
      sum += count * loss_of("alone", {document});
      tokens += count;
    }
    EXPECT_GT(tokens, 6);
    EXPECT_NEAR(loss_of("packed", documents), sum / tokens, 1e-6 * sum / tokens);
  }
}

// Goal: tokens that the mask leaves out have no gradient.  Method: the gradient of a sum of losses
// is the sum of the gradients. Of the tokens with a mask and those with the opposite one it must be
// that of all tokens.
TEST_F(MaskedTest, TheGradientOfAllTokensIsThoseOfAMaskAndOfItsOpposite) {
  std::vector<MaskedDocument> documents = conversations(40, 8);
  const auto gradient = [&](const std::string& name, double& tokens) {
    tokens = 0;
    for (const MaskedDocument& document : documents)
      tokens += static_cast<double>(learned(document));
    // All samples of the data in one step, each once.
    Settings all = joined({kLlamaModel,
                           data_of(name, documents),
                           kOneStep,
                           {"model.seq_length=32", "data.shuffle=false"}});
    const Dataset data = open_dataset(laboratory_.config(all), Split::train);
    all.push_back("train.global_batch_size=" + std::to_string(data.samples_per_epoch()));
    return laboratory_.run(all, {.most_steps = 1}).tensors;
  };
  double of_mask = 0, of_opposite = 0, of_all = 0;
  const Tensors mask = gradient("mask", of_mask);
  for (MaskedDocument& document : documents)
    for (std::uint8_t& counts : document.loss_mask) counts ^= 1;
  const Tensors opposite = gradient("opposite", of_opposite);
  for (MaskedDocument& document : documents)
    std::fill(document.loss_mask.begin(), document.loss_mask.end(), 1);
  const Tensors all = gradient("all", of_all);
  ASSERT_EQ(of_mask + of_opposite, of_all);
  Tensors sum = mask;
  for (auto& [name, values] : sum) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] =
          static_cast<float>((of_mask * values[i] + of_opposite * opposite.at(name)[i]) / of_all);
    }
  }
  EXPECT_LE(worst_gradient_difference(sum, all), 1e-5);
  EXPECT_GT(worst_gradient_difference(mask, all), 1e-2) << "the mask changes the gradient";
}

// Goal: the gradient of what stands behind the last token of the loss is exactly zero.  Method: words
// that stand nowhere else, in a model whose head has weights of its own.
TEST_F(MaskedTest, WordsBehindTheAnswerHaveNoGradient) {
  std::vector<MaskedDocument> documents = conversations(30, 4);
  constexpr std::int32_t kWord = 0;
  for (MaskedDocument& document : documents) {
    document.ids.insert(document.ids.end(), {kWord, kWord, 5});
    document.loss_mask.insert(document.loss_mask.end(), {0, 0, 0});
  }
  const auto rows = [&](const std::string& name) {
    const Outcome outcome = laboratory_.run(
        joined({kLlamaModel, data_of(name, documents), kOneStep}), {.most_steps = 1});
    for (const auto& [tensor, values] : outcome.tensors) {
      if (tensor.find("embedding") == std::string::npos || !tensor.ends_with(".first_moment"))
        continue;
      const auto row = [&](std::size_t word) {
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(word * 24);
        return std::count_if(begin, begin + 24, [](float v) { return v != 0; });
      };
      return std::pair(row(kWord), row(static_cast<std::size_t>(documents[0].ids[0])));
    }
    return std::pair(std::ptrdiff_t{-1}, std::ptrdiff_t{-1});
  };
  EXPECT_EQ(rows("masked"), (std::pair<std::ptrdiff_t, std::ptrdiff_t>(0, 24)));
  for (MaskedDocument& document : documents) document.loss_mask.back() = 1;
  EXPECT_EQ(rows("counted"), (std::pair<std::ptrdiff_t, std::ptrdiff_t>(24, 24)));
}

// Goal: padding is in no number of tokens, also after a resume.
TEST_F(MaskedTest, PaddingIsNotCounted) {
  const Settings all = joined({kLlamaModel, data_of("chat", conversations(60, 8))});
  const Dataset data = open_dataset(laboratory_.config(all), Split::train);
  std::vector<train::StepMetrics> metrics;
  RunOptions options{.most_steps = 3};
  options.on_step = [&](const train::StepMetrics& step) { metrics.push_back(step); };
  const Outcome first = laboratory_.run(all, options);
  options.load = first.checkpoints;
  (void)laboratory_.run(all, options);
  ASSERT_EQ(metrics.size(), 6U);
  for (std::int64_t step = 0; step < 6; ++step) {
    const train::StepMetrics& m = metrics[static_cast<std::size_t>(step)];
    constexpr std::int64_t kSamples = Laboratory::kGlobalBatchSize;
    const std::int64_t tokens = data.tokens_of(step * kSamples, kSamples);
    EXPECT_LT(tokens, kSamples * 24) << "the test needs padding";
    EXPECT_EQ(m.consumed_tokens, data.tokens_before((step + 1) * kSamples));
    EXPECT_EQ(m.consumed_samples, (step + 1) * kSamples);
    EXPECT_DOUBLE_EQ(m.tokens_per_second * m.step_seconds, static_cast<double>(tokens));
    // Work that was asked for grows with the tokens, work that is done does not.
    const double useful = m.mfu / m.hfu / static_cast<double>(tokens);
    EXPECT_NEAR(useful,
                metrics[0].mfu / metrics[0].hfu / static_cast<double>(data.tokens_of(0, kSamples)),
                1e-9 * useful);
  }
}

}  // namespace
}  // namespace megascale
