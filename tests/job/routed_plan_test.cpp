// Plans of models with routed experts: parameters, FLOPs and memory, and plans of models without
// experts, which no key of experts changes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "megascale/config/derived.h"
#include "megascale/config/load.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/job/job_plan.h"
#include "megascale/plan/communication_volume.h"
#include "megascale/plan/model_state.h"

namespace megascale::job {
namespace {

std::vector<std::string> routed_settings(const std::vector<std::string>& more) {
  std::vector<std::string> all{
      "model.type=mixtral",          "model.num_layers=2",        "model.hidden_size=24",
      "model.num_attention_heads=4", "model.ffn_hidden_size=20",  "model.seq_length=16",
      "moe.num_experts=8",           "train.global_batch_size=8", "train.threads_per_rank=1"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}
JobPlan routed(const std::vector<std::string>& more = {}) {
  JobPlan job = plan_job(parse_config("", "test", routed_settings(more)));
  EXPECT_EQ(violations({&job.train_verification, &job.evaluate_verification}), "");
  return job;
}

TEST(RoutedPlanTest, ATokenMeetsRouterTopkOfTheExperts) {
  const JobPlan job = routed();
  const std::int64_t of_experts = 2 * 8 * 3 * 24 * 20, routers = 2 * 8 * 24;
  const JobPlan dense = routed({"moe.num_experts=0"});
  EXPECT_EQ(job.parameter_count() - of_experts - routers,
            dense.parameter_count() - 2 * 3 * 24 * 20);
  EXPECT_EQ(job.active_parameter_count({.num_experts = 8, .router_topk = 2}),
            job.parameter_count() - of_experts * 6 / 8);
  EXPECT_EQ(dense.active_parameter_count({}), dense.parameter_count());
}

// FLOPs are those of the mean number of rows, so they depend on no layout; a model with one expert
// that every token meets has those of the dense one and of its router.
TEST(RoutedPlanTest, FlopsAreActiveFlopsInEveryLayout) {
  const double one = routed().flops().model;
  for (const char* expert_ranks : {"1", "2", "4"}) {
    for (const char* dispatch : {"alltoall", "allgather"}) {
      const JobPlan job =
          routed({"parallel.world_size=4",
                  std::string("parallel.expert_model_parallel_size=") + expert_ranks,
                  std::string("moe.token_dispatcher_type=") + dispatch});
      EXPECT_DOUBLE_EQ(job.flops().model, one) << expert_ranks << " " << dispatch;
    }
  }
  const double dense = routed({"moe.num_experts=0"}).flops().model,
               all = routed({"moe.num_experts=1", "moe.router_topk=1"}).flops().model;
  const double tokens = 8 * 16, router = 3 * 2 * tokens * 24 * 1 * 2;
  EXPECT_DOUBLE_EQ(all, dense + router);
}

TEST(RoutedPlanTest, MemoryIsPlacedForTheBound) {
  for (const std::string dispatch : {"alltoall", "allgather"}) {
    const auto total = [&](const char* bound) {
      return routed({"parallel.world_size=4", "parallel.expert_model_parallel_size=4",
                     "moe.token_dispatcher_type=" + dispatch,
                     std::string("moe.rows_bound=") + bound})
          .arena_nbytes();
    };
    EXPECT_LT(total("1"), total("2")) << dispatch;
    EXPECT_LT(total("2"), total("0")) << dispatch;
    EXPECT_EQ(total("4"), total("0"))
        << "4 is the worst case of 8 experts on 4 ranks and 2 of a token";
  }
}

std::int64_t drops_of(const plan::BuiltPlan& built) {
  const auto& ops = built.expansion.plan.ops();
  return std::count_if(ops.begin(), ops.end(),
                       [](const plan::PlanOp& op) { return op.def == &graph::drop_choices_op(); });
}

// A training plan with a capacity drops choices once in each layer, also if layers are recomputed, and
// needs less memory for rows. The plan of an evaluation drops nothing.
TEST(RoutedPlanTest, ChoicesAreDroppedOnceInTrainingOnly) {
  const auto plan = [](const std::string& factor, const char* recompute) {
    return routed({"parallel.world_size=4", "parallel.expert_model_parallel_size=4",
                   std::string("recompute.granularity=") + recompute,
                   "moe.expert_capacity_factor=" + factor});
  };
  const auto total = [&](const char* factor) {
    return plan(factor, "none").stages[0].train.memory.total;
  };
  EXPECT_LT(total("1"), total("2"));
  EXPECT_LT(total("2"), total("0"));
  constexpr std::int64_t kLayers = 2;
  for (const char* recompute : {"none", "full", "selective_moe"}) {
    const JobPlan job = plan("1", recompute);
    EXPECT_EQ(drops_of(job.stages[0].train), kLayers) << recompute;
    EXPECT_EQ(drops_of(job.stages[0].evaluate), 0) << recompute;
  }
  EXPECT_EQ(drops_of(plan("0", "none").stages[0].train), 0);
}

// With all_gather no rows are sent one by one, and there is nothing to bring into another order.
TEST(RoutedPlanTest, DispatchByAllGatherSendsTokensAndPartialSums) {
  const JobPlan job = routed({"parallel.world_size=2", "parallel.expert_model_parallel_size=2",
                              "moe.token_dispatcher_type=allgather"});
  std::map<std::string, int> ops;
  for (const plan::PlanOp& op : job.stages[0].train.expansion.plan.ops()) {
    EXPECT_TRUE(op.def != &graph::all_to_all_v_op() && op.def != &graph::regroup_map_op() &&
                op.def != &graph::reorder_rows_op())
        << op.path;
    if (op.path.find("mlp/") != std::string::npos) ++ops[std::string(op.def->name)];
  }
  constexpr int kLayers = 2;
  EXPECT_EQ(ops["all_gather"], kLayers * (3 + 1)) << "rows, choices and weights; gradients of rows";
  EXPECT_EQ(ops["reduce_scatter"], kLayers * (1 + 2)) << "sums; gradients of rows and of weights";
}

double expert_lane(const JobPlan& job) {
  return plan::count_communication(job.stages[0].train.expansion.plan)[graph::Lane::expert];
}

// The same rows, FLOPs and bytes, and one main gradient for each weight.
TEST(RoutedPlanTest, PiecesOfExpertsMoveTheSameRowsOneRankAtATime) {
  const std::vector<std::string> gathered{"parallel.world_size=4",
                                          "parallel.expert_model_parallel_size=4",
                                          "moe.token_dispatcher_type=allgather"};
  const JobPlan whole = routed(gathered);
  for (const int number : {2, 4}) {
    std::vector<std::string> cut = gathered;
    cut.push_back(fmt::format("overlap.expert_pieces={}", number));
    const JobPlan pieces = routed(cut);
    std::map<std::string, int> ops;
    for (const plan::PlanOp& op : pieces.stages[0].train.expansion.plan.ops()) {
      if (op.path.find("mlp/") != std::string::npos) ++ops[std::string(op.def->name)];
    }
    constexpr int kLayers = 2, kRanks = 4, kPeers = kRanks - 1;
    EXPECT_EQ(ops["all_gather"] + ops["reduce_scatter"], 0);
    EXPECT_EQ(ops["shift"], kLayers * kPeers * (3 + 1 + 1 + 2))
        << "rows, choices and weights; sums; gradients of sums, of rows and of weights";
    EXPECT_EQ(ops["grouped_linear"], kLayers * number * 2);
    EXPECT_EQ(ops["grouped_linear_weight_gradient"], kLayers * 2) << "once for all pieces";
    EXPECT_EQ(ops["grouped_linear_weight_gradient_added"], 0);
    EXPECT_DOUBLE_EQ(pieces.flops().model, whole.flops().model);
    EXPECT_DOUBLE_EQ(expert_lane(pieces), expert_lane(whole));
    for (const plan::ParameterPlace& place : pieces.stages[0].state.parameters)
      EXPECT_EQ(place.parameter.main_gradients.size(), 1U) << place.parameter.name;
  }
}

// Rows that are sent are cut by expert: a piece touches the weights of its own experts only, so each weight
// is read once in all, and the same rows travel.
TEST(RoutedPlanTest, PiecesOfRowsReadEachWeightOnce) {
  const std::vector<std::string> sent{
      "parallel.world_size=2", "parallel.expert_model_parallel_size=2",
      "moe.token_dispatcher_type=alltoall", "moe.shared_expert_intermediate_size=20"};
  const JobPlan whole = routed(sent);
  const auto weights_of = [](const JobPlan& job, const graph::OpDef& kind, std::size_t operand) {
    std::map<std::string, std::set<std::uint64_t>> begins;  // of a weight, by layer and path
    double nbytes = 0;
    for (const plan::PlanOp& op : job.stages[0].train.expansion.plan.ops()) {
      if (op.def != &kind) continue;
      nbytes += plan::expected_nbytes(op, operand);
      const std::string path = op.path.substr(0, op.path.find("/piece"));
      EXPECT_TRUE(begins[op.scope + path].insert(op.operands[operand].offset).second)
          << op.path << " has experts of its own";
    }
    return nbytes;
  };
  const auto cut_into = [&](int number) {
    std::vector<std::string> cut = sent;
    cut.push_back(fmt::format("overlap.expert_pieces={}", number));
    return routed(cut);
  };
  const auto digest = [](const JobPlan& job) {
    return job.stages[0].train.expansion.plan.digest();
  };
  EXPECT_EQ(digest(cut_into(1)), digest(whole)) << "one piece is no cut";
  for (const int number : {2, 4}) {
    const JobPlan pieces = cut_into(number);
    std::map<std::string, int> ops;
    for (const plan::PlanOp& op : pieces.stages[0].train.expansion.plan.ops()) {
      if (op.path.find("mlp/") != std::string::npos) ++ops[std::string(op.def->name)];
    }
    constexpr int kLayers = 2;
    EXPECT_EQ(ops["all_to_all"], kLayers) << "the counts of all pieces together";
    EXPECT_EQ(ops["all_to_all_v"], kLayers * number * (3 + 3))
        << "rows, weights and results, and their gradients";
    EXPECT_EQ(ops["grouped_linear"], kLayers * number * 2);
    EXPECT_EQ(ops["grouped_linear_weight_gradient"], kLayers * number * 2);
    EXPECT_EQ(ops["grouped_linear_weight_gradient_added"], 0);
    EXPECT_EQ(ops["reorder_rows"] == 0, number == 4) << "the rows of one expert have one order";
    EXPECT_DOUBLE_EQ(pieces.flops().model, whole.flops().model);
    EXPECT_DOUBLE_EQ(expert_lane(pieces), expert_lane(whole));
    for (const auto& [kind, operand] :
         {std::pair<const graph::OpDef*, std::size_t>{&graph::grouped_linear_op(),
                                                      graph::grouped_linear::weight},
          {&graph::grouped_linear_input_gradient_op(),
           graph::grouped_linear_input_gradient::weight},
          {&graph::grouped_linear_weight_gradient_op(),
           graph::grouped_linear_weight_gradient::weight_gradient}})
      EXPECT_DOUBLE_EQ(weights_of(pieces, *kind, operand), weights_of(whole, *kind, operand))
          << kind->name;
    const auto& places = pieces.stages[0].state.parameters;
    for (std::size_t i = 0; i < places.size(); ++i) {
      EXPECT_EQ(places[i].parameter.main_gradients.size(), 1U) << places[i].parameter.name;
      const plan::ParameterPlace& place = whole.stages[0].state.parameters[i];
      EXPECT_EQ(places[i].bucket, place.bucket) << place.parameter.name;
      EXPECT_EQ(places[i].begin, place.begin) << place.parameter.name;
    }
  }
}

// Each piece has an equal share of the bound, or room for all rows that its experts can ever get.
TEST(RoutedPlanTest, PiecesOfRowsHaveRoomForTheirBound) {
  const auto rows_of = [](const std::string& bound) {
    const std::vector<std::string> settings = {
        "parallel.world_size=2", "parallel.expert_model_parallel_size=2", "overlap.expert_pieces=4",
        "moe.rows_bound=" + bound};
    std::vector<std::int64_t> rows;
    const JobPlan job = routed(settings);
    for (const plan::PlanOp& op : job.stages[0].train.expansion.plan.ops()) {
      if (op.def == &graph::grouped_linear_op() && op.path.find("gate_up") != std::string::npos &&
          op.scope == "layer0")
        rows.push_back(op.tensors[graph::grouped_linear::output]->shape[0].size);
    }
    EXPECT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows.front(), rows.back());
    EXPECT_EQ(4 * rows.front(),
              expert_rows(parse_config("", "test", routed_settings(settings))).bound)
        << "what plan prints";
    return rows.front();
  };
  constexpr std::int64_t kTokens = 16, kTopk = 2, kRanks = 2;
  EXPECT_EQ(rows_of("1.5"), kTokens * kTopk / 4 * 3 / 2);
  EXPECT_EQ(rows_of("0"), kRanks * kTokens) << "a token has at most one choice among one expert";
}

// Routing is kept, whatever is computed again.
TEST(RoutedPlanTest, RecomputationRepeatsCopiesAndTransfersButNoChoice) {
  const JobPlan job = routed({"parallel.world_size=2", "parallel.expert_model_parallel_size=2",
                              "recompute.granularity=full", "recompute.whole_layers=true"});
  int again = 0;
  for (const plan::PlanOp& op : job.stages[0].train.expansion.plan.ops()) {
    if (op.phase != graph::Phase::recompute) continue;
    EXPECT_TRUE(op.def != &graph::route_op() && op.def != &graph::dispatch_map_op() &&
                op.def != &graph::regroup_map_op())
        << op.path;
    if (op.def == &graph::all_to_all_v_op() || op.def == &graph::gather_rows_op()) ++again;
  }
  EXPECT_GT(again, 0);
}

// MegaScale-MoE (arXiv 2505.11432), fig. 9: of a layer (2kf + 4 + 2/m) bsh/n elements are kept at
// balanced load. The rest is listed: what the router has decided, the weight of each row and the
// logsumexp of attention.
TEST(RoutedPlanTest, SelectiveMoeKeepsTheSixActivationsOfThePaper) {
  constexpr std::int64_t kLayers = 3, kSequence = 64, kHidden = 32, kWidth = 48, kTopk = 3;
  constexpr std::int64_t kHeads = 8, kGroups = 2, kRanks = 2, kExperts = 8;  // m = 4
  const JobPlan job = routed(
      {fmt::format("model.num_layers={}", kLayers), fmt::format("model.seq_length={}", kSequence),
       fmt::format("model.hidden_size={}", kHidden),
       fmt::format("model.num_attention_heads={}", kHeads),
       fmt::format("model.num_query_groups={}", kGroups),
       fmt::format("moe.ffn_hidden_size={}", kWidth), fmt::format("moe.num_experts={}", kExperts),
       fmt::format("moe.router_topk={}", kTopk), "moe.rows_bound=1", "moe.aux_loss_coeff=0.01",
       fmt::format("parallel.world_size={}", kRanks),
       fmt::format("parallel.context_parallel_size={}", kRanks),
       fmt::format("parallel.expert_model_parallel_size={}", kRanks),
       "recompute.granularity=selective_moe"});
  std::map<std::string, std::int64_t> kept;
  for (const auto& [what, nbytes] : job.stages[0].train.memory.retained_by_op)
    kept[what] = static_cast<std::int64_t>(nbytes);
  constexpr std::int64_t kElement = 4, kTokens = kSequence / kRanks;
  const std::int64_t unit = kLayers * kTokens * kHidden * kElement;  // bsh/n of all layers
  EXPECT_EQ(kept["add:output"], 2 * unit) << "hidden (that of the next layer), ln2_in";
  EXPECT_EQ(kept["all_to_all:receive"], unit + 2 * unit * kGroups / kHeads) << "qkv_a2a";
  EXPECT_EQ(kept["attention:output"], unit) << "attn";
  EXPECT_EQ(kept["grouped_linear:output"], 2 * kTopk * unit * kWidth / kHidden)
      << "fc1_out, fc3_out";
  const std::int64_t six = kept["add:output"] + kept["all_to_all:receive"] +
                           kept["attention:output"] + kept["grouped_linear:output"];
  // m = heads / groups, f = width / hidden
  EXPECT_EQ(six, unit *
                     (2 * kTopk * kWidth * kHeads + 4 * kHidden * kHeads + 2 * kGroups * kHidden) /
                     (kHidden * kHeads));
  std::vector<std::string> others;
  for (const auto& [what, nbytes] : kept) others.push_back(what);
  EXPECT_EQ(others, (std::vector<std::string>{
                        "add:output", "all_gather:receive", "all_to_all:receive",
                        "attention:logsumexp", "attention:output", "dispatch_map:place",
                        "dispatch_map:sent", "dispatch_map:source", "embedding:output",
                        "grouped_linear:output", "regroup_map:groups", "regroup_map:inverse",
                        "regroup_map:order", "regroup_map:received", "reorder_rows:output",
                        "rms_norm:output", "rms_norm:rstd", "rope_table:table", "route:choices"}));
  const std::int64_t rows = kTokens * kTopk;
  EXPECT_EQ(kept["reorder_rows:output"], kLayers * rows * kElement) << "weights of rows only";
  EXPECT_EQ(kept["rms_norm:output"], kTokens * kHidden * kElement) << "before the head only";
  // Nothing else lies in the memory of a micro-batch but the borders of buffers.
  std::int64_t all = 0;
  for (const auto& [what, nbytes] : kept) all += nbytes;
  const auto placed = static_cast<std::int64_t>(
      job.stages[0].train.memory.by_category[static_cast<std::size_t>(plan::Category::retained)]);
  EXPECT_GE(placed, all);
  EXPECT_LE(placed,
            all + 2 * kLayers * static_cast<std::int64_t>(kept.size() * plan::kBufferAlignment));
}

TEST(RoutedPlanTest, KeysOfExpertsDoNotChangeTheDigestOfADensePlan) {
  const auto digest = [](const std::vector<std::string>& more) {
    return routed(more).stages[0].train.expansion.plan.digest();
  };
  EXPECT_EQ(digest({"moe.num_experts=0"}),
            digest({"moe.num_experts=0", "moe.router_topk=3", "moe.aux_loss_coeff=1"}));
}

}  // namespace
}  // namespace megascale::job
