// The order of the ops of layers with experts: what MegaScale-MoE prints of its schedule (arXiv
// 2505.11432, fig. 8), and that no op is lost or comes before what it reads.
#include "megascale/plan/passes/order_layers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "megascale/config/load.h"
#include "megascale/model/gpt.h"
#include "megascale/plan/passes/float8_products.h"
#include "megascale/plan/passes/float8_transfers.h"
#include "megascale/plan/passes/hoist_transfers.h"
#include "megascale/plan/passes/recompute.h"

namespace megascale::plan {
namespace {

using graph::Op;
using Kind = RecomputePolicy::Kind;

// Layers of the paper's model of 352 billion parameters, on the 8 ranks of a host.
graph::Program layers(std::uint32_t ranks, Kind kind, bool in_order,
                      const std::vector<std::string>& more = {}) {
  std::vector<std::string> settings{"model.type=mixtral",
                                    "model.num_layers=2",
                                    "model.hidden_size=4096",
                                    "model.num_attention_heads=32",
                                    "model.num_query_groups=8",
                                    "model.ffn_hidden_size=14336",
                                    "model.seq_length=8192",
                                    "model.dtype=bfloat16",
                                    "moe.num_experts=32",
                                    "moe.router_topk=3",
                                    "moe.aux_loss_coeff=0.01",
                                    "parallel.world_size=" + std::to_string(ranks),
                                    "train.global_batch_size=8",
                                    "parallel.context_parallel_size=" + std::to_string(ranks),
                                    "parallel.expert_model_parallel_size=" + std::to_string(ranks)};
  settings.insert(settings.end(), more.begin(), more.end());
  const Config config = parse_config("", "test", settings);
  graph::AxisSizes axes;
  axes[graph::Axis::context] = axes[graph::Axis::expert] = ranks;
  graph::Program program = model::build_gpt(config, {.axes = axes});
  if (config.model.fp8 == Fp8Format::e4m3) float8_products(program, {});
  recompute(program, {.kind = kind});
  hoist_transfers(program);
  float8_transfers(program);
  if (in_order) order_layers(program);
  return program;
}

// The place of an op of layer 1 in the backward, by path; recomputed ops end in ":again".
std::map<std::string, std::size_t> places(const std::vector<Op>& ops) {
  std::map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].scope != "layer1") continue;
    place[ops[i].path + (ops[i].phase == graph::Phase::recompute ? ":again" : "")] = i;
  }
  return place;
}

TEST(OrderLayersTest, RecomputationAndWeightGradientsRunDuringTransfers) {
  const graph::Program program = layers(8, Kind::selective_moe, true);
  const auto place = places(program.backward);
  const auto at = [&](const std::string& path) {
    const auto found = place.find(path);
    EXPECT_NE(found, place.end()) << path;
    return found == place.end() ? 0 : found->second;
  };
  const auto expect_order = [&](const std::vector<std::string>& paths) {
    for (std::size_t i = 1; i < paths.size(); ++i)
      EXPECT_LT(at(paths[i - 1]), at(paths[i])) << paths[i - 1] << " before " << paths[i];
  };
  // Fig. 8b: while gradients come to the experts, the norm and SwiGLU are computed again; while the
  // rows come again, the gradient of the last product is computed.
  expect_order({"mlp/combine/grad", "mlp/norm:again", "mlp/experts/down/dgrad"});
  expect_order({"mlp/combine/grad", "mlp/experts/swiglu:again", "mlp/experts/down/dgrad"});
  expect_order({"mlp/norm:again", "mlp/gather:again", "mlp/dispatch:again",
                "mlp/experts/down/dgrad", "mlp/experts/gate_up/dgrad"});
  // While the gradients of rows return, weight gradients are computed.
  expect_order({"mlp/dispatch/grad", "mlp/experts/down/wgrad", "mlp/norm/grad"});
  expect_order({"mlp/dispatch/grad", "mlp/experts/gate_up/wgrad"});
  // While the gradient of attention's output goes to the heads, that of the output's weight, for
  // which attention's output was sent again before.
  expect_order(
      {"attention/core/all_to_all:again", "attention/core/all_to_all/grad", "attention/core/grad"});
}

TEST(OrderLayersTest, TheSharedExpertRunsDuringDispatch) {
  const graph::Program program =
      layers(8, Kind::none, true, {"moe.shared_expert_intermediate_size=14336"});
  const auto place = places(program.forward);
  EXPECT_LT(place.at("mlp/dispatch"), place.at("mlp/shared_expert/gate_up"));
  EXPECT_LT(place.at("mlp/shared_expert/gate_up"), place.at("mlp/experts/gate_up"));
}

// Rows and operands of products in 8 bits are packed, unpacked and rounded in the order of their
// pieces.
struct Precision {
  const char *name, *dtype, *in_8_bits;
};
void PrintTo(const Precision& tested, std::ostream* stream) { *stream << tested.name; }
const Precision kPlain{"plain", "model.dtype=bfloat16", "moe.fp8_communication=false"},
    kRows{"rows_in_8_bits", "model.dtype=bfloat16", "moe.fp8_communication=true"},
    kProducts{"products_in_8_bits", "model.dtype=float32", "model.fp8=e4m3"};
class OrderLayersOfPiecesTest : public ::testing::TestWithParam<Precision> {};
INSTANTIATE_TEST_SUITE_P(Precisions, OrderLayersOfPiecesTest,
                         ::testing::Values(kPlain, kRows, kProducts),
                         [](const auto& tested) { return std::string(tested.param.name); });

// MegaScale-MoE, section 6.3: a rank begins with the rows of its own tokens while those of the next rank
// arrive, and computes its own sums while those for other ranks are on their way.
TEST_P(OrderLayersOfPiecesTest, PiecesOfExpertsRunDuringEachOthersTransfers) {
  const graph::Program program =
      layers(4, Kind::selective_moe, true,
             {"moe.token_dispatcher_type=allgather", "overlap.expert_pieces=4", GetParam().dtype,
              GetParam().in_8_bits});
  const auto forward = places(program.forward), backward = places(program.backward);
  EXPECT_LT(forward.at("mlp/dispatch/peer1"), forward.at("mlp/experts/gate_up/own"));
  const auto expect_order = [](const std::map<std::string, std::size_t>& place,
                               const std::vector<std::string>& paths) {
    for (std::size_t i = 1; i < paths.size(); ++i)
      EXPECT_LT(place.at(paths[i - 1]), place.at(paths[i]))
          << paths[i - 1] << " before " << paths[i];
  };
  expect_order(forward, {"mlp/dispatch_choices/peer1", "mlp/dispatch/peer1",
                         "mlp/dispatch_choices/peer2", "mlp/dispatch/peer2"});
  expect_order(forward,
               {"mlp/dispatch/peer1", "mlp/experts/gate_up/own", "mlp/experts/gate_up/piece1",
                "mlp/combine/peer1", "mlp/experts/gate_up/piece2", "mlp/combine/peer2",
                "mlp/experts/gate_up/piece3", "mlp/combine/peer3", "mlp/experts/down/own",
                "mlp/combine/sum/peer1"});
  // Gradients arrive in the order in which they are used.
  expect_order(
      backward,
      {"mlp/combine/peer3/grad", "mlp/combine/peer2/grad", "mlp/combine/peer1/grad",
       "mlp/experts/down/own/dgrad", "mlp/experts/down/piece3/dgrad", "mlp/dispatch/peer3/grad",
       "mlp/experts/down/piece2/dgrad", "mlp/dispatch/peer2/grad", "mlp/experts/down/piece1/dgrad",
       "mlp/dispatch/peer1/grad", "mlp/experts/gate_up/own/dgrad", "mlp/norm/grad"});
}

// The same for rows that are sent, in pieces of some experts of every rank.
TEST_P(OrderLayersOfPiecesTest, PiecesOfRowsRunDuringEachOthersTransfers) {
  const graph::Program program =
      layers(8, Kind::selective_moe, true,
             {"moe.token_dispatcher_type=alltoall", "overlap.expert_pieces=4",
              "moe.shared_expert_intermediate_size=14336", GetParam().dtype, GetParam().in_8_bits});
  const auto forward = places(program.forward), backward = places(program.backward);
  const auto expect_order = [](const std::map<std::string, std::size_t>& place,
                               const std::vector<std::string>& paths) {
    for (std::size_t i = 1; i < paths.size(); ++i)
      EXPECT_LT(place.at(paths[i - 1]), place.at(paths[i]))
          << paths[i - 1] << " before " << paths[i];
  };
  expect_order(forward,
               {"mlp/dispatch/piece0", "mlp/dispatch/piece1", "mlp/dispatch/piece2",
                "mlp/dispatch/piece3", "mlp/experts/gate_up/piece0", "mlp/experts/down/piece0",
                "mlp/combine/piece0", "mlp/experts/gate_up/piece1", "mlp/combine/piece1",
                "mlp/experts/gate_up/piece2", "mlp/combine/piece2", "mlp/experts/down/piece3",
                "mlp/combine/piece3", "mlp/sum_rows/piece3"});
  expect_order(forward, {"mlp/combine/piece3", "mlp/shared_expert/down"});
  // Gradients arrive in the order in which they are used, and return while the next ones are.
  expect_order(backward,
               {"mlp/combine/piece3/grad", "mlp/combine/piece2/grad", "mlp/combine/piece1/grad",
                "mlp/combine/piece0/grad", "mlp/experts/down/piece3/dgrad",
                "mlp/experts/gate_up/piece3/dgrad", "mlp/dispatch/piece3/grad",
                "mlp/experts/down/piece2/dgrad", "mlp/dispatch/piece2/grad",
                "mlp/experts/down/piece1/dgrad", "mlp/dispatch/piece1/grad",
                "mlp/experts/gate_up/piece0/dgrad", "mlp/dispatch/piece0/grad", "mlp/norm/grad"});
}

// Returns the ops as text, with their operands, in no order.
std::vector<std::string> contents(const std::vector<Op>& ops) {
  std::vector<std::string> all;
  for (const Op& op : ops) {
    std::string text = op.scope + "/" + op.path;
    for (const graph::TensorId operand : op.operands)
      text += " " + std::to_string(graph::index(operand));
    all.push_back(std::move(text));
  }
  std::sort(all.begin(), all.end());
  return all;
}

TEST(OrderLayersTest, KeepsAllOpsAndReadsNothingBeforeItIsWritten) {
  for (const Kind kind : {Kind::none, Kind::selective, Kind::selective_moe, Kind::full}) {
    const graph::Program before = layers(4, kind, false), after = layers(4, kind, true);
    EXPECT_EQ(contents(after.forward), contents(before.forward));
    EXPECT_EQ(contents(after.backward), contents(before.backward));
    std::vector<bool> written(after.tensors.size(), false);
    std::vector<Op> all = after.forward;
    all.insert(all.end(), after.backward.begin(), after.backward.end());
    for (const Op& op : all) {
      for (std::size_t o = 0; o < op.operands.size(); ++o) {
        if (op.operands[o] == graph::kNoTensor) continue;
        const graph::Tensor& tensor = after.tensor(op.operands[o]);
        if (op.def->operands[o].access != graph::Access::read) {
          written[graph::index(op.operands[o])] = true;
        } else if (tensor.role == graph::Role::activation) {
          EXPECT_TRUE(written[graph::index(op.operands[o])]) << op.path << " reads " << tensor.name;
        }
      }
    }
  }
}

// Layers without experts keep the order that other passes gave them.
TEST(OrderLayersTest, LeavesDenseLayersAlone) {
  const std::vector<std::string> dense{"moe.num_experts=0",
                                       "parallel.expert_model_parallel_size=1"};
  const auto paths = [&](bool in_order) {
    std::vector<std::string> result;
    for (const Op& op : layers(4, Kind::full, in_order, dense).backward) result.push_back(op.path);
    return result;
  };
  EXPECT_EQ(paths(true), paths(false));
}

}  // namespace
}  // namespace megascale::plan
