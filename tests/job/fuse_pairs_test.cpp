// Which pairs of the layers of a model are fused: those of MegaScale-MoE (arXiv 2505.11432, sections 6.2
// and 6.3), forward and backward; and that the order of the program stays right, on small programs.
#include "megascale/plan/passes/fuse_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "megascale/config/load.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/job/job_plan.h"
#include "megascale/plan/fused_pairs.h"

namespace megascale::job {
namespace {

using ::testing::UnorderedElementsAre;

Config paired_config(const std::vector<std::string>& more) {
  std::vector<std::string> settings{"model.num_layers=2",          "model.hidden_size=256",
                                    "model.num_attention_heads=8", "model.num_query_groups=4",
                                    "model.ffn_hidden_size=512",   "model.seq_length=256",
                                    "train.global_batch_size=8",   "parallel.world_size=4",
                                    "train.threads_per_rank=1",    "overlap.fused_pairs=true"};
  settings.insert(settings.end(), more.begin(), more.end());
  return parse_config("", "test", settings);
}

std::vector<std::string> with_experts(const std::string& dispatch) {
  return {"model.type=mixtral",
          "moe.num_experts=8",
          "parallel.context_parallel_size=4",
          "parallel.expert_model_parallel_size=4",
          "recompute.granularity=selective_moe",
          "moe.token_dispatcher_type=" + dispatch};
}

// By pair: the paths of its ops in one layer of a program, joined.
std::vector<std::string> pairs_of(const std::vector<graph::Op>& ops) {
  std::map<std::uint32_t, std::string> paths;
  for (const graph::Op& op : ops) {
    if (op.pair == 0 || op.scope != "layer1") continue;
    std::string& all = paths[op.pair];
    all += (all.empty() ? "" : " > ") + op.path;
  }
  std::vector<std::string> result;
  result.reserve(paths.size());
  for (const auto& [number, all] : paths) result.push_back(all);
  return result;
}

TEST(FusePairsTest, SequenceAndExpertParallelLayersHaveThePairsOfThePaper) {
  const JobPlan job = plan_job(paired_config(with_experts("alltoall")));
  const graph::Program& program = job.stages[0].train_chunks[0];
  EXPECT_THAT(pairs_of(program.forward),
              UnorderedElementsAre(
                  "attention/qkv > attention/rope > attention/qkv/split_heads > "
                  "attention/qkv/all_to_all",
                  "attention/core/all_to_all > attention/core/join_heads > attention/output",
                  "mlp/dispatch > mlp/dispatch/reorder > mlp/experts/gate_up",
                  "mlp/experts/down > mlp/combine/reorder > mlp/combine"));
  EXPECT_THAT(pairs_of(program.backward).size(), 4U);
}

TEST(FusePairsTest, GatheredTokensAndTheirSumsArePairs) {
  const JobPlan job = plan_job(paired_config(with_experts("allgather")));
  const graph::Program& program = job.stages[0].train_chunks[0];
  const std::vector<std::string> pairs = pairs_of(program.forward);
  EXPECT_THAT(pairs, ::testing::Contains("mlp/dispatch > mlp/gather > mlp/experts/gate_up"));
  EXPECT_THAT(pairs, ::testing::Contains("mlp/experts/down > mlp/sum_rows > mlp/combine"));
}

TEST(FusePairsTest, TensorParallelLayersHavePairs) {
  const JobPlan job =
      plan_job(paired_config({"model.type=llama", "parallel.tensor_model_parallel_size=4"}));
  const graph::Program& program = job.stages[0].train_chunks[0];
  EXPECT_EQ(pairs_of(program.forward).size(), 4U)
      << ::testing::PrintToString(pairs_of(program.forward));
  EXPECT_GE(pairs_of(program.backward).size(), 4U);
}

// Tensor ranks gather codes (plan/passes/gather_codes.h), which a product multiplies as they come.
TEST(FusePairsTest, ProductsOf8BitOperandsHavePairs) {
  const std::vector<std::string> in_8_bits{"model.dtype=bfloat16", "model.fp8=hybrid",
                                           "train.device=cuda"};
  std::vector<std::string> settings{"model.type=llama", "parallel.tensor_model_parallel_size=4"};
  settings.insert(settings.end(), in_8_bits.begin(), in_8_bits.end());
  const JobPlan dense = plan_job(paired_config(settings));
  EXPECT_EQ(violations({&dense.train_verification, &dense.evaluate_verification}), "");
  EXPECT_THAT(pairs_of(dense.stages[0].train_chunks[0].forward),
              UnorderedElementsAre("attention/norm/all_gather > attention/qkv",
                                   "attention/output > attention/output/reduce_scatter",
                                   "mlp/norm/all_gather > mlp/gate_up",
                                   "mlp/down > mlp/down/reduce_scatter"));
  // The rows of experts are rounded with one scale, so all must have come: no pair with dispatch.
  settings = with_experts("alltoall");
  settings.insert(settings.end(), in_8_bits.begin(), in_8_bits.end());
  const JobPlan routed = plan_job(paired_config(settings));
  EXPECT_EQ(violations({&routed.train_verification, &routed.evaluate_verification}), "");
  const std::vector<std::string> pairs = pairs_of(routed.stages[0].train_chunks[0].forward);
  EXPECT_THAT(pairs, ::testing::Contains("mlp/experts/down > mlp/combine/reorder > mlp/combine"));
  EXPECT_THAT(pairs, ::testing::Not(::testing::Contains(::testing::StartsWith("mlp/dispatch"))));
}

// Kinds of ops that read up to two tensors and write up to two.
enum class Kind : std::uint8_t { product, move, sum, other };
constexpr std::size_t kWritten = 2, kAlsoWritten = 3;  // operands
const graph::OpDef& def_of(Kind kind) {
  using graph::Access;
  static const auto defs = [] {
    const graph::OpDef other{.name = "other",
                             .operands = {{"a", Access::read, true},
                                          {"b", Access::read, true},
                                          {"written", Access::write},
                                          {"also_written", Access::write, true}}};
    std::array<graph::OpDef, 4> made{other, other, other, other};
    for (const Kind one : {Kind::product, Kind::move, Kind::sum})
      made[static_cast<std::size_t>(one)].tile_flow =
          graph::TileFlow{.input = 0, .output = kWritten};
    made[static_cast<std::size_t>(Kind::sum)].tile_flow->second_input = 1;
    made[static_cast<std::size_t>(Kind::product)].gemm = true;
    return made;
  }();
  return defs[static_cast<std::size_t>(kind)];
}

// A program of a few ops, as the pass sees them.
class SmallProgram {
 public:
  graph::TensorId tensor(graph::Shape shape = {}) {
    program_.tensors.push_back({.name = "t", .shape = std::move(shape)});
    return graph::TensorId{static_cast<std::uint32_t>(program_.tensors.size() - 1)};
  }
  // Both add an op and return what it writes.
  graph::TensorId op(const char* path, Kind kind, std::vector<graph::TensorId> reads) {
    reads.resize(kWritten, graph::kNoTensor);
    reads.push_back(tensor());
    reads.push_back(graph::kNoTensor);
    return add(path, def_of(kind), std::move(reads)).operands[kWritten];
  }
  graph::TensorId transfer(graph::TensorId rows) {
    graph::Op& op = add("transfer", graph::all_to_all_op(), {rows, tensor()});
    op.attributes.set(graph::attribute::axes,
                      std::int64_t{graph::AxisSet{graph::Axis::expert}.bits()});
    return op.operands.back();
  }
  graph::Op& last() { return program_.forward.back(); }

  // Runs the pass and returns the paths in their order; those of the pair stand in brackets.
  std::string paired() {
    plan::fuse_pairs(program_);
    std::string text;
    for (const graph::Op& op : program_.forward)
      text += (text.empty() ? "" : " ") + (op.pair == 0 ? op.path : "[" + op.path + "]");
    return text;
  }

 private:
  graph::Op& add(const char* path, const graph::OpDef& def, std::vector<graph::TensorId> operands) {
    graph::Op& op = program_.forward.emplace_back();
    op.path = path;
    op.def = &def;
    op.operands = std::move(operands);
    return op;
  }

  graph::Program program_;
};

// Between a product behind a transfer and the op that moves its rows stands another op.
TEST(FusePairsTest, OtherOpsMakeWayAndKeepTheirOrder) {
  SmallProgram independent;
  const auto moved =
      independent.op("move", Kind::move, {independent.transfer(independent.tensor())});
  (void)independent.op("other", Kind::other, {independent.tensor()});
  (void)independent.op("product", Kind::product, {moved});
  EXPECT_EQ(independent.paired(), "[transfer] [move] [product] other");

  SmallProgram weight;  // the other op makes the product's weight
  const auto rows = weight.op("move", Kind::move, {weight.transfer(weight.tensor())});
  const auto made = weight.op("other", Kind::other, {weight.tensor()});
  (void)weight.op("product", Kind::product, {rows, made});
  EXPECT_EQ(weight.paired(), "[transfer] other [move] [product]");

  SmallProgram counted;  // the other op counts the product's rows
  const auto taken = counted.op("move", Kind::move, {counted.transfer(counted.tensor())});
  const auto count = counted.op("other", Kind::other, {counted.tensor()});
  (void)counted.op("product", Kind::product, {taken, counted.tensor({graph::Dim(8, count, 0)})});
  EXPECT_EQ(counted.paired(), "[transfer] other [move] [product]");

  SmallProgram overwritten;  // the other op overwrites what both read
  const auto old = overwritten.tensor();
  const auto read =
      overwritten.op("move", Kind::move, {overwritten.transfer(overwritten.tensor()), old});
  (void)overwritten.op("other", Kind::other, {overwritten.tensor()});
  overwritten.last().operands[kAlsoWritten] = old;
  (void)overwritten.op("product", Kind::product, {read, old});
  EXPECT_EQ(overwritten.paired(), "transfer move other product") << "it has to stay where it is";
}

TEST(FusePairsTest, OfTwoProductsThatAreAddedTheLaterOneIsInThePair) {
  for (const bool turned : {false, true}) {
    SmallProgram two;
    auto a = two.op("first", Kind::product, {two.tensor()}),
         b = two.op("second", Kind::product, {two.tensor()});
    if (turned) std::swap(a, b);
    (void)two.transfer(two.op("sum", Kind::sum, {a, b}));
    EXPECT_EQ(two.paired(), "first [second] [sum] [transfer]") << turned;
  }
}

TEST(FusePairsTest, RecomputedOpsAndOpsOfTwoLayersAreNoPair) {
  SmallProgram recomputed;
  const auto taken = recomputed.transfer(recomputed.tensor());
  recomputed.last().phase = graph::Phase::recompute;
  (void)recomputed.op("product", Kind::product, {taken});
  recomputed.last().phase = graph::Phase::recompute;
  EXPECT_EQ(recomputed.paired(), "transfer product");
  SmallProgram layers;
  (void)layers.transfer(layers.op("product", Kind::product, {layers.tensor()}));
  layers.last().scope = "layer1";
  EXPECT_EQ(layers.paired(), "product transfer");
}

// Plans of models with pairs are proven, in all layouts: the bytes of a pair's tasks stay apart.
TEST(FusePairsTest, PlansWithPairsAreVerified) {
  std::vector<std::vector<std::string>> all;
  for (const char* dispatch : {"alltoall", "allgather"}) {
    for (const char* granularity : {"none", "selective", "full", "selective_moe"}) {
      all.push_back(with_experts(dispatch));
      all.back().push_back(std::string("recompute.granularity=") + granularity);
    }
    all.push_back(with_experts(dispatch));
    all.back().emplace_back("overlap.layer_order=false");
    all.push_back(with_experts(dispatch));
    all.back().emplace_back("moe.shared_expert_intermediate_size=512");
    all.push_back(with_experts(dispatch));
    all.back().emplace_back("train.micro_batch_size=2");
  }
  all.push_back({"model.type=llama", "parallel.tensor_model_parallel_size=4"});
  all.push_back({"model.type=gpt2", "parallel.tensor_model_parallel_size=2",
                 "parallel.context_parallel_size=2", "model.num_query_groups=8"});
  all.push_back({"model.type=llama", "parallel.tensor_model_parallel_size=2",
                 "parallel.pipeline_model_parallel_size=2", "parallel.pipeline_schedule=zb-h1",
                 "parallel.zero_stage=2"});
  for (const std::vector<std::string>& settings : all) {
    const JobPlan job = plan_job(paired_config(settings));
    const std::string name = ::testing::PrintToString(settings);
    EXPECT_EQ(violations({&job.train_verification, &job.evaluate_verification}), "") << name;
    EXPECT_FALSE(plan::fused_pairs(job.stages[0].train.expansion.plan).empty()) << name;
    EXPECT_FALSE(plan::fused_pairs(job.stages[0].evaluate.expansion.plan).empty()) << name;
  }
}

TEST(FusePairsTest, WithoutTheKeyNoOpIsMarked) {
  std::vector<std::string> settings = with_experts("alltoall");
  const Config with = paired_config(settings);
  Config without = with;
  without.overlap.fused_pairs = false;
  const JobPlan job = plan_job(without);
  EXPECT_TRUE(plan::fused_pairs(job.stages[0].train.expansion.plan).empty());
  EXPECT_NE(job.stages[0].train.expansion.plan.digest(),
            plan_job(with).stages[0].train.expansion.plan.digest());
}

}  // namespace
}  // namespace megascale::job
