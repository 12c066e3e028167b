#include <gtest/gtest.h>

#include <functional>

#include "support/exchange_plan.h"

// A StepPlan may be anything: verify() must name what is wrong with it, and come through.
namespace megascale::plan {
namespace {

using graph::Access;
using graph::Lane;
using megascale::testing::exchange_plans;
using megascale::testing::PlanWriter;

constexpr std::uint64_t kHuge = ~std::uint64_t{0};

struct Damage {
  const char* name;
  ViolationKind kind;
  const char* says;
  std::function<void(StepPlan::Tables&)> damage;  // of rank 1 of the exchange
};
std::ostream& operator<<(std::ostream& out, const Damage& damage) { return out << damage.name; }

PlanOp& op_named(StepPlan::Tables& tables, const char* path) {
  for (PlanOp& op : tables.ops) {
    if (op.path == path) return op;
  }
  throw std::runtime_error(path);
}

using T = StepPlan::Tables;
std::vector<Damage> damages() {
  return {
      Damage{"op", ViolationKind::malformed, "op that does not exist",
             [](T& t) { t.tasks[3].op = OpIndex{99}; }},
      Damage{"op_without_kind", ViolationKind::malformed, "op that does not exist",
             [](T& t) { t.ops[3].def = nullptr; }},
      Damage{"lane", ViolationKind::malformed, "lane that does not exist",
             [](T& t) { t.ops[3].lane = static_cast<Lane>(12); }},
      Damage{"buffer", ViolationKind::malformed, "buffer that does not exist",
             [](T& t) { t.ops[3].operands[0].buffer = BufferId{50}; }},
      Damage{"offset_wraps", ViolationKind::malformed, "touches bytes up to",
             [](T& t) { t.ops[3].operands[0].offset = kHuge - 100; }},
      Damage{"size_wraps", ViolationKind::malformed, "touches bytes up to",
             [](T& t) { t.ops[3].operands[0].nbytes = kHuge; }},
      Damage{"stride_wraps", ViolationKind::malformed, "touches bytes up to",
             [](T& t) {
               t.ops[3].operands[0].term = {
                   .axes = {graph::Axis::data}, .k = 0, .n = 5, .stride = std::uint64_t{1} << 62U};
             }},
      Damage{"buffer_outside", ViolationKind::malformed, "outside the arena",
             [](T& t) { t.buffers[4].offset = t.arena_nbytes - 64; }},
      Damage{"buffer_offset_wraps", ViolationKind::malformed, "outside the arena",
             [](T& t) { t.buffers[4].offset = kHuge - 10; }},
      Damage{"no_copies", ViolationKind::malformed, "which has 0",
             [](T& t) { t.buffers[4].slot_count = 0; }},
      Damage{"waits_table", ViolationKind::bad_wait, "outside the plan's table",
             [](T& t) { t.tasks[4].first_wait = 1000; }},
      Damage{"wait_lane", ViolationKind::bad_wait, "lane that does not exist",
             [](T& t) { t.waits[0].lane = static_cast<Lane>(200); }},
      Damage{"wait_for_nothing", ViolationKind::bad_wait, "waits for task 0",
             [](T& t) { t.waits[0].count = 0; }},
      Damage{"communicator", ViolationKind::malformed, "without a communicator",
             [](T& t) { op_named(t, "reduce").communicator = kNoCommunicator; }},
      Damage{"lane_of_the_communicator", ViolationKind::malformed, "belongs to lane data",
             [](T& t) { op_named(t, "reduce").lane = Lane::tensor; }},
      Damage{"gather_overflows", ViolationKind::malformed, "every rank's part",
             [](T& t) { op_named(t, "gather").operands[1].nbytes /= 2; }},
      Damage{"gather_from_elsewhere", ViolationKind::malformed, "in its own place",
             [](T& t) { op_named(t, "gather").operands[0].term.k = 1; }},
      Damage{"absent_operand", ViolationKind::malformed, "absent",
             [](T& t) { op_named(t, "reduce").operands[0].buffer = kNoBuffer; }},
      Damage{"sum_is_read", ViolationKind::malformed, "access differs from that of its kind",
             [](T& t) { op_named(t, "reduce").operands[0].access = Access::read; }},
      Damage{"half_an_element", ViolationKind::malformed, "whole elements",
             [](T& t) { op_named(t, "reduce").operands[0].nbytes -= 2; }},
      Damage{
          "sum_of_tokens", ViolationKind::malformed, "to add",
          [](T& t) { op_named(t, "reduce").attributes.set("dtype", std::int64_t(DType::int32)); }},
      Damage{"other_dtype", ViolationKind::mismatch, "float64",
             [](T& t) {
               op_named(t, "reduce").attributes.set("dtype", std::int64_t(DType::float64));
             }},
      Damage{"carried_compute", ViolationKind::malformed, "no task of a host lane",
             [](T& t) { t.tasks.back().carried = true; }}};
}

class DamageTest : public ::testing::TestWithParam<Damage> {};
INSTANTIATE_TEST_SUITE_P(Exchange, DamageTest, ::testing::ValuesIn(damages()),
                         [](const auto& damage) { return std::string(damage.param.name); });

TEST_P(DamageTest, IsNamed) {
  std::vector<PlanWriter> writers = exchange_plans();
  GetParam().damage(writers[1].tables);
  const Verification verification = verify({writers[0].rank_plan(0), writers[1].rank_plan(1)});
  EXPECT_TRUE(verification.plans.empty());
  std::string all;
  bool found = false;
  for (const Violation& v : verification.violations) {
    all += v.message + "\n";
    found = found || (v.kind == GetParam().kind && v.rank == 1 &&
                      v.message.find(GetParam().says) != std::string::npos);
  }
  EXPECT_TRUE(found) << "violations:\n" << all;
}

// One transfer of two ranks; `change` makes rank 1's another.
Verification verify_pair(const graph::OpDef& def, std::vector<std::uint64_t> sizes,
                         const std::function<void(PlanWriter&, std::uint32_t rank)>& change) {
  std::vector<RankPlan> plans;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    PlanWriter w;
    const auto group = w.communicator("pair", {0, 1}, Lane::data);
    std::vector<Operand> operands;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      operands.push_back(w.whole(w.buffer("b", sizes[i]), def.operands[i].access));
    w.transfer(def, "transfer", group, operands, {});
    change(w, rank);
    plans.push_back(w.rank_plan(rank));
  }
  return verify(std::move(plans));
}
void nothing(PlanWriter&, std::uint32_t) {}

TEST(TransferShapeTest, WhatFitsIsAccepted) {
  EXPECT_TRUE(verify_pair(graph::all_gather_op(), {64, 128}, nothing).ok());
  EXPECT_TRUE(verify_pair(graph::reduce_scatter_op(), {128, 64}, nothing).ok());
  EXPECT_TRUE(verify_pair(graph::all_to_all_op(), {128, 128}, nothing).ok());
  EXPECT_TRUE(verify_pair(graph::broadcast_op(), {12}, nothing).ok());
}

TEST(TransferShapeTest, WhatDoesNotFitIsRefused) {
  EXPECT_FALSE(verify_pair(graph::all_gather_op(), {64, 64}, nothing).ok());
  EXPECT_FALSE(verify_pair(graph::reduce_scatter_op(), {64, 64}, nothing).ok());
  EXPECT_FALSE(verify_pair(graph::all_to_all_op(), {128, 64}, nothing).ok());
  EXPECT_FALSE(verify_pair(graph::all_to_all_op(), {63, 63}, nothing).ok());
  EXPECT_FALSE(verify_pair(graph::all_to_all_op(), {64, 64},
                           [](PlanWriter& w, std::uint32_t) { w.tables.buffers[1].offset = 0; })
                   .ok())
      << "an all_to_all in place";
  const auto root = [](PlanWriter& w, std::uint32_t rank) {
    w.tables.ops[0].attributes.set("root", std::int64_t{rank});
  };
  EXPECT_EQ(verify_pair(graph::broadcast_op(), {12}, root).violations.at(0).kind,
            ViolationKind::mismatch);
  const auto no_root = [](PlanWriter& w, std::uint32_t) {
    w.tables.ops[0].attributes.set("root", std::int64_t{2});
  };
  EXPECT_EQ(verify_pair(graph::broadcast_op(), {12}, no_root).violations.at(0).kind,
            ViolationKind::malformed);
}

TEST(TransferShapeTest, MessagesAreOfTwoRanksAndMembersAgree) {
  std::vector<RankPlan> three, twisted;
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    PlanWriter w;
    const auto group = w.communicator("three", {0, 1, 2}, Lane::data);
    const auto buffer = w.buffer("b", 64);
    w.transfer(rank == 0 ? static_cast<const graph::OpDef&>(graph::send_op()) : graph::recv_op(),
               "message", group, {w.whole(buffer, rank == 0 ? Access::read : Access::write)}, {});
    three.push_back(w.rank_plan(rank));
  }
  EXPECT_EQ(verify(three).violations.at(0).kind, ViolationKind::malformed);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    PlanWriter w;
    const auto group = w.communicator(
        "pair", rank == 0 ? std::vector<std::uint32_t>{0, 1} : std::vector<std::uint32_t>{1, 0},
        Lane::data);
    const auto buffer = w.buffer("b", 64);
    w.transfer(graph::all_reduce_op(), "reduce", group, {w.whole(buffer, Access::accumulate)}, {});
    twisted.push_back(w.rank_plan(rank));
  }
  const Verification verification = verify(twisted);
  ASSERT_FALSE(verification.ok());
  EXPECT_NE(verification.violations[0].message.find("[1, 0] here, but [0, 1] on rank 0"),
            std::string::npos)
      << verification.violations[0].message;
}

// The next batch is loaded while the next step runs: nothing of that step may touch it before the
// copy.
Verification verify_loading(Lane reader_lane, bool waits) {
  PlanWriter w;
  const auto staging = w.buffer("staging", 64), batch = w.buffer("batch", 64);
  const auto none = [](const auto&) { return nullptr; };
  const auto copy =
      w.work(Lane::host_in, "copy", {w.whole(staging, Access::read), w.whole(batch, Access::write)},
             {}, none);
  PlanWriter::TaskOptions options;
  if (waits) options.after = {copy};
  const auto peek = w.work(reader_lane, "peek", {w.whole(staging, Access::read)}, options, none);
  w.work(Lane::host_in, "load", {w.whole(staging, Access::write)},
         {.after = {peek}, .carried = true}, none);
  return verify({w.rank_plan(0)});
}

TEST(CarriedHazardTest, ATaskOfTheNextStepMayNotTouchWhatIsLoaded) {
  EXPECT_TRUE(verify_loading(Lane::compute, true).ok());
  EXPECT_TRUE(verify_loading(Lane::host_in, false).ok()) << "the lane itself is an order";
  const Verification verification = verify_loading(Lane::compute, false);
  ASSERT_EQ(verification.violations.size(), 1U);
  EXPECT_EQ(verification.violations[0].kind, ViolationKind::hazard);
  EXPECT_NE(verification.violations[0].message.find("step/peek"), std::string::npos);
  EXPECT_NE(verification.violations[0].message.find("step/load) on lane host_in, carried over"),
            std::string::npos)
      << verification.violations[0].message;
}

// Equal digests, equal plans: every number of the tables is in it.
TEST(DigestTest, EveryFieldCounts) {
  const PlanWriter writer = exchange_plans()[0];
  const std::string digest = StepPlan(writer.tables).digest();
  EXPECT_EQ(StepPlan(exchange_plans()[0].tables).digest(), digest);
  const graph::Tensor tensor{.name = "t", .shape = {2, 3}};
  const std::vector<std::function<void(T&)>> changes{
      [](T& t) { t.buffers[0].name = "other"; },
      [](T& t) { t.buffers[0].category = Category::masters; },
      [](T& t) { ++t.buffers[0].nbytes; },
      [](T& t) { ++t.buffers[0].offset; },
      [](T& t) { t.buffers[0].slot_use = SlotUse::retained; },
      [](T& t) { ++t.buffers[0].slot_count; },
      [](T& t) { ++t.buffers[0].slot_stride; },
      [](T& t) { t.buffers[0].view_of = BufferId{1}; },
      [](T& t) { t.ops[0].def = &graph::add_op(); },
      [](T& t) { t.ops[0].attributes.set("x", std::int64_t{1}); },
      [](T& t) { t.ops[0].scope = "x"; },
      [](T& t) { t.ops[0].path = "x"; },
      [](T& t) { t.ops[0].phase = graph::Phase::forward; },
      [](T& t) { ++t.ops[0].chunk; },
      [](T& t) { t.ops[0].lane = Lane::data; },
      [&](T& t) { t.ops[0].tensors = {tensor}; },
      [](T& t) { t.ops[0].tensors = {std::nullopt}; },
      [](T& t) { t.ops[0].extents = {{}}; },
      [](T& t) { t.ops[0].extents = {{.first = 1}}; },
      [](T& t) { t.ops[0].has_scratch = true; },
      [](T& t) { t.ops[0].segments = {{}}; },
      [](T& t) { t.ops[0].serial = true; },
      [](T& t) { t.ops[0].communicator = CommunicatorId{0}; },
      [](T& t) { t.ops[0].operands[0].buffer = BufferId{1}; },
      [](T& t) { ++t.ops[0].operands[0].offset; },
      [](T& t) { ++t.ops[0].operands[0].nbytes; },
      [](T& t) { t.ops[0].operands[0].access = Access::read; },
      [](T& t) { t.ops[0].operands[0].term.axes = {graph::Axis::tensor}; },
      [](T& t) { ++t.ops[0].operands[0].term.k; },
      [](T& t) { ++t.ops[0].operands[0].term.n; },
      [](T& t) { ++t.ops[0].operands[0].term.stride; },
      [](T& t) { t.communicators[0].name = "x"; },
      [](T& t) { t.communicators[0].axes = {graph::Axis::tensor}; },
      [](T& t) { t.communicators[0].factor = graph::HostFactor::inside; },
      [](T& t) { ++t.communicators[0].edge_offset; },
      [](T& t) { t.communicators[0].lane = Lane::tensor; },
      [](T& t) { t.tasks[0].op = OpIndex{1}; },
      [](T& t) { t.tasks[4].wait_count = 0; },
      [](T& t) { ++t.tasks[0].micro_batch; },
      [](T& t) { ++t.tasks[0].slots[0]; },
      [](T& t) { ++t.tasks[0].slots[kTaskSlots - 1]; },
      [](T& t) { t.tasks[0].first = false; },
      [](T& t) { t.tasks[0].carried = true; },
      [](T& t) { t.waits[0].lane = Lane::data; },
      [](T& t) { ++t.waits[0].count; },
      [](T& t) { t.axes[graph::Axis::tensor] = 2; },
      [](T& t) { t.axes[graph::Axis::expert] = 2; },
      [](T& t) { t.axes.ranks_per_host = 2; },
      [](T& t) { ++t.arena_nbytes; }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    T tables = writer.tables;
    changes[i](tables);
    EXPECT_NE(StepPlan(tables).digest(), digest) << "change " << i;
  }
  T one = writer.tables, other = writer.tables;
  one.ops[0].attributes.set("x", std::int64_t{1});
  other.ops[0].attributes.set("x", 1.0);
  EXPECT_NE(StepPlan(one).digest(), StepPlan(other).digest()) << "1 and 1.0";
  for (const FlatSegment& segment :
       {FlatSegment{.begin = 1}, FlatSegment{.count = 1}, FlatSegment{.parameter = 1},
        FlatSegment{.scales = 1}, FlatSegment{.decay = !FlatSegment{}.decay},
        FlatSegment{.replicated_over = {graph::Axis::tensor}}}) {
    one.ops[0].segments = {FlatSegment{}};
    other = one;
    other.ops[0].segments = {segment};
    EXPECT_NE(StepPlan(one).digest(), StepPlan(other).digest());
  }
}

}  // namespace
}  // namespace megascale::plan
