// Work that is cut into pieces: products beside the exchanges of context ranks, products of experts by
// the rank that the tokens come from or by expert, and sums of gradients over hosts. A cut changes the last bits only;
// what runs beside what, what is computed again and how long tasks take changes none.
#include <gtest/gtest.h>

#include <chrono>
#include <utility>

#include "megascale/comm/ucx/ucx_worker.h"
#include "support/job.h"
#include "support/watchdog.h"
#include "train/rank_processes.h"
#include "train/routed_model.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr double kBound = 1e-5;  // as of dense models (train/equality.h)
constexpr std::int64_t kSteps = 5;

struct Bounds {
  double loss = kBound, gradient = kBound;
};

Settings with(Settings all, const Settings& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

const Settings kGather{"moe.token_dispatcher_type=allgather"};
const Settings kExpertPieces = with(kGather, {"overlap.expert_pieces=2"}),
               kPieceOfEachRank = with(kGather, {"overlap.expert_pieces=4"});
// With 2 expert ranks the tokens of the other rank come in two parts.
const Settings kPartsOfRanks = kPieceOfEachRank;
// Rows are sent to 8 experts: with 4 pieces on 2 ranks, or 2 on 4, each piece has one expert of a rank.
const Settings kRowPieces{"moe.token_dispatcher_type=alltoall", "overlap.expert_pieces=2"},
    kPieceOfEachExpert{"moe.token_dispatcher_type=alltoall", "overlap.expert_pieces=4"};
const Settings kBoth = with(kExpertPieces, {"overlap.context_pieces=2"});
// Rows travel in 8 bits. A cut decides which rows share a scale, so it changes more than the last
// bits. The bounds are those of 8 bits against float32 (routed_equality_test.cpp).
const Settings kIn8Bits{"moe.fp8_communication=true"},
    kIn8BitsWithOneScale = with(kIn8Bits, {"moe.fp8_communication_recipe=tensorwise"});

const Settings kGpt{"model.num_layers=4", "model.hidden_size=24", "model.num_attention_heads=4"};
const Settings kLlama{"model.type=llama",         "model.num_layers=4",
                      "model.hidden_size=24",     "model.num_attention_heads=4",
                      "model.num_query_groups=2", "model.ffn_hidden_size=48"};
const Settings kQwen =
    with({"model.type=qwen3", "model.add_qkv_bias=true", "model.num_layers=4",
          "model.hidden_size=24", "model.num_attention_heads=4", "model.ffn_hidden_size=48"},
         {"data.packed_documents=true"});

// Operands of products are rounded to 8 bits, too. Widths are multiples of 4.
const Bounds kOfProducts{.loss = 1e-3, .gradient = 0.2};
const Settings kFp8Widths{"moe.ffn_hidden_size=24", "moe.shared_expert_intermediate_size=16"};
const Settings kTensorwise = with(kFp8Widths, {"model.fp8=e4m3"}),
               kRowwise = with(kTensorwise, {"model.fp8_recipe=rowwise"}),
               kRowwiseIn8Bits = with(with(kRowwise, kIn8Bits), {"model.fp8_param_gather=true"});

Settings context_ranks(const Settings& model, int context, int tensor, int pipeline, int pieces) {
  return with(model, {"parallel.world_size=" + std::to_string(context * tensor * pipeline),
                      "parallel.context_parallel_size=" + std::to_string(context),
                      "parallel.tensor_model_parallel_size=" + std::to_string(tensor),
                      "parallel.pipeline_model_parallel_size=" + std::to_string(pipeline),
                      "overlap.context_pieces=" + std::to_string(pieces)});
}

struct Case {
  const char* name;
  Settings cut, whole;
  Bounds bounds = {};
};
void PrintTo(const Case& tested, std::ostream* stream) { *stream << tested.name; }

Case routed_case(const RoutedLayout& layout, const Settings& pieces) {
  return {layout.name, with(settings(layout), pieces), settings(layout)};
}
Case rounded_case(RoutedLayout layout, const Settings& rounding, const Settings& pieces,
                  Bounds bounds = {.loss = 1e-4, .gradient = 0.1}) {
  layout.more = with(layout.more, rounding);
  Case rounded = routed_case(layout, pieces);
  rounded.bounds = bounds;
  return rounded;
}
Case context_case(const char* name, const Settings& model, int context, int tensor, int pipeline,
                  const Settings& more = {}) {
  return {name, with(context_ranks(model, context, tensor, pipeline, 2), more),
          with(context_ranks(model, context, tensor, pipeline, 0), more)};
}

// Gradients are added inside hosts of two ranks, and then between them.
Case by_hosts(const char* name, const Settings& all, const char* pieces) {
  return {name,
          with(all, {"parallel.ranks_per_host=2",
                     std::string("parallel.hierarchical_reduction_pieces=") + pieces}),
          all};
}

// Between hosts in bfloat16, beside sums of all ranks in float32.
Case rounded_by_hosts(const char* name, const Settings& all) {
  Case rounded = by_hosts(name, all, "1");
  rounded.cut.emplace_back("parallel.reduce_scatter_with_fp32_accumulation=true");
  rounded.bounds = {.loss = 1e-3, .gradient = 4e-3};
  return rounded;
}

const Settings kTwoSequences{"train.micro_batch_size=2"};

const std::vector<Case> kCases{
    context_case("gpt_context2", kGpt, 2, 1, 1),
    context_case("llama_context4", kLlama, 4, 1, 1, kTwoSequences),
    context_case("llama_context2_tensor2", kLlama, 2, 2, 1),
    context_case("qwen_context2_pipeline2", kQwen, 2, 1, 2,
                 with(kTwoSequences, {"parallel.pipeline_schedule=zb-h1"})),
    routed_case({"expert2", 1, 1, 2, 1, 2}, kExpertPieces),
    routed_case({"expert4", 1, 1, 4, 1, 4, {"parallel.zero_stage=2"}}, kPieceOfEachRank),
    routed_case({"tensor2_data2_expert4", 2, 1, 2, 1, 4}, kExpertPieces),
    routed_case(
        {"data4_expert_tensor2_expert2", 1, 1, 4, 1, 2, {"parallel.expert_tensor_parallel_size=2"}},
        kExpertPieces),
    routed_case({"pipeline2_expert2", 1, 1, 2, 2, 2, {"parallel.pipeline_schedule=zb-h1"}},
                kExpertPieces),
    routed_case({"context2_expert2", 1, 2, 1, 1, 2}, kBoth),
    routed_case({"context4_expert4", 1, 4, 1, 1, 4, {"recompute.granularity=selective_moe"}},
                kBoth),
    routed_case({"parts_expert2", 1, 1, 2, 1, 2, {"parallel.zero_stage=2"}}, kPartsOfRanks),
    routed_case({"parts_context2_expert2", 1, 2, 1, 1, 2, {"recompute.granularity=selective_moe"}},
                with(kPartsOfRanks, {"overlap.context_pieces=2"})),
    routed_case({"rows_expert2", 1, 1, 2, 1, 2}, kRowPieces),
    routed_case({"rows_expert2_piece_of_each_expert", 1, 1, 2, 1, 2, {"parallel.zero_stage=1"}},
                kPieceOfEachExpert),
    routed_case({"rows_expert4", 1, 1, 4, 1, 4, {"parallel.zero_stage=2"}}, kRowPieces),
    routed_case({"rows_tensor2_data2_expert2", 2, 1, 2, 1, 2, {"parallel.zero_stage=2"}},
                kPieceOfEachExpert),
    routed_case({"rows_data4_expert_tensor2_expert2",
                 1,
                 1,
                 4,
                 1,
                 2,
                 {"parallel.expert_tensor_parallel_size=2"}},
                kRowPieces),
    routed_case({"rows_pipeline2_expert2", 1, 1, 2, 2, 2, {"parallel.pipeline_schedule=zb-h1"}},
                kRowPieces),
    routed_case({"rows_context2_expert2", 1, 2, 1, 1, 2, {"recompute.granularity=selective_moe"}},
                with(kRowPieces, {"overlap.context_pieces=2"})),
    rounded_case({"expert4_in_8_bits", 1, 1, 4, 1, 4}, kIn8Bits, kExpertPieces),
    rounded_case({"parts_context2_expert2_in_8_bits", 1, 2, 1, 1, 2}, kIn8BitsWithOneScale,
                 kPartsOfRanks),
    rounded_case({"rows_expert2_in_8_bits", 1, 1, 2, 1, 2, {"parallel.zero_stage=2"}},
                 kIn8BitsWithOneScale, kPieceOfEachExpert),
    rounded_case({"rows_data4_expert_tensor2_expert2_in_8_bits",
                  1,
                  1,
                  4,
                  1,
                  2,
                  {"parallel.expert_tensor_parallel_size=2"}},
                 kIn8Bits, kRowPieces),
    rounded_case({"parts_expert2_rowwise_in_8_bits", 1, 1, 2, 1, 2, {"parallel.zero_stage=2"}},
                 kRowwiseIn8Bits, kPartsOfRanks, kOfProducts),
    rounded_case({"rows_expert2_rowwise_in_8_bits", 1, 1, 2, 1, 2}, kRowwiseIn8Bits,
                 kPieceOfEachExpert, kOfProducts),
    rounded_case({"rows_expert4_tensorwise", 1, 1, 4, 1, 4}, kTensorwise, kRowPieces, kOfProducts),
    by_hosts("data4_by_hosts", with(kGpt, {"parallel.world_size=4"}), "1"),
    by_hosts("data4_by_hosts_in_pieces_zero1",
             with(kLlama, {"parallel.world_size=4", "parallel.zero_stage=1"}), "3"),
    by_hosts(
        "context2_data2_by_hosts_lamb",
        with(context_ranks(kGpt, 2, 1, 1, 0), {"parallel.world_size=4", "optimizer.name=lamb"}),
        "2"),
    by_hosts("tensor2_data4_by_hosts",
             with(kGpt, {"parallel.world_size=8", "parallel.tensor_model_parallel_size=2"}), "2"),
    by_hosts("data4_by_hosts_zero2",
             with(kLlama, {"parallel.world_size=4", "parallel.zero_stage=2"}), "1"),
    rounded_by_hosts("expert2_data4_pipeline2_by_hosts_in_bfloat16",
                     settings(RoutedLayout{"", 1, 1, 4, 2, 2, {"parallel.zero_stage=2"}})),
    by_hosts("expert2_data4_pipeline2_by_hosts",
             settings(RoutedLayout{"", 1, 1, 4, 2, 2, {"parallel.zero_stage=1"}}), "2"),
};

class PiecesTest : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Layouts, PiecesTest, ::testing::ValuesIn(kCases),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(PiecesTest, ACutChangesTheLastBitsOnly) {
  const Watchdog watchdog(GetParam().name, std::chrono::seconds(240));
  Laboratory laboratory;
  const auto first_step = [&](Settings all) {
    all.emplace_back("optimizer.clip_grad=0");
    return laboratory.run(all, {.most_steps = 1}).tensors;
  };
  const Outcome cut = laboratory.run(GetParam().cut, {.most_steps = kSteps}),
                whole = laboratory.run(GetParam().whole, {.most_steps = kSteps});
  const Bounds& most = GetParam().bounds;
  EXPECT_LE(worst_relative_difference(cut.losses, whole.losses), most.loss);
  EXPECT_LE(worst_relative_difference(cut.validation_losses, whole.validation_losses), most.loss);
  EXPECT_LE(worst_gradient_difference(first_step(GetParam().cut), first_step(GetParam().whole)),
            most.gradient);
}

TEST_P(PiecesTest, NoSwitchOrDelayChangesBits) {
  const std::vector<std::pair<const char*, Settings>> changes{
      {"no overlap", {"overlap.tensor=false", "overlap.pipeline=false", "overlap.data=false"}},
      {"order of differentiation", {"overlap.layer_order=false"}},
      {"selective_moe", {"recompute.granularity=selective_moe"}},
      {"full", {"recompute.granularity=full"}},
      {"full, order of differentiation, no overlap",
       {"recompute.granularity=full", "overlap.layer_order=false", "overlap.tensor=false"}},
      {"list",
       {"recompute.granularity=list",
        "recompute.ops=linear,add,rope,shift,join_rows,gather_rows,grouped_linear,gated_swiglu"}},
      {"list with exchanges of rows",
       {"recompute.granularity=list",
        "recompute.ops=gather_rows,all_to_all_v,reorder_rows,gated_swiglu"}},
  };
  Laboratory laboratory;
  const Outcome plain = laboratory.run(GetParam().cut, {.most_steps = kSteps});
  for (const auto& [name, more] : changes) {
    const Watchdog watchdog(name, std::chrono::seconds(240));
    try {
      EXPECT_EQ(first_difference(laboratory.run(with(GetParam().cut, more), {.most_steps = kSteps}),
                                 plain),
                "")
          << name;
    } catch (const Error& error) {
      ADD_FAILURE() << name << ": " << error.message();
    }
  }
  const Outcome delayed = laboratory.run(
      GetParam().cut,
      {.most_steps = kSteps, .before_task = [](std::uint32_t rank, std::uint32_t task) {
         random_delay(29, rank, task);
       }});
  EXPECT_EQ(first_difference(delayed, plain), "") << "delays";
}

// Memory for rows is placed before the step; a piece for which more rows arrive stops the step.
TEST(PiecesOfExpertsTest, MoreRowsThanAPieceHasRoomForStopTheStep) {
  const Watchdog watchdog("too many rows", std::chrono::seconds(240));
  Laboratory laboratory;
  try {
    (void)laboratory.run(
        with(settings({"expert2", 1, 1, 2, 1, 2}), with(kPieceOfEachExpert, {"moe.rows_bound=1"})),
        {.most_steps = kSteps});
    FAIL() << "no piece has exactly the mean of the rows";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("one of 4 pieces of this rank"), std::string::npos)
        << error.message();
    EXPECT_NE(error.message().find("moe.rows_bound"), std::string::npos) << error.message();
  }
}

// A row has a scale of its own in the forward, whatever piece it is in. Only gradients get other
// scales by the cut.
TEST(PiecesOfExpertsTest, ACutByExpertKeepsTheFirstLossOfRowsIn8Bits) {
  const Watchdog watchdog("first loss", std::chrono::seconds(240));
  Laboratory laboratory;
  const Settings whole = with(settings({"expert2", 1, 1, 2, 1, 2}), kIn8Bits);
  const Outcome want = laboratory.run(whole, {.most_steps = 1}),
                got = laboratory.run(with(whole, kPieceOfEachExpert), {.most_steps = 1}),
                plain = laboratory.run(settings({"expert2", 1, 1, 2, 1, 2}), {.most_steps = 1});
  EXPECT_LE(worst_relative_difference(got.losses, want.losses), 1e-7);
  EXPECT_GE(worst_relative_difference(got.losses, plain.losses), 1e-6) << "rows were rounded";
  EXPECT_GE(worst_gradient_difference(got.tensors, want.tensors), 1e-3) << "other scales";
}

// Scales of rows, and of groups that end with the rows of an expert, do not depend on a cut by
// expert.
TEST(PiecesOfExpertsTest, ACutByExpertKeepsTheRoundingOfRowwiseProducts) {
  const Watchdog watchdog("rowwise", std::chrono::seconds(240));
  Laboratory laboratory;
  const Settings whole = with(settings({"expert2", 1, 1, 2, 1, 2}), kRowwise);
  const Outcome want = laboratory.run(whole, {.most_steps = 1}),
                got = laboratory.run(with(whole, kPieceOfEachExpert), {.most_steps = 1});
  EXPECT_LE(worst_relative_difference(got.losses, want.losses), 1e-7);
  EXPECT_LE(worst_gradient_difference(got.tensors, want.tensors), kBound);
}

TEST(PiecesInProcessesTest, TrainToTheBitsOfThreads) {
  if (!comm::ucx_is_available()) GTEST_SKIP() << "built without UCX";
  const Watchdog watchdog("ranks as processes", std::chrono::seconds(240));
  Laboratory laboratory;
  for (const Settings& all :
       {with(settings({"context4_expert4", 1, 4, 1, 1, 4}), kBoth),
        with(settings({"context2_expert2", 1, 2, 1, 1, 2}), kRowPieces),
        with(with(settings({"context2_expert2", 1, 2, 1, 1, 2}), kPartsOfRanks), kIn8Bits),
        by_hosts("", settings({"context2_expert2_data2", 1, 2, 2, 1, 2}), "2").cut}) {
    EXPECT_EQ(first_difference(run_as_processes(laboratory, all, kSteps),
                               laboratory.run(all, {.most_steps = kSteps})),
              "");
  }
}

}  // namespace
}  // namespace megascale
