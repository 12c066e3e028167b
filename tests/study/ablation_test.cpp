#include "megascale/study/ablate/ablation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "megascale/base/error.h"
#include "megascale/config/load.h"

namespace megascale::study {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::StartsWith;

Config job_of(const std::vector<std::string>& more) {
  std::vector<std::string> all{"model.num_layers=4", "model.hidden_size=64",
                               "model.num_attention_heads=4", "train.global_batch_size=8"};
  all.insert(all.end(), more.begin(), more.end());
  return parse_config("", "test", all);
}

TEST(AblationRowsTest, EveryRowSwitchesOneTechniqueOn) {
  const Config job =
      job_of({"model.parallel_block=true", "model.sliding_window=32", "optimizer.name=lamb",
              "parallel.pipeline_model_parallel_size=2", "parallel.world_size=4"});
  const auto rows = ablation_rows(job, 4, Timing::measured);
  ASSERT_EQ(rows.size(), 9U);
  EXPECT_EQ(rows[0].technique, "baseline");
  EXPECT_TRUE(rows.back().overrides.empty());  // the last row is the job
  EXPECT_EQ(rows[1].technique, "parallel block");
  EXPECT_THAT(rows[1].keys, ElementsAre("model.parallel_block = true"));
  // Every row has one technique's overrides less than the row before, where it is in the job.
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::size_t less = rows[i - 1].overrides.size() - rows[i].overrides.size();
    EXPECT_EQ(less, rows[i].absent.empty() ? rows[i].keys.size() : 0) << rows[i].technique;
  }
  EXPECT_EQ(rows[3].absent,
            "parallel.tensor_model_parallel_size and parallel.context_parallel_size are 1");
  // The rows before LAMB have a quarter of its batch.
  EXPECT_THAT(rows[7].overrides, ElementsAre("optimizer.name=adamw", "train.global_batch_size=2"));
}

// MegaScale-MoE's table 5: without sequence parallelism and experts on the same ranks, both attention
// and experts are tensor-parallel.
TEST(AblationRowsTest, ExpertsHaveRowsOfTheirOwn) {
  const std::vector<std::string> settings{"model.type=mixtral",
                                          "moe.num_experts=4",
                                          "model.seq_length=16",
                                          "parallel.world_size=2",
                                          "parallel.context_parallel_size=2",
                                          "parallel.expert_model_parallel_size=2",
                                          "parallel.expert_tensor_parallel_size=1"};
  const auto rows = ablation_rows(job_of(settings), 4, Timing::simulated);
  ASSERT_GT(rows.size(), 2U);
  EXPECT_EQ(rows[1].technique, "SP and EP");
  const auto ordered = std::find_if(rows.begin(), rows.end(), [](const AblationRow& row) {
    return row.technique == "order of layers";
  });
  ASSERT_NE(ordered, rows.end());
  EXPECT_EQ((ordered - 1)->technique, "TP overlap") << "without which the order has no effect";
  EXPECT_THAT(ordered->keys, ElementsAre("overlap.layer_order = true"));
  EXPECT_EQ((ordered + 1)->technique, "pieces of products");
  EXPECT_NE((ordered + 1)->absent, "");
  EXPECT_EQ((ordered + 2)->technique, "fused pairs");
  EXPECT_EQ((ordered + 2)->absent, "overlap.fused_pairs is false");
  EXPECT_EQ((ordered + 3)->technique, "FP8 communication");
  EXPECT_EQ((ordered + 3)->absent, "moe.fp8_communication is false");
  std::vector<std::string> in_8_bits = settings;
  in_8_bits.emplace_back("moe.fp8_communication=true");
  const auto rows_in_8_bits = ablation_rows(job_of(in_8_bits), 4, Timing::simulated);
  const auto rounded =
      std::find_if(rows_in_8_bits.begin(), rows_in_8_bits.end(),
                   [](const AblationRow& row) { return row.technique == "FP8 communication"; });
  ASSERT_NE(rounded, rows_in_8_bits.end());
  EXPECT_EQ(rounded->absent, "");
  EXPECT_THAT((rounded - 1)->overrides, IsSupersetOf({"moe.fp8_communication=false"}));
  in_8_bits.insert(in_8_bits.end(),
                   {"moe.fp8_communication_recipe=tensorwise",
                    "moe.token_dispatcher_type=allgather", "overlap.expert_pieces=2"});
  for (const AblationRow& row : ablation_rows(job_of(in_8_bits), 4, Timing::simulated)) {
    std::vector<std::string> all = in_8_bits;
    all.insert(all.end(), row.overrides.begin(), row.overrides.end());
    EXPECT_NO_THROW((void)job_of(all)) << row.technique;
  }
  std::vector<std::string> cut = settings;
  cut.insert(cut.end(), {"moe.token_dispatcher_type=allgather", "overlap.context_pieces=2",
                         "overlap.expert_pieces=2"});
  const auto rows_of_cut = ablation_rows(job_of(cut), 4, Timing::simulated);
  const auto pieces =
      std::find_if(rows_of_cut.begin(), rows_of_cut.end(),
                   [](const AblationRow& row) { return row.technique == "pieces of products"; });
  ASSERT_NE(pieces, rows_of_cut.end());
  EXPECT_THAT(pieces->keys, ElementsAre("overlap.context_pieces = 2", "overlap.expert_pieces = 2"));
  EXPECT_THAT((pieces - 1)->overrides,
              IsSupersetOf({"overlap.context_pieces=0", "overlap.expert_pieces=0"}));
  std::vector<std::string> baseline = settings;
  baseline.insert(baseline.end(), rows[0].overrides.begin(), rows[0].overrides.end());
  const ParallelConfig without = job_of(baseline).parallel;
  EXPECT_EQ(without.tensor_model_parallel_size, 2);
  EXPECT_EQ(without.expert_tensor_parallel_size, 2);
  EXPECT_EQ(without.context_parallel_size, 1);
  EXPECT_EQ(without.expert_model_parallel_size, 1);
  EXPECT_EQ(
      ablation_rows(job_of({"model.type=mixtral", "moe.num_experts=4"}), 4, Timing::simulated)[1]
          .absent,
      "the job does not have sequences and experts on the same ranks");
}

std::vector<std::string> techniques_in(const std::vector<AblationRow>& rows) {
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const AblationRow& row : rows) names.push_back(row.technique);
  return names;
}

// The job of MegaScale-MoE's paper, small: a retained set that is made for sequence parallelism and
// whole experts, and fused pairs, which gather tokens.
TEST(AblationRowsTest, RowsOfMegaScaleMoe) {
  const std::vector<std::string> settings{
      "model.type=mixtral",
      "model.num_attention_heads=8",
      "moe.num_experts=4",
      "moe.token_dispatcher_type=allgather",
      "model.seq_length=16",
      "parallel.world_size=8",
      "parallel.context_parallel_size=2",
      "parallel.expert_model_parallel_size=2",
      "parallel.expert_tensor_parallel_size=1",
      "parallel.pipeline_model_parallel_size=2",
      "recompute.granularity=selective_moe",
      "overlap.fused_pairs=true",
  };
  const auto rows = ablation_rows(job_of(settings), 4, Timing::simulated, RowSet::moe);
  EXPECT_THAT(techniques_in(rows), ElementsAre("baseline", "SP and EP", "inter-operator overlap",
                                               "intra-operator overlap"));
  for (const AblationRow& row : rows) EXPECT_EQ(row.absent, "") << row.technique;
  const std::vector<std::string> no_pairs{"overlap.fused_pairs=false",
                                          "moe.token_dispatcher_type=auto"};
  std::vector<std::string> no_overlap{"overlap.tensor=false", "overlap.layer_order=false"};
  no_overlap.insert(no_overlap.end(), no_pairs.begin(), no_pairs.end());
  EXPECT_THAT(rows[3].overrides, ElementsAre());
  EXPECT_THAT(rows[2].overrides, ElementsAreArray(no_pairs));
  EXPECT_THAT(rows[1].overrides, ElementsAreArray(no_overlap));
  // Tensor ranks keep all: they would gather the inputs of every product again.
  std::vector<std::string> baseline = settings;
  baseline.insert(baseline.end(), rows[0].overrides.begin(), rows[0].overrides.end());
  const Config without = job_of(baseline);
  EXPECT_EQ(without.parallel.tensor_model_parallel_size, 2);
  EXPECT_EQ(without.parallel.expert_tensor_parallel_size, 2);
  EXPECT_EQ(without.recompute.granularity, RecomputeGranularity::none);
  EXPECT_TRUE(without.recompute.keep_gathered_input);
  EXPECT_TRUE(without.overlap.pipeline) << "techniques of other tables stay on";
  EXPECT_TRUE(without.kernels.fused_norm);
}

// Pieces of products are the overlap inside operators that can be executed.
TEST(AblationRowsTest, RowsOfMegaScaleMoeThatCanBeExecuted) {
  std::vector<std::string> settings{"model.type=mixtral",
                                    "moe.num_experts=4",
                                    "moe.token_dispatcher_type=allgather",
                                    "model.seq_length=16",
                                    "parallel.world_size=2",
                                    "parallel.context_parallel_size=2",
                                    "parallel.expert_model_parallel_size=2",
                                    "parallel.expert_tensor_parallel_size=1",
                                    "overlap.context_pieces=2"};
  const auto rows = ablation_rows(job_of(settings), 4, Timing::measured, RowSet::moe);
  EXPECT_THAT(rows.back().keys, ElementsAre("overlap.context_pieces = 2"));
  EXPECT_THAT((rows.end() - 2)->overrides, ElementsAre("overlap.context_pieces=0"));
  settings.back() = "overlap.layer_order=false";
  const auto fewer = ablation_rows(job_of(settings), 4, Timing::measured, RowSet::moe);
  EXPECT_THAT(fewer[2].keys, ElementsAre("overlap.tensor = true"));
  EXPECT_EQ(fewer[3].absent,
            "overlap.context_pieces and overlap.expert_pieces cut nothing; overlap.fused_pairs is "
            "false");
}

TEST(AblationRowsTest, RowsOfMegaScaleMoeNeedExperts) {
  EXPECT_THROW((void)ablation_rows(job_of({}), 4, Timing::simulated, RowSet::moe), Error);
}

// 8-bit products and parameters have rows in the tables of jobs that use them.
TEST(AblationRowsTest, EightBitsHaveRowsWhereTheJobSetsThem) {
  const std::vector<std::string> settings{"model.fp8=e4m3", "model.fp8_recipe=rowwise",
                                          "model.fp8_param_gather=true"};
  const auto rows = ablation_rows(job_of(settings), 4, Timing::measured);
  ASSERT_EQ(rows.size(), 11U);
  const auto products = std::find_if(rows.begin(), rows.end(), [](const AblationRow& row) {
    return row.technique == "FP8 products";
  });
  ASSERT_NE(products, rows.end());
  EXPECT_THAT(products->keys, ElementsAre("model.fp8 = e4m3", "model.fp8_recipe = rowwise"));
  EXPECT_THAT((products - 1)->overrides,
              IsSupersetOf({"model.fp8=none", "model.fp8_recipe=tensorwise",
                            "model.fp8_param_gather=false"}));
  EXPECT_EQ((products + 1)->technique, "FP8 parameters");
  EXPECT_THAT(products->overrides, IsSupersetOf({"model.fp8_param_gather=false"}));
  EXPECT_THAT((products + 1)->overrides, Not(Contains(StartsWith("model.fp8"))));
  for (const AblationRow& row : rows) {
    std::vector<std::string> all = settings;
    all.insert(all.end(), row.overrides.begin(), row.overrides.end());
    EXPECT_NO_THROW((void)job_of(all)) << row.technique;
  }
  const auto on_devices =
      ablation_rows(job_of({"model.fp8=hybrid", "model.dtype=bfloat16", "train.device=cuda"}), 4,
                    Timing::measured);
  EXPECT_EQ(on_devices.size(), 10U);
  EXPECT_TRUE(std::any_of(on_devices.begin(), on_devices.end(), [](const AblationRow& row) {
    return row.keys == std::vector<std::string>{"model.fp8 = hybrid"};
  }));
}

TEST(AblationRowsTest, LambsBatchIsAMultipleOfTheOthers) {
  EXPECT_THROW((void)ablation_rows(job_of({"optimizer.name=lamb"}), 3, Timing::measured), Error);
  EXPECT_NO_THROW((void)ablation_rows(job_of({}), 3, Timing::measured));
}

TEST(AblationTest, CommandsAreThoseOfAUser) {
  AblationOptions options{.config = "job.toml",
                          .overrides = {"a.b=1"},
                          .ranks = 4,
                          .steps = 2,
                          .warmup = 3,
                          .processes = true};
  const AblationRow row{.technique = "x", .overrides = {"c.d=2"}};
  EXPECT_THAT(
      command_of(options, row, 5e9),
      ElementsAre("bench", "step", "job.toml", "--json", "--ranks", "4", "--set", "a.b=1", "--set",
                  "c.d=2", "--steps", "2", "--warmup", "3", "--peak", "5000000000", "--processes"));
  options.cluster = "c.toml";
  options.ranks = 0;
  EXPECT_THAT(command_of(options, row, 0),
              ElementsAre("simulate", "job.toml", "--json", "--set", "a.b=1", "--set", "c.d=2",
                          "--cluster", "c.toml"));
  options.expert_load = "zipf:1";
  EXPECT_THAT(command_of(options, row, 0),
              ElementsAre("simulate", "job.toml", "--json", "--set", "a.b=1", "--set", "c.d=2",
                          "--cluster", "c.toml", "--expert-load", "zipf:1"));
}

nlohmann::ordered_json said(double seconds) {
  return {{"step_seconds", {{"median", seconds}}},
          {"tokens_per_second", 100 / seconds},
          {"flops_per_step", 1e9},
          {"exposed_comm_seconds", 0.1 * seconds},
          {"bubble_share", 0.2},
          {"data_wait_seconds", 0.0}};
}

TEST(AblationTest, RowsAreTheMedianOfTheirTurns) {
  RowTimes times;
  for (const double seconds : {4.0, 1.0, 2.0}) times.add(said(seconds));
  EXPECT_DOUBLE_EQ(times.tokens_per_second(), 50);
  EXPECT_DOUBLE_EQ(times.mfu(1e9), 0.5);
  EXPECT_EQ(times.data_wait.size(), 3U);
  nlohmann::ordered_json simulated = said(4);
  simulated["step_seconds"] = 4.0;  // `simulate` knows of one step
  simulated.erase("data_wait_seconds");
  RowTimes one;
  one.add(simulated);
  EXPECT_DOUBLE_EQ(one.mfu(1e9), 0.25);
  EXPECT_TRUE(one.data_wait.empty());
}

TEST(AblationTest, GainsPassOverRowsThatAreNotInTheJob) {
  std::vector<TimedRow> rows(4);
  for (const auto& [i, seconds] : {std::pair{0, 10.0}, {1, 5.0}, {3, 4.0}})
    rows[static_cast<std::size_t>(i)].times.add(said(seconds));
  rows[2].row.absent = "not in this job";
  const AblationGains gains = gains_of(rows, 1e9);  // MFU of 10, 20, - and 25 %
  EXPECT_THAT(gains.over_before, ElementsAre(0, 10, 0, 5));
  EXPECT_THAT(gains.over_baseline, ElementsAre(0, 10, 10, 15));
  EXPECT_THAT(gains.throughput, ElementsAre(1, 2, 2, 2.5));
}

}  // namespace
}  // namespace megascale::study
