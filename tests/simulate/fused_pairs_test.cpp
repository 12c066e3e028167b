// Fused pairs in simulated time, against closed formulas: a transfer of `t` seconds and a product of `p`
// seconds that work on n tiles take max(t, p) + min(t, p) / n.
#include <cmath>

#include "simulate/jobs.h"
#include "support/plan_writer.h"

namespace megascale::testing {
namespace {

using simulate::OpCost;

Work idle_work() {
  return [](const TaskArguments&) -> const Error* { return nullptr; };
}

const graph::OpDef& product_op() {
  static const graph::OpDef def{.name = "product", .operands = {}, .gemm = true};
  return def;
}

enum class Order : std::uint8_t { transfer_first, product_first };

// The numbers of the tasks in the plans below.
struct Tasks {
  TaskId early = 0, transfer = 0, move = 0, product = 0, behind = 0;
};

// A rank that computes `early`, then a pair of a transfer to the other rank and a product, in between an
// op that moves rows, then `behind`.
std::pair<plan::RankPlan, Tasks> rank_with_pair(std::uint32_t rank, Order order) {
  PlanWriter w;
  Tasks tasks;
  const auto a = w.buffer("a", 64), b = w.buffer("b", 64), c = w.buffer("c", 64);
  const auto group = w.communicator("rows", {0, 1}, Lane::tensor);
  const auto in_pair = [&] { w.tables.ops.back().pair = 1; };
  const auto transfer = [&](BufferId from, BufferId to, std::vector<TaskId> after) {
    tasks.transfer = w.transfer(graph::all_to_all_op(), "transfer", group,
                                {w.whole(from, Access::read), w.whole(to, Access::write)},
                                {.after = std::move(after)});
    in_pair();
  };
  const auto compute = [&](const char* name, BufferId from, BufferId to,
                           std::vector<TaskId> after) {
    const TaskId id =
        w.work(Lane::compute, name, {w.whole(from, Access::read), w.whole(to, Access::write)},
               {.after = std::move(after)}, idle_work());
    in_pair();
    return id;
  };
  const auto d = w.buffer("d", 64);
  tasks.early = w.work(Lane::compute, "early", {}, {}, idle_work());
  if (order == Order::transfer_first) {
    transfer(a, b, {});
    tasks.move = compute("move", b, c, {tasks.transfer});
    tasks.product = compute("product", c, d, {});
    w.tables.ops.back().def = &product_op();
  } else {
    tasks.product = compute("product", a, b, {});
    w.tables.ops.back().def = &product_op();
    tasks.move = compute("move", b, c, {});
    transfer(c, d, {tasks.move});
  }
  tasks.behind = w.work(Lane::compute, "behind", {w.whole(d, Access::read)},
                        {.after = {tasks.transfer}}, idle_work());
  return {w.rank_plan(rank), tasks};
}

struct Costs {
  double transfer = 0, product = 0, move = 0, early = 0;
  double product_of_rank_1 = -1;  // below 0: as rank 0
  double tiles = 1, latency = 0, share = 0;
  bool is_fused = true;
};

// Seconds from the start of the step at which a task of rank 0 starts and ends.
struct PairRun {
  simulate::Simulation simulation;
  Tasks tasks;
  [[nodiscard]] double start(TaskId task) const {
    return 1e-9 * static_cast<double>(at(task).start_ns);
  }
  [[nodiscard]] double done(TaskId task) const {
    return 1e-9 * static_cast<double>(at(task).done_ns);
  }
  [[nodiscard]] const TaskRecord& at(TaskId task) const { return simulation.records[0][task]; }
};

PairRun run(Order order, const Costs& costs, double early_of_rank_1 = -1, std::uint32_t steps = 1) {
  std::vector<plan::RankPlan> ranks;
  Tasks tasks;
  for (std::uint32_t r = 0; r < 2; ++r) {
    auto [plan, ids] = rank_with_pair(r, order);
    ranks.push_back(std::move(plan));
    tasks = ids;
  }
  const plan::Verification verification = plan::verify(std::move(ranks));
  EXPECT_TRUE(verification.ok()) << (verification.ok() ? ""
                                                       : verification.violations.front().message);
  const simulate::Job job =
      simulate::make_job(verification.plans, itself, [&](const plan::VerifiedPlan& rank) {
        auto table = std::make_shared<std::vector<OpCost>>();
        for (const plan::PlanOp& op : rank.plan().ops()) {
          OpCost cost;
          if (op.path == "transfer") {
            cost = {.seconds = costs.transfer,
                    .latency_seconds = costs.latency,
                    .links = static_cast<simulate::LinkSet>(bit(simulate::Link::node_in)),
                    .processor_share = costs.share,
                    .is_fused = costs.is_fused};
          } else if (op.path == "product") {
            const bool other = rank.binding().rank == 1 && costs.product_of_rank_1 >= 0;
            cost = {.seconds = other ? costs.product_of_rank_1 : costs.product,
                    .tiles = costs.tiles};
          } else if (op.path == "move") {
            cost = {.seconds = costs.move};
          } else if (op.path == "early") {
            const bool other = rank.binding().rank == 1 && early_of_rank_1 >= 0;
            cost = {.seconds = other ? early_of_rank_1 : costs.early};
          } else {
            cost = {.seconds = 1};
          }
          table->push_back(cost);
        }
        return table;
      });
  return {simulate::simulate(job, {.steps = steps, .recorded_ranks = {0}}), tasks};
}

// The time from the start of the step to the end of the pair.
double pair_seconds(const PairRun& pair) {
  return std::max(pair.done(pair.tasks.product), pair.done(pair.tasks.transfer));
}

constexpr double kNanoseconds = 3e-9;  // records are whole nanoseconds
constexpr auto kOrders = {Order::transfer_first, Order::product_first};

TEST(FusedPairsSimulationTest, APairTakesTheLongerAndATileOfTheShorter) {
  for (const Order order : kOrders) {
    // Of nearly equal parts the first one still runs when the second one could be over.
    for (const auto& [t, p] :
         {std::pair(4.0, 10.0), std::pair(9.0, 10.0), std::pair(10.0, 4.0), std::pair(6.0, 6.0)}) {
      for (const double n : {1.0, 2.0, 8.0}) {
        const PairRun fused = run(order, {.transfer = t, .product = p, .tiles = n});
        EXPECT_NEAR(pair_seconds(fused), std::max(t, p) + std::min(t, p) / n, kNanoseconds)
            << t << " " << p << " " << n << " " << static_cast<int>(order);
        EXPECT_NEAR(fused.start(fused.tasks.behind), pair_seconds(fused), kNanoseconds);
        const PairRun plain =
            run(order, {.transfer = t, .product = p, .tiles = n, .is_fused = false});
        EXPECT_NEAR(pair_seconds(plain), t + p, kNanoseconds);
      }
    }
  }
}

TEST(FusedPairsSimulationTest, BarsOfAPairOverlap) {
  const PairRun after = run(Order::transfer_first, {.transfer = 4, .product = 10, .tiles = 4});
  EXPECT_NEAR(after.start(after.tasks.product), after.start(after.tasks.transfer), kNanoseconds);
  EXPECT_LT(after.start(after.tasks.product), after.done(after.tasks.transfer));
  const PairRun before = run(Order::product_first, {.transfer = 10, .product = 4, .tiles = 4});
  EXPECT_NEAR(before.start(before.tasks.transfer), before.start(before.tasks.product),
              kNanoseconds);
  EXPECT_LT(before.start(before.tasks.transfer), before.done(before.tasks.product));
}

TEST(FusedPairsSimulationTest, OpsBetweenTakeOneTileMore) {
  for (const Order order : kOrders) {
    const PairRun fused = run(order, {.transfer = 4, .product = 10, .move = 2, .tiles = 4});
    EXPECT_NEAR(pair_seconds(fused), 10 + 2 / 4.0 + 4 / 4.0, kNanoseconds);
    EXPECT_EQ(fused.at(fused.tasks.move).start_ns, fused.at(fused.tasks.move).done_ns);
    EXPECT_EQ(fused.at(fused.tasks.move).done_ns, order == Order::transfer_first
                                                      ? fused.at(fused.tasks.product).start_ns
                                                      : fused.at(fused.tasks.product).done_ns);
  }
}

// The product has the other multiprocessors, from the first byte of the transfer to the end of both.
TEST(FusedPairsSimulationTest, TheTransferTakesItsMultiprocessors) {
  for (const Order order : kOrders) {
    const PairRun fused = run(order, {.transfer = 3, .product = 9, .tiles = 3, .share = 0.25});
    EXPECT_NEAR(pair_seconds(fused), 9 / 0.75 + 3 / 3.0, kNanoseconds);
    const PairRun bound = run(order, {.transfer = 18, .product = 9, .tiles = 3, .share = 0.25});
    EXPECT_NEAR(pair_seconds(bound), 18 + 9 / 0.75 / 3, kNanoseconds);
    // Behind the pair the processor is whole again.
    EXPECT_NEAR(fused.done(fused.tasks.behind) - fused.start(fused.tasks.behind), 1, kNanoseconds);
    EXPECT_NEAR(bound.done(bound.tasks.behind) - bound.start(bound.tasks.behind), 1, kNanoseconds);
  }
}

// The other rank joins the transfer when the product of this one is over: the task behind them takes its time.
TEST(FusedPairsSimulationTest, ATaskBehindAPairWhoseTransferBeginsLateTakesItsTime) {
  const PairRun late =
      run(Order::product_first, {.transfer = 3, .product = 9, .tiles = 3, .share = 0.25}, 50);
  EXPECT_NEAR(late.start(late.tasks.behind), late.done(late.tasks.transfer), kNanoseconds);
  EXPECT_NEAR(late.done(late.tasks.behind) - late.start(late.tasks.behind), 1, kNanoseconds);
}

TEST(FusedPairsSimulationTest, LatencyComesBeforeTheFirstByte) {
  const PairRun after =
      run(Order::transfer_first, {.transfer = 8, .product = 4, .tiles = 4, .latency = 1});
  EXPECT_NEAR(pair_seconds(after), 1 + 8 + 4 / 4.0, kNanoseconds);
  const PairRun before =
      run(Order::product_first, {.transfer = 8, .product = 4, .tiles = 4, .latency = 1});
  EXPECT_NEAR(pair_seconds(before), 4 / 4.0 + 1 + 8, kNanoseconds);
}

// The compute lane has other work until tiles have come.
TEST(FusedPairsSimulationTest, AProductThatStartsLateFindsItsTiles) {
  const auto seconds = [](double early) {
    return pair_seconds(
        run(Order::transfer_first, {.transfer = 10, .product = 4, .early = early, .tiles = 4}));
  };
  EXPECT_NEAR(seconds(3), 10 + 4 / 4.0, kNanoseconds);
  EXPECT_NEAR(seconds(8), 8 + 4, kNanoseconds);
  EXPECT_NEAR(seconds(20), 20 + 4, kNanoseconds) << "all tiles have come";
}

TEST(FusedPairsSimulationTest, EveryStepTakesTheSame) {
  for (const Order order : kOrders) {
    const PairRun steps =
        run(order, {.transfer = 4, .product = 10, .move = 2, .tiles = 4, .share = 0.25}, -1, 3);
    EXPECT_NEAR(steps.simulation.seconds_of(0), 1 + (10 + 2 / 4.0) / 0.75 + 4 / 4.0, kNanoseconds);
    for (std::size_t step = 1; step < 3; ++step)
      EXPECT_NEAR(steps.simulation.seconds_of(step), steps.simulation.seconds_of(0), kNanoseconds);
    EXPECT_EQ(steps.simulation.tasks, 2U * 3U * 5U);
  }
}

// A transfer needs the tiles of all members.
TEST(FusedPairsSimulationTest, ATransferWaitsForTheSlowestMember) {
  const Costs costs{.transfer = 4, .product = 10, .tiles = 5};
  EXPECT_NEAR(pair_seconds(run(Order::product_first, costs, 7)), 7 + 10 + 4 / 5.0, kNanoseconds);
  EXPECT_NEAR(pair_seconds(run(Order::transfer_first, costs, 7)), 10 + 4 / 5.0, kNanoseconds)
      << "rank 1 sends at once";
  // The first tiles come at 3 + 5 / 5 on rank 0 and, although it began sooner, at 30 / 5 on rank 1.
  EXPECT_NEAR(
      pair_seconds(
          run(Order::product_first,
              {.transfer = 100, .product = 5, .early = 3, .product_of_rank_1 = 30, .tiles = 5}, 0)),
      30 / 5.0 + 100, kNanoseconds);
}

}  // namespace
}  // namespace megascale::testing
