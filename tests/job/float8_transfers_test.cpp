// Plans whose rows travel to experts in 8 bits (MegaScale-MoE, arXiv 2505.11432, section 7.2): fewer
// bytes, for all that reads plans.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "megascale/config/load.h"
#include "megascale/graph/ops/float8_ops.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/job/job_plan.h"
#include "megascale/plan/communication_volume.h"

namespace megascale::job {
namespace {

constexpr std::int64_t kRowWidth = 256;
constexpr int kLayers = 2;

JobPlan sending(bool in_8_bits, std::vector<std::string> more) {
  std::vector<std::string> all{
      "model.type=mixtral",
      "model.num_layers=" + std::to_string(kLayers),
      "model.hidden_size=" + std::to_string(kRowWidth),
      "model.num_attention_heads=4",
      "model.ffn_hidden_size=16",
      "model.seq_length=256",
      "moe.num_experts=8",
      "parallel.world_size=4",
      "train.global_batch_size=8",
      "train.threads_per_rank=1",
      std::string("moe.fp8_communication=") + (in_8_bits ? "true" : "false")};
  all.insert(all.end(), more.begin(), more.end());
  JobPlan job = plan_job(parse_config("", "test", all));
  EXPECT_EQ(violations({&job.train_verification, &job.evaluate_verification}), "");
  return job;
}

// Returns the bytes that a rank gives to transfers of rows by experts, by phase: forward or backward.
std::map<bool, double> sent(const JobPlan& job) {
  std::map<bool, double> nbytes{{false, 0.0}, {true, 0.0}};
  for (const plan::PlanOp& op : job.stages[0].train.expansion.plan.ops()) {
    if (op.def->transfer == nullptr || op.lane != graph::Lane::expert) continue;
    const std::size_t given = *op.def->transfer_operands.given;
    if (op.tensors[given]->shape.size() != 2 || op.tensors[given]->shape[1].size < 8)
      continue;  // counts, choices and weights
    nbytes[op.phase == graph::Phase::backward] += plan::expected_nbytes(op, given);
  }
  return nbytes;
}

struct Dispatch {
  std::vector<std::string> settings;
  int packs;  // ops of a layer that pack rows or gradients
};
const std::vector<Dispatch> kDispatches{
    {{"parallel.expert_model_parallel_size=4"}, 2 + 2},
    {{"parallel.expert_model_parallel_size=4", "moe.token_dispatcher_type=allgather"}, 2 + 2},
    {{"parallel.expert_model_parallel_size=1", "parallel.expert_tensor_parallel_size=4"}, 2 + 2},
    // A piece of experts is packed by itself.
    {{"parallel.expert_model_parallel_size=4", "overlap.expert_pieces=2"}, 2 * (2 + 2)},
    // All 3 peers get the same tokens and the same gradients of sums. Each of them gets other sums
    // and other gradients of tokens. If tokens are cut into parts, gradients of sums are cut for
    // each peer.
    {{"parallel.expert_model_parallel_size=4", "moe.token_dispatcher_type=allgather",
      "overlap.expert_pieces=4"},
     2 * (1 + 3)},
    {{"parallel.expert_model_parallel_size=4", "moe.token_dispatcher_type=allgather",
      "overlap.expert_pieces=8"},
     (2 + 2 * 3) + 2 * (2 * 3)}};

// Scales add 4 bytes to the C codes of a row forward, and 4 C to the 128 C codes of a group backward.
TEST(Float8TransfersPlanTest, AQuarterOfTheBytesOfFloat32AreSentAndHalfOfBfloat16) {
  for (const auto& [dispatch, packs] : kDispatches) {
    SCOPED_TRACE(dispatch.back());
    for (const int itemsize : {4, 2}) {
      std::vector<std::string> more = dispatch;
      more.emplace_back(itemsize == 4 ? "model.dtype=float32" : "model.dtype=bfloat16");
      auto plain = sent(sending(false, more)), in_8_bits = sent(sending(true, more));
      EXPECT_GT(plain[false], 0);
      EXPECT_GT(plain[true], 0);
      EXPECT_DOUBLE_EQ(in_8_bits[false] / plain[false], (1 + 4.0 / kRowWidth) / itemsize);
      // Rows that are counted have room for a group that is not full per rank.
      const double backward = in_8_bits[true] / plain[true] * itemsize;
      EXPECT_GE(backward, 1 + 4.0 / 128);
      EXPECT_LE(backward, (1 + 4.0 / 128) * 1.04);
    }
  }
}

// The volume that reports count. It contains choices and weights, which travel as before.
TEST(Float8TransfersPlanTest, CountedVolumeFallsToo) {
  for (const Dispatch& dispatch : kDispatches) {
    const auto volume = [&](bool in_8_bits) {
      const JobPlan job = sending(in_8_bits, dispatch.settings);
      return plan::count_communication(job.stages[0].train.expansion.plan)[graph::Lane::expert];
    };
    EXPECT_LT(volume(true), 0.3 * volume(false)) << dispatch.settings.back();
    EXPECT_GT(volume(true), 0.2 * volume(false)) << dispatch.settings.back();
  }
}

// A scale for a whole transfer changes values only: each row or channel has a copy of it.
TEST(Float8TransfersPlanTest, OneScaleForATransferChangesPackingOnly) {
  for (const auto& [dispatch, packs] : kDispatches) {
    SCOPED_TRACE(dispatch.back());
    std::vector<std::string> tensorwise = dispatch;
    tensorwise.emplace_back("moe.fp8_communication_recipe=tensorwise");
    const JobPlan blocks = sending(true, dispatch), whole = sending(true, tensorwise);
    EXPECT_EQ(sent(whole), sent(blocks));
    const auto ops = whole.stages[0].train.expansion.plan.ops(),
               finer = blocks.stages[0].train.expansion.plan.ops();
    ASSERT_EQ(ops.size(), finer.size());
    int packed = 0;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      EXPECT_EQ(ops[i].def, finer[i].def);
      const bool is_packing = ops[i].def == &graph::pack_float8_op();
      EXPECT_EQ(ops[i].attributes.integer(graph::attribute::one_scale, 0), is_packing)
          << ops[i].path;
      EXPECT_EQ(finer[i].attributes.integer(graph::attribute::one_scale, 0), 0) << finer[i].path;
      packed += is_packing;
    }
    EXPECT_EQ(packed, kLayers * packs) << "in every layer there and back, rows and gradients";
  }
}

// Sums are not left to the transfer, which could add in 8 bits only.
TEST(Float8TransfersPlanTest, PartialSumsAreAddedInFloat32) {
  const JobPlan job = sending(true, kDispatches[1].settings);
  int sums = 0;
  for (const plan::PlanOp& op : job.stages[0].train.expansion.plan.ops()) {
    if (op.def == &graph::sum_float8_op()) {
      ++sums;
      EXPECT_EQ(op.tensors[graph::sum_float8::output]->dtype, DType::float32);
    }
    if (op.def != &graph::reduce_scatter_op() || op.lane != graph::Lane::expert) continue;
    EXPECT_EQ(op.tensors[0]->shape[1].size, 2) << "only gradients of weights: " << op.path;
  }
  EXPECT_EQ(sums, kLayers * 2) << "in every layer one of rows and one of gradients";
}

// Without ranks that share experts nothing travels, and the plan is the same one.
TEST(Float8TransfersPlanTest, OneExpertRankHasNothingToPack) {
  const std::vector<std::string> alone{"parallel.expert_model_parallel_size=1"};
  EXPECT_EQ(sending(true, alone).stages[0].train.expansion.plan.digest(),
            sending(false, alone).stages[0].train.expansion.plan.digest());
}

// Sums of 4 tensor ranks: forward they are sent to the ranks that add them, backward their gradients are
// gathered. The rows that products multiply, and the gradients of these rows, travel as before.
TEST(Float8TransfersPlanTest, TensorRanksSendSumsIn8Bits) {
  const auto bytes = [](bool in_8_bits) {
    const JobPlan job = plan_job(parse_config(
        "", "test",
        std::vector<std::string>{
            "model.type=llama", "model.num_layers=2", "model.hidden_size=256",
            "model.num_attention_heads=4", "model.ffn_hidden_size=512", "model.seq_length=512",
            "parallel.world_size=4", "parallel.tensor_model_parallel_size=4",
            "train.global_batch_size=1", "train.threads_per_rank=1",
            std::string("parallel.fp8_reduce_scatter=") + (in_8_bits ? "true" : "false")}));
    EXPECT_EQ(violations({&job.train_verification, &job.evaluate_verification}), "");
    std::map<std::string, double> sent;
    for (const plan::PlanOp& op : job.stages[0].train.expansion.plan.ops()) {
      if (op.def->transfer == nullptr || op.scope != "layer1") continue;
      sent[op.path] += plan::expected_nbytes(op, *op.def->transfer_operands.given);
    }
    return sent;
  };
  const auto plain = bytes(false), in_8_bits = bytes(true);
  ASSERT_EQ(plain.size(), in_8_bits.size());
  int sums = 0;
  for (const auto& [path, nbytes] : plain) {
    const bool is_sum = path.find("reduce_scatter") != std::string::npos;
    sums += is_sum ? 1 : 0;
    // Scales: one for a row of 256 values, one for 128 rows of a channel.
    const double share = !is_sum ? 1 : path.ends_with("/grad") ? (128 + 4) / 512.0 : 260 / 1024.0;
    ASSERT_TRUE(in_8_bits.contains(path)) << path;
    EXPECT_NEAR(in_8_bits.at(path) / nbytes, share, 1e-6) << path;
  }
  EXPECT_EQ(sums, 4);
}

}  // namespace
}  // namespace megascale::job
