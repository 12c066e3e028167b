// Plans of devices whose products have 8-bit operands: what is rounded, how often, and what is kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "megascale/config/load.h"
#include "megascale/graph/ops/grouped_products.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/graph/ops/quantised_ops.h"
#include "megascale/job/job_plan.h"

namespace megascale::job {
namespace {

constexpr int kBlocks = 2, kMicroBatches = 4;

JobPlan in_hybrid(std::vector<std::string> more = {}) {
  std::vector<std::string> all{"model.num_layers=2",          "model.hidden_size=64",
                               "model.num_attention_heads=4", "model.seq_length=16",
                               "model.dtype=bfloat16",        "model.fp8=hybrid",
                               "train.device=cuda",           "train.global_batch_size=4",
                               "train.micro_batch_size=1",    "train.threads_per_rank=1"};
  all.insert(all.end(), more.begin(), more.end());
  JobPlan job = plan_job(parse_config("", "test", all));
  EXPECT_EQ(violations({&job.train_verification, &job.evaluate_verification}), "");
  return job;
}

std::string name_of(graph::Phase phase) {
  switch (phase) {
    case graph::Phase::forward:
      return "forward";
    case graph::Phase::backward:
      return "backward";
    case graph::Phase::weight_gradient:
      return "weight gradient";
    case graph::Phase::recompute:
      return "recompute";
    default:
      return "?";
  }
}

// "phase path sides" of the ops of a kind in layer 1, in order.
std::vector<std::string> of_kind(const graph::Program& program, const graph::OpDef& kind) {
  std::vector<std::string> found;
  for (const auto* ops : {&program.forward, &program.backward}) {
    for (const graph::Op& op : *ops) {
      if (op.def != &kind || op.scope != "layer1") continue;
      found.push_back(name_of(op.phase) + " " + op.path + " " +
                      std::to_string(op.attributes.integer(graph::attribute::sides, 0)));
    }
  }
  return found;
}
using Names = std::vector<std::string>;

TEST(QuantiseProductsPlanTest, ProductsOfALayerShareTheRoundingOfAMatrix) {
  const JobPlan job = in_hybrid();
  const graph::Program& program = job.stages[0].train_chunks[0];
  EXPECT_EQ(
      of_kind(program, graph::quantise_op()),
      (Names{"forward attention/qkv/quantise_input 3", "forward attention/output/quantise_input 3",
             "forward mlp/up/quantise_input 3", "forward mlp/down/quantise_input 3",
             "backward mlp/down/dgrad/quantise_gradient 3",
             "backward mlp/up/dgrad/quantise_gradient 3",
             "backward attention/output/dgrad/quantise_gradient 3",
             "backward attention/qkv/dgrad/quantise_gradient 3"}));
  EXPECT_EQ(of_kind(program, graph::quantise_weight_op()),
            (Names{"forward attention/qkv/quantise_weight 3",
                   "forward attention/output/quantise_weight 3", "forward mlp/up/quantise_weight 3",
                   "forward mlp/down/quantise_weight 3"}));
  int quantised = 0;
  for (const auto* ops : {&program.forward, &program.backward}) {
    for (const graph::Op& op : *ops) {
      if (op.def->gemm && op.region == graph::Region::layers) {
        EXPECT_TRUE(op.def->name.starts_with("quantised_")) << op.path;
        EXPECT_EQ(op.attributes.integer(graph::attribute::fp8, 0), 1) << "its peak is another one";
        ++quantised;
      }
    }
  }
  EXPECT_EQ(quantised, kBlocks * 4 * 3);
  EXPECT_EQ(job.flops().dtype(), DType::bfloat16) << "mfu would name the peak of float32";
  // Gradients of biases are sums of what was not rounded.
  EXPECT_EQ(of_kind(program, graph::bias_gradient_op()).size(), 4U);
}

// Both products behind a norm read one rounding, and so do both gradients of the sum of the branches.
TEST(QuantiseProductsPlanTest, BranchesOfAParallelBlockShareTheirInput) {
  const JobPlan job = in_hybrid({"model.parallel_block=true"});
  EXPECT_EQ(of_kind(job.stages[0].train_chunks[0], graph::quantise_op()).size(), 3U + 3U);
}

TEST(QuantiseProductsPlanTest, EvaluationWritesWhatTheForwardReads) {
  const JobPlan job = in_hybrid();
  const graph::Program& program = job.stages[0].evaluate_chunks[0];
  for (const graph::OpDef* kind : std::initializer_list<const graph::OpDef*>{
           &graph::quantise_op(), &graph::quantise_weight_op()}) {
    const Names found = of_kind(program, *kind);
    EXPECT_EQ(found.size(), 4U);
    for (const std::string& name : found) EXPECT_TRUE(name.ends_with(" 1")) << name;
  }
}

TEST(QuantiseProductsPlanTest, WeightsAreRoundedOncePerStepAndPlacedOutsideOfSlots) {
  for (const Names& layout :
       {Names{},
        {"parallel.pipeline_model_parallel_size=2", "parallel.pipeline_schedule=zb-h1"},
        {"parallel.world_size=2", "parallel.zero_stage=2"}}) {
    const JobPlan job = in_hybrid(layout);
    std::map<std::string, int> weights;
    int activations = 0;
    std::uint64_t weight_nbytes = 0, planned = 0;
    for (const StagePlan& stage : job.stages) {
      const plan::StepPlan& plan = stage.train.expansion.plan;
      for (const plan::Task& task : plan.tasks()) {
        const plan::PlanOp& op = plan.op(task);
        if (op.def == &graph::quantise_op()) ++activations;
        if (op.def != &graph::quantise_weight_op()) continue;
        EXPECT_EQ(task.micro_batch, 0);
        ++weights[op.scope + "/" + op.path];
        weight_nbytes += static_cast<std::uint64_t>(graph::numel(op.tensors[0]->shape));
      }
      planned += stage.train.memory.by_category[static_cast<std::size_t>(plan::Category::caches)];
    }
    EXPECT_EQ(weights.size(), kBlocks * 4U);
    for (const auto& [name, count] : weights) EXPECT_EQ(count, 1) << name;
    const auto data_ranks = static_cast<int>(job.grid.sizes()[graph::Axis::data]);
    EXPECT_EQ(activations, kBlocks * 8 * kMicroBatches / data_ranks);
    // Both sides, and scales in places of their own.
    EXPECT_GE(planned, 2 * weight_nbytes);
    EXPECT_LE(planned, 2 * weight_nbytes + weights.size() * 3 * 4096);
  }
}

// The backward of a layer that is computed again rounds again; the weights' codes are still there.
TEST(QuantiseProductsPlanTest, RecomputationRoundsActivationsAgain) {
  const JobPlan kept = in_hybrid(), again = in_hybrid({"recompute.granularity=full"});
  const auto repeated = [](const JobPlan& job, const graph::OpDef& kind) {
    const Names all = of_kind(job.stages[0].train_chunks[0], kind);
    return std::count_if(all.begin(), all.end(),
                         [](const std::string& name) { return name.starts_with("recompute"); });
  };
  EXPECT_EQ(repeated(kept, graph::quantise_op()), 0);
  EXPECT_EQ(repeated(again, graph::quantise_op()), 4);
  EXPECT_EQ(repeated(again, graph::quantise_weight_op()), 0);
  // Without it, one byte per element is kept for the weight gradient.
  const auto retained = [](const JobPlan& job) {
    std::set<std::string> names;
    for (const auto& [name, nbytes] : job.stages[0].train.memory.retained_by_op) names.insert(name);
    return names;
  };
  EXPECT_TRUE(retained(kept).contains("quantise:transposed"));
  EXPECT_FALSE(retained(again).contains("quantise:transposed"));
}

// "path bytes" of what is gathered over the tensor ranks in layer 1, in order.
Names gathered(const graph::Program& program) {
  Names found;
  for (const auto* ops : {&program.forward, &program.backward}) {
    for (const graph::Op& op : *ops) {
      if (op.def != &graph::all_gather_op() || op.scope != "layer1") continue;
      found.push_back(
          name_of(op.phase) + " " + op.path + " " +
          std::to_string(program.tensor(op.operands[graph::collective::receive]).nbytes()));
    }
  }
  return found;
}

// Two ranks have 8 rows of 64 each. A rank rounds its own, and codes are gathered, for the backward
// again. The largest values of both ranks are exchanged first.
TEST(QuantiseProductsPlanTest, TensorRanksGatherCodes) {
  const Names split{"parallel.tensor_model_parallel_size=2"};
  const JobPlan job = in_hybrid(split);
  const graph::Program& program = job.stages[0].train_chunks[0];
  EXPECT_EQ(
      of_kind(program, graph::quantise_op()),
      (Names{"forward attention/qkv/quantise_input 1", "forward attention/output/quantise_input 3",
             "forward mlp/up/quantise_input 1", "forward mlp/down/quantise_input 3",
             "backward mlp/down/dgrad/quantise_gradient 1",
             "backward mlp/up/dgrad/quantise_gradient 3",
             "backward attention/output/dgrad/quantise_gradient 1",
             "backward attention/qkv/dgrad/quantise_gradient 3"}));
  EXPECT_EQ(
      gathered(program),
      (Names{"forward attention/norm/all_gather/amax 8", "forward attention/norm/all_gather 1024",
             "forward mlp/norm/all_gather/amax 8", "forward mlp/norm/all_gather 1024",
             "backward mlp/down/reduce_scatter/grad/amax 8",
             "backward mlp/down/reduce_scatter/grad 1024", "recompute mlp/norm/all_gather 1024",
             "backward attention/output/reduce_scatter/grad/amax 8",
             "backward attention/output/reduce_scatter/grad 1024",
             "recompute attention/norm/all_gather 1024"}));
  // Where a weight gradient reads it, and nowhere else.
  EXPECT_EQ(of_kind(program, graph::transpose_codes_op()),
            (Names{"weight gradient mlp/down/dgrad/quantise_gradient/transpose 0",
                   "weight gradient mlp/up/quantise_input/transpose 0",
                   "weight gradient attention/output/dgrad/quantise_gradient/transpose 0",
                   "weight gradient attention/qkv/quantise_input/transpose 0"}));
  for (const auto* ops : {&program.forward, &program.backward}) {
    for (const graph::Op& op : *ops) {
      if (op.def != &graph::quantise_op()) continue;
      const bool gathers = op.attributes.integer(graph::attribute::sides) == graph::kCodes;
      EXPECT_EQ(op.operands[graph::quantise::amax] != graph::kNoTensor, gathers) << op.path;
      EXPECT_EQ(program.tensor(op.operands[graph::quantise::input]).shape[0].size, gathers ? 8 : 16)
          << op.path;
    }
  }
}

// A byte for each value is kept of this rank's rows; with keep_gathered_input of all rows instead.
TEST(QuantiseProductsPlanTest, CodesOfOwnRowsAreKeptForTheBackward) {
  const auto retained = [](const Names& more, const char* name) {
    Names settings{"parallel.tensor_model_parallel_size=2"};
    settings.insert(settings.end(), more.begin(), more.end());
    const JobPlan job = in_hybrid(settings);
    std::uint64_t sum = 0;
    for (const auto& [op, nbytes] : job.stages[0].train.memory.retained_by_op)
      sum += op == name ? nbytes : 0;
    return sum;
  };
  const Names kept{"recompute.keep_gathered_input=true"};
  constexpr std::uint64_t kRowsOfARank = std::uint64_t{8} * 64;
  EXPECT_EQ(retained({}, "quantise:codes"), kRowsOfARank * kBlocks * 2);
  EXPECT_EQ(retained({}, "all_gather:receive"), 0U) << "gathered again";
  EXPECT_EQ(retained(kept, "quantise:codes"), 0U);
  EXPECT_EQ(retained(kept, "all_gather:receive"), kRowsOfARank * kBlocks * 2 * 2);
}

// The largest values of all ranks are exchanged once: what is computed again has the same.
TEST(QuantiseProductsPlanTest, RecomputationExchangesNoLargestValuesAgain) {
  for (const char* granularity : {"selective", "full"}) {
    const JobPlan job = in_hybrid({"parallel.tensor_model_parallel_size=2",
                                   std::string("recompute.granularity=") + granularity});
    int exchanges = 0, again = 0;
    for (const std::string& name : gathered(job.stages[0].train_chunks[0])) {
      exchanges += name.ends_with("/amax 8") ? 1 : 0;
      again += name.starts_with("recompute") && name.ends_with("/amax 8") ? 1 : 0;
    }
    EXPECT_EQ(exchanges, 4) << granularity;
    EXPECT_EQ(again, 0) << granularity;
  }
  const JobPlan full =
      in_hybrid({"parallel.tensor_model_parallel_size=2", "recompute.granularity=full"});
  Names again;
  for (const std::string& name : of_kind(full.stages[0].train_chunks[0], graph::quantise_op())) {
    if (name.starts_with("recompute")) again.push_back(name);
  }
  EXPECT_THAT(again, ::testing::UnorderedElementsAre("recompute attention/qkv/quantise_input 1",
                                                     "recompute attention/output/quantise_input 3",
                                                     "recompute mlp/up/quantise_input 1",
                                                     "recompute mlp/down/quantise_input 3"));
}

// Two pieces of 16 rows of each of two ranks: codes travel, and each piece is multiplied with the scale of
// the whole matrix. The weight gradient reads the transpose of all rows.
TEST(QuantiseProductsPlanTest, PiecesOfCodesAreMultipliedAsTheyCome) {
  const Names pieces{"model.seq_length=64", "parallel.tensor_model_parallel_size=2",
                     "overlap.tensor_pieces=2"};
  for (const Names& more :
       {Names{},
        {"parallel.pipeline_model_parallel_size=2", "parallel.pipeline_schedule=zb-h1"},
        {"recompute.granularity=full"},
        {"model.type=deepseek_v2", "model.kv_lora_rank=32", "model.qk_head_dim=16",
         "model.qk_pos_emb_head_dim=16", "model.v_head_dim=16", "model.ffn_hidden_size=96"}}) {
    Names settings = pieces;
    settings.insert(settings.end(), more.begin(), more.end());
    (void)in_hybrid(settings);  // verified
  }
  const JobPlan job = in_hybrid(pieces);
  const graph::Program& program = job.stages[0].train_chunks[0];
  std::map<std::int64_t, int> shifts_of_codes;  // by rows
  int products = 0, sums = 0;
  for (const graph::Op& op : program.forward) {
    if (op.scope != "layer1") continue;
    if (op.def == &graph::shift_op() &&
        program.tensor(op.operands[graph::collective::send]).dtype == DType::uint8) {
      ++shifts_of_codes[program.tensor(op.operands[graph::collective::send]).shape[0].size];
    }
    if (op.def == &graph::quantised_linear_op() && op.path.starts_with("mlp/up")) {
      ++products;
      EXPECT_EQ(program.tensor(op.operands[graph::quantised_linear::input_scale]).part.n, 0U);
    }
    sums += op.def == &graph::sum_blocks_op() ? 1 : 0;
    EXPECT_NE(op.def, &graph::reduce_scatter_op()) << op.path;
  }
  EXPECT_EQ(shifts_of_codes, (std::map<std::int64_t, int>{{32, 2}, {16, 2 * 2}}))
      << "two gathers: own rows, and two pieces of the peer";
  EXPECT_EQ(products, 3) << "own rows and two pieces";
  EXPECT_EQ(sums, 2);
  for (const graph::Op& op : program.backward) {
    if (op.def != &graph::transpose_codes_op()) continue;
    EXPECT_EQ(program.tensor(op.operands[graph::transpose_codes::codes]).shape[0].size, 64)
        << op.path;
  }
}

// Both branches of a parallel block multiply the same codes.
TEST(QuantiseProductsPlanTest, BranchesOfAParallelBlockShareGatheredCodes) {
  const JobPlan job =
      in_hybrid({"model.parallel_block=true", "parallel.tensor_model_parallel_size=2"});
  EXPECT_EQ(
      gathered(job.stages[0].train_chunks[0]),
      (Names{"forward norm/all_gather/amax 8", "forward norm/all_gather 1024",
             "backward branches/reduce_scatter/grad/amax 8",
             "backward branches/reduce_scatter/grad 1024", "recompute norm/all_gather 1024"}));
}

// Their gathers run beside other work, so nothing would be gained.
TEST(QuantiseProductsPlanTest, LayersWithTransfersToExpertsGatherBfloat16) {
  const JobPlan job = in_hybrid({"model.type=mixtral", "moe.num_experts=4", "moe.router_topk=2",
                                 "moe.ffn_hidden_size=96", "model.num_query_groups=2",
                                 "parallel.world_size=2", "parallel.tensor_model_parallel_size=2"});
  const Names found = gathered(job.stages[0].train_chunks[0]);
  EXPECT_NE(std::find(found.begin(), found.end(), "forward attention/norm/all_gather 2048"),
            found.end());
  EXPECT_TRUE(std::none_of(found.begin(), found.end(), [](const std::string& name) {
    return name.ends_with("amax 8");
  })) << ::testing::PrintToString(found);
}

const Names kMixture{"model.type=mixtral",
                     "moe.num_experts=4",
                     "moe.router_topk=2",
                     "moe.ffn_hidden_size=96",
                     "model.num_query_groups=2",
                     "parallel.world_size=2",
                     "parallel.expert_model_parallel_size=2"};
JobPlan quantised_experts(Names more = {}) {
  more.insert(more.begin(), kMixture.begin(), kMixture.end());
  return in_hybrid(more);
}

// The rows of experts and their gradients are rounded as they are multiplied, never transposed:
// weight gradients read bfloat16.
TEST(QuantiseProductsPlanTest, ForwardAndInputGradientOfExpertsHave8BitOperands) {
  for (const char* dispatcher : {"alltoall", "allgather"}) {
    const JobPlan job = quantised_experts({std::string("moe.token_dispatcher_type=") + dispatcher});
    const graph::Program& program = job.stages[0].train_chunks[0];
    Names rounded;
    for (const std::string& name : of_kind(program, graph::quantise_op())) {
      if (name.find("experts") != std::string::npos) rounded.push_back(name);
    }
    EXPECT_EQ(rounded, (Names{"forward mlp/experts/gate_up/quantise_input 1",
                              "forward mlp/experts/down/quantise_input 1",
                              "backward mlp/experts/down/dgrad/quantise_gradient 1",
                              "backward mlp/experts/gate_up/dgrad/quantise_gradient 1"}));
    std::map<std::string, int> products;
    for (const auto* ops : {&program.forward, &program.backward}) {
      for (const graph::Op& op : *ops) {
        if (!graph::is_grouped_product(*op.def)) continue;
        ++products[std::string(op.def->name)];
        const bool in_8_bits = op.def->name.starts_with("quantised_");
        EXPECT_EQ(op.attributes.integer(graph::attribute::fp8, 0), in_8_bits ? 1 : 0)
            << op.path << ": its peak is another one";
        if (!in_8_bits) continue;
        const graph::Tensor& scales =
            program.tensor(op.operands[graph::quantised_grouped_linear::weight_scales]);
        EXPECT_EQ(scales.shape[0].size, 2) << "one for each expert of the rank";
      }
    }
    EXPECT_EQ(products,
              (std::map<std::string, int>{{"quantised_grouped_linear", kBlocks * 2},
                                          {"quantised_grouped_input_gradient", kBlocks * 2},
                                          {"grouped_linear_weight_gradient", kBlocks * 2}}));
  }
}

// FLOPs do not depend on the operands' type, and rows travel as before.
TEST(QuantiseProductsPlanTest, CostsOfExpertsStay) {
  const JobPlan in_8_bits = quantised_experts(), in_16_bits = quantised_experts({"model.fp8=none"});
  EXPECT_EQ(in_8_bits.flops().model, in_16_bits.flops().model);
  const auto sent = [](const JobPlan& job) {
    std::map<std::string, double> bytes;
    for (const graph::Program& program : job.stages[0].train_chunks) {
      for (const auto* ops : {&program.forward, &program.backward}) {
        for (const graph::Op& op : *ops) {
          if (op.def->transfer == nullptr || op.path.find("weights") != std::string::npos) continue;
          for (const graph::TensorId operand : op.operands) {
            if (operand != graph::kNoTensor)
              bytes[op.path] += static_cast<double>(program.tensor(operand).nbytes());
          }
        }
      }
    }
    return bytes;
  };
  EXPECT_EQ(sent(in_8_bits), sent(in_16_bits));
}

TEST(QuantiseProductsPlanTest, WeightsOfExpertsAreRoundedOncePerStep) {
  const JobPlan job = quantised_experts();
  const plan::StepPlan& plan = job.stages[0].train.expansion.plan;
  std::map<std::string, int> weights;
  for (const plan::Task& task : plan.tasks()) {
    const plan::PlanOp& op = plan.op(task);
    if (op.def != &graph::quantise_weight_op() && op.def != &graph::quantise_op()) continue;
    if (op.tensors[graph::quantise::input]->shape.size() == 3) ++weights[op.scope + op.path];
  }
  EXPECT_EQ(weights.size(), kBlocks * 2U);
  for (const auto& [name, count] : weights) EXPECT_EQ(count, 1) << name;
}

}  // namespace
}  // namespace megascale::job
