// Whole training runs of a mixture of experts on a device against the CPU's: one rank and several, both ways
// of dispatch, everything that balances or limits the loads. Ranks are threads that share the device.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "cuda/device_training.h"
#include "support/scratch_directory.h"
#include "train/routed_replay.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

const Settings kGather{"moe.token_dispatcher_type=allgather"};
const RoutedLayout kOneRank{"one", 1, 1, 1, 1, 1}, kExpert2{"expert2", 1, 1, 2, 1, 2};

// The emulated device is slow.
// With our own grouped products, which every device and every build has.
Settings one_routed_layer(const RoutedLayout& layout) {
  return with(settings(layout), {"model.num_layers=2", "kernels.cutlass=false"});
}

class DeviceExpertTraining : public DeviceTraining {};

TEST_F(DeviceExpertTraining, OneRank) { expect_as_on_cpu(settings(kOneRank)); }
TEST_F(DeviceExpertTraining, SigmoidWithABiasAndAGate) {
  expect_as_on_cpu(with(one_routed_layer(kOneRank),
                        {"moe.router_score_function=sigmoid", "moe.router_enable_expert_bias=true",
                         "moe.norm_topk_prob=false", "moe.router_topk_scaling_factor=1.5",
                         "moe.shared_expert_gate=true", "moe.layer_freq=1"}));
}
TEST_F(DeviceExpertTraining, LossesOfDeviceGroupsAndACapacity) {
  expect_as_on_cpu(with(one_routed_layer(kOneRank),
                        {"moe.device_groups=4", "moe.device_aux_loss_coeff=0.05",
                         "moe.communication_aux_loss_coeff=0.02", "moe.expert_capacity_factor=1",
                         "moe.capacity_exempt_share=0.25"}));
}
TEST_F(DeviceExpertTraining, TwoExpertRanks) { expect_as_on_cpu(settings(kExpert2)); }
TEST_F(DeviceExpertTraining, TwoExpertRanksThatGatherTokens) {
  expect_as_on_cpu(with(one_routed_layer(kExpert2), kGather));
}
TEST_F(DeviceExpertTraining, ExpertsInPieces) {
  expect_as_on_cpu(with(one_routed_layer(kExpert2), {"overlap.expert_pieces=2"}));
}
TEST_F(DeviceExpertTraining, TokensInPieces) {
  for (const std::string pieces : {"2", "4"}) {
    expect_as_on_cpu(
        with(with(one_routed_layer(kExpert2), kGather), {"overlap.expert_pieces=" + pieces}));
  }
}
TEST_F(DeviceExpertTraining, RowsBeyondTheirRoomAreDropped) {
  for (const Settings& mode : {Settings{}, kGather}) {
    expect_as_on_cpu(with(with(one_routed_layer(kExpert2), mode),
                          {"moe.rows_bound=1", "moe.rows_overflow=drop"}));
  }
}
TEST_F(DeviceExpertTraining, ContextRanksThatDropTogether) {
  expect_as_on_cpu(with(one_routed_layer({"context2_expert2", 1, 2, 1, 1, 2}),
                        {"moe.expert_capacity_factor=1"}));
}
TEST_F(DeviceExpertTraining, PaddingGoesToNoExpert) {
  expect_as_on_cpu(with(one_routed_layer({"tensor2_expert2", 2, 1, 1, 1, 2}),
                        {"data.packed_documents=true", "data.whole_documents=true"}));
}
TEST_F(DeviceExpertTraining, AdaptersOfExperts) {
  for (const Settings& model : {one_routed_layer(kExpert2),
                                with(one_routed_layer({"tensor2_expert_tensor2", 2, 1, 1, 1, 1}),
                                     {"parallel.expert_tensor_parallel_size=2"})})
    expect_as_on_cpu(with(model, {"lora.rank=3", "optimizer.lr=0.02"}));
  expect_bfloat_follows_float(
      with(one_routed_layer(kExpert2), {"lora.rank=3", "optimizer.lr=0.02"}));
}
TEST_F(DeviceExpertTraining, TensorRanksDivideExperts) {
  expect_as_on_cpu(with(one_routed_layer({"tensor2_expert_tensor2", 2, 1, 1, 1, 1}),
                        {"parallel.expert_tensor_parallel_size=2"}));
}

// Gradients of the first step: experts add little to the loss at the start. Both runs have the routes of float32.
void expect_bfloat_gradients_follow_float(Laboratory& laboratory, const Settings& model,
                                          const Settings& of_bfloat) {
  const ScratchDirectory routes;
  const Settings first = with(steps(model), {"train.device=cuda", "optimizer.clip_grad=0"});
  const Outcome single =
                    laboratory.run(with(first, recorded(routes / "routes")), {.most_steps = 1}),
                half = laboratory.run(with(with(first, replayed(routes / "routes")), of_bfloat),
                                      {.most_steps = 1});
  EXPECT_LE(worst_gradient_difference(half.tensors, single.tensors), 3e-2);
}
TEST_F(DeviceExpertTraining, BfloatFollowsFloat) {
  for (const Settings& model :
       {one_routed_layer(kOneRank), with(one_routed_layer(kExpert2), kGather)}) {
    expect_bfloat_follows_float(model);
    expect_bfloat_gradients_follow_float(laboratory, model, {"model.dtype=bfloat16"});
  }
}

// Skipped without CUTLASS or a Hopper.
TEST_F(DeviceExpertTraining, CutlassFollowsFloatAndRepeatsItsBits) {
  const Settings by_cutlass{"model.dtype=bfloat16", "kernels.cutlass=true"};
  for (const Settings& model :
       {one_routed_layer(kOneRank), with(one_routed_layer(kExpert2), kGather)}) {
    try {
      expect_bfloat_gradients_follow_float(laboratory, model, by_cutlass);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::unsupported) GTEST_SKIP() << error.message();
      throw;
    }
    const Settings all = with(with(steps(model), {"train.device=cuda"}), by_cutlass);
    const Outcome plain = laboratory.run(all);
    EXPECT_EQ(first_difference(laboratory.run(all), plain), "");
    EXPECT_EQ(first_difference(laboratory.run(with(all, {"kernels.cuda_graphs=true"})), plain), "");
  }
}

// Products of 8-bit operands. Widths and the tokens of a micro-batch are multiples of 16; the rows
// of experts are not. A suite of its own: after an error of the device all later tests fail.
class DeviceExpertFp8Training : public DeviceTraining {};
Settings wide(const RoutedLayout& layout) {
  return with(settings(layout),
              {"model.num_layers=2", "model.hidden_size=32", "model.ffn_hidden_size=64",
               "model.head_dim=16", "model.num_attention_heads=2", "model.num_query_groups=2",
               "moe.ffn_hidden_size=48", "moe.shared_expert_intermediate_size=32",
               "model.seq_length=16", "model.dtype=bfloat16"});
}
const Settings kIn8Bits{"model.fp8=hybrid"};

// Both runs have the routes of bfloat16. An operand has 3 or 4 significant bits, so a
// product is off by some percent; on the emulated device a gradient was by up to 0.16.
void expect_8_bits_follow_bfloat(Laboratory& laboratory, const Settings& model,
                                 std::int64_t steps) {
  const ScratchDirectory routes;
  const Settings all = with(testing::steps(model), {"train.device=cuda", "optimizer.clip_grad=0"});
  const Outcome half =
                    laboratory.run(with(all, recorded(routes / "routes")), {.most_steps = steps}),
                fp8 = laboratory.run(with(with(all, replayed(routes / "routes")), kIn8Bits),
                                     {.most_steps = steps});
  EXPECT_LE(worst_relative_difference(fp8.losses, half.losses), 2e-2);
  EXPECT_NE(first_difference(fp8, half), "") << "8 bits were used";
  if (steps > 1) return;
  EXPECT_LE(worst_gradient_difference(fp8.tensors, half.tensors), 0.25);
}
TEST_F(DeviceExpertFp8Training, FollowsBfloat) {
  const RoutedLayout divided{"tensor2_expert_tensor2", 2, 1, 1, 1, 1};
  const Settings own{"kernels.cutlass=false"};
  for (const Settings& model :
       {wide(kOneRank), wide(kExpert2), with(wide(kExpert2), kGather),
        with(wide(divided), {"parallel.expert_tensor_parallel_size=2", "moe.ffn_hidden_size=96"})})
    expect_8_bits_follow_bfloat(laboratory, with(model, own), 1);
  expect_8_bits_follow_bfloat(laboratory, with(wide(kOneRank), own), kDeviceSteps);
}
// A piece has a part of the codes and of the scales of all weights of a rank, or all of them.
TEST_F(DeviceExpertFp8Training, FollowsBfloatInPieces) {
  const Settings own{"kernels.cutlass=false", "overlap.expert_pieces=2"};
  for (const Settings& model : {wide(kExpert2), with(wide(kExpert2), kGather)})
    expect_8_bits_follow_bfloat(laboratory, with(model, own), 1);
}
// Skipped without CUTLASS or a Hopper.
TEST_F(DeviceExpertFp8Training, FollowsBfloatByCutlass) {
  const Settings by_cutlass{"kernels.cutlass=true"};
  try {
    for (const Settings& model : {wide(kOneRank), with(wide(kExpert2), kGather)})
      expect_8_bits_follow_bfloat(laboratory, with(model, by_cutlass), 1);
    expect_8_bits_follow_bfloat(laboratory, with(wide(kOneRank), by_cutlass), kDeviceSteps);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::unsupported) GTEST_SKIP() << error.message();
    throw;
  }
}
TEST_F(DeviceExpertFp8Training, RepeatsItsBits) {
  const Settings all =
      with(with(steps(wide(kOneRank)), {"train.device=cuda", "kernels.cutlass=false"}), kIn8Bits);
  EXPECT_EQ(first_difference(laboratory.run(all), laboratory.run(all)), "");
}
// ZeRO stages 2 and 3: the codes of divided weights, also of experts, are made anew where they are read. With one micro-batch
// the sums have the same bits.
TEST_F(DeviceExpertFp8Training, DividedWeightsHaveTheSameCodes) {
  const Settings all = with(with(steps(wide({"expert2_of_data4", 1, 1, 4, 1, 2})),
                                 {"train.device=cuda", "kernels.cutlass=false",
                                  "train.global_batch_size=4", "train.micro_batch_size=1"}),
                            kIn8Bits);
  EXPECT_EQ(first_difference(laboratory.run(with(all, {"parallel.zero_stage=3"})),
                             laboratory.run(with(all, {"parallel.zero_stage=2"}))),
            "");
}
TEST_F(DeviceExpertFp8Training, NoSwitchChangesBits) {
  const Settings together =
      with(with(steps(wide(kExpert2)), {"train.device=cuda", "kernels.cutlass=false"}), kIn8Bits);
  for (const Settings& all : {together, with(together, {"overlap.expert_pieces=2"})}) {
    const Outcome plain = laboratory.run(all);
    for (const std::string more : {"overlap.tensor=false", "overlap.layer_order=false",
                                   "recompute.granularity=selective_moe",
                                   "recompute.granularity=full", "kernels.cuda_graphs=true"}) {
      const Watchdog watchdog(more, std::chrono::seconds(240));
      EXPECT_EQ(first_difference(laboratory.run(with(all, {more})), plain), "") << more;
    }
  }
}

TEST_F(DeviceExpertTraining, RepeatsItsBits) {
  const Settings all =
      with(steps(one_routed_layer(kExpert2)), {"train.device=cuda", "model.dtype=bfloat16"});
  EXPECT_EQ(first_difference(laboratory.run(all), laboratory.run(all)), "");
}

void expect_no_switch_changes_bits(Laboratory& laboratory, const Settings& mode) {
  const Settings all = with(with(steps(one_routed_layer(kExpert2)), mode), {"train.device=cuda"});
  const Outcome plain = laboratory.run(all);
  for (const Settings& more : {Settings{"overlap.tensor=false", "overlap.data=false"},
                               {"overlap.layer_order=false"},
                               {"recompute.granularity=selective_moe"},
                               {"recompute.granularity=full"},
                               {"kernels.cuda_graphs=true"}}) {
    const Watchdog watchdog(more.front(), std::chrono::seconds(240));
    EXPECT_EQ(first_difference(laboratory.run(with(all, more)), plain), "") << more.front();
  }
}
TEST_F(DeviceExpertTraining, NoSwitchChangesBits) { expect_no_switch_changes_bits(laboratory, {}); }
TEST_F(DeviceExpertTraining, NoSwitchChangesBitsIfTokensAreGathered) {
  expect_no_switch_changes_bits(laboratory, kGather);
}

// Codes of 8 bits may differ where the operands differ in their last bits.
TEST_F(DeviceExpertTraining, RowsTravelIn8Bits) {
  const Settings all = steps(one_routed_layer(kExpert2));
  for (const Settings& mode : {Settings{}, kGather, Settings{"overlap.expert_pieces=2"},
                               with(kGather, {"overlap.expert_pieces=4"})}) {
    const Settings in_8_bits = with(with(all, mode), {"moe.fp8_communication=true"});
    const Outcome cpu = laboratory.run(in_8_bits),
                  device = laboratory.run(with(in_8_bits, {"train.device=cuda"}));
    EXPECT_LE(worst_relative_difference(device.losses, cpu.losses), 1e-3);
    EXPECT_LE(worst_relative_difference(device.gradient_norms, cpu.gradient_norms), 1e-2);
    const Outcome wide = laboratory.run(with(with(all, mode), {"train.device=cuda"}));
    EXPECT_NE(first_difference(device, wide), "") << "8 bits were used";
    const Settings unclipped = with(in_8_bits, {"optimizer.clip_grad=0"});
    const Outcome cpu_first = laboratory.run(unclipped, {.most_steps = 1}),
                  device_first =
                      laboratory.run(with(unclipped, {"train.device=cuda"}), {.most_steps = 1});
    EXPECT_LE(worst_gradient_difference(device_first.tensors, cpu_first.tensors), 1e-2);
  }
}

// The CPU replays the routes that a device recorded, and a device those of the CPU.
TEST_F(DeviceExpertTraining, RoutesAreRecordedAndReplayed) {
  const ScratchDirectory scratch;
  const Settings all = steps(one_routed_layer(kOneRank)),
                 on_device = with(all, {"train.device=cuda"});
  const Outcome recorded_by_device = laboratory.run(with(on_device, recorded(scratch / "device"))),
                by_cpu = laboratory.run(with(all, replayed(scratch / "device")));
  EXPECT_LE(worst_relative_difference(by_cpu.losses, recorded_by_device.losses), 1e-4);
  (void)laboratory.run(with(all, recorded(scratch / "cpu")));
  const Outcome by_device = laboratory.run(with(on_device, replayed(scratch / "cpu")));
  EXPECT_LE(worst_relative_difference(by_device.losses, recorded_by_device.losses), 1e-4);
  std::filesystem::create_directory(scratch / "empty");
  try {
    laboratory.run(with(on_device, replayed(scratch / "empty")));
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("expected recorded choices to replay"), std::string::npos)
        << error.message();
  }
}

// Only the device knows how many rows there are; the run stops all the same, and says so.
TEST_F(DeviceExpertTraining, MoreRowsThanThereIsRoomForStopTheRun) {
  for (const RoutedLayout& layout : {kOneRank, kExpert2}) {
    for (const Settings& mode : {Settings{}, kGather}) {
      const Watchdog watchdog(layout.name);
      try {
        laboratory.run(with(with(steps(one_routed_layer(layout)), mode),
                            {"train.device=cuda", "moe.rows_bound=1",
                             "moe.router_score_function=sigmoid", "model.init_method_std=0.5"}));
        // One rank has room for all of its rows.
        EXPECT_EQ(layout.expert, 1);
      } catch (const Error& error) {
        EXPECT_NE(error.message().find("rows"), std::string::npos) << error.message();
        EXPECT_EQ(layout.expert, 2) << error.message();
      }
    }
  }
}

// Returns the text of a run's error up to the task that failed first; empty if the run has no error.
std::string failure_of(Laboratory& laboratory, const Settings& settings) {
  try {
    (void)laboratory.run(settings, {.most_steps = 1});
    return "";
  } catch (const Error& error) {
    // Behind it: what the rank did whose thread reports the error, which may be another one.
    return error.message().substr(
        0, error.message().find("; while running", error.message().find(") on rank")));
  }
}
// Goal: an error that only the device finds names the very task.  Method: the CPU finds it when it runs the
// task, so both messages are equal. Layers and micro-batches share a function, and it is not the
// first of their tasks that is wrong. The bound is just too small, so that one task alone is.
TEST_F(DeviceExpertTraining, TooManyRowsAreToldByTheSameTaskAsOnTheCpu) {
  const Settings all =
      with(with(steps(one_routed_layer(kExpert2)), kGather),
           {"moe.aux_loss_coeff=0", "moe.layer_freq=1", "train.micro_batch_size=1"});
  for (int bound = 150; bound > 100; --bound) {
    const Settings tight = with(all, {"moe.rows_bound=" + std::to_string(bound * 0.01)});
    const std::string on_cpu = failure_of(laboratory, tight);
    if (on_cpu.empty()) continue;
    EXPECT_NE(on_cpu.find("moe.rows_bound"), std::string::npos) << on_cpu;
    EXPECT_EQ(on_cpu.find("mb0/chunk0/layer0/"), std::string::npos) << "the first task: " << on_cpu;
    EXPECT_EQ(failure_of(laboratory, with(tight, {"train.device=cuda"})), on_cpu);
    return;
  }
  FAIL() << "no bound was too small";
}

}  // namespace
}  // namespace megascale
