// Classes of ranks where attention and experts factor a stage differently and groups are cut by
// hosts; and collectives over the factors of a group, planned, bound and verified.
#include "megascale/plan/fold.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "megascale/base/error.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/plan/bind.h"
#include "megascale/plan/communication_volume.h"
#include "megascale/plan/template.h"
#include "megascale/plan/verify.h"

namespace megascale::plan {
namespace {

using graph::Access;
using graph::Axis;
using graph::AxisSet;
using graph::AxisSizes;
using graph::HostFactor;
using PlanPointer = std::shared_ptr<const StepPlan>;

struct Layout {
  AxisSizes sizes;
  std::uint32_t ranks_per_host = 0;
};
std::vector<Layout> layouts_with_experts() {
  return {
      {{{2, 1, 4, 1, 1, 1, 2}}},      // no experts
      {{{2, 2, 2, 2, 2, 1, 1}}},      // borders fall on each other
      {{{4, 1, 2, 2, 2, 1, 2}}},      // inside each other
      {{{1, 2, 6, 1, 4, 1, 1}}, 4},   // 2 | 4, 12
      {{{2, 3, 1, 3, 2, 1, 2}}},      // 2 and 3 do not divide each other
      {{{2, 3, 4, 3, 4, 1, 1}}, 12},  // nor 6 and 3 .. 12
      {{{2, 2, 4, 1, 4, 1, 2}}, 8},
  };
}

// All groups of the grid over axes of one factorisation; by hosts too where they can be.
std::vector<std::pair<AxisSet, HostFactor>> groups_of(const parallel::RankGrid& grid) {
  std::vector<std::pair<AxisSet, HostFactor>> groups;
  for (unsigned bits = 1; bits < 1U << graph::kAxisCount; ++bits) {
    const AxisSet axes = AxisSet::from_bits(static_cast<std::uint8_t>(bits));
    if (axes.is_mixed()) continue;
    groups.emplace_back(axes, HostFactor::none);
    try {
      (void)graph::members_per_host(grid.sizes(), axes);
      groups.emplace_back(axes, HostFactor::inside);
      groups.emplace_back(axes, HostFactor::between);
    } catch (const Error&) {
    }
  }
  return groups;
}

// What fold.h promises: ranks of a class have one plan, their groups lead to the same classes in
// the same order, and the ranks that stand for those are members of the group of the one that
// stands for the class.
void check_classes(const Fold& fold, const parallel::RankGrid& grid,
                   const std::vector<PlanPointer>& plans) {
  for (const auto& [axes, factor] : groups_of(grid)) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> classes_of;  // by representative
    for (std::uint32_t rank = 0; rank < grid.world_size(); ++rank) {
      const std::uint32_t first = fold.representative(rank);
      ASSERT_LE(first, rank);
      ASSERT_EQ(fold.representative(first), first);
      ASSERT_EQ(plans[first], plans[rank]);
      const auto members = grid.group(rank, axes, factor);
      std::vector<std::uint32_t> classes;
      for (const std::uint32_t member : members) {
        classes.push_back(fold.representative(member));
        if (rank == first) {
          ASSERT_NE(std::find(members.begin(), members.end(), classes.back()), members.end())
              << classes.back() << " is in no group of rank " << rank << " over "
              << graph::to_string(axes) << " " << graph::to_string(factor);
        }
      }
      const auto [known, added] = classes_of.try_emplace(first, classes);
      ASSERT_EQ(known->second, classes)
          << "rank " << rank << " over " << graph::to_string(axes) << " "
          << graph::to_string(factor) << " is not as rank " << first;
    }
  }
}

TEST(FoldOfTwoFactorisationsTest, ClassesHoldForAllGroups) {
  std::mt19937_64 random(7);
  for (Layout layout : layouts_with_experts()) {
    layout.sizes.ranks_per_host = layout.ranks_per_host;
    const parallel::RankGrid grid(layout.sizes);
    const std::uint32_t per_stage = grid.stage_size();
    for (std::uint32_t odd = 0; odd < 4; ++odd) {
      for (int repetition = 0; repetition < 5; ++repetition) {
        std::vector<PlanPointer> plans;
        for (std::uint32_t stage = 0; stage * per_stage < grid.world_size(); ++stage) {
          plans.insert(plans.end(), per_stage, std::make_shared<const StepPlan>());
        }
        for (std::uint32_t i = 0; i < odd; ++i) {
          plans[random() % plans.size()] = std::make_shared<const StepPlan>();
        }
        const Fold fold(grid, plans);
        check_classes(fold, grid, plans);
        if (HasFatalFailure()) return;
        if (odd == 0) {
          EXPECT_EQ(fold.representatives().size(), grid.sizes()[Axis::pipeline]);
        }
      }
    }
  }
}

TEST(FoldOfTwoFactorisationsTest, OneOddRankOfThousandsMakesFewClasses) {
  AxisSizes sizes{{8, 2, 64, 1, 8, 1, 12}};
  sizes.ranks_per_host = 8;
  const parallel::RankGrid grid(sizes);
  std::vector<PlanPointer> plans;
  for (std::uint32_t stage = 0; stage < 12; ++stage) {
    plans.insert(plans.end(), grid.stage_size(), std::make_shared<const StepPlan>());
  }
  plans[1234] = std::make_shared<const StepPlan>();
  EXPECT_EQ(Fold(grid, plans).representatives().size(), 12U * 2 * 2 * 2);  // by digit
}

// A bucket reduced in three steps: inside hosts, between them, inside again.
constexpr std::uint64_t kHostPart = 64;

PlanTemplate hierarchical_template(const AxisSizes& sizes, AxisSet axes,
                                   std::uint64_t parts_of_between = 1) {
  const std::uint32_t inside = graph::factor_size(sizes, axes, HostFactor::inside);
  PlanTemplate built;
  const std::uint64_t whole = inside * kHostPart * parts_of_between;
  const BufferId sum = built.add(Buffer{.name = "sum", .nbytes = whole});
  built.arena_nbytes = whole;
  const Operand all{.buffer = sum, .nbytes = whole, .access = Access::read};
  const std::uint64_t part_nbytes = whole / inside;
  Operand part{.buffer = sum,
               .nbytes = part_nbytes,
               .access = Access::write,
               .term = {.axes = axes, .n = inside, .stride = part_nbytes}};
  const auto add = [&](const graph::OpDef& def, const char* path, HostFactor factor,
                       std::vector<Operand> operands) {
    const graph::Attributes attributes{{"dtype", static_cast<std::int64_t>(DType::float32)}};
    const OpIndex op =
        built.add(PlanOp{.def = &def,
                         .attributes = attributes,
                         .path = path,
                         .lane = graph::Lane::data,
                         .tensors = std::vector<std::optional<graph::Tensor>>(def.operands.size()),
                         .operands = std::move(operands),
                         .communicator = built.group(axes, graph::Lane::data, factor)});
    built.items.emplace_back(StepTask{op});
  };
  add(graph::reduce_scatter_op(), "scatter", HostFactor::inside, {all, part});
  part.access = Access::accumulate;
  add(graph::all_reduce_op(), "between", HostFactor::between, {part});
  part.access = Access::read;
  Operand gathered = all;
  gathered.access = Access::write;
  add(graph::all_gather_op(), "gather", HostFactor::inside, {part, gathered});
  return built;
}

std::vector<RankPlan> bound(const PlanPointer& plan, const parallel::RankGrid& grid) {
  std::vector<RankPlan> ranks;
  for (std::uint32_t rank = 0; rank < grid.world_size(); ++rank) {
    ranks.push_back({plan, bind(*plan, grid, rank)});
  }
  return ranks;
}

std::string messages_of(const Verification& verification) {
  std::string all;
  for (const Violation& violation : verification.violations) all += violation.message + "\n";
  return all;
}

TEST(HostFactorTest, AHierarchicalReductionIsBoundAndVerified) {
  for (const AxisSet axes :
       {AxisSet{Axis::context, Axis::data}, AxisSet{Axis::expert_data}, graph::kExpertAxes}) {
    AxisSizes sizes = graph::with_expert_data({{2, 2, 4, 1, 2, 1, 2}});
    sizes.ranks_per_host = 4;
    const parallel::RankGrid grid(sizes);
    const auto plan =
        std::make_shared<const StepPlan>(expand(hierarchical_template(sizes, axes), sizes).plan);
    SCOPED_TRACE(graph::to_string(axes));
    // Keys name the same members to all members, and nobody else's.
    std::map<std::string, std::vector<std::uint32_t>> members_of;
    for (const RankPlan& rank : bound(plan, grid)) {
      ASSERT_EQ(rank.binding.communicators.size(), 2U);
      for (const CommunicatorBinding& group : rank.binding.communicators) {
        EXPECT_EQ(members_of.try_emplace(group.key, group.members).first->second, group.members);
        EXPECT_EQ(group.members[group.my_index], rank.binding.rank);
      }
      const auto& inside = rank.binding.communicators[0].members;
      const auto& between = rank.binding.communicators[1].members;
      EXPECT_EQ(inside.size() * between.size(), axes.group_size(sizes));
      for (const std::uint32_t member : inside) EXPECT_EQ(member / 4, rank.binding.rank / 4);
      std::set<std::uint32_t> hosts;
      for (const std::uint32_t member : between) EXPECT_TRUE(hosts.insert(member / 4).second);
    }
    const Verification unfolded = verify(bound(plan, grid));
    EXPECT_TRUE(unfolded.ok()) << messages_of(unfolded);
    std::vector<PlanPointer> plans(grid.stage_size(), plan);
    plans.insert(plans.end(), grid.stage_size(), std::make_shared<const StepPlan>(*plan));
    const Verification folded = verify_folded(plans, grid);
    EXPECT_TRUE(folded.ok()) << messages_of(folded);
    const double inside = graph::factor_size(sizes, axes, HostFactor::inside);
    const double between = graph::factor_size(sizes, axes, HostFactor::between);
    EXPECT_DOUBLE_EQ(count_communication(*plan)[graph::Lane::data],
                     2 * (inside - 1) * kHostPart + 2 * (between - 1) / between * kHostPart);
  }
}

TEST(HostFactorTest, APlanForOtherHostsIsRefused) {
  AxisSizes sizes = graph::with_expert_data({{1, 1, 8, 1, 1, 1, 1}});
  sizes.ranks_per_host = 4;
  const auto plan = std::make_shared<const StepPlan>(
      expand(hierarchical_template(sizes, {Axis::data}), sizes).plan);
  sizes.ranks_per_host = 2;
  const Verification wrong = verify(bound(plan, parallel::RankGrid(sizes)));
  EXPECT_NE(messages_of(wrong).find("is planned for hosts of 4 ranks"), std::string::npos)
      << messages_of(wrong);
  sizes.ranks_per_host = 3;
  EXPECT_THROW((void)bind(*plan, parallel::RankGrid(sizes), 0), Error);
}

// A part that does not lie at the rank's place among those of its host.
TEST(HostFactorTest, APartInTheWrongPlaceIsFoundOnTheRankThatHasIt) {
  AxisSizes sizes = graph::with_expert_data({{1, 1, 8, 1, 1, 1, 1}});
  sizes.ranks_per_host = 4;
  const parallel::RankGrid grid(sizes);
  PlanTemplate built = hierarchical_template(sizes, {Axis::data});
  built.ops[0].operands[1].term.n = 0;  // all ranks: the first part
  const auto plan = std::make_shared<const StepPlan>(expand(built, sizes).plan);
  const Verification folded = verify_folded(std::vector<PlanPointer>(8, plan), grid);
  ASSERT_FALSE(folded.ok());
  EXPECT_EQ(folded.violations[0].rank, 1U) << messages_of(folded);
  EXPECT_NE(messages_of(folded).find("in its own place of the whole"), std::string::npos);
}

TEST(MixedAxesTest, AreNamedBeforeAnythingRuns) {
  AxisSizes sizes = graph::with_expert_data({{2, 1, 4, 1, 2, 1, 1}});
  const parallel::RankGrid grid(sizes);
  PlanTemplate built = hierarchical_template(sizes, {Axis::data});
  built.ops[0].operands[1].term.axes = {Axis::data, Axis::expert};
  const Verification operand = verify(
      bound(std::make_shared<const StepPlan>(StepPlan::Tables{.buffers = built.buffers,
                                                              .ops = built.ops,
                                                              .communicators = built.communicators,
                                                              .tasks = {Task{.op = OpIndex{0}}},
                                                              .waits = {},
                                                              .axes = sizes,
                                                              .arena_nbytes = built.arena_nbytes}),
            grid));
  EXPECT_NE(messages_of(operand).find("data+expert, axes of two factorisations"), std::string::npos)
      << messages_of(operand);
  StepPlan::Tables tables{.buffers = built.buffers,
                          .ops = {built.ops[1]},
                          .communicators = {{.name = "mixed",
                                             .axes = {Axis::tensor, Axis::expert},
                                             .lane = graph::Lane::data}},
                          .tasks = {Task{.op = OpIndex{0}}},
                          .waits = {},
                          .axes = sizes,
                          .arena_nbytes = built.arena_nbytes};
  tables.ops[0].communicator = CommunicatorId{0};
  Binding binding{.rank = 0, .coordinates = {}, .communicators = {{"mixed", {0, 1}, 0}}};
  const Verification communicator = verify({{std::make_shared<const StepPlan>(tables), binding}});
  EXPECT_NE(messages_of(communicator).find("communicates over tensor+expert"), std::string::npos)
      << messages_of(communicator);
}

}  // namespace
}  // namespace megascale::plan
