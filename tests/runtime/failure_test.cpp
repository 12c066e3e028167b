#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "support/exchange_plan.h"
#include "support/job.h"
#include "support/watchdog.h"

namespace megascale::runtime {
namespace {

using graph::Access;
using graph::Lane;
using testing::exchange_plans;
using testing::Job;
using testing::PlanWriter;
using testing::Watchdog;
using testing::WorkFunction;

// Goal: whichever task of whichever rank fails, every rank throws an error that names it, and no
// thread stays behind.
TEST(FailureTest, AnyTasksErrorStopsAllRanks) {
  const Watchdog watchdog("a step with a failing task");
  const Error error(ErrorCode::out_of_memory, "the disk of this test is full");
  std::uint64_t seed = 0;
  for (std::uint32_t failing = 0; failing < 2; ++failing) {
    for (std::size_t op = 0; op < exchange_plans()[failing].functions.size(); ++op) {
      for (int round = 0; round < 5; ++round) {
        auto writers = exchange_plans();
        if (writers[failing].functions[op] == nullptr) continue;
        const std::string name = "step/" + writers[failing].tables.ops[op].path;
        writers[failing].functions[op] =
            std::make_shared<WorkFunction>([&](const auto&) { return &error; });
        ++seed;
        const auto delay = [seed](std::uint32_t rank, std::uint32_t task) {
          testing::random_delay(seed, rank, task);
        };
        // Every fifth over UCX, whose workers take longer to make than a step.
        const bool ucx = round == 4 && comm::ucx_is_available();
        Job job(writers, delay, {}, ucx ? testing::Over::ucx : testing::Over::local);
        const auto errors = job.try_step();
        ASSERT_TRUE(errors[failing]) << name;
        EXPECT_EQ(errors[failing]->code(), ErrorCode::out_of_memory);
        for (const std::string& part :
             {error.message(), name, std::string("on rank ") + fmt::format("{}", failing)}) {
          EXPECT_NE(errors[failing]->message().find(part), std::string::npos)
              << errors[failing]->message();
        }
        // The other rank may have been through before; if not, it says the same and what it was
        // doing.
        const auto& other = errors[1 - failing];
        if (other) {
          EXPECT_NE(other->message().find(error.message()), std::string::npos) << other->message();
          EXPECT_NE(other->message().find(name), std::string::npos) << other->message();
        }
        // Nothing more can be run, and that is said again.
        const auto again = job.try_step();
        ASSERT_TRUE(again[failing]);
        EXPECT_EQ(again[failing]->message(), errors[failing]->message());
      }
    }
  }
}

// The same for any task, transfers included, by an error that is thrown before it starts.
TEST(FailureTest, AnErrorBeforeATaskIsTheTasks) {
  const Watchdog watchdog("a step with an error before a task");
  const std::size_t tasks = exchange_plans()[0].tables.tasks.size();
  for (std::uint32_t failing = 0; failing < 2; ++failing) {
    for (std::uint32_t bad = 0; bad < tasks; ++bad) {
      Job job(exchange_plans(), [&](std::uint32_t rank, std::uint32_t task) {
        if (rank == failing && task == bad) throw Error(ErrorCode::out_of_memory, "no more");
      });
      const auto errors = job.try_step();
      const std::string name = fmt::format("no more; while running task {} (", bad);
      ASSERT_TRUE(errors[failing]) << name;
      EXPECT_EQ(errors[failing]->code(), ErrorCode::out_of_memory);
      EXPECT_NE(errors[failing]->message().find(name), std::string::npos)
          << errors[failing]->message();
      const auto& other = errors[1 - failing];
      EXPECT_TRUE(!other || other->message().find(name) != std::string::npos) << other->message();
    }
  }
}

TEST(FailureTest, APeerInATransferIsWoken) {
  const Watchdog watchdog("a rank whose peer failed");
  const Error error(ErrorCode::failed, "broken before the reduce");
  auto writers = exchange_plans();
  for (std::size_t op = 0; op < writers[1].functions.size(); ++op) {
    if (writers[1].tables.ops[op].path == "piece1") {
      writers[1].functions[op] = std::make_shared<WorkFunction>([&](const auto&) {
        std::this_thread::sleep_for(
            std::chrono::milliseconds(20));  // rank 0 waits in the reduce by now
        return &error;
      });
    }
  }
  Job job(writers);
  const auto errors = job.try_step();
  ASSERT_TRUE(errors[0] && errors[1]);
  EXPECT_NE(errors[0]->message().find("step/piece1"), std::string::npos) << errors[0]->message();
  EXPECT_NE(errors[0]->message().find("on rank 1; while running task"), std::string::npos)
      << errors[0]->message();
}

// A rank with a batch loader: `early` needs no batch, `use` does, the next batch is loaded by a
// carried task.
struct Loading {
  std::function<const Error*(float* staging)> load;
  std::function<void()> early = [] {};
  std::vector<float> used;

  PlanWriter write() {
    PlanWriter w;
    const auto staging = w.buffer("staging", 64), batch = w.buffer("batch", 64);
    const auto copy = w.work(Lane::host_in, "copy",
                             {w.whole(staging, Access::read), w.whole(batch, Access::write)}, {},
                             [](const auto& a) {
                               std::memcpy(a.operands[1], a.operands[0], 64);
                               return nullptr;
                             });
    w.work(Lane::compute, "early", {}, {}, [this](const auto&) {
      early();
      return nullptr;
    });
    w.work(Lane::compute, "use", {w.whole(batch, Access::read)}, {.after = {copy}},
           [this](const auto& a) {
             used.push_back(testing::floats(a, 0)[0]);
             return nullptr;
           });
    w.work(Lane::host_in, "load", {w.whole(staging, Access::write)}, {.carried = true},
           [this](const auto& a) { return load(testing::floats(a, 0)); });
    return w;
  }
};

TEST(CarriedTaskTest, OverlapsWithTheNextStep) {
  const Watchdog watchdog("a carried task");
  std::atomic<int> loads{0};
  std::atomic<bool> may_load{true};
  Loading loading;
  loading.load = [&](float* staging) -> const Error* {
    while (!may_load) std::this_thread::yield();
    *staging = static_cast<float>(++loads);
    return nullptr;
  };
  Job job({loading.write()});
  job.runner(0).run_carried(0);
  EXPECT_EQ(loads, 1);
  may_load = false;
  job.step();  // its load hangs: the step is over all the same
  EXPECT_EQ(loads, 1);
  // The next step begins while that load is under way, and its first task lets it go on.
  loading.early = [&] {
    EXPECT_EQ(loads, 1);
    may_load = true;
  };
  job.step();
  job.runner(0).drain();
  EXPECT_EQ(loads, 3);
  EXPECT_EQ(loading.used, (std::vector<float>{1, 2}));
}

TEST(CarriedTaskTest, ItsFailureStopsTheNextStep) {
  const Watchdog watchdog("a carried task that fails");
  const Error error(ErrorCode::bad_input, "token 70000 is not in the vocabulary");
  for (int round = 0; round < 200; ++round) {
    int loads = 0;
    Loading loading;
    loading.load = [&](float* staging) -> const Error* {
      *staging = static_cast<float>(++loads);
      return loads == 3 ? &error : nullptr;
    };
    Job job({loading.write()});
    job.runner(0).run_carried(0);
    job.step();
    // The second step's own load is the one that fails: it is over, or it is stopped by it; the
    // third never runs.
    const auto second = job.try_step()[0];
    const auto third = job.try_step()[0];
    ASSERT_TRUE(third);
    EXPECT_EQ(third->code(), ErrorCode::bad_input);
    EXPECT_NE(third->message().find("step/load"), std::string::npos) << third->message();
    EXPECT_TRUE(!second || second->message() == third->message());
    for (const float used : loading.used)
      EXPECT_LT(used, 3.0F) << "a batch whose load failed was trained on";
    EXPECT_ANY_THROW(job.runner(0).run_carried(0));
  }
}

TEST(LaneRunnerTest, TwoPlansTakeTurns) {
  const Watchdog watchdog("two plans of one lane runner");
  std::atomic<std::uint64_t> seed{0};
  const auto plan_of = [](std::uint32_t rank, float scale) {
    PlanWriter w;
    const auto value = w.buffer("value", 256), total = w.buffer("total", 256);
    const auto data = w.communicator("data", {0, 1, 2}, Lane::data);
    const auto fill =
        w.work(Lane::compute, "fill", {w.whole(value, Access::write)}, {}, [=](const auto& a) {
          for (int i = 0; i < 64; ++i)
            testing::floats(a, 0)[i] = scale * static_cast<float>(rank + 1);
          return nullptr;
        });
    const auto reduce = w.transfer(graph::all_reduce_op(), "reduce", data,
                                   {w.whole(value, Access::accumulate)}, {.after = {fill}});
    w.work(Lane::compute, "add", {w.whole(value, Access::read), w.whole(total, Access::accumulate)},
           {.after = {reduce}}, [](const auto& a) {
             for (int i = 0; i < 64; ++i) testing::floats(a, 1)[i] += testing::floats(a, 0)[i];
             return nullptr;
           });
    // Still under way when the other plan's step begins.
    const auto staging = w.buffer("staging", 64);
    w.work(Lane::host_in, "load", {w.whole(staging, Access::write)}, {.carried = true},
           [](const auto&) { return nullptr; });
    return w;
  };
  std::vector<std::vector<PlanWriter>> plans;
  for (const float scale : {1.0F, 100.0F})
    plans.push_back({plan_of(0, scale), plan_of(1, scale), plan_of(2, scale)});
  Job job(plans,
          [&](std::uint32_t rank, std::uint32_t task) { testing::random_delay(seed, rank, task); });
  job.fill_arenas(std::byte{0});
  for (int i = 0; i < 60; ++i) {
    ++seed;
    job.step(i % 3 == 1 ? 1 : 0);
  }
  const auto* total = reinterpret_cast<const float*>(job.arena(2).data() + 256);
  EXPECT_EQ(*total, 40 * 6 + 20 * 600);
}

// A notification that falls between a thread's look at its work and its sleep must not be lost.
TEST(LaneRunnerTest, StartsAndStopsWithoutHanging) {
  const Watchdog watchdog("a lane runner that is destroyed");
  for (int i = 0; i < 3000; ++i) {
    Wakeup wakeup;
    const LaneRunner runner(wakeup, {});
    for (int spins = 0; spins < i % 7; ++spins) std::this_thread::yield();
  }
}

}  // namespace
}  // namespace megascale::runtime
