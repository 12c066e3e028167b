// What runs at once shares links and processors: cases one can count on paper.
#include <cmath>

#include "simulate/jobs.h"
#include "support/plan_writer.h"

namespace megascale::testing {
namespace {

using simulate::bit;
using simulate::Link;
using simulate::OpCost;

Work no_work() {
  return [](const TaskArguments&) -> const Error* { return nullptr; };
}

// Two ranks. Each computes `product` while a data transfer and a tensor transfer between them move.
std::vector<plan::RankPlan> two_ranks(bool with_second_transfer) {
  std::vector<plan::RankPlan> ranks;
  for (std::uint32_t r = 0; r < 2; ++r) {
    PlanWriter w;
    const auto first = w.buffer("first", 64), second = w.buffer("second", 64);
    const auto data = w.communicator("data", {0, 1}, Lane::data);
    const auto tensor = w.communicator("tensor", {0, 1}, Lane::tensor);
    w.work(Lane::compute, "product", {}, {}, no_work());
    w.transfer(graph::all_reduce_op(), "gradients", data, {w.whole(first, Access::accumulate)}, {});
    if (with_second_transfer) {
      w.transfer(graph::all_reduce_op(), "rows", tensor, {w.whole(second, Access::accumulate)}, {});
    }
    ranks.push_back(w.rank_plan(r));
  }
  return ranks;
}

double done_seconds(const simulate::Simulation& simulation, std::size_t task) {
  return static_cast<double>(simulation.records[0][task].done_ns) * 1e-9;
}

TEST(ContentionTest, TransfersTakeTheirShareOfTheProcessor) {
  const auto cost = [](const plan::PlanOp& op) {
    if (!op.def->transfer) return OpCost{.seconds = 10};
    return OpCost{.seconds = 4, .processor_share = 0.25};
  };
  const auto done =
      simulate::simulate(job_of(two_ranks(false), cost), {.steps = 1, .recorded_ranks = {0}});
  EXPECT_DOUBLE_EQ(done_seconds(done, 1), 4);
  EXPECT_DOUBLE_EQ(done_seconds(done, 0), 4 + (10 - 4 * 0.75));
}

TEST(ContentionTest, LatencyLoadsNothing) {
  const auto cost = [](const plan::PlanOp& op) {
    if (!op.def->transfer) return OpCost{.seconds = 10};
    return OpCost{.seconds = 4, .latency_seconds = 2, .processor_share = 0.25};
  };
  const auto done =
      simulate::simulate(job_of(two_ranks(false), cost), {.steps = 1, .recorded_ranks = {0}});
  EXPECT_DOUBLE_EQ(done_seconds(done, 1), 6);
  EXPECT_DOUBLE_EQ(done_seconds(done, 0), 6 + (10 - 2 - 4 * 0.75));
}

TEST(ContentionTest, TransfersOnOneLinkShareIt) {
  const auto cost = [](const plan::PlanOp& op) {
    if (!op.def->transfer) return OpCost{};
    return OpCost{.seconds = op.lane == Lane::data ? 4.0 : 1.0,
                  .links = static_cast<simulate::LinkSet>(bit(Link::network_out))};
  };
  const auto done =
      simulate::simulate(job_of(two_ranks(true), cost), {.steps = 1, .recorded_ranks = {0}});
  EXPECT_DOUBLE_EQ(done_seconds(done, 2), 2);  // 1 s of bytes at half of the rate
  EXPECT_DOUBLE_EQ(done_seconds(done, 1), 5);  // 1 s of its 4 went in the first 2 s
}

TEST(ContentionTest, DirectionsAndLinksAreApart) {
  const auto cost = [](const plan::PlanOp& op) {
    if (!op.def->transfer) return OpCost{};
    return OpCost{.seconds = 3,
                  .links = bit(op.lane == Lane::data ? Link::network_out : Link::network_in)};
  };
  const auto done =
      simulate::simulate(job_of(two_ranks(true), cost), {.steps = 1, .recorded_ranks = {0}});
  EXPECT_DOUBLE_EQ(done_seconds(done, 1), 3);
  EXPECT_DOUBLE_EQ(done_seconds(done, 2), 3);
}

TEST(ContentionTest, RanksOfAHostShareItsProcessors) {
  // Rank 0 computes 10 s and rank 1 twice as long, on one processor and a half.
  std::vector<plan::RankPlan> ranks;
  for (std::uint32_t r = 0; r < 2; ++r) {
    PlanWriter w;
    for (std::uint32_t i = 0; i <= r; ++i) w.work(Lane::compute, "product", {}, {}, no_work());
    ranks.push_back(w.rank_plan(r));
  }
  simulate::Job job = job_of(ranks, [](const plan::PlanOp&) { return OpCost{.seconds = 10}; });
  job.hosts = {{.count = 1.5}};
  for (simulate::JobRank& rank : job.ranks) rank.host = 0;
  const auto done = simulate::simulate(job, {.steps = 1, .recorded_ranks = {0, 1}});
  const double both = 10 / 0.75;  // until rank 0 is done
  EXPECT_DOUBLE_EQ(done_seconds(done, 0), std::round(both * 1e9) * 1e-9);
  EXPECT_DOUBLE_EQ(static_cast<double>(done.records[1][1].done_ns) * 1e-9,
                   std::round((both + 10) * 1e9) * 1e-9);
}

// Four ranks that compute 10 s each.
simulate::Job four_ranks_of(simulate::HostProcessors host) {
  std::vector<plan::RankPlan> ranks;
  for (std::uint32_t r = 0; r < 4; ++r) {
    PlanWriter w;
    w.work(Lane::compute, "product", {}, {}, no_work());
    ranks.push_back(w.rank_plan(r));
  }
  simulate::Job job = job_of(ranks, [](const plan::PlanOp&) { return OpCost{.seconds = 10}; });
  job.hosts = {std::move(host)};
  for (simulate::JobRank& rank : job.ranks) rank.host = 0;
  return job;
}

TEST(ContentionTest, FourRanksOnTwoProcessorsTakeTwiceTheTime) {
  const auto seconds = [](simulate::HostProcessors host) {
    return simulate::simulate(four_ranks_of(std::move(host)), {.steps = 1}).step_seconds();
  };
  EXPECT_DOUBLE_EQ(seconds({.count = 4}), 10);
  EXPECT_DOUBLE_EQ(seconds({.count = 2}), 20);
  // Two that are at work are slower than one alone.
  EXPECT_DOUBLE_EQ(seconds({.count = 2, .speed = {{{1, 1}, {2, 0.8}}}}), 25);
}

TEST(ContentionTest, ATurnThatAWaitEndedLosesTimeWhereOthersWantTheProcessor) {
  // Ranks 0 and 1 compute 10 s, wait 2 s for each other's bytes and compute 10 s more; rank 2 never
  // waits.
  std::vector<plan::RankPlan> ranks;
  for (std::uint32_t r = 0; r < 3; ++r) {
    PlanWriter w;
    const auto rows = w.buffer("rows", 64);
    const auto product = w.work(Lane::compute, "product", {}, {}, no_work());
    if (r < 2) {
      const auto group = w.communicator("tensor", {0, 1}, Lane::tensor);
      const auto sum = w.transfer(graph::all_reduce_op(), "rows", group,
                                  {w.whole(rows, Access::accumulate)}, {.after = {product}});
      w.work(Lane::compute, "next", {}, {.after = {sum}}, no_work());
    } else {
      for (int i = 0; i < 9; ++i) w.work(Lane::compute, "more", {}, {}, no_work());
    }
    ranks.push_back(w.rank_plan(r));
  }
  simulate::Job job = job_of(ranks, [](const plan::PlanOp& op) {
    return op.def->transfer ? OpCost{.seconds = 1, .latency_seconds = 1} : OpCost{.seconds = 10};
  });
  for (simulate::JobRank& rank : job.ranks) rank.host = 0;
  const auto seconds_on = [&](simulate::HostProcessors host) {
    job.hosts = {std::move(host)};
    return done_seconds(simulate::simulate(job, {.steps = 1, .recorded_ranks = {0}}), 2);
  };
  // With others that compute, a turn of 20 s loses 20 s, one that a wait ends a fifth of it.
  simulate::HostProcessors host{
      .count = 1, .speed = {{{1, 1}, {2, 0.5}}}, .slice_seconds = 20, .wait_share = 0.2};
  EXPECT_DOUBLE_EQ(seconds_on(host), 3 * 10 + 2 + 3 * (4 + 10));
  host.count = 3;
  host.speed = {{{3, 1}, {4, 0.5}}};
  EXPECT_DOUBLE_EQ(seconds_on(host), 10 + 2 + 10);
}

TEST(ContentionTest, WhoTakesTurnsIsSlowFromOneTurnToTheNext) {
  std::vector<plan::RankPlan> ranks;
  for (std::uint32_t r = 0; r < 2; ++r) {
    PlanWriter w;
    for (int i = 0; i < 4; ++i) w.work(Lane::compute, "product", {}, {}, no_work());
    ranks.push_back(w.rank_plan(r));
  }
  simulate::Job job = job_of(ranks, [](const plan::PlanOp&) { return OpCost{.seconds = 3}; });
  for (simulate::JobRank& rank : job.ranks) rank.host = 0;
  // 12 s of work are three turns of 4 s and 80 % of the speed, 1 s lost in each.
  job.hosts = {{.count = 1, .speed = {{{1, 1}, {2, 0.8}}}, .slice_seconds = 4}};
  EXPECT_DOUBLE_EQ(simulate::simulate(job, {.steps = 1}).step_seconds(), 2 * (12 + 3 * 1));
  job.hosts.front().slice_seconds = 0;
  EXPECT_DOUBLE_EQ(simulate::simulate(job, {.steps = 1}).step_seconds(), 2 * 12 / 0.8);
}

TEST(ContentionTest, TransfersThatWantAProcessorWaitForOneToo) {
  // One processor for two ranks: both compute, and a thread of each moves bytes.
  simulate::Job job = job_of(two_ranks(true), [](const plan::PlanOp& op) {
    if (!op.def->transfer) return OpCost{.seconds = 10};
    return OpCost{.seconds = op.lane == Lane::data ? 2.0 : 0.0,
                  .links = bit(Link::node_in),
                  .processor_share = op.lane == Lane::data ? 1.0 : 0.0};
  });
  job.hosts = {{.count = 1}};
  for (simulate::JobRank& rank : job.ranks) rank.host = 0;
  const auto done = simulate::simulate(job, {.steps = 1, .recorded_ranks = {0}});
  EXPECT_DOUBLE_EQ(done_seconds(done, 1), 8);          // a quarter of the processor
  EXPECT_DOUBLE_EQ(done_seconds(done, 0), 8 + 2 * 8);  // of 10 s 2 are done then, half from there
}

TEST(ContentionTest, TheTransfersOfARankWantOneProcessorTogether) {
  simulate::Job job = job_of(two_ranks(true), [](const plan::PlanOp& op) {
    if (!op.def->transfer) return OpCost{.seconds = 10};
    return OpCost{.seconds = 2, .links = bit(Link::node_in), .processor_share = 1};
  });
  job.hosts = {{.count = 2}};
  for (simulate::JobRank& rank : job.ranks) rank.host = 0;
  const auto done = simulate::simulate(job, {.steps = 1, .recorded_ranks = {0}});
  // Each rank wants two processors, not three, and has one: both transfers are done after 2 x 2 x 2
  // s.
  EXPECT_DOUBLE_EQ(done_seconds(done, 1), 8);
  EXPECT_DOUBLE_EQ(done_seconds(done, 2), 8);
  EXPECT_DOUBLE_EQ(done_seconds(done, 0), 8 + 6);
}

TEST(ContentionTest, ATransferIsAsFastAsItsSlowestMember) {
  // The ring of three shares a link with the pair on rank 0 only.
  std::vector<plan::RankPlan> ranks;
  for (std::uint32_t r = 0; r < 3; ++r) {
    PlanWriter w;
    const auto first = w.buffer("first", 64), second = w.buffer("second", 64);
    const auto ring = w.communicator("ring", {0, 1, 2}, Lane::data);
    w.transfer(graph::all_reduce_op(), "gradients", ring, {w.whole(first, Access::accumulate)}, {});
    if (r < 2) {
      const auto pair = w.communicator("pair", {0, 1}, Lane::tensor);
      w.transfer(graph::all_reduce_op(), "rows", pair, {w.whole(second, Access::accumulate)}, {});
    }
    ranks.push_back(w.rank_plan(r));
  }
  const auto cost = [](const plan::PlanOp& op) {
    return OpCost{.seconds = op.lane == Lane::data ? 4.0 : 1.0, .links = bit(Link::network_out)};
  };
  const auto done = simulate::simulate(job_of(ranks, cost), {.steps = 1, .recorded_ranks = {2}});
  EXPECT_DOUBLE_EQ(static_cast<double>(done.records[0][0].done_ns) * 1e-9, 5);
}

}  // namespace
}  // namespace megascale::testing
