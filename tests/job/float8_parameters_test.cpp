// Plans whose parameters are kept in 8 bits (MegaScale-MoE, arXiv 2505.11432, section 7.3): which ones are, what
// travels for them, and how they are read.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "megascale/config/load.h"
#include "megascale/graph/ops/float8_ops.h"
#include "megascale/graph/ops/float8_parameter_ops.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/job/job_plan.h"

namespace megascale::job {
namespace {

using Keys = std::vector<std::string>;

const Keys kDense{"model.type=llama", "parallel.world_size=4"};
// The experts have a data group of their own.
const Keys kExperts{"model.type=mixtral", "moe.num_experts=4", "parallel.world_size=4",
                    "parallel.expert_model_parallel_size=2"};

JobPlan keeping(bool in_8_bits, Keys more) {
  Keys all{"model.num_layers=2",
           "model.hidden_size=128",
           "model.num_attention_heads=4",
           "model.ffn_hidden_size=256",
           "model.seq_length=16",
           "model.vocab_size=256",
           "model.fp8=e4m3",
           "train.global_batch_size=8",
           "train.threads_per_rank=1",
           std::string("model.fp8_param_gather=") + (in_8_bits ? "true" : "false")};
  all.insert(all.end(), more.begin(), more.end());
  JobPlan job = plan_job(parse_config("", "test", all));
  EXPECT_EQ(violations({&job.train_verification, &job.evaluate_verification}), "");
  return job;
}

Keys with(Keys all, const Keys& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// Returns the bytes that the gathers of a step bring to a rank, by dtype.
std::map<DType, double> gathered(const plan::BuiltPlan& built) {
  std::map<DType, double> nbytes;
  for (const plan::PlanOp& op : built.expansion.plan.ops()) {
    if (op.def != &graph::all_gather_op() || !op.path.starts_with("data/gather")) continue;
    const auto dtype = static_cast<DType>(op.attributes.integer(graph::attribute::dtype));
    nbytes[dtype] += static_cast<double>(op.operands[graph::collective::receive].nbytes);
  }
  return nbytes;
}

TEST(Float8ParametersPlanTest, WeightsOfTheProductsAreKeptIn8BitsAndNoOthers) {
  for (const Keys& model : {kDense, kExperts, Keys{"model.type=gpt2"}}) {
    const JobPlan job = keeping(true, model);
    const plan::ModelState& state = job.stages[0].state;
    int kept = 0;
    for (const plan::ParameterPlace& place : state.parameters) {
      const std::string& name = place.parameter.name;
      SCOPED_TRACE(name);
      const plan::FlatBucket& bucket = state.buckets[place.bucket];
      const bool is_matrix = place.shape.size() >= 2 && name.starts_with("layers.") &&
                             !name.ends_with("router.weight");
      EXPECT_EQ(bucket.dtype, is_matrix ? DType::float8_e4m3 : DType::float32);
      EXPECT_EQ(bucket.masters != bucket.parameters, is_matrix) << "float32 masters";
      EXPECT_EQ(place.scales, !is_matrix ? 0U : place.shape.size() == 3 ? place.shape[0].size : 1U);
      kept += is_matrix ? 1 : 0;
    }
    EXPECT_GE(kept, 2 * 4);
  }
}

// Without it all of these weights travel in float32. The rest are embeddings, head, norms and routers.
TEST(Float8ParametersPlanTest, AQuarterOfTheBytesIsGathered) {
  for (const Keys& model : {kDense, kExperts}) {
    for (const char* stage : {"parallel.zero_stage=1", "parallel.zero_stage=2"}) {
      for (const char* recipe : {"model.fp8_recipe=tensorwise", "model.fp8_recipe=rowwise"}) {
        const Keys all = with(model, {stage, recipe});
        const JobPlan plain = keeping(false, all), kept = keeping(true, all);
        for (const auto built : {&StagePlan::train, &StagePlan::evaluate}) {
          std::map<DType, double> before = gathered(plain.stages[0].*built),
                                  after = gathered(kept.stages[0].*built);
          EXPECT_EQ(before[DType::float8_e4m3], 0);
          const double codes = after[DType::float8_e4m3],
                       in_float32 = before[DType::float32] - after[DType::float32];
          EXPECT_GT(codes, 0.7 * before[DType::float32] / 4) << "most parameters are such weights";
          // Magnitudes for the scales, which are among after[float32], and padding of buckets.
          EXPECT_NEAR(codes, in_float32 / 4, 0.05 * codes) << recipe;
        }
      }
    }
  }
}

// Codes take a byte. ZeRO divides the masters, which the parameters were before.
TEST(Float8ParametersPlanTest, LessMemoryWithZeRO) {
  const auto state_nbytes = [](const JobPlan& job) {
    const auto& sizes = job.stages[0].train.memory.by_category;
    return sizes[static_cast<std::size_t>(plan::Category::parameters)] +
           sizes[static_cast<std::size_t>(plan::Category::masters)];
  };
  const Keys zero = with(kDense, {"parallel.zero_stage=1"});
  const auto before = static_cast<double>(state_nbytes(keeping(false, zero))),
             after = static_cast<double>(state_nbytes(keeping(true, zero)));
  EXPECT_LT(after, 0.65 * before) << "1 + 4 / 4 bytes of an element in place of 4";
}

std::map<const graph::OpDef*, int> count_ops(const graph::Program& program) {
  std::map<const graph::OpDef*, int> ops;
  for (const auto* list : {&program.forward, &program.backward}) {
    for (const graph::Op& op : *list) ++ops[op.def];
  }
  return ops;
}

// Forward product and input gradient of a matrix with one scale read the same values.
TEST(Float8ParametersPlanTest, ProductsReadTheWeightsBackInPlaceOfRoundingThem) {
  for (const Keys& model : {kDense, kExperts}) {
    for (const bool rowwise : {false, true}) {
      const Keys all =
          with(model, {rowwise ? "model.fp8_recipe=rowwise" : "model.fp8_recipe=tensorwise"});
      auto before = count_ops(keeping(false, all).stages[0].train_chunks[0]),
           after = count_ops(keeping(true, all).stages[0].train_chunks[0]);
      const int read = after[&graph::dequantise_float8_op()];
      EXPECT_EQ(read, 2 * 4 * 2) << "two layers of four products, forward and backward";
      EXPECT_EQ(before[&graph::dequantise_float8_op()], 0);
      // By rows, the input gradient rounds by its own scales.
      EXPECT_EQ(after[&graph::round_float8_op()],
                before[&graph::round_float8_op()] - (rowwise ? read / 2 : read));
    }
  }
}

// The exchange of magnitudes stands before all gathers, so that ranks wait for each other once.
TEST(Float8ParametersPlanTest, MagnitudesAreExchangedBeforeTheFirstBucketIsQuantised) {
  const JobPlan job = keeping(true, with(kExperts, {"parallel.zero_stage=2"}));
  std::vector<std::string> order;
  const plan::StepPlan& plan = job.stages[0].train.expansion.plan;
  for (const plan::Task& task : plan.tasks()) {
    const std::string& path = plan.op(task).path;
    for (const char* part : {"data/amax/", "data/gather_amax/", "data/quantise/", "data/gather/"}) {
      if (path.starts_with(part) && (order.empty() || order.back() != part))
        order.emplace_back(part);
    }
  }
  ASSERT_GE(order.size(), 4U);
  EXPECT_EQ(order[0], "data/amax/");
  EXPECT_EQ(order[1], "data/gather_amax/");
  EXPECT_EQ(std::count(order.begin(), order.end(), "data/gather_amax/"), 1);
}

}  // namespace
}  // namespace megascale::job
