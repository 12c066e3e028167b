#ifndef MEGASCALE_TESTS_CUDA_DEVICE_TRAINING_H_
#define MEGASCALE_TESTS_CUDA_DEVICE_TRAINING_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "megascale/cuda/device.h"
#include "support/job.h"
#include "support/watchdog.h"
#include "train/training.h"

// Whole training runs on a device beside those on the CPU.
namespace megascale::testing {

#ifdef MEGASCALE_EMULATE_CUDA
inline constexpr std::int64_t kDeviceSteps = 2;
#else
inline constexpr std::int64_t kDeviceSteps = 20;
#endif

// Small dense models.
inline const Settings kGpt{"model.num_layers=2", "model.hidden_size=24",
                           "model.num_attention_heads=4"};
inline const Settings kLlama{"model.type=llama", "model.num_layers=2", "model.hidden_size=24",
                             "model.num_attention_heads=4", "model.num_query_groups=2"};

inline Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}
inline Settings steps(const Settings& settings) {
  return with(settings, {"train.train_iters=" + std::to_string(kDeviceSteps),
                         "train.eval_interval=2", "train.global_batch_size=4"});
}

// The worst relative differences that a suite's tests have met.
struct WorstDifferences {
  double losses = 0, gradients = 0;  // from the CPU's
  double bfloat_losses = 0;          // from those in float32
};

// Without a device, skipped. The worst differences of a suite's tests are printed behind them, for
// scripts/gpu_check.
class DeviceTraining : public ::testing::Test {
 public:
  static void SetUpTestSuite() { worst = {}; }
  static void TearDownTestSuite() {
    if (worst.gradients == 0 && worst.bfloat_losses == 0) return;
    std::printf(
        "figure: losses at most %.1e, gradients at most %.1e from the CPU's; bfloat16 losses at "
        "most "
        "%.1e from float32's\n",
        worst.losses, worst.gradients, worst.bfloat_losses);
  }
  void SetUp() override {
    if (cuda::device_count() == 0) GTEST_SKIP() << cuda::why_no_device();
  }

  // Losses and rewards of every step, and all gradients of the first one. Returns the run on the CPU.
  Outcome expect_as_on_cpu(const Settings& model, double most_of_gradients = 1e-4) {
    std::string trace;
    for (const std::string& setting : model) trace += setting + " ";
    SCOPED_TRACE(trace);
    const Watchdog watchdog(trace, std::chrono::seconds(240));
    const Settings settings = steps(model);
    const Outcome cpu = laboratory.run(settings),
                  device = laboratory.run(with(settings, {"train.device=cuda"}));
    const double losses = worst_relative_difference(device.losses, cpu.losses);
    EXPECT_LE(losses, 1e-4);
    worst.losses = std::max(worst.losses, losses);
    EXPECT_LE(worst_relative_difference(device.gradient_norms, cpu.gradient_norms), 1e-3);
    EXPECT_LE(worst_relative_difference(device.validation_losses, cpu.validation_losses), 1e-4);
    expect_close_rewards(device.rewards, cpu.rewards);
    const Settings unclipped = with(settings, {"optimizer.clip_grad=0"});
    const Outcome cpu_first = laboratory.run(unclipped, {.most_steps = 1}),
                  device_first =
                      laboratory.run(with(unclipped, {"train.device=cuda"}), {.most_steps = 1});
    const double gradients = worst_gradient_difference(device_first.tensors, cpu_first.tensors);
    EXPECT_LE(gradients, most_of_gradients);
    worst.gradients = std::max(worst.gradients, gradients);
    return cpu;
  }
  // Losses in bfloat16 beside those in float32.
  void expect_bfloat_follows_float(const Settings& model) {
    const Settings settings = with(steps(model), {"train.device=cuda"});
    const Outcome single = laboratory.run(settings),
                  half = laboratory.run(with(settings, {"model.dtype=bfloat16"}));
    const double losses = worst_relative_difference(half.losses, single.losses);
    EXPECT_LE(losses, 1e-2);
    worst.bfloat_losses = std::max(worst.bfloat_losses, losses);
    EXPECT_NE(first_difference(half, single), "") << "bfloat16 was used";
  }

  Laboratory laboratory;

 private:
  static void expect_close_rewards(const std::vector<train::RewardMetrics>& got,
                                   const std::vector<train::RewardMetrics>& want) {
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
      EXPECT_NEAR(got[i].chosen, want[i].chosen, 1e-4) << i;
      EXPECT_NEAR(got[i].rejected, want[i].rejected, 1e-4) << i;
      EXPECT_EQ(got[i].accuracy, want[i].accuracy) << i;
    }
  }

  static inline WorstDifferences worst;
};

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_CUDA_DEVICE_TRAINING_H_
