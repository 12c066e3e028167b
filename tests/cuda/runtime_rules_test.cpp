// The emulated CUDA runtime refuses what a device refuses, and each call that fails comes out of a
// rank's step as an error that names it.
#include <gtest/gtest.h>

#include <thread>

#include "cuda/device_job.h"
#include "cuda/emulation/emulation.h"
#include "megascale/cuda/graph.h"
#include "megascale/cuda/readback.h"
#include "megascale/kernels/cuda/attention.h"
#include "support/watchdog.h"

namespace megascale {
namespace {

std::string message_of(const std::optional<Error>& error) {
  return error ? error->message() : "no error";
}

class EmulatedRuntimeTest : public ::testing::Test {
 public:
  EmulatedRuntimeTest() { cuda::use_device(0); }
  ~EmulatedRuntimeTest() override {
    emulation::refuse_nothing();
    (void)cuda::take_error();
  }
  // What a launch of this shape is told.
  std::string launched(const emulation::Launch& launch, const void* kernel = "a kernel") {
    const bool may = emulation::may_launch(kernel, launch, stream_.get());
    const auto error = cuda::take_error();
    EXPECT_EQ(may, !error);
    return message_of(error);
  }
  cuda::Stream stream_;
};

TEST_F(EmulatedRuntimeTest, ALaunchKeepsTheLimitsOfABlock) {
  EXPECT_EQ(launched({.threads = 1024}), "no error");
  EXPECT_NE(launched({.threads = 1025}).find("cudaLaunchKernel): invalid configuration"),
            std::string::npos);
  EXPECT_NE(launched({.threads = 0}), "no error");
  EXPECT_NE(launched({.grid_x = 0}), "no error");
  EXPECT_NE(launched({.grid_y = 65536}), "no error");
  EXPECT_EQ(launched({.grid_x = 1U << 31U >> 1U}), "no error");
}

TEST_F(EmulatedRuntimeTest, AKernelAsksForMuchSharedMemory) {
  const char* greedy = "a kernel that asks";
  EXPECT_EQ(launched({.shared_nbytes = 48 * 1024}), "no error");
  EXPECT_NE(launched({.shared_nbytes = 48 * 1024 + 1}).find("invalid argument"), std::string::npos);
  cuda::allow_shared_memory(greedy, 227 * 1024);
  EXPECT_EQ(launched({.shared_nbytes = 227 * 1024}, greedy), "no error");
  EXPECT_NE(launched({.shared_nbytes = 100 * 1024}), "no error") << "another kernel";
  emulation::set_device_count(2);
  cuda::use_device(1);
  {
    const cuda::Stream other;
    EXPECT_FALSE(emulation::may_launch(greedy, {.shared_nbytes = 227 * 1024}, other.get()));
    EXPECT_NE(message_of(cuda::take_error()).find("invalid argument"), std::string::npos);
  }
  cuda::use_device(0);
  emulation::set_device_count(1);
  cuda::allow_shared_memory(greedy, 227 * 1024 + 1);
  EXPECT_NE(message_of(cuda::take_error()).find("(cudaFuncSetAttribute)"), std::string::npos);
}

// Attention of one token with one head of 128. Its forward needs more than 48 KiB of shared memory.
constexpr kernels::cuda::AttentionShape kBigHead{.head_size = 128};
kernels::cuda::AttentionForward big_head_at(std::byte* memory) {
  return {.qkv = memory,
          .o = memory + 3 * 128 * sizeof(float),
          .lse = reinterpret_cast<float*>(memory + 4 * 128 * sizeof(float))};
}
constexpr std::size_t kBigHeadNbytes = 4096;

// Goal: the rules of launches hold for the project's kernels, not only for made-up ones.
TEST_F(EmulatedRuntimeTest, KernelsOfTheProjectKeepTheRulesOfLaunches) {
  const cuda::DeviceMemory memory(kBigHeadNbytes);
  const auto launched = [&] {
    attention_forward(kBigHead, big_head_at(memory.bytes().data()), stream_.get());
    return message_of(cuda::take_error());
  };
  EXPECT_EQ(launched(), "no error");
  emulation::refuse_next("cudaLaunchKernel");
  EXPECT_NE(launched().find("cannot launch a kernel (cudaLaunchKernel)"), std::string::npos);
  emulation::refuse_next("cudaFuncSetAttribute");
  EXPECT_NE(launched().find("(cudaFuncSetAttribute)"), std::string::npos);
  emulation::set_device_count(2);
  cuda::use_device(1);
  EXPECT_NE(launched().find("cudaErrorInvalidResourceHandle"), std::string::npos)
      << "a stream of another device";
  cuda::use_device(0);
  stream_.synchronize();
  emulation::set_device_count(1);
}

TEST_F(EmulatedRuntimeTest, AStreamTakesKernelsOfItsDeviceOnly) {
  emulation::set_device_count(2);
  cuda::use_device(1);
  EXPECT_NE(launched({}).find("cudaErrorInvalidResourceHandle"), std::string::npos);
  cuda::Event elsewhere;
  elsewhere.record(stream_.get());
  EXPECT_NE(message_of(cuda::take_error()).find("record an event (cudaEventRecord)"),
            std::string::npos);
  cuda::use_device(0);
  emulation::set_device_count(1);
  EXPECT_THROW(cuda::use_device(1), Error);
}

TEST_F(EmulatedRuntimeTest, AnEventIsPendingWhenItIsAskedFirst) {
  cuda::Event event;
  EXPECT_EQ(event.state(), cuda::Event::State::reached) << "never recorded";
  event.record(stream_.get());
  EXPECT_EQ(event.state(), cuda::Event::State::pending);
  EXPECT_EQ(event.state(), cuda::Event::State::reached);
  event.record(stream_.get());
  EXPECT_EQ(event.state(), cuda::Event::State::pending) << "recorded again";
  event.record(stream_.get());
  stream_.synchronize();
  EXPECT_EQ(event.state(), cuda::Event::State::reached) << "was waited for";
  EXPECT_EQ(message_of(cuda::take_error()), "no error");
}

// A pending event in between must not hide the failure.
TEST_F(EmulatedRuntimeTest, AFailureIsReportedBehindAPendingEvent) {
  cuda::Event lost, other;
  emulation::refuse_next("cudaEventRecord");
  lost.record(stream_.get());
  other.record(stream_.get());
  EXPECT_EQ(other.state(), cuda::Event::State::pending);
  EXPECT_NE(message_of(cuda::take_error()).find("cannot record an event (cudaEventRecord)"),
            std::string::npos);
  EXPECT_EQ(message_of(cuda::take_error()), "no error") << "once";
}

TEST_F(EmulatedRuntimeTest, AnEventWhoseQueryFailedIsNotWaitedForInVain) {
  cuda::Event event;
  event.record(stream_.get());
  emulation::refuse_next("cudaEventQuery");
  EXPECT_EQ(event.state(), cuda::Event::State::failed);
  EXPECT_THROW(event.wait(), Error);
  EXPECT_NO_THROW(event.wait());
}

TEST_F(EmulatedRuntimeTest, CopiesStayInMemory) {
  const cuda::DeviceMemory memory(64);
  std::vector<std::byte> host(128);
  EXPECT_THROW(cuda::copy_to_device(memory.bytes().data(), host), Error) << "beyond the end";
  EXPECT_THROW(cuda::copy_to_device(host.data(), std::span(host).first(8)), Error) << "to the host";
  EXPECT_THROW(cuda::fill_zero(std::span(host).first(8)), Error);
  cuda::copy_async(memory.bytes().data() + 32, std::span(host).first(64), stream_.get());
  EXPECT_NE(message_of(cuda::take_error()).find("cudaMemcpyAsync): invalid argument"),
            std::string::npos);
}

// Neither before nor behind the work that the device does on it, nor behind a copy past all streams.
TEST_F(EmulatedRuntimeTest, TheHostCannotReadMemoryOfTheDevice) {
  const cuda::DeviceMemory memory(64), other(64);
  const auto read = [&] {
    return std::to_integer<int>(*static_cast<volatile std::byte*>(memory.bytes().data()));
  };
  EXPECT_DEATH((void)read(), "");
  cuda::copy_async(memory.bytes().data(), other.bytes(), stream_.get());
  stream_.synchronize();
  EXPECT_DEATH((void)read(), "");
  cuda::fill_zero(memory.bytes());
  EXPECT_DEATH((void)read(), "");
}

TEST_F(EmulatedRuntimeTest, ACaptureAllocatesAndWaitsForNothing) {
  cuda::Event event;
  event.record(stream_.get());
  stream_.synchronize();
  const auto captured = [&](const std::function<void()>& work) -> std::string {
    try {
      const cuda::Graph graph(stream_.get(), work);
    } catch (const Error& error) {
      return error.message();
    }
    return "no error";
  };
  EXPECT_EQ(captured([] {}), "no error");
  EXPECT_NE(captured([] { const cuda::DeviceMemory memory(64); }).find("cudaMalloc)"),
            std::string::npos);
  EXPECT_NE(captured([&] { (void)event.state(); }).find("cudaErrorStreamCaptureInvalidated"),
            std::string::npos);
  EXPECT_NE(captured([&] { stream_.synchronize(); }).find("cudaErrorStreamCaptureUnsupported"),
            std::string::npos);
}

// A graph repeats its copies when it is launched. By then a temporary in the host's memory is gone.
TEST_F(EmulatedRuntimeTest, ACaptureCopiesNoMemoryOfTheHostThatMayGo) {
  const cuda::DeviceMemory memory(64);
  const cuda::PinnedMemory stays(64);
  const std::vector<std::byte> temporary(64);
  const auto capture = [&](std::span<const std::byte> from) {
    const cuda::Graph graph(stream_.get(),
                            [&] { cuda::copy_async(memory.bytes().data(), from, stream_.get()); });
  };
  EXPECT_NO_THROW(capture(stays.bytes()));
  EXPECT_NO_THROW(capture(stays.bytes().subspan(32)));
  EXPECT_THROW(capture(temporary), Error);
  (void)cuda::take_error();
  cuda::copy_async(memory.bytes().data(), temporary, stream_.get());
  stream_.synchronize();
  EXPECT_FALSE(cuda::take_error().has_value()) << "outside a capture";
}

// A step with work of streams, a kernel that needs an attribute, work of the host, a wait between
// lanes, and a graph.
testing::PlanWriter step() {
  testing::PlanWriter w;
  const auto some = w.buffer("some", kBigHeadNbytes), out = w.buffer("out", kBigHeadNbytes);
  w.tables.buffers[plan::index(out)].category = plan::Category::staging;
  testing::TaskId last = 0;
  for (int i = 0; i < 3; ++i) {
    last = w.work(graph::Lane::compute, "clear", {w.whole(some, graph::Access::write)}, {},
                  [](const TaskArguments& a) {
                    const std::span<const std::byte> from(a.operands[0], 64);
                    cuda::copy_async(a.operands[0] + 64, from, a.stream);
                    return nullptr;
                  });
  }
  last = w.work(graph::Lane::compute, "attend", {w.whole(some, graph::Access::write)}, {},
                [](const TaskArguments& a) {
                  attention_forward(kBigHead, big_head_at(a.operands[0]), a.stream);
                  return nullptr;
                });
  last = w.work(graph::Lane::host_out, "copy",
                {w.whole(some, graph::Access::read), w.whole(out, graph::Access::write)},
                {.after = {last}}, [](const TaskArguments&) { return nullptr; });
  w.work(graph::Lane::host_out, "store", {w.whole(out, graph::Access::read)}, {.after = {last}},
         [](const TaskArguments&) { return nullptr; });
  return w;
}

constexpr const char* kCallsOfAStep[] = {"cudaMalloc",
                                         "cudaMallocHost",
                                         "cudaMemset",
                                         "cudaSetDevice",
                                         "cudaGetDeviceCount",
                                         "cudaDeviceGetStreamPriorityRange",
                                         "cudaStreamCreateWithPriority",
                                         "cudaEventCreateWithFlags",
                                         "cudaEventRecord",
                                         "cudaEventRecordWithFlags",
                                         "cudaStreamWaitEvent",
                                         "cudaEventQuery",
                                         "cudaEventSynchronize",
                                         "cudaEventElapsedTime",
                                         "cudaMemcpyAsync",
                                         "cudaStreamBeginCapture",
                                         "cudaStreamEndCapture",
                                         "cudaGraphInstantiate",
                                         "cudaGraphLaunch",
                                         "cudaLaunchKernel",
                                         "cudaFuncSetAttribute"};
// Goal: no failure of a call is lost, and none ends the process or hangs.  Method: of each function,
// each call of three steps fails once, until no call is left.
TEST_F(EmulatedRuntimeTest, EveryCallOfAStepThatFailsIsNamed) {
  const testing::Watchdog watchdog("steps with refused calls");
  for (const std::string function : kCallsOfAStep) {
    SCOPED_TRACE(function);
    int calls = 0;
    for (bool failed = true; failed && calls < 200; ++calls) {
      emulation::refuse_next(function, calls);
      const auto error = testing::run_on_device({step()}, {.steps = 3, .graphs = true})[0];
      failed = !emulation::is_to_be_refused(function);
      emulation::refuse_nothing();
      if (!failed) {
        EXPECT_FALSE(error) << error->message();
        break;
      }
      ASSERT_TRUE(error) << "call " << calls << " failed unseen";
      EXPECT_NE(error->message().find("(" + function + ")"), std::string::npos) << error->message();
      EXPECT_NE(error->message().find("; "), std::string::npos) << "what to do";
    }
    EXPECT_GT(calls, 0) << "was not called";
  }
}

}  // namespace
}  // namespace megascale
