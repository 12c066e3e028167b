// Whole trainings on preferences (DPO) on a device against the CPU's: one rank and several, adapters, experts. Ranks are
// threads that share the device. Without a device, skipped.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "cuda/device_training.h"
#include "support/scratch_directory.h"
#include "train/preference_pairs.h"
#include "train/routed_model.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

// All margins of the first step are 0. At this learning rate those of the second one are not.
const Settings kPreferences{"train.micro_batch_size=2", "preference.beta=0.3",
                            "preference.label_smoothing=0.1", "optimizer.lr=0.005"};

class DevicePreferenceTraining : public DeviceTraining {
 protected:
  DevicePreferenceTraining() { write_pairs(scratch_ / "pairs", 15); }
  [[nodiscard]] Settings of_pairs(const Settings& model, const Settings& more = {}) const {
    return joined({model, kPreferences, {"data.data_path=" + (scratch_ / "pairs").string()}, more});
  }
  void expect_preferences_as_on_cpu(const Settings& settings) {
    const Outcome cpu = expect_as_on_cpu(settings);
    ASSERT_EQ(cpu.rewards.size(), cpu.losses.size() + cpu.validation_losses.size());
    EXPECT_GT(std::abs(cpu.rewards.back().margin()), 2e-3) << "too near to the bound of 1e-4";
  }

 private:
  const ScratchDirectory scratch_;
};

TEST_F(DevicePreferenceTraining, Gpt) { expect_preferences_as_on_cpu(of_pairs(kGpt)); }
TEST_F(DevicePreferenceTraining, Llama) { expect_preferences_as_on_cpu(of_pairs(kLlama)); }
TEST_F(DevicePreferenceTraining, TensorParallel) {
  expect_preferences_as_on_cpu(of_pairs(kGpt, split(2, 1, 1, 2)));
  expect_preferences_as_on_cpu(of_pairs(kLlama, split(2, 1, 1, 2, {"overlap.tensor_pieces=2"})));
}
TEST_F(DevicePreferenceTraining, ContextParallel) {
  expect_preferences_as_on_cpu(of_pairs(kLlama, split(1, 2, 1, 2)));
  expect_preferences_as_on_cpu(of_pairs(kLlama, split(1, 2, 1, 2, {"overlap.context_pieces=2"})));
}
TEST_F(DevicePreferenceTraining, Pipeline) {
  expect_preferences_as_on_cpu(of_pairs(kGpt, split(1, 1, 2, 2)));
}
TEST_F(DevicePreferenceTraining, DataParallel) {
  expect_preferences_as_on_cpu(of_pairs(kLlama, split(1, 1, 1, 2, {"parallel.zero_stage=2"})));
}
TEST_F(DevicePreferenceTraining, TensorContextAndPipeline) {
  expect_preferences_as_on_cpu(of_pairs(kLlama, split(2, 2, 2, 8)));
}
TEST_F(DevicePreferenceTraining, Adapters) {
  expect_preferences_as_on_cpu(of_pairs(kGpt, {"lora.rank=3"}));
  expect_preferences_as_on_cpu(of_pairs(kLlama, split(2, 1, 1, 2, {"lora.rank=3"})));
}
TEST_F(DevicePreferenceTraining, Experts) {
  const Settings own_products{"model.num_layers=2", "kernels.cutlass=false"};
  for (const RoutedLayout& layout :
       {RoutedLayout{"one", 1, 1, 1, 1, 1}, RoutedLayout{"expert2", 1, 1, 2, 1, 2}})
    expect_preferences_as_on_cpu(of_pairs(settings(layout), own_products));
}

// Goal: the reference and the first step compute the same scores, so that every margin begins with 0.  Method: also
// in bfloat16, where the training has fused products that an evaluation may not have.
TEST_F(DevicePreferenceTraining, BeginsAtTheReference) {
  for (const std::string dtype : {"float32", "bfloat16"}) {
    for (const Settings& model : {kGpt, kLlama}) {
      const Settings all = of_pairs(model, {"train.device=cuda", "model.dtype=" + dtype});
      const Outcome outcome = laboratory.run(steps(all), {.most_steps = 1});
      EXPECT_EQ(outcome.rewards.at(0).chosen, 0) << dtype;
      EXPECT_EQ(outcome.rewards.at(0).rejected, 0) << dtype;
    }
  }
}
TEST_F(DevicePreferenceTraining, BfloatFollowsFloat) {
  for (const Settings& model : {kGpt, kLlama}) {
    expect_bfloat_follows_float(of_pairs(model));
    const Settings first =
        with(steps(of_pairs(model)), {"train.device=cuda", "optimizer.clip_grad=0"});
    const Outcome single = laboratory.run(first, {.most_steps = 1}),
                  half = laboratory.run(with(first, {"model.dtype=bfloat16"}), {.most_steps = 1});
    EXPECT_LE(worst_gradient_difference(half.tensors, single.tensors), 3e-2);
  }
}

TEST_F(DevicePreferenceTraining, RepeatsItsBitsAlsoFromGraphs) {
  for (const Settings& layout : {split(1, 1, 1, 1), split(2, 1, 1, 4, {"parallel.zero_stage=1"})}) {
    const Settings all =
        with(steps(of_pairs(kGpt, layout)), {"train.device=cuda", "train.train_iters=4"});
    const Outcome plain = laboratory.run(all);
    EXPECT_EQ(first_difference(laboratory.run(all), plain), "");
    EXPECT_EQ(first_difference(laboratory.run(with(all, {"kernels.cuda_graphs=true"})), plain), "");
  }
}

// Goal: a run that began on the device goes on on the CPU with the scores that the device gave, and comes back.
TEST_F(DevicePreferenceTraining, ResumesOnTheCpuAndBack) {
  const Settings cpu = with(of_pairs(kGpt), {"train.train_iters=4", "train.global_batch_size=4"});
  const Settings device = with(cpu, {"train.device=cuda"});
  const Outcome whole = laboratory.run(cpu), first = laboratory.run(device, {.most_steps = 2});
  const Outcome second = laboratory.run(cpu, {.most_steps = 1, .load = first.checkpoints});
  EXPECT_EQ(second.state.reference_digest, first.state.reference_digest);
  const Outcome third = laboratory.run(device, {.load = second.checkpoints});
  ASSERT_EQ(third.losses.size(), 1U);
  EXPECT_NEAR(third.losses[0], whole.losses[3], 1e-4 * whole.losses[3]);
}

}  // namespace
}  // namespace megascale
