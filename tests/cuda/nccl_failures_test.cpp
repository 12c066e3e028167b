// Ranks that are threads with a device each, over the emulated NCCL: their values, and what becomes
// of a call of NCCL that fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>

#include "cuda/emulation/emulation.h"
#include "megascale/comm/nccl/nccl_communicator.h"
#include "megascale/cuda/device.h"
#include "megascale/cuda/memory.h"
#include "megascale/runtime/cuda/device_lane_runner.h"
#include "support/plan_writer.h"
#include "support/watchdog.h"

namespace megascale {
namespace {

using graph::Access;
using graph::Lane;
using testing::PlanWriter;
using testing::TaskId;
using namespace std::chrono_literals;

constexpr std::size_t kCount = 64, kNbytes = kCount * sizeof(float);
constexpr std::uint32_t kSize = 2;

// Each rank fills its half; then all kinds of transfers of NCCL follow each other. Rank 1 gives what
// both add up, so a broadcast that does nothing would change the sums.
PlanWriter transfers(std::uint32_t rank) {
  PlanWriter w;
  const auto both = w.buffer("both", 2 * kNbytes), turned = w.buffer("turned", 2 * kNbytes),
             sum = w.buffer("sum", kNbytes);
  const auto all = w.communicator("all", {0, 1}, Lane::data);
  const plan::Operand half{.buffer = both,
                           .nbytes = kNbytes,
                           .access = Access::read,
                           .term = {.axes = {graph::Axis::data}, .n = 2, .stride = kNbytes}};
  plan::Operand filled = half;
  filled.access = Access::write;
  const TaskId fill =
      w.work(Lane::compute, "fill", {filled}, {}, [rank](const TaskArguments& arguments) {
        emulation::enqueue(arguments.stream, [rank, values = testing::floats(arguments, 0)] {
          for (std::size_t i = 0; i < kCount; ++i) values[i] = static_cast<float>(1 + rank);
        });
        return nullptr;
      });
  w.transfer(graph::all_gather_op(), "gather", all, {half, w.whole(both, Access::write)},
             {.after = {fill}});
  w.transfer(graph::all_to_all_op(), "turn", all,
             {w.whole(both, Access::read), w.whole(turned, Access::write)}, {});
  w.transfer(graph::broadcast_op(), "spread", all, {w.whole(turned, Access::accumulate)}, {});
  w.tables.ops.back().attributes.set(graph::attribute::root, std::int64_t{1});
  w.transfer(graph::reduce_scatter_op(), "scatter", all,
             {w.whole(turned, Access::read), w.whole(sum, Access::write)}, {});
  w.transfer(graph::all_reduce_op(), "reduce", all, {w.whole(sum, Access::accumulate)}, {});
  return w;
}

class NcclFailuresTest : public ::testing::Test {
 public:
  NcclFailuresTest() { emulation::set_device_count(kSize); }
  ~NcclFailuresTest() override {
    emulation::refuse_nothing();
    cuda::use_device(0);
    emulation::set_device_count(1);
  }
  // A step of all ranks. What each threw; sums_ are the values that each has then.
  std::vector<std::optional<Error>> run(bool with_windows = false) {
    std::vector<std::optional<Error>> errors(kSize);
    std::vector<std::thread> threads;
    std::optional<comm::NcclId> id;
    try {
      id = comm::make_nccl_id();
    } catch (const Error& error) {
      errors[0] = error;
      return errors;
    }
    // No rank ends its communicator while another one is in its step, which would find that a peer is gone.
    std::barrier steps{kSize};
    for (std::uint32_t rank = 0; rank < kSize; ++rank) {
      threads.emplace_back([&, rank] {
        try {
          run_rank(rank, *id, with_windows, [&] { steps.arrive_and_wait(); });
        } catch (const Error& error) {
          errors[rank] = error;
          emulation::refuse_next("network");  // the other sees that this rank is gone
          steps.arrive_and_drop();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    return errors;
  }
  // Of each function, each call fails once, up to a number.
  void expect_named(const std::vector<std::string>& functions, bool with_windows, int most = 100) {
    const testing::Watchdog watchdog("steps with refused calls of NCCL");
    for (const std::string& function : functions) {
      SCOPED_TRACE(function);
      int calls = 0;
      for (; calls < most; ++calls) {
        emulation::refuse_next(function, calls);
        const auto errors = run(with_windows);
        const bool failed = !emulation::is_to_be_refused(function);
        emulation::refuse_nothing();
        if (!failed) {
          for (const auto& error : errors) EXPECT_FALSE(error) << error->message();
          break;
        }
        const auto named = [&](const std::optional<Error>& error) {
          return error &&
                 error->message().find("NCCL: " + function + " failed") != std::string::npos &&
                 error->message().find("set NCCL_DEBUG=WARN") != std::string::npos;
        };
        ASSERT_TRUE(std::ranges::any_of(errors, named))
            << "call " << calls << ": " << (errors[0] ? errors[0]->message() : "no error") << "; "
            << (errors[1] ? errors[1]->message() : "no error");
        const auto peer_is_gone = [](const std::optional<Error>& error) {
          return error && error->message().find("remote process exited") != std::string::npos;
        };
        for (const auto& error : errors)
          EXPECT_TRUE(!error || named(error) || peer_is_gone(error)) << error->message();
      }
      EXPECT_GT(calls, 0) << "was not called";
    }
  }
  std::vector<float> sums_ = std::vector<float>(kSize);

 private:
  void run_rank(std::uint32_t rank, const comm::NcclId& id, bool with_windows,
                const std::function<void()>& before_the_end) {
    const PlanWriter& w = writers_[rank];
    cuda::use_device(rank);
    const std::uint64_t nbytes = verification_.plans[rank].plan().arena_nbytes();
    std::unique_ptr<comm::NcclMemory> window;
    cuda::DeviceMemory own;
    if (with_windows) {
      window = comm::allocate_nccl_memory(nbytes);
    } else {
      own = cuda::DeviceMemory(nbytes);
    }
    const std::span<std::byte> arena = window ? window->bytes() : own.bytes();
    Wakeup wakeup;
    runtime::DeviceLaneRunner runner(rank, wakeup, {.timeout = 20s});
    comm::NcclCommunicator end(comm::open_nccl_channel(id, kSize, rank, runner.stream(Lane::data)),
                               kSize, rank, wakeup,
                               window ? window->bytes() : std::span<std::byte>());
    runtime::BoundPlan bound{.plan = &verification_.plans[rank],
                             .arena = arena,
                             .functions = {},
                             .communicators = {&end}};
    for (const auto& function : w.functions) bound.functions.push_back(function.get());
    const std::size_t number = runner.bind(std::move(bound));
    runner.run_step(number, {});
    cuda::copy_to_host(std::as_writable_bytes(std::span(sums_).subspan(rank, 1)),
                       arena.data() + w.offset_of(plan::BufferId{2}));
    before_the_end();
  }
  std::vector<PlanWriter> writers_{transfers(0), transfers(1)};
  plan::Verification verification_ =
      plan::verify({writers_[0].rank_plan(0), writers_[1].rank_plan(1)});
};

TEST_F(NcclFailuresTest, AStepOfTwoRanksGivesItsValues) {
  const testing::Watchdog watchdog("a step of two ranks");
  for (const bool with_windows : {false, true}) {
    for (const auto& error : run(with_windows)) ASSERT_FALSE(error) << error->message();
    EXPECT_EQ(sums_, std::vector<float>(kSize, 8)) << "2 + 2 of rank 1 on both, added";
  }
}

TEST_F(NcclFailuresTest, EveryCallThatFailsIsNamed) {
  expect_named(
      {"ncclGetUniqueId", "ncclCommInitRankConfig", "ncclAllGather", "ncclGroupStart", "ncclSend",
       "ncclRecv", "ncclGroupEnd", "ncclBroadcast", "ncclReduceScatter", "ncclAllReduce"},
      false);
}

// The first ones: later ones belong to the end of the group, which ends nothing else.
TEST_F(NcclFailuresTest, AStateThatCannotBeAskedForIsNamed) {
  expect_named({"ncclCommGetAsyncError"}, false, 6);
}

TEST_F(NcclFailuresTest, EveryCallForWindowsThatFailsIsNamed) {
  expect_named({"ncclMemAlloc", "ncclCommWindowRegister"}, true);
}

// An abort follows a failure, which is the one to be named.
TEST_F(NcclFailuresTest, AnAbortThatFailsHidesNothing) {
  const testing::Watchdog watchdog("an abort that fails");
  emulation::refuse_next("ncclAllReduce");
  emulation::refuse_next("ncclCommAbort");
  const auto errors = run();
  EXPECT_TRUE(std::ranges::any_of(errors, [](const auto& error) {
    return error && error->message().find("NCCL: ncclAllReduce failed") != std::string::npos;
  }));
  EXPECT_FALSE(emulation::is_to_be_refused("ncclCommAbort")) << "was not called";
}

// A process asks for the version once, so this one must not have asked before.
TEST(NcclVersionFailureTest, AVersionThatCannotBeAskedForIsNamed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        cuda::use_device(0);
        emulation::refuse_next("ncclGetVersion");
        try {
          (void)comm::allocate_nccl_memory(64);
        } catch (const Error& error) {
          std::fputs(error.message().c_str(), stderr);
        }
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "NCCL: ncclGetVersion failed");
}

// What fails at the end ends nothing: the values are there.
TEST_F(NcclFailuresTest, AnEndThatFailsDoesNoHarm) {
  const testing::Watchdog watchdog("ends that fail");
  for (const char* function :
       {"ncclCommFinalize", "ncclCommDestroy", "ncclCommWindowDeregister", "ncclMemFree"}) {
    emulation::refuse_next(function);
    for (const auto& error : run(true)) EXPECT_FALSE(error) << error->message();
    EXPECT_FALSE(emulation::is_to_be_refused(function)) << function << " was not called";
    emulation::refuse_nothing();
  }
}

}  // namespace
}  // namespace megascale
