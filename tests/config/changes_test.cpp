// Goal: what a checkpoint fixes is compared, and nothing else.
#include "megascale/config/changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "megascale/config/derived.h"
#include "megascale/config/fields.h"
#include "megascale/config/load.h"

namespace megascale {
namespace {

using ::testing::ElementsAre;

// The changes between the defaults with `common`, and the same with `more`: "kind key now before".
std::vector<std::string> changes(std::vector<std::string> common, std::vector<std::string> more) {
  const Config before = parse_config("", "before", common);
  common.insert(common.end(), more.begin(), more.end());
  std::vector<std::string> lines;
  for (const ConfigChange& change : find_changes(parse_config("", "now", common), before)) {
    lines.push_back(std::string(to_string(change.kind)) + " " + change.key + " " + change.now +
                    " " + change.before);
  }
  return lines;
}

TEST(ChangesTest, EveryKindIsFoundWithBothValues) {
  EXPECT_THAT(changes({}, {}), ElementsAre());
  EXPECT_THAT(changes({}, {"model.num_attention_heads=6"}),
              ElementsAre("model model.num_attention_heads 6 12",
                          "model model.num_query_groups 6 12", "model model.head_dim 128 64"));
  EXPECT_THAT(changes({"model.position_embedding=rope"}, {"model.rotary_base=500000"}),
              ElementsAre("model model.rotary_base 500000.0 10000.0"));
  EXPECT_THAT(changes({}, {"model.norm_epsilon=1e-6"}),
              ElementsAre("model model.norm_epsilon 1e-06 1e-05"));
  EXPECT_THAT(changes({}, {"data.split=9,1,0"}),
              ElementsAre("data data.split \"9,1,0\" \"969,30,1\""));
  EXPECT_THAT(changes({}, {"train.global_batch_size=8"}),
              ElementsAre("batch train.global_batch_size 8 1"));
  EXPECT_THAT(changes({"train.global_batch_size=8"}, {"train.rampup_batch_size=2,2,60"}),
              ElementsAre("batch train.rampup_batch_size [2, 2, 60] []"));
  EXPECT_THAT(changes({}, {"optimizer.lr=1"}), ElementsAre("schedule optimizer.lr 1.0 0.0003"));
  // The length of the decay follows from train_iters.
  EXPECT_THAT(changes({}, {"train.train_iters=2000"}),
              ElementsAre("schedule optimizer.lr_decay_iters 2000 1000"));
  EXPECT_THAT(changes({}, {"optimizer.name=lamb"}),
              ElementsAre("optimizer optimizer.name \"lamb\" \"adamw\""));
  EXPECT_THAT(changes({"train.micro_batch_size=2", "preference.beta=0.1"},
                      {"preference.beta=0.2", "preference.label_smoothing=0.1"}),
              ElementsAre("optimizer preference.beta 0.2 0.1",
                          "optimizer preference.label_smoothing 0.1 0.0"));
}

TEST(ChangesTest, KeysWithoutEffectAreLeftOut) {
  EXPECT_THAT(changes({}, {"model.rotary_base=5"}), ElementsAre());  // positions are learned
  EXPECT_THAT(changes({"model.position_embedding=rope"}, {"model.max_position_embeddings=4096"}),
              ElementsAre());
  EXPECT_THAT(changes({"data.shuffle=false"}, {"data.seed=7"}), ElementsAre());
  EXPECT_THAT(changes({}, {"preference.label_smoothing=0.1"}), ElementsAre());
  EXPECT_THAT(changes({"data.data_path=a,b", "data.data_weights=1,2"}, {"data.data_weights=1,3"}),
              ElementsAre("data data.data_weights [1.0, 3.0] [1.0, 2.0]"));
  EXPECT_THAT(changes({}, {"data.validation_sets=a=b"}), ElementsAre());
  EXPECT_THAT(changes({"data.valid_data_path=a"}, {"data.valid_data_path=b", "data.split=1,1,1"}),
              ElementsAre());
  EXPECT_THAT(changes({"optimizer.lr_decay_style=constant"}, {"train.train_iters=2000"}),
              ElementsAre());
  EXPECT_THAT(changes({"data.data_path=a"}, {"data.split_each_set=false"}), ElementsAre());
  EXPECT_THAT(changes({"data.data_path=a,b"}, {"data.split_each_set=false"}),
              ElementsAre("data data.split_each_set false true"));
}

TEST(ChangesTest, LayoutKernelsAndPathsMayChangeAtAnyTime) {
  EXPECT_THAT(changes({"train.global_batch_size=8"},
                      {"parallel.world_size=4", "parallel.tensor_model_parallel_size=2",
                       "parallel.zero_stage=2", "train.micro_batch_size=2", "kernels.fused=false",
                       "recompute.granularity=full", "train.run_dir=elsewhere",
                       "data.data_path=elsewhere", "checkpoint.keep_last=0", "model.dtype=bfloat16",
                       "model.make_vocab_size_divisible_by=64", "train.seed=7"}),
              ElementsAre());
  // Of the model: how it is computed. A checkpoint holds float32 weights in any case.
  EXPECT_THAT(changes({}, {"model.fp8=e4m3", "model.fp8_recipe=rowwise",
                           "model.fp8_param_gather=true", "model.hidden_dropout=0.1",
                           "model.attention_dropout=0.1", "model.init_method_std=0.01"}),
              ElementsAre());
}

TEST(ChangesTest, AdaptersAreAKindOfTheirOwnAndCountOnlyIfThereAreSome) {
  Config before = resolve(Config{}), now = before;
  now.model.lora.alpha = 3;
  EXPECT_THAT(find_changes(now, before), ElementsAre());
  now.model.lora.rank = 4;
  const auto found = find_changes(now, before);
  ASSERT_EQ(found.size(), 2U);
  for (const ConfigChange& change : found) EXPECT_EQ(change.kind, ChangeKind::adapters);
  EXPECT_EQ(found[0].key, "lora.rank");
  EXPECT_EQ(found[1].key, "lora.alpha");
}

// A key of [model] that a later version adds is compared without a line in changes.cpp.
TEST(ChangesTest, EveryKeyOfTheModelButAFewIsComparedAsModel) {
  const std::set<std::string_view> exempt{"seq_length",
                                          "max_position_embeddings",
                                          "rotary_base",
                                          "make_vocab_size_divisible_by",
                                          "hidden_dropout",
                                          "attention_dropout",
                                          "init_method_std",
                                          "dtype",
                                          "fp8",
                                          "fp8_recipe",
                                          "fp8_param_gather"};
  const Config before = resolve(Config{});
  for (const Field& field : config_fields()) {
    if (field.section != "model" || exempt.contains(field.key)) continue;
    Config now = before;
    if (const auto* integer = std::get_if<IntegerAccess>(&field.access)) ++integer->get(now);
    if (const auto* real = std::get_if<RealAccess>(&field.access))
      real->get(now) = 2 * real->get(now) + 1;
    if (const auto* boolean = std::get_if<BooleanAccess>(&field.access))
      boolean->get(now) = !boolean->get(now);
    if (const auto* reals = std::get_if<RealListAccess>(&field.access))
      reals->get(now).push_back(1.5);
    if (const auto* choice = std::get_if<EnumAccess>(&field.access)) {
      for (const std::string& name : choice->names()) {
        if (choice->get(before) != name) choice->set(now, name);
      }
    }
    const auto found = find_changes(now, before);
    ASSERT_EQ(found.size(), 1U) << field.key;
    EXPECT_EQ(found[0].kind, ChangeKind::model) << field.key;
    EXPECT_EQ(found[0].key, full_name(field));
  }
}

}  // namespace
}  // namespace megascale
