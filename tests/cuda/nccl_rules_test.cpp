// The emulated NCCL refuses what NCCL refuses, and stops where a device would hang: each test makes
// calls as they must not be made.
#include <gtest/gtest.h>
#include <nccl.h>

#include <vector>

#include "cuda/emulation/emulation.h"
#include "megascale/cuda/device.h"
#include "megascale/cuda/graph.h"
#include "megascale/cuda/memory.h"
#include "megascale/cuda/stream.h"

namespace megascale {
namespace {

constexpr std::size_t kBuffer = 256;

// The ranks of one communicator, each with a device, a stream and two buffers. One thread calls for
// all of them.
class EmulatedNcclTest : public ::testing::Test {
 public:
  static constexpr int kSize = 2;
  struct Rank {
    cuda::Stream stream;
    cuda::DeviceMemory memory{4 * kBuffer};
    ncclComm_t comm = nullptr;
    [[nodiscard]] std::byte* at(std::size_t begin) const { return memory.bytes().data() + begin; }
  };
  EmulatedNcclTest() {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    emulation::set_device_count(kSize + 1);
    for (int r = 0; r < kSize; ++r) {
      cuda::use_device(static_cast<std::uint32_t>(r));
      ranks_.emplace_back();
    }
  }
  ~EmulatedNcclTest() override {
    for (Rank& rank : ranks_) {
      if (rank.comm != nullptr) (void)ncclCommAbort(rank.comm);
    }
    ranks_.clear();
    cuda::use_device(0);
    emulation::set_device_count(1);
    emulation::refuse_nothing();
  }
  // Begins to form the communicator: rank r on device r, if none is said.
  void init(std::vector<std::uint32_t> devices = {0, 1}) {
    ncclUniqueId id;
    ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
    for (int r = 0; r < kSize; ++r) {
      cuda::use_device(devices[static_cast<std::size_t>(r)]);
      ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
      config.blocking = 0;
      ASSERT_EQ(
          ncclCommInitRankConfig(&ranks_[static_cast<std::size_t>(r)].comm, kSize, id, r, &config),
          ncclInProgress);
    }
  }
  ncclResult_t settle(Rank& rank) {
    ncclResult_t found = ncclInProgress;
    for (int i = 0; i < 20 && found == ncclInProgress; ++i)
      EXPECT_EQ(ncclCommGetAsyncError(rank.comm, &found), ncclSuccess);
    return found;
  }
  void form() {
    init();
    for (Rank& rank : ranks_) ASSERT_EQ(settle(rank), ncclSuccess);
  }
  ncclResult_t all_reduce(std::size_t r, std::size_t count = 4, ncclDataType_t type = ncclFloat32) {
    Rank& rank = ranks_[r];
    const ncclResult_t result =
        ncclAllReduce(rank.at(0), rank.at(0), count, type, ncclSum, rank.comm, rank.stream.get());
    return result == ncclInProgress ? settle(rank) : result;
  }
  ncclResult_t send(std::size_t r, int peer, std::size_t count = 4) {
    Rank& rank = ranks_[r];
    const ncclResult_t result =
        ncclSend(rank.at(0), count, ncclUint8, peer, rank.comm, rank.stream.get());
    return result == ncclInProgress ? settle(rank) : result;
  }
  ncclResult_t receive(std::size_t r, int peer, std::size_t count = 4) {
    Rank& rank = ranks_[r];
    const ncclResult_t result =
        ncclRecv(rank.at(kBuffer), count, ncclUint8, peer, rank.comm, rank.stream.get());
    return result == ncclInProgress ? settle(rank) : result;
  }
  void synchronize() {
    for (Rank& rank : ranks_) rank.stream.synchronize();
  }
  std::vector<Rank> ranks_;
};

TEST_F(EmulatedNcclTest, TransfersOfTwoDevicesGiveTheirValues) {
  form();
  for (std::size_t r = 0; r < kSize; ++r) {
    const std::vector<float> values(4, static_cast<float>(r + 1));
    cuda::copy_to_device(ranks_[r].at(0), std::as_bytes(std::span(values)));
    ASSERT_EQ(all_reduce(r), ncclSuccess);
  }
  synchronize();
  for (const Rank& rank : ranks_) {
    std::vector<float> got(4);
    cuda::copy_to_host(std::as_writable_bytes(std::span(got)), rank.at(0));
    EXPECT_EQ(got, std::vector<float>(4, 3));
  }
}

TEST_F(EmulatedNcclTest, ACallBeforeThePreviousOneHasEndedIsRefused) {
  init();
  Rank& rank = ranks_[0];
  EXPECT_EQ(
      ncclAllReduce(rank.at(0), rank.at(0), 4, ncclFloat32, ncclSum, rank.comm, rank.stream.get()),
      ncclInvalidArgument);
  EXPECT_STREQ(ncclGetLastError(rank.comm),
               "ncclAllReduce before the previous call returned ncclSuccess");
  for (Rank& one : ranks_) EXPECT_EQ(settle(one), ncclSuccess);
  EXPECT_EQ(
      ncclAllReduce(rank.at(0), rank.at(0), 4, ncclFloat32, ncclSum, rank.comm, rank.stream.get()),
      ncclInProgress);
  EXPECT_EQ(ncclCommFinalize(rank.comm), ncclInvalidArgument) << "the first transfer connects";
}

TEST_F(EmulatedNcclTest, ACommunicatorThatIsOverTakesNoCalls) {
  form();
  Rank &first = ranks_[0], &second = ranks_[1];
  EXPECT_DEATH((void)ncclCommDestroy(first.comm), "ncclCommFinalize has not come to its end");
  ASSERT_EQ(ncclCommFinalize(first.comm), ncclInProgress);
  EXPECT_EQ(settle(first), ncclInProgress) << "its peer has not come";
  ASSERT_EQ(ncclCommFinalize(second.comm), ncclInProgress);
  EXPECT_EQ(settle(first), ncclSuccess);
  EXPECT_EQ(all_reduce(0), ncclInvalidUsage);
  EXPECT_EQ(ncclCommFinalize(first.comm), ncclInvalidUsage);
  EXPECT_EQ(ncclCommDestroy(first.comm), ncclSuccess);
  EXPECT_DEATH((void)all_reduce(0), "ncclAllReduce on a communicator that was destroyed");
  EXPECT_DEATH((void)ncclCommDestroy(first.comm), "ncclCommDestroy on a communicator that was");
  EXPECT_DEATH((void)ncclCommAbort(first.comm), "ncclCommAbort on a communicator that was");
  first.comm = nullptr;
  EXPECT_EQ(all_reduce(0), ncclInvalidArgument);
}

TEST_F(EmulatedNcclTest, AnIdAConfigurationOrARankThatIsWrongIsRefused) {
  ncclUniqueId id;
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclComm_t comm = nullptr;
  EXPECT_EQ(ncclCommInitRankConfig(&comm, 2, id, 2, &config), ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitRankConfig(&comm, 0, id, 0, &config), ncclInvalidArgument);
  ncclConfig_t cleared = config;
  cleared.magic = 0;
  EXPECT_EQ(ncclCommInitRankConfig(&comm, 2, id, 0, &cleared), ncclInvalidArgument);
  id.internal[0] = '?';
  EXPECT_EQ(ncclCommInitRankConfig(&comm, 2, id, 0, &config), ncclInvalidArgument);
  EXPECT_EQ(comm, nullptr);
}

TEST_F(EmulatedNcclTest, EveryRankHasADeviceOfItsOwn) {
  init({1, 1});
  EXPECT_EQ(settle(ranks_[0]), ncclInvalidUsage);
  EXPECT_STREQ(ncclGetLastError(nullptr), "Duplicate GPU: members 0 and 1 both on device 1");
}

TEST_F(EmulatedNcclTest, ArgumentsOutOfTheirRangeAreRefused) {
  form();
  Rank& rank = ranks_[0];
  const auto broadcast = [&](int root) {
    return ncclBroadcast(rank.at(0), rank.at(0), 4, ncclUint8, root, rank.comm, rank.stream.get());
  };
  EXPECT_EQ(broadcast(2), ncclInvalidArgument);
  EXPECT_EQ(broadcast(-1), ncclInvalidArgument);
  EXPECT_EQ(send(0, 2), ncclInvalidArgument);
  EXPECT_EQ(all_reduce(0, 4, ncclNumTypes), ncclInvalidArgument);
  EXPECT_EQ(ncclAllReduce(rank.at(0), rank.at(0), 4, ncclFloat32, ncclNumOps, rank.comm,
                          rank.stream.get()),
            ncclInvalidArgument);
  EXPECT_EQ(
      ncclAllReduce(nullptr, rank.at(0), 4, ncclFloat32, ncclSum, rank.comm, rank.stream.get()),
      ncclInvalidArgument);
  EXPECT_STREQ(ncclGetLastError(rank.comm), "ncclAllReduce: sendbuff is NULL");
  EXPECT_EQ(all_reduce(0, kBuffer + 1), ncclInvalidArgument) << "beyond the memory";
  std::vector<float> host(4);
  EXPECT_EQ(
      ncclAllReduce(host.data(), rank.at(0), 4, ncclFloat32, ncclSum, rank.comm, rank.stream.get()),
      ncclInvalidArgument);
  EXPECT_STREQ(ncclGetLastError(rank.comm),
               "ncclAllReduce: sendbuff of 16 bytes is no device memory");
  EXPECT_EQ(ncclAllReduce(nullptr, nullptr, 0, ncclFloat32, ncclSum, rank.comm, rank.stream.get()),
            ncclInProgress)
      << "nothing needs no memory";
}

TEST_F(EmulatedNcclTest, ARankWorksOnItsDeviceOnly) {
  form();
  Rank &first = ranks_[0], &second = ranks_[1];
  EXPECT_EQ(ncclAllReduce(second.at(0), first.at(0), 4, ncclFloat32, ncclSum, first.comm,
                          first.stream.get()),
            ncclInvalidArgument);
  EXPECT_STREQ(ncclGetLastError(first.comm),
               "ncclAllReduce: sendbuff is on device 1, the communicator on 0");
  EXPECT_EQ(ncclAllReduce(first.at(0), first.at(0), 4, ncclFloat32, ncclSum, first.comm,
                          second.stream.get()),
            ncclUnhandledCudaError);
}

TEST_F(EmulatedNcclTest, BuffersOverlapOnlyInPlace) {
  form();
  Rank& rank = ranks_[1];
  const auto gather = [&](std::size_t at) {
    return ncclAllGather(rank.at(at), rank.at(0), 64, ncclUint8, rank.comm, rank.stream.get());
  };
  const auto scatter = [&](std::size_t at) {
    return ncclReduceScatter(rank.at(0), rank.at(at), 16, ncclFloat32, ncclSum, rank.comm,
                             rank.stream.get());
  };
  EXPECT_DEATH((void)gather(0), "ncclAllGather: sendbuff and recvbuff of member 1 overlap");
  EXPECT_DEATH((void)scatter(0), "ncclReduceScatter: sendbuff and recvbuff of member 1 overlap");
  EXPECT_DEATH((void)ncclAllReduce(rank.at(0), rank.at(4), 4, ncclFloat32, ncclSum, rank.comm,
                                   rank.stream.get()),
               "ncclAllReduce: sendbuff and recvbuff of member 1 overlap");
  EXPECT_EQ(gather(64), ncclInProgress);
  EXPECT_EQ(settle(rank), ncclSuccess);
  EXPECT_EQ(scatter(64), ncclSuccess);
}

TEST_F(EmulatedNcclTest, GroupsNestAndEnd) {
  form();
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
  for (std::size_t r = 0; r < kSize; ++r) {
    ASSERT_EQ(ncclGroupStart(), ncclSuccess);
    ASSERT_EQ(ncclGroupStart(), ncclSuccess);
    ASSERT_EQ(send(r, static_cast<int>(1 - r)), ncclSuccess);
    ASSERT_EQ(ncclGroupEnd(), ncclSuccess) << "an inner end launches nothing";
    ASSERT_EQ(receive(r, static_cast<int>(1 - r)), ncclSuccess);
    ASSERT_EQ(ncclGroupEnd(), ncclInProgress);
    ASSERT_EQ(settle(ranks_[r]), ncclSuccess);
  }
  synchronize();
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  EXPECT_EQ(send(0, 7), ncclInvalidArgument);
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidArgument) << "the error of a call in it";
}

TEST_F(EmulatedNcclTest, WhatAMemberSendsToItselfItReceivesInTheSameGroup) {
  form();
  EXPECT_EQ(send(0, 0), ncclInvalidUsage);
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  ASSERT_EQ(send(0, 0), ncclSuccess);
  ASSERT_EQ(receive(0, 0), ncclSuccess);
  ASSERT_EQ(ncclGroupEnd(), ncclInProgress);
  EXPECT_EQ(settle(ranks_[0]), ncclSuccess);
  ranks_[0].stream.synchronize();
}

TEST_F(EmulatedNcclTest, MembersThatDifferAreNamed) {
  form();
  EXPECT_DEATH((all_reduce(0), all_reduce(1, 8)),
               "collective 1 of the communicator: member 1 calls ncclAllReduce of 8 .*member 0 "
               "ncclAllReduce of 4 elements");
  EXPECT_DEATH((all_reduce(0), all_reduce(1, 4, ncclInt64)), "member 1 calls .*type 4.*type 7");
  Rank& second = ranks_[1];
  EXPECT_DEATH((all_reduce(0),
                ncclBroadcast(second.at(0), second.at(0), 4, ncclFloat32, 0, second.comm,
                              second.stream.get()),
                settle(second)),
               "member 1 calls ncclBroadcast of 4 .*member 0 ncclAllReduce");
  EXPECT_DEATH((send(0, 1, 4), receive(1, 0, 8)),
               "member 1 calls ncclRecv of 8 bytes from member 0, and its partner ncclSend of 4");
}

// Each waits for the other's second call.
TEST_F(EmulatedNcclTest, MembersThatWaitForEachOtherAreNamed) {
  form();
  EXPECT_DEATH((all_reduce(0), send(0, 1), receive(1, 0), all_reduce(1), synchronize()),
               "a device would hang: member . is in nccl.* and waits for a call of member . that");
}

// Each is in a transfer of one communicator and has the other's behind it.
TEST_F(EmulatedNcclTest, TwoCommunicatorsInAnotherOrderAreNamed) {
  form();
  const std::vector<ncclComm_t> first{ranks_[0].comm, ranks_[1].comm};
  form();
  const auto reduce = [&](std::size_t r, ncclComm_t comm) {
    Rank& rank = ranks_[r];
    ncclResult_t found =
        ncclAllReduce(rank.at(0), rank.at(0), 4, ncclFloat32, ncclSum, comm, rank.stream.get());
    while (found == ncclInProgress) EXPECT_EQ(ncclCommGetAsyncError(comm, &found), ncclSuccess);
    EXPECT_EQ(found, ncclSuccess);
  };
  EXPECT_DEATH((reduce(0, first[0]), reduce(0, ranks_[0].comm), reduce(1, ranks_[1].comm),
                reduce(1, first[1]), synchronize()),
               "a device would hang: member . is in ncclAllReduce");
  reduce(0, first[0]);
  reduce(0, ranks_[0].comm);
  reduce(1, first[1]);
  reduce(1, ranks_[1].comm);
  synchronize();
  for (const ncclComm_t comm : first) EXPECT_EQ(ncclCommAbort(comm), ncclSuccess);
}

TEST_F(EmulatedNcclTest, AnAbortEndsWhatADeviceWaitsFor) {
  form();
  ASSERT_EQ(all_reduce(0), ncclSuccess);
  ASSERT_EQ(ncclCommAbort(ranks_[0].comm), ncclSuccess);
  ranks_[0].comm = nullptr;
  ranks_[0].stream.synchronize();
}

TEST_F(EmulatedNcclTest, WindowsAreOfNcclsMemoryAndEndBeforeIt) {
  form();
  Rank& rank = ranks_[0];
  void* memory = nullptr;
  cuda::use_device(0);
  ASSERT_EQ(ncclMemAlloc(&memory, 8192), ncclSuccess);
  ncclWindow_t window = nullptr;
  EXPECT_EQ(ncclCommWindowRegister(rank.comm, rank.at(0), kBuffer, &window, 0),
            ncclInvalidArgument);
  EXPECT_EQ(ncclCommWindowRegister(rank.comm, static_cast<std::byte*>(memory) + 16, 64, &window, 0),
            ncclInvalidArgument);
  EXPECT_EQ(ncclCommWindowRegister(rank.comm, memory, 8192, &window, 0), ncclInProgress);
  EXPECT_EQ(settle(rank), ncclInProgress) << "all members register";
  EXPECT_DEATH((void)ncclMemFree(memory), "a window of a communicator");
  EXPECT_EQ(ncclMemFree(rank.at(0)), ncclInvalidArgument);
  ASSERT_EQ(ncclCommAbort(rank.comm), ncclSuccess);
  rank.comm = nullptr;
  EXPECT_EQ(ncclMemFree(memory), ncclSuccess);
}

// A group is not formed in a capture of the same thread, and what was captured is lost.
TEST_F(EmulatedNcclTest, ACaptureTakesNoGroupsThatAreFormed) {
  ncclUniqueId id;
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclComm_t comm = nullptr;
  EXPECT_THROW(cuda::Graph(ranks_[0].stream.get(),
                           [&] {
                             EXPECT_EQ(ncclCommInitRankConfig(&comm, 1, id, 0, &config),
                                       ncclUnhandledCudaError);
                           }),
               Error);
  form();
  EXPECT_DEATH(cuda::Graph(ranks_[0].stream.get(), [&] { (void)all_reduce(0); }),
               "transfers in a graph are not emulated");
}

}  // namespace
}  // namespace megascale
