// An all_to_all_v between ranks that are threads on devices: the counts lie in device memory, where
// a task of the stream has just written them.
#include <gtest/gtest.h>

#include <barrier>
#include <thread>

#include "comm/counted_exchange.h"
#include "megascale/comm/local/local_group.h"
#include "megascale/cuda/device.h"
#include "megascale/cuda/memory.h"
#include "megascale/cuda/stream.h"
#include "support/watchdog.h"

namespace megascale::comm {
namespace {

constexpr std::uint32_t kMembers = 3;

CountedExchange<float> exchange_of(BlockLayout layout) {
  return {.members = kMembers,
          .row_count = 3,
          .bound = 4,
          .layout = layout,
          .dtype = DType::int32,
          .rows = [](std::uint32_t from, std::uint32_t to) { return (from * 2 + to) % 5; }};
}

class DeviceCountsTest : public ::testing::Test {
 public:
  void SetUp() override {
    if (cuda::device_count() == 0) GTEST_SKIP() << cuda::why_no_device();
    std::vector<Wakeup*> wakeups;
    for (Wakeup& wakeup : wakeups_) wakeups.push_back(&wakeup);
    ends_ = LocalGroup::make(wakeups);
  }
  // One member's thread. Returns what it has received, -1 where nothing was written.
  std::vector<float> run(std::uint32_t m, const CountedExchange<float>& exchange,
                         const MemberCounts& counts) {
    cuda::use_device(0);
    const cuda::Stream stream;
    LocalGroup::set_mover(*ends_[m], make_device_mover(stream.get()));
    const std::size_t count = exchange.capacity() * exchange.row_count;
    std::vector<float> received(count, -1);
    const cuda::DeviceMemory send(count * sizeof(float)), receive(count * sizeof(float));
    const std::vector<float> values = input(m, count);
    cuda::copy_to_device(send.bytes().data(), std::as_bytes(std::span(values)));
    cuda::copy_to_device(receive.bytes().data(), std::as_bytes(std::span(received)));
    // The tables come to the device in the order of the stream.
    BlockCounts on_device = counts.counts();
    cuda::PinnedMemory written(2 * on_device.send.size());
    std::ranges::copy(on_device.send, written.bytes().begin());
    std::ranges::copy(on_device.receive, written.bytes().subspan(on_device.send.size()).begin());
    const cuda::DeviceMemory table(written.bytes().size());
    cuda::copy_async(table.bytes().data(), written.bytes(), stream.get());
    on_device.send = table.bytes().first(on_device.send.size());
    on_device.receive = table.bytes().subspan(on_device.receive.size());
    ends_[m]->start({.rule = &transfer_rules::all_to_all_v,
                     .send = send.bytes(),
                     .receive = receive.bytes(),
                     .counts = on_device});
    Progress progress = Progress::waiting;
    while (progress != Progress::done && progress != Progress::failed) {
      const std::uint32_t epoch = wakeups_[m].epoch();
      progress = ends_[m]->poll();
      if (progress == Progress::waiting || progress == Progress::moving) wakeups_[m].wait(epoch);
    }
    stream.synchronize();
    // Behind a failure a peer's stream may still read this member's memory.
    all_streams_are_empty_.arrive_and_wait();
    cuda::copy_to_host(std::as_writable_bytes(std::span(received)), receive.bytes().data());
    outcome_[m] = progress == Progress::done ? "done" : ends_[m]->error().message();
    return received;
  }
  static std::vector<float> input(std::uint32_t m, std::size_t count) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
      values[i] = static_cast<float>(std::size_t{1000} * m + i);
    return values;
  }
  template <class Body>
  static void on_threads(Body&& body) {
    const testing::Watchdog watchdog("members on devices");
    std::vector<std::thread> threads;
    for (std::uint32_t m = 0; m < kMembers; ++m) threads.emplace_back([&body, m] { body(m); });
    for (std::thread& thread : threads) thread.join();
  }
  std::array<Wakeup, kMembers> wakeups_;
  std::barrier<> all_streams_are_empty_{kMembers};
  std::vector<std::unique_ptr<Communicator>> ends_;
  std::array<std::string, kMembers> outcome_;
};

TEST_F(DeviceCountsTest, BlocksWhoseSizesAreOnTheDevice) {
  for (const BlockLayout layout : {BlockLayout::packed, BlockLayout::fixed}) {
    SetUp();  // a mover is set before the first transfer
    const auto exchange = exchange_of(layout);
    std::vector<std::vector<float>> inputs, received(kMembers);
    for (std::uint32_t m = 0; m < kMembers; ++m)
      inputs.push_back(input(m, exchange.capacity() * exchange.row_count));
    on_threads([&](std::uint32_t m) { received[m] = run(m, exchange, MemberCounts(exchange, m)); });
    for (std::uint32_t m = 0; m < kMembers; ++m) {
      EXPECT_EQ(outcome_[m], "done");
      EXPECT_EQ(received[m], exchange.received(m, inputs, -1.0F)) << "member " << m;
    }
  }
}

TEST_F(DeviceCountsTest, SizesThatDifferAreNamedByAll) {
  const auto exchange = exchange_of(BlockLayout::packed);
  on_threads([&](std::uint32_t m) {
    MemberCounts counts(exchange, m);
    if (m == 1) counts.set_send(2, 1);  // rank 2 expects 4
    (void)run(m, exchange, counts);
  });
  for (const std::string& outcome : outcome_) {
    EXPECT_NE(outcome.find("rank 1 sends 1 rows to rank 2, which expects 4 from it"),
              std::string::npos)
        << outcome;
  }
}

}  // namespace
}  // namespace megascale::comm
