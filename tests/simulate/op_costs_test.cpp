// Costs counted by hand on a cluster of round numbers.
#include "megascale/simulate/op_costs.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "megascale/config/load.h"
#include "megascale/graph/ops/quantised_ops.h"
#include "megascale/job/job_plan.h"
#include "megascale/simulate/compute_costs.h"
#include "megascale/simulate/product_tiles.h"
#include "megascale/simulate/transfer_costs.h"
#include "simulate/jobs.h"
#include "support/plan_writer.h"

namespace megascale::testing {
namespace {

simulate::Cluster round_numbers() {
  simulate::Cluster cluster;
  cluster.devices_per_node = 2;
  cluster.device = {.bfloat16_tflops = 100,
                    .float32_tflops = 1,
                    .memory_gib = 1,
                    .memory_gb_per_s = 1000,
                    .launch_us = 0,
                    .multiprocessors = 4,
                    .gemm_efficiency = 0.5,
                    .memory_efficiency = {{{1, 0.5}}},
                    .attention_efficiency = 0.25};
  cluster.node = {.gb_per_s = 100,
                  .efficiency = {{{1, 0.5}}},
                  .protocols = {{.base_us = 1, .hop_us = 2}},
                  .processor_share = 0.1};
  cluster.network = {.gb_per_s = 10,
                     .efficiency = {{{1, 1}}},
                     .protocols = {{.base_us = 3, .hop_us = 5}},
                     .processor_share = 0};
  cluster.spread_efficiency = {{{1, 1}}};
  return cluster;
}

// The cost of one transfer of `nbytes` on rank 0 of a group.
simulate::OpCost transfer(const graph::OpDef& def, const std::vector<std::uint32_t>& members,
                          std::uint64_t nbytes,
                          const simulate::Cluster& cluster = round_numbers()) {
  std::vector<plan::RankPlan> ranks;
  for (const std::uint32_t rank : members) {
    PlanWriter w;
    const auto buffer = w.buffer("b", nbytes);
    const auto group = w.communicator("group", members, Lane::data);
    std::vector<plan::Operand> operands{w.whole(buffer, Access::accumulate)};
    if (&def == &graph::shift_op() || &def == &graph::all_to_all_op())
      operands = {w.whole(buffer, Access::read), w.whole(w.buffer("from", nbytes), Access::write)};
    w.transfer(def, "transfer", group, std::move(operands), {});
    ranks.push_back(w.rank_plan(rank));
  }
  const plan::Verification verification = plan::verify(std::move(ranks));
  EXPECT_TRUE(verification.ok());
  return simulate::costs_on(cluster)(verification.plans[0])->at(0);
}

TEST(OpCostsTest, ARingInsideANode) {
  const auto cost = transfer(graph::all_reduce_op(), {0, 1}, 50'000'000);
  EXPECT_DOUBLE_EQ(cost.seconds, 1e-3);  // 2 x 1/2 of 50 MB at 50 GB/s
  EXPECT_DOUBLE_EQ(cost.latency_seconds, 5e-6);
  EXPECT_EQ(cost.links, bit(simulate::Link::node_out) | bit(simulate::Link::node_in));
  EXPECT_DOUBLE_EQ(cost.processor_share, 0.1);
}

// The cost of an all_gather in a fused pair, on rank 0 of a group.
simulate::OpCost paired(const std::vector<std::uint32_t>& members,
                        const simulate::Cluster& cluster) {
  plan::PlanOp op{.def = &graph::all_gather_op(), .pair = 1};
  const auto size = static_cast<std::uint64_t>(members.size());
  op.operands = {{.buffer = plan::BufferId{0}, .nbytes = 50'000'000 / size},
                 {.buffer = plan::BufferId{1}, .nbytes = 50'000'000}};
  const plan::Binding binding{.communicators = {{.key = "group", .members = members}}};
  return simulate::transfer_cost(op, simulate::spreads_of(binding, cluster)[0], cluster);
}

TEST(OpCostsTest, ATransferOfAFusedPairTakesTheMultiprocessorsOfItsKernel) {
  simulate::Cluster cluster = round_numbers();
  const auto without = paired({0, 1}, cluster);
  EXPECT_FALSE(without.is_fused);
  EXPECT_DOUBLE_EQ(without.processor_share, 0.1);
  cluster.fused.multiprocessors = {{"all_gather", 1}};
  const auto fused = paired({0, 1}, cluster);
  EXPECT_TRUE(fused.is_fused);
  EXPECT_DOUBLE_EQ(fused.processor_share, 0.25);  // 1 of 4
  EXPECT_DOUBLE_EQ(fused.tiles, 2);
  EXPECT_DOUBLE_EQ(fused.seconds, without.seconds);
  EXPECT_FALSE(paired({0, 2}, cluster).is_fused) << "ranks of two nodes share no memory";
  cluster.fused.multiprocessors = {{"all_to_all", 1}};
  EXPECT_FALSE(paired({0, 1}, cluster).is_fused) << "a kind without such kernels";
  cluster.fused.multiprocessors = {{"all_gather", 1}};
  cluster.host.processors = 2;
  EXPECT_FALSE(paired({0, 1}, cluster).is_fused) << "processors of a host have no such kernels";
}

TEST(OpCostsTest, ARingOverNodesGoesThroughThePortsThatItHasThere) {
  // One rank a node: 10 GB/s.
  const auto single = transfer(graph::all_reduce_op(), {0, 2, 4, 6}, 40'000'000);
  EXPECT_DOUBLE_EQ(single.seconds, 6e-3);  // 2 x 3/4 of 40 MB
  EXPECT_DOUBLE_EQ(single.latency_seconds, (3 + 6 * 5) * 1e-6);
  EXPECT_EQ(single.links, bit(simulate::Link::network_out) | bit(simulate::Link::network_in));
  // Two a node: 20 GB/s.
  const auto both = transfer(graph::all_reduce_op(), {0, 1, 2, 3}, 40'000'000);
  EXPECT_DOUBLE_EQ(both.seconds, 3e-3);
}

TEST(OpCostsTest, AFewBytesGoThroughATree) {
  // Twice two steps for four nodes; a ring has six.
  EXPECT_DOUBLE_EQ(transfer(graph::all_reduce_op(), {0, 2, 4, 6}, 8).latency_seconds, 23e-6);
  EXPECT_DOUBLE_EQ(transfer(graph::broadcast_op(), {0, 2, 4, 6}, 8).latency_seconds, 18e-6);
}

TEST(OpCostsTest, TheProtocolIsTheOneThatIsDoneFirst) {
  simulate::Cluster cluster = round_numbers();
  cluster.node.protocols.push_back({.base_us = 0.5, .hop_us = 0.5, .rate_share = 0.1});
  EXPECT_DOUBLE_EQ(transfer(graph::broadcast_op(), {0, 1}, 8, cluster).latency_seconds, 1e-6);
  const auto large = transfer(graph::broadcast_op(), {0, 1}, 100'000'000, cluster);
  EXPECT_DOUBLE_EQ(large.latency_seconds, 3e-6);
  EXPECT_DOUBLE_EQ(large.seconds, 2e-3);
}

// Every member fetches what it needs by a thread of its own.
TEST(OpCostsTest, MeasuredTransfersCostTheBytesThatAMemberFetches) {
  simulate::Cluster cluster = round_numbers();
  cluster.transfers.base_us = 20;
  cluster.transfers.gb_per_s["all_reduce"] = {{{1e6, 2}, {100e6, 4}}};
  const auto cost = transfer(graph::all_reduce_op(), {0, 1}, 4'000'000, cluster);
  // Sums a half of two members (4 MB read, 2 written), copies the other (2 and 2): 10 MB at 3 GB/s.
  EXPECT_DOUBLE_EQ(cost.seconds, 10e6 / 3e9);
  EXPECT_DOUBLE_EQ(cost.latency_seconds, 20e-6);
  EXPECT_EQ(cost.links, bit(simulate::Link::node_out) | bit(simulate::Link::node_in));
  EXPECT_EQ(cost.processor_share, 1);
  // Constant outside of what was measured.
  EXPECT_DOUBLE_EQ(transfer(graph::all_reduce_op(), {0, 1}, 80'000'000, cluster).seconds,
                   200e6 / 4e9);
  // Other kinds, and other nodes, are as they were.
  EXPECT_EQ(transfer(graph::broadcast_op(), {0, 1}, 4'000'000, cluster).processor_share, 0.1);
  EXPECT_EQ(transfer(graph::all_reduce_op(), {0, 2}, 4'000'000, cluster).processor_share, 0);
}

TEST(OpCostsTest, CollectivesOverManyNodesGetLessOfTheNetwork) {
  simulate::Cluster cluster = round_numbers();
  cluster.spread_efficiency = {{{2, 1}, {4, 0.5}}};
  const auto seconds = [&](const graph::OpDef& def, const std::vector<std::uint32_t>& members) {
    return transfer(def, members, 40'000'000, cluster).seconds;
  };
  EXPECT_DOUBLE_EQ(seconds(graph::broadcast_op(), {0, 2}), 4e-3);
  EXPECT_DOUBLE_EQ(seconds(graph::broadcast_op(), {0, 2, 4, 6}), 8e-3);
}

TEST(OpCostsTest, OneRankOnEachNodeHasTheShareOfItsRail) {
  simulate::Cluster cluster = round_numbers();
  cluster.rail_efficiency = {{{1, 0.25}}};
  const auto seconds = [&](const std::vector<std::uint32_t>& members) {
    return transfer(graph::broadcast_op(), members, 40'000'000, cluster).seconds;
  };
  EXPECT_DOUBLE_EQ(seconds({0, 2}), 16e-3);
  EXPECT_DOUBLE_EQ(seconds({0, 1, 2, 3}), 2e-3);  // two ports a node
}

// Pairs of nodes under a switch, fours under the next: what crosses pays for the highest one.
TEST(OpCostsTest, WhatLeavesASwitchPaysForIt) {
  simulate::Cluster cluster = round_numbers();
  cluster.tiers = {{.nodes = 2, .hop_us = 1, .rate_share = 0.5},
                   {.nodes = 4, .hop_us = 10, .rate_share = 0.25}};
  const auto broadcast = [&](const std::vector<std::uint32_t>& members) {
    return transfer(graph::broadcast_op(), members, 40'000'000, cluster);
  };
  EXPECT_DOUBLE_EQ(broadcast({0, 2}).seconds, 4e-3);  // nodes 0 and 1
  EXPECT_DOUBLE_EQ(broadcast({0, 2}).latency_seconds, 8e-6);
  EXPECT_DOUBLE_EQ(broadcast({2, 4}).seconds, 8e-3);  // nodes 1 and 2
  EXPECT_DOUBLE_EQ(broadcast({2, 4}).latency_seconds, 9e-6);
  EXPECT_DOUBLE_EQ(broadcast({6, 8}).seconds, 16e-3);  // nodes 3 and 4
  EXPECT_DOUBLE_EQ(broadcast({6, 8}).latency_seconds, 18e-6);
  // Nodes 0 to 4: of four steps one leaves a pair and one leaves a four.
  EXPECT_DOUBLE_EQ(broadcast({0, 2, 4, 6, 8}).latency_seconds, (3 + 4 * 5 + 1 + 10) * 1e-6);
}

// Every rank sends to one other: through its own port, whatever else the group has on its node.
TEST(OpCostsTest, PointToPointHasAShareOfItsOwn) {
  simulate::Cluster cluster = round_numbers();
  cluster.spread_efficiency = cluster.rail_efficiency = {{{1, 0.1}}};
  const auto shift = [&](const std::vector<std::uint32_t>& members) {
    return transfer(graph::shift_op(), members, 50'000'000, cluster);
  };
  EXPECT_DOUBLE_EQ(shift({0, 1}).seconds, 1e-3);
  EXPECT_DOUBLE_EQ(shift({0, 1, 2, 3}).seconds, 5e-3);
  cluster.node.point_to_point_efficiency = {{{1, 0.8}}};
  cluster.network.point_to_point_efficiency = {{{1, 0.5}}};
  EXPECT_DOUBLE_EQ(shift({0, 1}).seconds, 0.625e-3);
  EXPECT_DOUBLE_EQ(shift({0, 1, 2, 3}).seconds, 10e-3);
  // Copy engines, which computation does not need.
  EXPECT_EQ(shift({0, 1}).processor_share, 0);
  EXPECT_DOUBLE_EQ(transfer(graph::all_reduce_op(), {0, 1}, 50'000'000, cluster).seconds, 1e-3);
}

// A device that sends to all others at once reaches less of its links.
TEST(OpCostsTest, AllToAllHasAShareOfItsOwn) {
  simulate::Cluster cluster = round_numbers();
  const double before = transfer(graph::all_to_all_op(), {0, 1}, 50'000'000, cluster).seconds;
  const double reduced = transfer(graph::all_reduce_op(), {0, 1}, 50'000'000, cluster).seconds;
  const double reached = cluster.node.efficiency.at(50e6);
  cluster.node.all_to_all_efficiency = {{{1, reached / 2}}};
  EXPECT_DOUBLE_EQ(transfer(graph::all_to_all_op(), {0, 1}, 50'000'000, cluster).seconds,
                   2 * before);
  EXPECT_DOUBLE_EQ(transfer(graph::all_reduce_op(), {0, 1}, 50'000'000, cluster).seconds, reduced);
}

// The plan's one product: 1 kB and `flops`; its result's shape, or none.
double product_seconds(double flops, const graph::Shape& result = {},
                       const simulate::Cluster& cluster = round_numbers(), bool is_product = true) {
  PlanWriter w;
  const auto buffer = w.buffer("b", 1000);
  w.work(Lane::compute, "product", {w.whole(buffer, Access::write)}, {},
         [](const TaskArguments&) -> const Error* { return nullptr; });
  static const graph::OpDef product{
      .name = "product", .operands = {{"out", Access::write}}, .gemm = true};
  static const graph::OpDef other{.name = "other", .operands = {{"out", Access::write}}};
  w.tables.ops[0].def = is_product ? &product : &other;
  w.tables.ops[0].cost.flops = flops;
  w.tables.ops[0].tensors.assign(1, std::nullopt);
  if (!result.empty()) w.tables.ops[0].tensors[0] = graph::Tensor{.name = "out", .shape = result};
  const plan::Verification verification = plan::verify({w.rank_plan(0)});
  EXPECT_TRUE(verification.ok());
  return simulate::costs_on(cluster)(verification.plans[0])->at(0).seconds;
}

TEST(OpCostsTest, AMeasuredKindCostsItsWorkOverItsRate) {
  simulate::Cluster cluster = round_numbers();
  cluster.device.launch_us = 1;
  cluster.kernels.gb_per_s["product"] = {{{1, 2}}};
  EXPECT_DOUBLE_EQ(product_seconds(1e6, {}, cluster), 1e-6 + 0.5e-6);  // 1 kB at 2 GB/s
  cluster.kernels.gflop_per_s["product"] = {{{1e6, 10}, {1e8, 30}}};
  EXPECT_DOUBLE_EQ(product_seconds(1e6, {}, cluster), 1e-6 + 1e-4);
  EXPECT_DOUBLE_EQ(product_seconds(1e7, {}, cluster), 1e-6 + 1e7 / 20e9);
  EXPECT_DOUBLE_EQ(product_seconds(1e10, {}, cluster), 1e-6 + 1e10 / 30e9);
  EXPECT_DOUBLE_EQ(product_seconds(0, {}, cluster), 1e-6 + 0.5e-6) << "it has no FLOPs";
}

TEST(OpCostsTest, OpsThatAreNoProductsMayHaveAShareOfTheirOwn) {
  simulate::Cluster cluster = round_numbers();
  const double product = product_seconds(0, {}, cluster),
               before = product_seconds(0, {}, cluster, false);
  cluster.device.elementwise_efficiency = {{{1, 0.125}}};  // a quarter of memory_efficiency
  EXPECT_DOUBLE_EQ(product_seconds(0, {}, cluster, false), 4 * before);
  EXPECT_DOUBLE_EQ(product_seconds(0, {}, cluster), product);
}

// Eight experts with 64 rows each fill half of a tile each, on four multiprocessors in two rounds.
TEST(OpCostsTest, EachExpertHasTilesOfItsOwn) {
  EXPECT_DOUBLE_EQ(simulate::tile_factor(512, 128, 4), 1);
  EXPECT_DOUBLE_EQ(simulate::tile_factor(64, 128, 4, 8), 2);
  EXPECT_DOUBLE_EQ(simulate::tile_rounds(512, 128, 4), 1);
  EXPECT_DOUBLE_EQ(simulate::tile_rounds(1024, 1024, 4), 8);
  EXPECT_DOUBLE_EQ(simulate::tile_rounds(64, 128, 4, 8), 2);
}

// Four multiprocessors; tiles of 128 x 128, or twice as long or wide.
TEST(OpCostsTest, AProductTakesWholeRoundsOfTiles) {
  const auto rounded_up = [](std::int64_t rows, std::int64_t columns) {
    return product_seconds(1e9, {graph::Dim(rows), graph::Dim(columns)}) / product_seconds(1e9);
  };
  EXPECT_DOUBLE_EQ(rounded_up(512, 512), 1);
  EXPECT_DOUBLE_EQ(rounded_up(128, 512), 1);
  EXPECT_DOUBLE_EQ(rounded_up(640, 128), 1.6);  // five tiles take two rounds, of eight
  EXPECT_DOUBLE_EQ(rounded_up(128, 128), 1);    // four share the one tile's inner dimension
  EXPECT_DOUBLE_EQ(rounded_up(64, 128), 2);     // half of the tile is padding
}

TEST(OpCostsTest, AProductIsBoundByFlopsOrByBytes) {
  EXPECT_DOUBLE_EQ(product_seconds(1e6), 2e-6);  // at half of 1 TFLOP/s
  EXPECT_DOUBLE_EQ(product_seconds(1), 2e-9);    // 1 kB at half of 1,000 GB/s
}

// The plan of a step whose products have 8-bit operands.
job::JobPlan job_in_8_bits(int tensor_ranks = 1) {
  return job::plan_job(
      parse_config("", "test",
                   std::vector<std::string>{
                       "parallel.tensor_model_parallel_size=" + std::to_string(tensor_ranks),
                       "parallel.world_size=" + std::to_string(tensor_ranks), "model.type=llama",
                       "model.num_layers=1", "model.hidden_size=512", "model.num_attention_heads=4",
                       "model.ffn_hidden_size=1024", "model.seq_length=256", "model.vocab_size=512",
                       "model.dtype=bfloat16", "model.fp8=hybrid", "train.device=cuda"}));
}

TEST(OpCostsTest, ProductsOf8BitOperandsHaveARateOfTheirOwn) {
  const job::JobPlan job = job_in_8_bits();
  simulate::Cluster cluster = round_numbers();
  cluster.device.memory_gb_per_s = 1e9;  // only FLOPs take time
  cluster.device.float8_tflops = 400;
  int products = 0;
  for (const plan::PlanOp& op : job.stages[0].train.expansion.plan.ops()) {
    if (op.attributes.integer(graph::attribute::fp8, 0) == 0) continue;
    ++products;
    const auto seconds = [&](double efficiency) {
      cluster.device.float8_gemm_efficiency = efficiency;
      return simulate::compute_seconds(op, cluster);
    };
    // Without a share of their own they have that of all products, 0.5.
    EXPECT_DOUBLE_EQ(seconds(0), seconds(0.5)) << op.path;
    EXPECT_DOUBLE_EQ(seconds(0.25), 2 * seconds(0.5)) << op.path;
    EXPECT_GE(seconds(0.25), op.cost.flops / 100e12) << op.path;
    EXPECT_LE(seconds(0.25), 8 * op.cost.flops / 100e12) << "tiles; " << op.path;
  }
  EXPECT_EQ(products, 12) << "three products of qkv, the output, the MLP's first and second weight";
}

// x[R,C] of bfloat16 is read twice; codes, their transpose, four float32 and a maximum for each of
// 1,024 thread blocks are written.
TEST(OpCostsTest, RoundingTo8BitsReadsAMatrixTwice) {
  int roundings = 0;
  const job::JobPlan job = job_in_8_bits();
  for (const plan::PlanOp& op : job.stages[0].train.expansion.plan.ops()) {
    if (op.def != &graph::quantise_op() && op.def != &graph::quantise_weight_op()) continue;
    ++roundings;
    double numbers = 1;
    for (const graph::Dim& dim : op.tensors[graph::quantise::input]->shape)
      numbers *= static_cast<double>(dim.size);
    const int sides = (op.tensors[graph::quantise::codes] ? 1 : 0) +
                      (op.tensors[graph::quantise::transposed] ? 1 : 0);
    EXPECT_NEAR(simulate::bytes_touched(op), numbers * (4 + sides), 16 + 4096) << op.path;
  }
  EXPECT_GE(roundings, 8);
}

// Goal: clearing the padding of a shard costs the shard's part. The segments of the op are those of all shards.
TEST(OpCostsTest, PaddingOfADividedBucketIsCountedByShard) {
  const job::JobPlan job = job::plan_job(parse_config(
      "", "test",
      std::vector<std::string>{"model.num_layers=2", "model.hidden_size=24",
                               "model.num_attention_heads=4", "model.seq_length=16",
                               "model.untie_embeddings_and_output_weights=true",
                               "parallel.world_size=4", "parallel.zero_stage=3",
                               "train.micro_batch_size=1", "train.threads_per_rank=1"}));
  const job::StagePlan& stage = job.stages[0];
  int cleared = 0;
  for (const plan::PlanOp& op : stage.train.expansion.plan.ops()) {
    if (op.def != &graph::clear_padding_op()) continue;
    ++cleared;
    const plan::Operand& values = op.operands[graph::clear_padding::values];
    double padding = 4.0 * static_cast<double>(values.nbytes);  // of all shards
    for (const plan::FlatSegment& tensor : op.segments)
      padding -= static_cast<double>(tensor.count * sizeof(float));
    EXPECT_GT(padding, 0) << op.path;
    EXPECT_DOUBLE_EQ(simulate::bytes_touched(op), padding / 4) << op.path;
  }
  EXPECT_GE(cleared, 3);
}

// Tensor ranks exchange their largest values, so that rounding reads a matrix once.
TEST(OpCostsTest, RoundingWithAGivenLargestValueReadsAMatrixOnce) {
  const job::JobPlan job = job_in_8_bits(2);
  std::map<std::string_view, double> bytes_of_a_value;
  for (const plan::PlanOp& op : job.stages[0].train.expansion.plan.ops()) {
    const bool rounds = op.def == &graph::quantise_op() && op.tensors[graph::quantise::amax];
    if (!rounds && op.def != &graph::matrix_amax_op() && op.def != &graph::transpose_codes_op())
      continue;
    double numbers = 1;
    for (const graph::Dim& dim : op.tensors[0]->shape) numbers *= static_cast<double>(dim.size);
    bytes_of_a_value[op.def->name] = simulate::bytes_touched(op) / numbers;
  }
  ASSERT_EQ(bytes_of_a_value.size(), 3U);
  EXPECT_NEAR(bytes_of_a_value["quantise"], 2 + 1, 1e-2);
  EXPECT_NEAR(bytes_of_a_value["matrix_amax"], 2, 1e-1);
  EXPECT_NEAR(bytes_of_a_value["transpose_codes"], 1 + 1, 1e-2);
}

// A share that was fitted on norms, activations and moves of rows says nothing about rounding.
TEST(OpCostsTest, RoundingHasTheShareOfTheMemoryAlways) {
  const job::JobPlan job = job_in_8_bits(2);
  simulate::Cluster cluster = round_numbers();
  simulate::Cluster slow = cluster;
  slow.device.elementwise_efficiency = {{{1, 0.125}}};  // a quarter of memory_efficiency
  cluster.device.float8_tflops = slow.device.float8_tflops = 400;
  int of_rounding = 0, of_others = 0;
  for (const plan::PlanOp& op : job.stages[0].train.expansion.plan.ops()) {
    if (op.def->lane != Lane::compute || op.def->transfer != nullptr || op.def->gemm) continue;
    const double ratio =
        simulate::compute_seconds(op, slow) / simulate::compute_seconds(op, cluster);
    const bool rounds = op.def == &graph::quantise_op() || op.def == &graph::quantise_weight_op() ||
                        op.def == &graph::matrix_amax_op() ||
                        op.def == &graph::transpose_codes_op();
    if (rounds) {
      EXPECT_DOUBLE_EQ(ratio, 1) << op.path;
    }
    of_rounding += rounds ? 1 : 0;
    of_others += op.def == &graph::rms_norm_op() && ratio == 4 ? 1 : 0;
  }
  EXPECT_GE(of_rounding, 10);
  EXPECT_GE(of_others, 2);
}

TEST(OpCostsTest, AClusterWithoutRatesOf8BitProductsNamesItsKey) {
  const job::JobPlan job = job_in_8_bits();
  const simulate::Cluster cluster = round_numbers();
  const auto& ops = job.stages[0].train.expansion.plan.ops();
  const auto product = std::find_if(ops.begin(), ops.end(), [](const plan::PlanOp& op) {
    return op.attributes.integer(graph::attribute::fp8, 0) != 0;
  });
  ASSERT_NE(product, ops.end());
  try {
    (void)simulate::compute_seconds(*product, cluster);
    FAIL() << "there is no rate";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_NE(std::string(error.what()).find("device.float8_tflops"), std::string::npos);
  }
}

}  // namespace
}  // namespace megascale::testing
