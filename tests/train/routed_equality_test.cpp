// Routed experts train alike wherever they lie: losses and gradients of every layout are close to
// those of one rank, whatever runs beside what keeps the bits, and checkpoints go from any layout of
// experts to any other.
#include <gtest/gtest.h>

#include <chrono>

#include "support/job.h"
#include "support/watchdog.h"
#include "train/routed_model.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr double kBound = 1e-5;  // as of dense models (train/equality.h)
constexpr std::int64_t kSteps = 5;
const Settings kExpertTensor2{"parallel.expert_tensor_parallel_size=2", "parallel.zero_stage=2"};
const Settings kGather{"moe.token_dispatcher_type=allgather"};
const Settings kIn8Bits{"moe.fp8_communication=true"};
const Settings kOneScale{"moe.fp8_communication=true", "moe.fp8_communication_recipe=tensorwise"};
const Settings kRowwise{"model.fp8=e4m3", "model.fp8_recipe=rowwise"};
const Settings kWholeShared{"parallel.replicate_shared_experts=true"};
const Settings kZero1{"parallel.zero_stage=1"}, kZero2{"parallel.zero_stage=2"};

Settings with(Settings all, const Settings& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

const RoutedLayout kOneRank{"one", 1, 1, 1, 1, 1};

// Choices are discontinuous: a last bit that differs may send a token elsewhere. No token of these
// runs is that close to a tie.
TEST(RoutedEqualityTest, EveryLayoutIsCloseToOneRank) {
  const std::vector<RoutedLayout> layouts{
      {"data2", 1, 1, 2, 1, 1},
      {"expert2", 1, 1, 2, 1, 2},
      {"expert4", 1, 1, 4, 1, 4, kZero2},
      {"expert2_of_data4", 1, 1, 4, 1, 2, kZero2},
      {"tensor2", 2, 1, 1, 1, 1},
      {"tensor2_expert2", 2, 1, 1, 1, 2},
      {"tensor2_data2_expert4", 2, 1, 2, 1, 4, kZero1},
      {"context2_expert2", 1, 2, 1, 1, 2},
      {"tensor2_expert_tensor2", 2, 1, 1, 1, 1, kExpertTensor2},
      {"context2_expert_tensor2", 1, 2, 1, 1, 1, kExpertTensor2},
      {"data4_expert_tensor2_expert2", 1, 1, 4, 1, 2, kExpertTensor2},
      {"context2_data2_expert4", 1, 2, 2, 1, 4},
      {"pipeline2_expert2", 1, 1, 2, 2, 2, {"parallel.pipeline_schedule=zb-h1"}},
      {"lamb_expert2", 1, 1, 2, 1, 2, {"optimizer.name=lamb"}},
      {"gather_expert2", 1, 1, 2, 1, 2, kGather},
      {"gather_expert4", 1, 1, 4, 1, 4, with(kZero2, kGather)},
      {"gather_tensor2_data2_expert4", 2, 1, 2, 1, 4, with(kZero1, kGather)},
      {"gather_tensor2_expert2", 2, 1, 1, 1, 2, kGather},
      {"gather_tensor2_context2_expert2", 2, 2, 1, 1, 2, kGather},
      {"tensor2_data2_expert2_shared_whole", 2, 1, 2, 1, 2, with(kZero2, kWholeShared)},
      {"tensor2_context2_shared_whole", 2, 2, 1, 1, 1, kWholeShared},
      {"gather_tensor2_expert2_shared_whole", 2, 1, 1, 1, 2, with(kGather, kWholeShared)},
      {"gather_context2_expert2", 1, 2, 1, 1, 2, kGather},
      {"gather_data4_expert_tensor2_expert2", 1, 1, 4, 1, 2, with(kExpertTensor2, kGather)},
      {"gather_pipeline2_expert2", 1, 1, 2, 2, 2, kGather},
      {"pieces_expert2", 1, 1, 2, 1, 2, {"overlap.expert_pieces=4"}},
      {"pieces_tensor2_data2_expert4", 2, 1, 2, 1, 4, with(kZero1, {"overlap.expert_pieces=2"})},
      {"pieces_context2_data2_expert2", 1, 2, 2, 1, 2, with(kZero2, {"overlap.expert_pieces=2"})},
      {"parts_expert2", 1, 1, 2, 1, 2, with(kGather, {"overlap.expert_pieces=4"})},
      {"parts_expert4", 1, 1, 4, 1, 4, with(kGather, {"overlap.expert_pieces=8"})},
      {"gather_lamb_expert2", 1, 1, 2, 1, 2, with({"optimizer.name=lamb"}, kGather)},
  };
  Laboratory laboratory;
  std::map<bool, Outcome> plain;        // by optimizer
  std::map<bool, Tensors> plain_first;  // after one step without clipping
  const auto first_step = [&](Settings all) {
    all.emplace_back("optimizer.clip_grad=0");
    return laboratory.run(all, {.most_steps = 1}).tensors;
  };
  double worst_loss = 0, worst_gradient = 0;
  for (const RoutedLayout& layout : layouts) {
    const Watchdog watchdog(layout.name, std::chrono::seconds(240));
    SCOPED_TRACE(layout.name);
    const bool lamb = !layout.more.empty() && layout.more.front() == "optimizer.name=lamb";
    if (!plain.contains(lamb)) {
      RoutedLayout one = kOneRank;
      if (lamb) one.more = {layout.more.front()};
      plain[lamb] = laboratory.run(settings(one), {.most_steps = kSteps});
      plain_first[lamb] = first_step(settings(one));
    }
    try {
      const Outcome got = laboratory.run(settings(layout), {.most_steps = kSteps});
      const double loss = worst_relative_difference(got.losses, plain[lamb].losses),
                   validation = worst_relative_difference(got.validation_losses,
                                                          plain[lamb].validation_losses);
      const double gradient =
          worst_gradient_difference(first_step(settings(layout)), plain_first[lamb]);
      EXPECT_LE(loss, kBound);
      EXPECT_LE(validation, kBound);
      EXPECT_LE(gradient, kBound);
      worst_loss = std::max({worst_loss, loss, validation});
      worst_gradient = std::max(worst_gradient, gradient);
    } catch (const Error& error) {
      ADD_FAILURE() << error.message();
    }
  }
  std::printf("%zu layouts; worst relative difference to one rank: losses %.2e, gradients %.2e\n",
              layouts.size(), worst_loss, worst_gradient);
}

// Every tensor rank gates the shared expert's rows of its own tokens.
TEST(RoutedEqualityTest, EveryLayoutWithAGateIsCloseToOneRank) {
  const Settings gate{"moe.shared_expert_gate=true"};
  const std::vector<RoutedLayout> layouts{
      {"expert2", 1, 1, 2, 1, 2, gate},
      {"tensor2_expert2", 2, 1, 1, 1, 2, gate},
      {"tensor2_expert_tensor2", 2, 1, 1, 1, 1, with(kExpertTensor2, gate)},
      {"context2_data2_expert4", 1, 2, 2, 1, 4,
       with({"recompute.granularity=selective_moe"}, gate)},
  };
  RoutedLayout one = kOneRank;
  one.more = gate;
  const Settings without_clipping{"optimizer.clip_grad=0"};
  Laboratory laboratory;
  const Outcome plain = laboratory.run(settings(one), {.most_steps = kSteps});
  const Tensors first =
      laboratory.run(with(settings(one), without_clipping), {.most_steps = 1}).tensors;
  for (const RoutedLayout& layout : layouts) {
    const Watchdog watchdog(layout.name, std::chrono::seconds(240));
    SCOPED_TRACE(layout.name);
    const Outcome got = laboratory.run(settings(layout), {.most_steps = kSteps});
    EXPECT_LE(worst_relative_difference(got.losses, plain.losses), kBound);
    const Tensors of_first =
        laboratory.run(with(settings(layout), without_clipping), {.most_steps = 1}).tensors;
    EXPECT_LE(worst_gradient_difference(of_first, first), kBound);
  }
}

// With two experts per token every sum over the rows of a token has two terms, however they are sent.
TEST(RoutedEqualityTest, BothModesOfDispatchGiveEqualBitsForTwoExpertsPerToken) {
  Laboratory laboratory;
  const std::vector<RoutedLayout> layouts{
      {"expert2", 1, 1, 2, 1, 2},
      {"expert4", 1, 1, 4, 1, 4},
      {"context2_data2_expert4", 1, 2, 2, 1, 4, {"recompute.granularity=selective_moe"}},
  };
  for (const RoutedLayout& layout : layouts) {
    const Watchdog watchdog(layout.name, std::chrono::seconds(240));
    Settings all = with(settings(layout), {"moe.router_topk=2"});
    const Outcome sent = laboratory.run(all, {.most_steps = kSteps});
    const Outcome gathered = laboratory.run(with(all, kGather), {.most_steps = kSteps});
    EXPECT_EQ(first_difference(gathered, sent), "") << layout.name;
  }
}

void expect_no_switch_or_delay_changes_bits(const Settings& mode) {
  const RoutedLayout base{"expert2", 1, 1, 4, 1, 2, mode};
  const std::vector<std::pair<const char*, Settings>> changes{
      {"no overlap", {"overlap.tensor=false", "overlap.pipeline=false", "overlap.data=false"}},
      {"zero1", kZero1},
      {"zero2, one bucket", {"parallel.zero_stage=2", "parallel.data_parallel_buckets=1"}},
      {"full", {"recompute.granularity=full"}},
      {"selective", {"recompute.granularity=selective"}},
      {"selective_moe", {"recompute.granularity=selective_moe"}},
      {"selective_moe in the order of differentiation",
       {"recompute.granularity=selective_moe", "overlap.layer_order=false"}},
      {"order of differentiation", {"overlap.layer_order=false"}},
      {"fused pairs", {"overlap.fused_pairs=true", "recompute.granularity=selective_moe"}},
      {"whole layers", {"recompute.granularity=full", "recompute.whole_layers=true"}},
      {"list",
       {"recompute.granularity=list",
        "recompute.ops=gather_rows,gated_swiglu,grouped_linear,all_to_all_v,reorder_rows,all_"
        "gather"}},
      {"no prefetch", {"data.prefetch=false"}},
  };
  Laboratory laboratory;
  const Outcome plain = laboratory.run(settings(base), {.most_steps = kSteps});
  for (const auto& [name, more] : changes) {
    const Watchdog watchdog(name, std::chrono::seconds(240));
    RoutedLayout changed = base;
    changed.more = with(mode, more);
    try {
      const Outcome got = laboratory.run(settings(changed), {.most_steps = kSteps});
      EXPECT_EQ(first_difference(got, plain), "") << name;
    } catch (const Error& error) {
      ADD_FAILURE() << name << ": " << error.message();
    }
  }
  const Outcome delayed = laboratory.run(
      settings(base),
      {.most_steps = kSteps, .before_task = [](std::uint32_t rank, std::uint32_t task) {
         random_delay(17, rank, task);
       }});
  EXPECT_EQ(first_difference(delayed, plain), "") << "delays";
}

TEST(RoutedEqualityTest, NoSwitchOrDelayChangesBits) { expect_no_switch_or_delay_changes_bits({}); }

TEST(RoutedEqualityTest, NoSwitchOrDelayChangesBitsIfTokensAreGathered) {
  expect_no_switch_or_delay_changes_bits(kGather);
}

TEST(RoutedEqualityTest, NoSwitchOrDelayChangesBitsOfRowsIn8Bits) {
  expect_no_switch_or_delay_changes_bits(kIn8Bits);
  expect_no_switch_or_delay_changes_bits(with(kGather, kIn8Bits));
}

TEST(RoutedEqualityTest, NoSwitchOrDelayChangesBitsOfRowsWithOneScale) {
  expect_no_switch_or_delay_changes_bits(kOneScale);
  expect_no_switch_or_delay_changes_bits(with(kGather, kOneScale));
}

TEST(RoutedEqualityTest, NoSwitchOrDelayChangesBitsOf8BitProducts) {
  expect_no_switch_or_delay_changes_bits(kRowwise);
  expect_no_switch_or_delay_changes_bits(
      with(with(kGather, kIn8Bits), {"model.fp8=e4m3", "model.fp8_recipe=tensorwise"}));
}

// Values are rounded to four significant bits, so a gradient is off by some hundredths; the mean loss
// of a step moves less.
void expect_close_to_plain(const Settings& in_8_bits, double most_loss, double most_gradient) {
  const std::vector<RoutedLayout> layouts{
      {"expert4", 1, 1, 4, 1, 4},
      {"gather_expert4", 1, 1, 4, 1, 4, kGather},
      {"tensor2_expert2", 2, 1, 1, 1, 2},
      {"tensor2_expert_tensor2", 2, 1, 1, 1, 1, kExpertTensor2},
      {"data4_expert_tensor2_expert2", 1, 1, 4, 1, 2, kExpertTensor2},
      {"gather_context2_data2_pipeline2_expert2", 1, 2, 2, 2, 2, kGather},
      {"row_pieces_expert2", 1, 1, 2, 1, 2, {"overlap.expert_pieces=4"}},
      {"pieces_expert4", 1, 1, 4, 1, 4, with(kGather, {"overlap.expert_pieces=2"})},
      {"parts_expert2", 1, 1, 2, 1, 2, with(kGather, {"overlap.expert_pieces=4"})},
  };
  Laboratory laboratory;
  double worst_loss = 0, worst_gradient = 0;
  for (const RoutedLayout& layout : layouts) {
    const Watchdog watchdog(layout.name, std::chrono::seconds(240));
    // Widths of multiples of 4 on every rank, as products of 8-bit values need.
    const Settings plain = with(
        settings(layout), {"moe.shared_expert_intermediate_size=16", "moe.ffn_hidden_size=24"});
    const auto first_step = [&](const Settings& all) {
      return laboratory.run(with(all, {"optimizer.clip_grad=0"}), {.most_steps = 1});
    };
    const Outcome want = first_step(plain), got = first_step(with(plain, in_8_bits));
    const double loss = worst_relative_difference(got.losses, want.losses),
                 gradient = worst_gradient_difference(got.tensors, want.tensors);
    EXPECT_GE(gradient, 1e-3) << layout.name << ": nothing was rounded to 8 bits";
    EXPECT_LE(loss, most_loss) << layout.name;
    EXPECT_LE(gradient, most_gradient) << layout.name;
    worst_loss = std::max(worst_loss, loss);
    worst_gradient = std::max(worst_gradient, gradient);
  }
  std::printf("worst relative difference to float32: loss %.2e, gradients %.2e\n", worst_loss,
              worst_gradient);
}

TEST(RoutedEqualityTest, RowsIn8BitsAreCloseToPlainOnes) {
  expect_close_to_plain(kIn8Bits, 1e-4, 0.1);
}

// Small values beside a large one become 0, so gradients are off by more than with scales of rows.
TEST(RoutedEqualityTest, RowsIn8BitsWithOneScaleAreCloseToPlainOnes) {
  expect_close_to_plain(kOneScale, 1e-4, 0.1);
}

TEST(RoutedEqualityTest, ProductsOf8BitOperandsAreCloseToPlainOnes) {
  expect_close_to_plain(kRowwise, 1e-3, 0.2);
  expect_close_to_plain({"model.fp8=e4m3"}, 1e-3, 0.2);
}

// The layout of MegaScale-MoE: attention and experts on the same ranks.
TEST(RoutedEqualityTest, NoRecomputationOrOrderChangesBitsBesideContextRanks) {
  const RoutedLayout base{"context2_expert2", 1, 2, 1, 2, 2};
  Laboratory laboratory;
  const Outcome plain = laboratory.run(settings(base), {.most_steps = kSteps});
  for (const char* granularity : {"none", "selective_moe", "full"}) {
    for (const char* schedule : {"1f1b", "zb-h1"}) {
      for (const char* order : {"true", "false"}) {
        const Watchdog watchdog(granularity, std::chrono::seconds(240));
        RoutedLayout changed = base;
        changed.more = {std::string("recompute.granularity=") + granularity,
                        std::string("parallel.pipeline_schedule=") + schedule,
                        std::string("overlap.layer_order=") + order};
        EXPECT_EQ(
            first_difference(laboratory.run(settings(changed), {.most_steps = kSteps}), plain), "")
            << granularity << ", " << schedule << ", order " << order;
      }
    }
  }
}

// Gradients that travel in bfloat16 differ by one rounding; what runs beside them changes no bits.
TEST(RoutedEqualityTest, GradientsInBfloat16AreCloseAndKeepTheirBitsUnderOverlap) {
  const Watchdog watchdog("gradients in bfloat16");
  const RoutedLayout base{"expert2", 1, 1, 4, 1, 2, kZero2};
  const auto rounded = [&](Settings more) {
    more.insert(more.end(),
                {"parallel.zero_stage=2", "parallel.reduce_scatter_with_fp32_accumulation=true"});
    RoutedLayout layout = base;
    layout.more = std::move(more);
    return settings(layout);
  };
  Laboratory laboratory;
  const Outcome plain = laboratory.run(settings(base), {.most_steps = kSteps}),
                got = laboratory.run(rounded({}), {.most_steps = kSteps});
  EXPECT_LE(worst_relative_difference(got.losses, plain.losses), 1e-3);
  EXPECT_LE(worst_relative_difference(got.gradient_norms, plain.gradient_norms), 1e-3);
  EXPECT_NE(first_difference(got, plain), "") << "nothing was rounded";
  for (const char* change : {"overlap.data=false", "parallel.data_parallel_buckets=1"}) {
    EXPECT_EQ(first_difference(laboratory.run(rounded({change}), {.most_steps = kSteps}), got), "")
        << change;
  }
}

// The same cut of the batch and of experts, and one or two stages.
TEST(RoutedEqualityTest, StagesDoNotChangeBits) {
  Laboratory laboratory;
  const Outcome plain =
      laboratory.run(settings(RoutedLayout{"", 1, 1, 2, 1, 2}), {.most_steps = kSteps});
  for (const char* schedule : {"1f1b", "gpipe", "zb-h1"}) {
    const Watchdog watchdog(schedule, std::chrono::seconds(240));
    const RoutedLayout two{
        "", 1, 1, 2, 2, 2, {std::string("parallel.pipeline_schedule=") + schedule}};
    EXPECT_EQ(first_difference(laboratory.run(settings(two), {.most_steps = kSteps}), plain), "")
        << schedule;
  }
}

TEST(RoutedEqualityTest, CheckpointsGoFromAnyLayoutOfExpertsToAnyOther) {
  const std::vector<RoutedLayout> layouts{
      {"one", 1, 1, 1, 1, 1},
      {"data2", 1, 1, 2, 1, 1, kZero1},
      {"expert2", 1, 1, 2, 1, 2},
      {"expert4_zero2", 1, 1, 4, 1, 4, kZero2},
      {"expert2_of_data4_zero2", 1, 1, 4, 1, 2, kZero2},
      {"tensor2_data2_expert4", 2, 1, 2, 1, 4},
      {"data4_expert_tensor2_expert2", 1, 1, 4, 1, 2, kExpertTensor2},
      {"pipeline2_expert2", 1, 1, 2, 2, 2, kZero1},
      {"context2_data2_expert4", 1, 2, 2, 1, 4, with(kGather, kZero1)},
      {"tensor2_context2_expert2_zero2", 2, 2, 1, 1, 2, kZero2},
  };
  Laboratory laboratory;
  for (const RoutedLayout& from : layouts) {
    const Watchdog watchdog(from.name, std::chrono::seconds(240));
    const Outcome saved = laboratory.run(settings(from), {.most_steps = 2});
    for (const RoutedLayout& to : layouts) {
      const Outcome loaded =
          laboratory.run(settings(to), {.most_steps = 0, .load = saved.checkpoints});
      EXPECT_EQ(first_difference(loaded.tensors, saved.tensors), "")
          << from.name << " to " << to.name;
    }
  }
}

// Room for the mean only, and tokens that prefer some experts: a stated error, no hang, no write
// outside.
TEST(RoutedEqualityTest, MoreRowsThanTheBoundStopTheStep) {
  Laboratory laboratory;
  for (const Settings& mode : {Settings{}, kGather}) {
    const Watchdog watchdog("more rows than the bound");
    const RoutedLayout tight{
        "", 1, 1, 4, 1, 4, with({"moe.rows_bound=1", "moe.aux_loss_coeff=0"}, mode)};
    try {
      (void)laboratory.run(settings(tight), {.most_steps = kSteps});
      ADD_FAILURE() << "the step was not stopped";
    } catch (const Error& error) {
      EXPECT_NE(error.message().find("moe.rows_bound"), std::string::npos) << error.message();
    }
  }
}

}  // namespace
}  // namespace megascale
