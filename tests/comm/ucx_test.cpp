#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <thread>

#include "comm/members.h"
#include "megascale/comm/ucx/endpoint_record.h"
#include "support/watchdog.h"

namespace megascale::comm {
namespace {

using testing::Watchdog;

class UcxTest : public ::testing::Test {
 public:
  void SetUp() override {
    if (!ucx_is_available()) GTEST_SKIP() << "built without UCX";
  }
};

TEST_F(UcxTest, PlansThatDifferAreNamedByBoth) {
  const Watchdog watchdog("members with different plans");
  for (const Backend backend : {Backend::ucx_messages, Backend::ucx_tcp}) {
    Members members(2, backend);
    std::vector<std::byte> memory(4096);
    members.run([&](std::uint32_t m, Communicator& end) {
      std::vector<std::byte> receive(8192);
      const Transfer gather{.rule = &transfer_rules::all_gather,
                            .send = std::span(memory).first(m == 0 ? 4096 : 2048),
                            .receive = receive};
      EXPECT_EQ(members.transfer(m, gather), Progress::failed);
      const std::string text = end.error().message();
      EXPECT_NE(text.find("their plans differ"), std::string::npos) << text;
      EXPECT_NE(text.find("of 4096 bytes"), std::string::npos) << text;
      EXPECT_NE(text.find("of 2048 bytes"), std::string::npos) << text;
    });
  }
}

// What fits one window is on its way as soon as both have started.
TEST_F(UcxTest, ASenderWaitsForNoReaderThatHasStarted) {
  const Watchdog watchdog("a reader that looks no more");
  const std::vector<std::byte> sent(std::size_t{1} << 18U, std::byte{7});
  for (const Backend backend : {Backend::ucx_messages, Backend::ucx_tcp}) {
    std::vector<std::byte> received(sent.size());
    Members members(2, backend);
    members.run([&](std::uint32_t m, Communicator&) {  // they are connected now
      EXPECT_EQ(members.transfer(m, {.rule = &transfer_rules::barrier}), Progress::done);
    });
    Communicator &sender = members.end(0), &reader = members.end(1);
    reader.start({.rule = &transfer_rules::recv, .receive = received});
    sender.start({.rule = &transfer_rules::send, .send = sent});
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    Progress progress = Progress::waiting;
    while (progress != Progress::done && std::chrono::steady_clock::now() < deadline)
      progress = sender.poll();
    EXPECT_EQ(progress, Progress::done);
    while (reader.poll() != Progress::done) (void)sender.poll();
    EXPECT_EQ(received, sent);
  }
}

// Nothing that a store hands out by mistake crashes a rank.
TEST_F(UcxTest, AddressesThatAreNoneAreRefused) {
  auto& rank = *ranks_of(Backend::ucx_messages)[0];
  const auto good = rank.worker->address();
  const auto make = [&](const std::vector<std::byte>& other) {
    const std::vector<std::vector<std::byte>> addresses{good, other};
    return rank.worker->make_group(addresses, 0, "refused");
  };
  for (std::size_t n = 0; n < good.size(); ++n) {
    const std::vector<std::byte> cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_THROW(EndpointRecord::decode(cut), Error) << n << " bytes";
  }
  try {
    make({std::byte{1}, std::byte{2}});
    ADD_FAILURE() << "two bytes were taken for an address";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_NE(error.message().find("member 1 of group refused"), std::string::npos)
        << error.message();
  }
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    auto bytes = good;
    // Behind the part that UCX itself reads: that is trusted, as the header says.
    for (int flips = 0; flips < 3; ++flips) bytes[random() % 40] = static_cast<std::byte>(random());
    try {
      (void)EndpointRecord::decode(bytes);
    } catch (const Error&) {
    }
  }
  const std::vector<std::vector<std::byte>> wrong_index{good, good};
  EXPECT_THROW((void)rank.worker->make_group(wrong_index, 2, "refused"), Error);
}

TEST_F(UcxTest, UnknownTransportsAreRefused) {
  Wakeup wakeup;
  try {
    const UcxWorker worker(wakeup, {.transports = "carrier_pigeon"});
    ADD_FAILURE() << "a worker without transports";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_usage);
    EXPECT_NE(error.message().find("carrier_pigeon"), std::string::npos) << error.message();
  }
}

// A member that has done its part may leave: the others that read nothing of it do without it.
TEST_F(UcxTest, WhoReadsNothingOfAMemberDoesNotNeedItToStay) {
  const Watchdog watchdog("a member that has left");
  for (const TransferRule* kind : {&transfer_rules::shift, &transfer_rules::broadcast}) {
    std::vector<std::vector<std::byte>> addresses;
    for (std::uint32_t m = 0; m < 3; ++m)
      addresses.push_back(ranks_of(Backend::ucx_shared_memory)[m]->worker->address());
    const std::string id = "left in transfer " + std::string(kind->name);
    std::vector<std::unique_ptr<Communicator>> ends;
    constexpr std::size_t kNbytes = 1U << 16U;
    std::array<Transfer, 3> transfers;
    for (std::uint32_t m = 0; m < 3; ++m) {
      Rank& rank = *ranks_of(Backend::ucx_shared_memory)[m];
      ends.push_back(rank.worker->make_group(addresses, m, id));
      std::fill_n(rank.memory().begin(), 2 * kNbytes, std::byte(m));
      transfers[m] = {.rule = kind,
                      .send = rank.memory().first(kind == &transfer_rules::shift ? kNbytes : 0),
                      .receive = rank.memory().subspan(kNbytes, kNbytes),
                      .root = 1,
                      .offset = 1};
      ends[m]->start(transfers[m]);
    }
    // Member 0 looks only when member 2, of which it reads nothing, is done and away.
    for (Progress progress = Progress::waiting; progress != Progress::done;) {
      (void)ends[1]->poll();
      progress = ends[2]->poll();
    }
    ends[2].reset();
    for (std::array<bool, 2> done{}; !done[0] || !done[1];) {
      for (std::uint32_t m = 0; m < 2; ++m) done[m] = done[m] || ends[m]->poll() == Progress::done;
    }
    EXPECT_EQ(transfers[0].receive.front(), std::byte{1});
  }
}

// Members make their groups when they come to it: what the others have started is kept until then.
TEST_F(UcxTest, AGroupMayBeMadeLate) {
  const Watchdog watchdog("a member that makes its group late");
  Rank &first = *ranks_of(Backend::ucx_messages)[0], &second = *ranks_of(Backend::ucx_messages)[1];
  const std::vector<std::vector<std::byte>> addresses{first.worker->address(),
                                                      second.worker->address()};
  const auto early = first.worker->make_group(addresses, 0, "late");
  std::int64_t a = 40, b = 2;
  const auto sum = [](std::int64_t& value) {
    return Transfer{.rule = &transfer_rules::all_reduce,
                    .receive = std::as_writable_bytes(std::span(&value, 1)),
                    .dtype = DType::int64};
  };
  early->start(sum(a));
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(early->poll(), Progress::waiting);
    second.worker->progress();
  }
  const auto late = second.worker->make_group(addresses, 1, "late");
  late->start(sum(b));
  Progress mine = Progress::waiting, theirs = Progress::waiting;
  while (mine != Progress::done || theirs != Progress::done) {
    if (mine != Progress::done) mine = early->poll();
    if (theirs != Progress::done) theirs = late->poll();
    // A member that is done may still have to send, as long as its connection is not established.
    first.worker->progress();
    second.worker->progress();
  }
  EXPECT_EQ(a, 42);
  EXPECT_EQ(b, 42);
}

// Messages without the job's token are as if they had not been sent.
TEST_F(UcxTest, StrangersAreNotHeard) {
  Wakeup wakeup;
  auto stranger = std::make_unique<UcxWorker>(
      wakeup, UcxOptions{.rank = 1, .token = 5, .transports = "posix,self"});
  Rank& rank = *ranks_of(Backend::ucx_messages)[0];
  const std::vector<std::vector<std::byte>> addresses{rank.worker->address(), stranger->address()};
  const auto mine = rank.worker->make_group(addresses, 0, "strange");
  auto theirs = stranger->make_group(addresses, 1, "strange");
  mine->start({.rule = &transfer_rules::barrier});
  theirs->start({.rule = &transfer_rules::barrier});
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(theirs->poll(), Progress::waiting);
    EXPECT_EQ(mine->poll(), Progress::waiting);
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  // The stranger leaves while the rank listens: UCX keeps a part of a connection that the other
  // side never answered.
  theirs.reset();
  std::atomic<bool> gone = false;
  std::thread leave([&] {
    stranger.reset();
    gone = true;
  });
  while (!gone) rank.worker->progress();
  leave.join();
}

}  // namespace
}  // namespace megascale::comm
