#include "megascale/config/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <sstream>

#include "megascale/config/derived.h"
#include "megascale/config/fields.h"

namespace megascale {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Config parse(std::string_view text, std::vector<std::string> overrides = {}) {
  return parse_config(text, "job.toml", overrides);
}

// The lines of the one error that parsing throws; empty when it throws none.
std::vector<std::string> errors_of(std::string_view text, std::vector<std::string> overrides = {}) {
  std::vector<std::string> lines;
  try {
    (void)parse(text, std::move(overrides));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_usage);
    std::istringstream stream(error.message());
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
  }
  return lines;
}

TEST(LoadTest, EmptyFileIsTheResolvedDefaults) {
  EXPECT_EQ(parse(""), resolve(Config{}));
  EXPECT_EQ(parse("").model.ffn_hidden_size, 4 * 768);
  EXPECT_EQ(parse("").checkpoint.dir, "run/checkpoints");
  EXPECT_THAT(validate(Config{}), IsEmpty());
}

TEST(LoadTest, OverridesWinOverTheFileAndTheLaterOverTheEarlier) {
  const Config config =
      parse("[train]\ntrain_iters = 5\n[optimizer]\nlr = 1\n",
            {"train.train_iters=7", "train.train-iters=9", "optimizer.min-lr=0.5"});
  EXPECT_EQ(config.train.train_iters, 9);
  EXPECT_EQ(config.optimizer.lr, 1.0);
  EXPECT_EQ(config.optimizer.min_lr, 0.5);
}

TEST(LoadTest, OverridesOfEveryKindOfValue) {
  const Config config = parse(
      "", {"model.dtype=bfloat16", "data.data_path=a,b", "data.split=8,1,1", "data.shuffle=false",
           "observe.trace_steps=3,4", "train.run_dir=\"x=y\"", "checkpoint.load="});
  EXPECT_EQ(config.model.dtype, DType::bfloat16);
  EXPECT_THAT(config.data.data_path, ElementsAre("a", "b"));
  EXPECT_EQ(config.data.split, "8,1,1");
  EXPECT_FALSE(config.data.shuffle);
  EXPECT_THAT(config.observe.trace_steps, ElementsAre(3, 4));
  EXPECT_EQ(config.train.run_dir, "x=y");
  EXPECT_THAT(parse("", {"data.data_path=[\"a,b\"]"}).data.data_path, ElementsAre("a,b"));
  EXPECT_THAT(parse("[data]\ndata_path = \"one\"").data.data_path, ElementsAre("one"));
  const std::string two = "[data]\ndata_path = [\"a\", \"b\"]\n";
  EXPECT_THAT(parse(two + "data_weights = [3, 0.5]").data.data_weights, ElementsAre(3.0, 0.5));
  EXPECT_THAT(parse(two, {"data.data_weights=3,0.5"}).data.data_weights, ElementsAre(3.0, 0.5));
}

TEST(LoadTest, ModelTypeSetsDefaultsWhereverItStandsAndExplicitKeysWin) {
  const Config llama = parse("[model]\nactivation = \"gelu\"\ntype = \"llama\"\n");
  EXPECT_EQ(llama.model.normalization, Normalization::rms_norm);
  EXPECT_EQ(llama.model.position_embedding, PositionEmbedding::rope);
  EXPECT_FALSE(llama.model.add_bias_linear);
  EXPECT_TRUE(llama.model.untie_embeddings_and_output_weights);
  EXPECT_EQ(llama.model.activation, Activation::gelu);
  EXPECT_EQ(parse("[model]\nnormalization='rms_norm'", {"model.type=gpt2"}).model.normalization,
            Normalization::rms_norm);
  EXPECT_EQ(parse("[model]\ntype = 'gpt2'", {"model.type=llama"}).model.activation,
            Activation::swiglu);
}

TEST(LoadTest, FamiliesDifferFromLlamaInOneDefaultEach) {
  ModelConfig llama = parse("", {"model.type=llama"}).model;
  EXPECT_FALSE(llama.add_qkv_bias || llama.qk_layernorm);
  const auto as_llama = [](ModelConfig model) {
    model.type = ModelType::llama;
    return model;
  };
  EXPECT_EQ(as_llama(parse("", {"model.type=mistral"}).model), llama);
  EXPECT_EQ(as_llama(parse("", {"model.type=mixtral"}).model), llama);
  llama.add_qkv_bias = true;
  EXPECT_EQ(as_llama(parse("", {"model.type=qwen2"}).model), llama);
  llama.add_qkv_bias = false;
  llama.qk_layernorm = true;
  EXPECT_EQ(as_llama(parse("", {"model.type=qwen3"}).model), llama);
  EXPECT_EQ(as_llama(parse("", {"model.type=qwen3_moe"}).model), llama);
  EXPECT_EQ(as_llama(parse("", {"model.type=dots1"}).model), llama);
}

TEST(LoadTest, DashAndUnderscoreAreAlikeAndGivingBothIsAnError) {
  EXPECT_EQ(parse("[model]\nnum-layers = 3\n").model.num_layers, 3);
  EXPECT_THAT(errors_of("[model]\nnum-layers = 3\nnum_layers = 4\n"),
              ElementsAre("job.toml:3: model.num_layers: given twice, on lines 2 and 3"));
}

TEST(LoadTest, AllErrorsAreReportedAtOnceInOrderWithTheirLines) {
  EXPECT_THAT(
      errors_of("[model]\n"
                "hidden_size = \"wide\"\n"
                "num_layers = 0\n"
                "hiden_size = 4\n"
                "[trian]\n"
                "seed = 1\n"
                "[optimizer]\n"
                "lr = 1e-5\n"
                "min_lr = 1e-4\n",
                {"train.micro_batch_size=1.5", "model.dtype=bfloat"}),
      ElementsAre(
          HasSubstr("job.toml:2: model.hidden_size: expected integer from 1 to 16777216, found the "
                    "string \"wide\""),
          "job.toml:3: model.num_layers: expected integer from 1 to 16777216, found 0",
          "job.toml:4: model.hiden_size: unknown key; did you mean model.hidden_size?",
          "job.toml:5: [trian]: unknown section; did you mean [train]?",
          "job.toml:9: optimizer.min_lr: expected min_lr <= lr; found min_lr = 0.0001, lr = 1e-05",
          HasSubstr("--set train.micro_batch_size=1.5: train.micro_batch_size: expected integer"),
          HasSubstr("found the string \"bfloat\"; did you mean \"bfloat16\"?")));
}

TEST(LoadTest, UnknownKeysGetTheKeyThatWasMeant) {
  const auto hint = [](std::string_view text) { return errors_of(text).at(0); };
  EXPECT_THAT(hint("[train]\nlr = 1"), HasSubstr("unknown key; did you mean optimizer.lr?"));
  EXPECT_THAT(hint("[train]\nlearning_rate = 1"),
              HasSubstr("unknown key; here it is optimizer.lr"));
  EXPECT_THAT(hint("[model]\nnum-key-value-heads = 1"),
              HasSubstr("here it is model.num_query_groups"));
  EXPECT_THAT(hint("[model]\ntensor_model_paralel_size = 1"),
              HasSubstr("did you mean parallel.tensor_model_parallel_size?"));
  EXPECT_THAT(hint("num_layers = 1"),
              HasSubstr("outside of any section; did you mean model.num_layers?"));
  EXPECT_THAT(hint("model = 1"), HasSubstr("[model] is a section"));
  EXPECT_EQ(hint("[model]\nzzzzzz = 1"), "job.toml:2: model.zzzzzz: unknown key");
  EXPECT_THAT(errors_of("", {"optim.lr=1"}).at(0), HasSubstr("unknown section"));
  EXPECT_THAT(errors_of("", {"lr=1"}).at(0),
              HasSubstr("expected section.key=value; did you mean optimizer.lr?"));
  EXPECT_THAT(errors_of("", {"train.seed"}).at(0), HasSubstr("expected section.key=value"));
}

TEST(LoadTest, EveryKindOfValueRefusesTheOthers) {
  for (const auto* line : {"model.num_layers = 1.0",
                           "model.num_layers = true",
                           "model.num_layers = [1]",
                           "optimizer.lr = \"1\"",
                           "optimizer.lr = nan",
                           "optimizer.lr = inf",
                           "data.shuffle = 1",
                           "data.split = 969",
                           "model.dtype = 16",
                           "model.dtype = \"float16\"",
                           "data.data_path = 1",
                           "data.data_weights = [0.0]",
                           "data.data_weights = [-1]",
                           "data.data_weights = [inf]",
                           "data.data_weights = [nan]",
                           "data.data_weights = \"1\"",
                           "data.data_weights = [\"1\"]",
                           "data.data_path = [\"a\", 1]",
                           "data.data_path = [\"\"]",
                           "observe.trace_steps = [1.5]",
                           "observe.trace_steps = [-1]",
                           "train.run_dir = \"\"",
                           "train.run_dir = 1979-05-27",
                           "model.num_layers = {a = 1}"}) {
    EXPECT_EQ(errors_of(line).size(), 1U) << line;
  }
  EXPECT_THAT(errors_of("", {"model.num_layers=abc"}).at(0), HasSubstr("found abc"));
  EXPECT_THAT(errors_of("", {"model.num_layers="}).at(0), HasSubstr("expected integer"));
  EXPECT_EQ(errors_of("", {"model.num_layers=1\n[train]\nseed=2"}).size(), 1U);
  EXPECT_THAT(errors_of("", {"train.run_dir=\xff"}).at(0), HasSubstr("expected UTF-8"));
}

TEST(LoadTest, BrokenTomlIsOneErrorWithItsLineAndNoRuleIsHeldAgainstDefaults) {
  EXPECT_THAT(errors_of("[model]\nnum_layers = = 3\n", {"model.num_attention_heads=7"}),
              ElementsAre(HasSubstr("job.toml:2: broken TOML: ")));
  EXPECT_THAT(errors_of("[model\n"), ElementsAre(HasSubstr("job.toml:1: broken TOML: ")));
  EXPECT_THAT(errors_of("\xff\xfe"), ElementsAre(HasSubstr("job.toml:1: broken TOML: ")));
}

TEST(LoadTest, AKeyWithAnErrorTakesNoPartInRules) {
  EXPECT_THAT(errors_of("[model]\nhidden_size = -768\nnum_attention_heads = 7\n"),
              ElementsAre(HasSubstr("model.hidden_size: expected integer")));
  EXPECT_THAT(errors_of("[model]\nhidden_size = \"wide\"\nnum_attention_heads = 7\n"),
              ElementsAre(HasSubstr("model.hidden_size: expected integer")));
}

TEST(LoadTest, MissingFileIsBadUsageThatNamesIt) {
  try {
    (void)load_config("/nowhere/job.toml");
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_usage);
    EXPECT_THAT(error.message(), HasSubstr("/nowhere/job.toml"));
  }
}

// Goal: every number of the table is checked against its range.  Method: one below and one above,
// by the table.
TEST(ValidateTest, RefusesEveryNumberOutsideOfItsRange) {
  int checked = 0;
  const auto expect_refused = [&](const Field& field, const Config& config) {
    const auto errors = validate(config);
    ASSERT_FALSE(errors.empty()) << full_name(field);
    EXPECT_THAT(errors.front().message(), HasSubstr(full_name(field) + ": expected "));
    ++checked;
  };
  for (const Field& field : config_fields()) {
    if (const auto* integer = std::get_if<IntegerAccess>(&field.access)) {
      Config config;
      integer->get(config) = integer->min - 1;
      expect_refused(field, config);
      if (integer->max == std::numeric_limits<std::int64_t>::max()) continue;
      integer->get(config) = integer->max + 1;
      expect_refused(field, config);
    } else if (const auto* real = std::get_if<RealAccess>(&field.access)) {
      for (const double value : {real->min_allowed ? std::nextafter(real->min, -1e300) : real->min,
                                 real->max_allowed ? std::nextafter(real->max, 1e300) : real->max,
                                 std::numeric_limits<double>::quiet_NaN()}) {
        Config config;
        real->get(config) = value;
        expect_refused(field, config);
      }
    }
  }
  EXPECT_GT(checked, 80);
}

TEST(FieldsTest, NoTwoKeysShareAMemberAndSectionsAreContiguous) {
  Config config;
  std::set<const void*> members;
  std::set<std::string_view> sections;
  std::string_view section;
  for (const Field& field : config_fields()) {
    std::visit(
        [&](const auto& access) {
          if constexpr (requires { &access.get(config); }) {
            EXPECT_TRUE(members.insert(&access.get(config)).second) << full_name(field);
          }
        },
        field.access);
    if (field.section != section) {
      EXPECT_TRUE(sections.insert(field.section).second) << field.section;
    }
    section = field.section;
  }
  EXPECT_GT(members.size(), 50U);
  EXPECT_EQ(sections.size(), 14U);
}

TEST(DerivedTest, NumbersOfALayout) {
  const Config config =
      parse("", {"model.vocab_size=50257", "parallel.tensor_model_parallel_size=4",
                 "parallel.context_parallel_size=3", "parallel.pipeline_model_parallel_size=2",
                 "parallel.world_size=72", "train.global_batch_size=36", "model.seq_length=1200",
                 "train.micro_batch_size=2"});
  EXPECT_EQ(data_parallel_size(config), 3);
  EXPECT_EQ(num_micro_batches(config), 6);
  EXPECT_EQ(padded_vocab_size(config), 50304);
  EXPECT_EQ(tokens_per_step(config), 36 * 1200);
  Config unsaid = config;
  unsaid.parallel.world_size = 0;
  EXPECT_EQ(world_size(unsaid), 24);
  EXPECT_EQ(data_parallel_size(unsaid), 1);
}

// The worst case of dropless routing: 8 times the mean for 32 experts on 8 ranks and 3 of a token, 4
// times for 8 experts and 2.
TEST(DerivedTest, RowsOfExpertsHaveAWorstCaseAMeanAndABound) {
  MoeConfig moe{.num_experts = 32, .router_topk = 3};
  ExpertRows rows = expert_rows(moe, 1024, 8, 0);
  EXPECT_EQ(rows.mean, 3072);
  EXPECT_EQ(rows.worst, 8 * rows.mean);
  EXPECT_EQ(rows.bound, rows.worst);
  moe.rows_bound = 1.25;
  EXPECT_EQ(expert_rows(moe, 1024, 8, 0).bound, 3840);
  moe.rows_bound = 9;
  EXPECT_EQ(expert_rows(moe, 1024, 8, 0).bound, rows.worst);
  moe = {.num_experts = 8, .router_topk = 2};
  rows = expert_rows(moe, 1024, 8, 0);
  EXPECT_EQ(rows.worst, 4 * rows.mean);
  EXPECT_EQ(expert_rows(moe, 1024, 1, 0).worst, 2048) << "one rank gets all rows, and never more";
}

// 1024 tokens on each of 8 expert ranks, 3 choices of 32 experts: the mean is 3072 rows of a rank.
TEST(DerivedTest, ACapacityBoundsTheRowsOfRanksThatHaveWholeGroups) {
  MoeConfig moe{.num_experts = 32, .router_topk = 3};
  moe.expert_capacity_factor = 1.25;
  EXPECT_EQ(expert_capacity(moe, 1000), 118) << "1.25 x 3000 / 32, rounded up";
  EXPECT_EQ(expert_rows(moe, 1024, 8, 0).bound, 8 * 3072) << "where nothing is dropped";
  EXPECT_EQ(expert_rows(moe, 1024, 8, 1024).bound, 3840) << "a micro-batch of each rank";
  EXPECT_EQ(expert_rows(moe, 1024, 8, 8 * 1024).bound, 3840) << "one of all ranks";
  EXPECT_EQ(expert_rows(moe, 1024, 8, 16 * 1024).bound, 2 * 3840)
      << "one of twice as many ranks, of which all choices may come from these";
  EXPECT_EQ(expert_rows(moe, 1024, 8, 3 * 1024).bound, 8 * 3072) << "ranks of one have parts of it";
  moe.rows_bound = 1;
  EXPECT_EQ(expert_rows(moe, 1024, 8, 1024).bound, 3072);
  moe.rows_bound = 0;
  moe.device_groups = 16;
  EXPECT_EQ(expert_rows(moe, 1024, 8, 1024).bound, 3840);
  moe.device_groups = 4;
  EXPECT_EQ(expert_rows(moe, 1024, 8, 1024).bound, 8 * 3072) << "a rank has half a group";
  moe.device_groups = 8;
  moe.capacity_exempt_share = 0.1;
  EXPECT_EQ(expert_rows(moe, 1024, 8, 1024).bound, 8 * 3072) << "exempt sequences may exceed it";
  moe.expert_capacity_factor = 1e6;
  EXPECT_EQ(expert_capacity(moe, 1000), 3000) << "all choices";
}

TEST(DerivedTest, TheRowsOfAConfigurationFollowItsCapacity) {
  const auto rows = [](const std::vector<std::string>& more) {
    std::vector<std::string> all{
        "model.type=mixtral",          "model.seq_length=16",
        "moe.num_experts=8",           "model.ffn_hidden_size=20",
        "parallel.world_size=4",       "parallel.expert_model_parallel_size=4",
        "model.num_attention_heads=4", "model.hidden_size=24",
        "train.micro_batch_size=2",    "model.num_layers=2",
        "train.global_batch_size=8"};
    all.insert(all.end(), more.begin(), more.end());
    return expert_rows(parse_config("", "test", all));
  };
  EXPECT_EQ(rows({}).bound, 4 * 64);
  EXPECT_EQ(rows({"moe.expert_capacity_factor=1.5"}).bound, 96) << "a micro-batch of each rank";
  EXPECT_EQ(rows({"moe.expert_capacity_factor=1.5"}).worst, 96);
  EXPECT_EQ(rows({"moe.expert_capacity_factor=1.5", "parallel.context_parallel_size=4"}).bound, 24)
      << "one micro-batch of all ranks: 8 choices a group";
  EXPECT_EQ(rows({"moe.expert_capacity_factor=1.5", "overlap.expert_pieces=2",
                  "moe.token_dispatcher_type=allgather"})
                .bound,
            4 * 64)
      << "pieces have room for all";
  EXPECT_EQ(rows({"overlap.expert_pieces=2"}).bound, 2 * 4 * 32)
      << "each piece has one expert of a rank, which every token can choose";
  EXPECT_EQ(rows({"overlap.expert_pieces=2", "moe.rows_bound=1.5"}).bound, 64 * 3 / 2);
}

// The figure 7 of MegaScale-MoE: with 8 ranks all_gather and reduce_scatter take less time from 7
// experts per token on.
TEST(DerivedTest, DispatchGathersTokensIfAsConfiguredOrIfItTakesLessTime) {
  MoeConfig moe{.num_experts = 8, .router_topk = 2};
  DispatchVolume rows = dispatch_volume(moe, 1024, 8);
  EXPECT_DOUBLE_EQ(rows.alltoall, 2.0 * 1024 * 2 * 7 / 8);
  EXPECT_DOUBLE_EQ(rows.allgather, 2.0 * 1024 * 7);
  EXPECT_FALSE(gathers_tokens(moe, 8)) << "alltoall is the default";
  moe.token_dispatcher_type = TokenDispatcher::allgather;
  EXPECT_TRUE(gathers_tokens(moe, 8));
  EXPECT_FALSE(gathers_tokens(moe, 1)) << "nothing is sent";
  moe.token_dispatcher_type = TokenDispatcher::automatic;
  for (moe.router_topk = 1; moe.router_topk <= 8; ++moe.router_topk)
    EXPECT_EQ(gathers_tokens(moe, 8), moe.router_topk > 6) << moe.router_topk;
  moe.router_topk = 2;
  EXPECT_TRUE(gathers_tokens(moe, 2));
  EXPECT_FALSE(gathers_tokens(moe, 4));
}

TEST(DerivedTest, LayersWithExperts) {
  ModelConfig model{.num_layers = 7};
  EXPECT_EQ(layers_with_experts(model), 0);
  EXPECT_FALSE(has_experts(model, 0));
  model.moe.num_experts = 4;
  EXPECT_EQ(layers_with_experts(model), 7);
  model.moe.first_dense_layers = 2;
  model.moe.layer_freq = 2;
  std::int64_t count = 0;
  for (std::int64_t layer = 0; layer < 7; ++layer) {
    EXPECT_EQ(has_experts(model, layer), layer == 2 || layer == 4 || layer == 6) << layer;
    count += has_experts(model, layer) ? 1 : 0;
  }
  EXPECT_EQ(layers_with_experts(model), count);
}

TEST(DerivedTest, PaddedVocabularyIsTheSameForTensorSizesThatDivideTheMultiple) {
  Config config;
  config.model.vocab_size = 129;
  for (const std::int64_t size : {1, 2, 8, 128}) {
    config.parallel.tensor_model_parallel_size = size;
    EXPECT_EQ(padded_vocab_size(config), 256) << size;
  }
  config.parallel.tensor_model_parallel_size = 3;
  EXPECT_EQ(padded_vocab_size(config), 384);
  config.model.vocab_size = 384;
  EXPECT_EQ(padded_vocab_size(config), 384);
}

TEST(DerivedTest, ResolveTwiceIsResolveOnceAndSurvivesInvalidConfigurations) {
  Config config;
  EXPECT_EQ(resolve(resolve(config)), resolve(config));
  config.model.num_attention_heads = 0;
  config.model.hidden_size = std::numeric_limits<std::int64_t>::max();
  config.parallel.tensor_model_parallel_size = std::numeric_limits<std::int64_t>::max();
  config.parallel.context_parallel_size = -1;
  EXPECT_EQ(resolve(config).model.ffn_hidden_size, 0);
  EXPECT_EQ(data_parallel_size(config), 0);
  EXPECT_EQ(num_micro_batches(config), 0);
  EXPECT_GE(validate(config).size(), 4U);
}

TEST(DerivedTest, SplitIsOneToThreeShares) {
  EXPECT_THAT(parse_split("8,1,1").value(), ElementsAre(0.8, 0.1, 0.1));
  EXPECT_THAT(parse_split("1").value(), ElementsAre(1.0, 0.0, 0.0));
  for (const auto* bad :
       {"", ",", "1,", "1,2,3,4", "-1,2", "a", "1 ,2", "0,0", "inf,1", "nan", "1e308,1e308"}) {
    EXPECT_FALSE(parse_split(bad).has_value()) << bad;
  }
}

// ---- a model that a checkpoint has -------------------------------------------------------------

ModelConfig checkpoint_model() {
  return parse(
             "[model]\ntype = \"llama\"\nnum_layers = 3\nhidden_size = 96\n"
             "num_attention_heads = 6\nnum_query_groups = 2\nseq_length = 64\n")
      .model;
}

LoadedConfig on_model(std::string_view text, std::vector<std::string> overrides = {}) {
  return parse_config_on_model(text, "job.toml", overrides, [](const Config&) {
    return CheckpointDefaults{.model = checkpoint_model(), .split_each_set = false};
  });
}

TEST(LoadOnModelTest, KeysThatAreNotGivenComeFromTheModel) {
  EXPECT_EQ(on_model("").config.model, checkpoint_model());
  const Config config = on_model("[model]\nnum_layers = 5\n", {"model.rotary_base=7"}).config;
  EXPECT_EQ(config.model.num_layers, 5);
  EXPECT_EQ(config.model.rotary_base, 7.0);
  EXPECT_EQ(config.model.num_query_groups, 2);
  EXPECT_EQ(config.model.ffn_hidden_size, 4 * 96);
  EXPECT_EQ(config.model.normalization, Normalization::rms_norm);
  // No table of positions limits rotary ones.
  EXPECT_EQ(on_model("[model]\nseq_length = 128\n").config.model.max_position_embeddings, 128);
  EXPECT_EQ(on_model("[model]\nseq_length = 32\n").config.model.max_position_embeddings, 64);
}

// A run of version 0.1 over several sets goes on with the samples that it had.
TEST(LoadOnModelTest, TheRuleOfSplittingComesFromTheCheckpointUnlessItIsGiven) {
  EXPECT_FALSE(on_model("").config.data.split_each_set);
  EXPECT_TRUE(on_model("[data]\nsplit_each_set = true\n").config.data.split_each_set);
}

TEST(LoadOnModelTest, TheModelIsLookedForWithTheValuesAsTheyAreGiven) {
  std::string load;
  std::int64_t decay = 0;
  const auto find = [&](const Config& given) -> std::optional<CheckpointDefaults> {
    load = given.checkpoint.load;
    decay = given.optimizer.lr_decay_iters;
    return std::nullopt;
  };
  // Twelve layers on five stages break a rule, which is reported after the search.
  const std::vector<std::string> overrides{"checkpoint.load=x"};
  EXPECT_THROW((void)parse_config_on_model("[parallel]\npipeline_model_parallel_size = 5\n",
                                           "job.toml", overrides, find),
               Error);
  EXPECT_EQ(load, "x");
  EXPECT_EQ(decay, 1000);
  EXPECT_EQ(parse_config_on_model("", "job.toml", {}, find).config, resolve(Config{}));
}

TEST(LoadOnModelTest, ProblemsAreReportedOnce) {
  try {
    (void)on_model("[model]\nnum_layers = \"x\"\n");
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(),
              "job.toml:2: model.num_layers: expected integer from 1 to 16777216, found the string "
              "\"x\"");
  }
}

TEST(LoadOnModelTest, PlacesAreThoseOfTheDecidingAssignments) {
  const ConfigPlaces places =
      on_model("[model]\nnum_layers = 5\nhidden_size = 96\n", {"model.num_layers=3"}).places;
  EXPECT_EQ(places.size(), 2U);
  EXPECT_EQ(places.at("model.num_layers"), "--set model.num_layers=3");
  EXPECT_EQ(places.at("model.hidden_size"), "job.toml:3");
}

TEST(ParseTest, SomeIntegersMayBeAuto) {
  for (const Config& config :
       {parse("[checkpoint]\ninterval = \"auto\"\nmemory_interval = 3\n"),
        parse("", {"checkpoint.interval=auto", "checkpoint.memory_interval=3"})}) {
    EXPECT_EQ(config.checkpoint.interval, CheckpointConfig::kAuto);
    EXPECT_THAT(to_toml(config), HasSubstr("interval = \"auto\"\n"));
    EXPECT_EQ(parse(to_toml(config)), config);
  }
  for (const char* refused :
       {"interval = \"often\"", "interval = -9223372036854775808", "keep_last = \"auto\""}) {
    try {
      (void)parse(std::string("[checkpoint]\n") + refused + "\n");
      ADD_FAILURE() << "not refused: " << refused;
    } catch (const Error& error) {
      EXPECT_THAT(error.message(), HasSubstr("expected integer from 0 to 2000000000")) << refused;
    }
  }
}

// Goal: an old checkpoint can be read although a later rule would refuse its configuration.
TEST(ReadValuesTest, RulesAreNotChecked) {
  const Config config = read_values("[model]\nnum_attention_heads = 7\n", "manifest.json").config;
  EXPECT_EQ(config.model.num_attention_heads, 7);
  EXPECT_THROW((void)read_values("[model]\nlayers = 7\n", "manifest.json"), Error);
}

}  // namespace
}  // namespace megascale
