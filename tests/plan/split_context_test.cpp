// Products before and after attention are cut with their all_to_all, forward and backward, in the order
// in which pieces arrive and leave; which are cut depends on no other switch.
#include "megascale/plan/passes/split_context.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "megascale/config/load.h"
#include "megascale/model/gpt.h"
#include "megascale/plan/passes/hoist_transfers.h"
#include "megascale/plan/passes/order_layers.h"
#include "megascale/plan/passes/recompute.h"

namespace megascale::plan {
namespace {

using graph::Op;
using Paths = std::vector<std::string>;
using Kind = RecomputePolicy::Kind;

struct Choice {
  std::uint32_t ranks = 2, pieces = 2;
  bool overlap = true;
  RecomputePolicy recompute = {};
};
graph::Program whole_layer(const Choice& choice, const std::vector<std::string>& more = {}) {
  std::vector<std::string> settings{
      "model.type=llama",
      "model.num_layers=2",
      "model.hidden_size=32",
      "model.num_attention_heads=4",
      "model.ffn_hidden_size=48",
      "model.seq_length=24",
      "parallel.context_parallel_size=" + std::to_string(choice.ranks)};
  settings.insert(settings.end(), more.begin(), more.end());
  graph::AxisSizes axes;
  axes[graph::Axis::context] = choice.ranks;
  graph::Program program = model::build_gpt(parse_config("", "test", settings), {.axes = axes});
  recompute(program, choice.recompute);
  hoist_transfers(program);
  return program;
}
graph::Program layer(const Choice& choice, const std::vector<std::string>& more = {}) {
  graph::Program program = whole_layer(choice, more);
  split_context(program,
                {.ranks = choice.ranks, .pieces = choice.pieces, .overlap = choice.overlap});
  return program;
}

// The paths of the ops of layer 1 that begin with one of these.
Paths paths_of(const std::vector<Op>& ops, const Paths& prefixes) {
  Paths found;
  for (const Op& op : ops) {
    if (op.scope == "layer1" && op.phase != graph::Phase::recompute &&
        std::any_of(prefixes.begin(), prefixes.end(),
                    [&](const std::string& prefix) { return op.path.rfind(prefix, 0) == 0; }))
      found.push_back(op.path);
  }
  return found;
}

TEST(SplitContextTest, APieceLeavesBeforeTheNextIsMultipliedAndIsMultipliedAsItArrives) {
  const graph::Program program = layer({});
  EXPECT_EQ(
      paths_of(program.forward, {"attention/qkv", "attention/rope"}),
      (Paths{"attention/qkv/piece0", "attention/rope/piece0", "attention/qkv/split_heads/piece0",
             "attention/qkv/all_to_all/peer1/piece0", "attention/qkv/all_to_all/own/piece0",
             "attention/qkv/piece1", "attention/rope/piece1", "attention/qkv/split_heads/piece1",
             "attention/qkv/all_to_all/peer1/piece1", "attention/qkv/all_to_all/own/piece1"}));
  EXPECT_EQ(
      paths_of(program.forward, {"attention/core/all", "attention/core/join", "attention/output"}),
      (Paths{"attention/core/all_to_all/peer1/piece0", "attention/core/all_to_all/own/piece0",
             "attention/core/all_to_all/peer1/piece1", "attention/core/all_to_all/own/piece1",
             "attention/core/join_heads/piece0", "attention/output/piece0",
             "attention/core/join_heads/piece1", "attention/output/piece1"}));
  // The gradients mirror it; the weight gradients need all rows and come last.
  EXPECT_EQ(
      paths_of(program.backward, {"attention/output", "attention/core/join_heads/grad",
                                  "attention/core/all_to_all/grad"}),
      (Paths{"attention/output/dgrad/piece0", "attention/core/join_heads/grad/piece0",
             "attention/core/all_to_all/grad/peer1/piece0",
             "attention/core/all_to_all/grad/own/piece0", "attention/output/dgrad/piece1",
             "attention/core/join_heads/grad/piece1", "attention/core/all_to_all/grad/peer1/piece1",
             "attention/core/all_to_all/grad/own/piece1", "attention/output/wgrad"}));
  EXPECT_EQ(
      paths_of(program.backward, {"attention/qkv/d", "attention/qkv/w", "attention/rope/grad",
                                  "attention/qkv/split_heads/grad"}),
      (Paths{"attention/qkv/split_heads/grad/piece0", "attention/rope/grad/piece0",
             "attention/qkv/dgrad/piece0", "attention/qkv/split_heads/grad/piece1",
             "attention/rope/grad/piece1", "attention/qkv/dgrad/piece1", "attention/qkv/wgrad"}));
}

// Heads of latent attention are put together from three products. Pieces run beside that of the queries.
const std::vector<std::string> kLatent{"model.type=deepseek_v3", "model.q_lora_rank=8",
                                       "model.kv_lora_rank=12",  "model.qk_head_dim=6",
                                       "model.v_head_dim=4",     "model.qk_pos_emb_head_dim=2"};
const Paths kLatentPaths{"attention/query/d",    "attention/key_value", "attention/key_rope",
                         "attention/heads/grad", "attention/qkv/all",   "attention/qkv/split"};

TEST(SplitContextTest, QueriesOfLatentAttentionAreCutWithTheirExchange) {
  const graph::Program program = layer({}, kLatent);
  EXPECT_EQ(paths_of(program.forward, {"attention/query", "attention/key_value", "attention/heads",
                                       "attention/qkv/all_to_all/own"}),
            (Paths{"attention/key_value", "attention/query_latent", "attention/query_latent_norm",
                   "attention/query/piece0", "attention/heads/piece0",
                   "attention/qkv/all_to_all/own/piece0", "attention/query/piece1",
                   "attention/heads/piece1", "attention/qkv/all_to_all/own/piece1"}));
  const Paths backward = paths_of(program.backward, kLatentPaths);
  EXPECT_EQ(Paths(backward.begin() + 4, backward.end()),
            (Paths{"attention/qkv/split_heads/grad/piece0", "attention/heads/grad/piece0",
                   "attention/query/dgrad/piece0", "attention/qkv/split_heads/grad/piece1",
                   "attention/heads/grad/piece1", "attention/query/dgrad/piece1",
                   "attention/key_rope/dgrad", "attention/key_rope/wgrad",
                   "attention/key_value/dgrad", "attention/key_value/wgrad"}));
}

// Goal: an op that has several results stays before all of their readers. Method: a product that reads another
// result comes before the one that is cut.
TEST(SplitContextTest, AProductBehindAReaderOfAnotherResultKeepsItsTransferWhole) {
  graph::Program program = whole_layer({}, kLatent);
  const auto find = [&](const char* path) {
    return std::find_if(program.backward.begin(), program.backward.end(),
                        [&](const Op& op) { return op.scope == "layer1" && op.path == path; });
  };
  const auto query = find("attention/query/dgrad"), reader = find("attention/key_rope/dgrad");
  ASSERT_LT(query - program.backward.begin(), reader - program.backward.begin());
  std::rotate(query, reader, reader + 1);
  split_context(program, {.ranks = 2, .pieces = 2, .overlap = true});
  EXPECT_EQ(
      paths_of(program.backward, {"attention/qkv/all", "attention/heads/grad",
                                  "attention/key_rope/d", "attention/query/d"}),
      (Paths{"attention/qkv/all_to_all/grad", "attention/heads/grad", "attention/key_rope/dgrad",
             "attention/query/dgrad/piece0", "attention/query/dgrad/piece1"}));
}

// In every step of an exchange each rank receives from one rank and sends to one, each pair once.
TEST(SplitContextTest, RanksSendToDifferentRanksAtOneTime) {
  const graph::Program program = layer({.ranks = 4, .pieces = 1});
  EXPECT_EQ(
      paths_of(program.forward, {"attention/qkv/all_to_all"}),
      (Paths{"attention/qkv/all_to_all/peer1/piece0", "attention/qkv/all_to_all/peer2/piece0",
             "attention/qkv/all_to_all/peer3/piece0", "attention/qkv/all_to_all/own/piece0"}));
}

Paths cut_products(const graph::Program& program) {
  Paths paths;
  for (const std::vector<Op>* ops : {&program.forward, &program.backward}) {
    for (const Op& op : *ops) {
      if (op.def->row_product && op.path.find("/piece") != std::string::npos)
        paths.push_back(op.scope + "/" + op.path +
                        (op.phase == graph::Phase::recompute ? ":" : ""));
    }
  }
  return paths;
}

TEST(SplitContextTest, WithoutOverlapTheSameProductsAreCutAndTransfersStayWhole) {
  const graph::Program whole = layer({.overlap = false});
  EXPECT_EQ(cut_products(whole), cut_products(layer({})));
  EXPECT_EQ(cut_products(whole).size(), 2U * 2 * 2 * 2)
      << "2 layers, 2 products, both ways, 2 pieces";
  EXPECT_EQ(paths_of(whole.forward, {"attention/qkv/all", "attention/core/all"}),
            (Paths{"attention/qkv/all_to_all", "attention/core/all_to_all"}));
}

// Or a product would have other bits when it is computed again.
TEST(SplitContextTest, RecomputationRepeatsPieces) {
  const auto repeated = [](const RecomputePolicy& policy) {
    Paths paths = cut_products(layer({.recompute = policy}));
    std::erase_if(paths, [](const std::string& path) { return path.back() != ':'; });
    return paths;
  };
  const Paths both{"layer1/attention/qkv/piece0:", "layer1/attention/qkv/piece1:",
                   "layer1/attention/output/piece0:", "layer1/attention/output/piece1:"};
  Paths full = repeated({.kind = Kind::full});
  std::erase_if(full, [](const std::string& path) { return path[5] == '0'; });
  EXPECT_EQ(full, both);
  // The exchange is not repeated, but the product is.
  Paths listed =
      repeated({.kind = Kind::list, .ops = {"linear", "add"}, .keep_gathered_input = true});
  std::erase_if(listed, [](const std::string& path) {
    return path.find("layer1/attention/output") == std::string::npos;
  });
  EXPECT_EQ(listed, (Paths{both[2], both[3]}));
}

// The norm of heads is cut before the exchange. Its gradient adds over rows and is not.
TEST(SplitContextTest, NormsOfHeadsAreCutInTheForward) {
  const graph::Program program = layer({}, {"model.qk_layernorm=true"});
  EXPECT_EQ(paths_of(program.forward, {"attention/head_norm"}),
            (Paths{"attention/head_norm/piece0", "attention/head_norm/piece1"}));
  EXPECT_EQ(paths_of(program.backward, {"attention/head_norm", "attention/qkv/dgrad"}),
            (Paths{"attention/head_norm/grad", "attention/qkv/dgrad"}));
}

TEST(SplitContextTest, ZeroPiecesChangeNothing) {
  for (const Choice& choice : {Choice{.pieces = 0}, Choice{.ranks = 1}}) {
    const graph::Program program = layer(choice);
    EXPECT_TRUE(cut_products(program).empty());
  }
}

}  // namespace
}  // namespace megascale::plan
