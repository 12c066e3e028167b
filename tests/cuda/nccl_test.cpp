// NCCL itself, as far as one device goes: a group of one rank, every kind of transfer.
#include <gtest/gtest.h>

#include <optional>

#include "megascale/comm/nccl/nccl_communicator.h"
#include "megascale/cuda/device.h"
#include "megascale/cuda/memory.h"
#include "megascale/cuda/stream.h"
#include "support/watchdog.h"

namespace megascale::comm {
namespace {

class NcclOnDeviceTest : public ::testing::Test {
 public:
  void SetUp() override {
    if (cuda::device_count() == 0) GTEST_SKIP() << cuda::why_no_device();
    cuda::use_device(0);
    NcclId id;
    try {
      id = make_nccl_id();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unsupported) throw;
      GTEST_SKIP() << error.message();
    }
    stream_.emplace();
    end_ = std::make_unique<NcclCommunicator>(open_nccl_channel(id, 1, 0, stream_->get()), 1, 0,
                                              wakeup_);
  }
  void run(const Transfer& transfer) {
    const testing::Watchdog watchdog("a transfer of NCCL");
    end_->start(transfer);
    for (;;) {
      const std::uint32_t epoch = wakeup_.epoch();
      const Progress progress = end_->poll();
      ASSERT_NE(progress, Progress::failed) << end_->error().message();
      if (progress == Progress::done) break;
      wakeup_.wait(epoch);
    }
    stream_->synchronize();
    EXPECT_EQ(end_->lost(), std::nullopt);
  }
  Wakeup wakeup_;
  std::optional<cuda::Stream> stream_;
  std::unique_ptr<NcclCommunicator> end_;
};

TEST_F(NcclOnDeviceTest, EveryKindOfTransferOfAGroupOfOne) {
  constexpr std::size_t kCount = 10'007;
  std::vector<float> values(kCount), got(kCount);
  for (std::size_t i = 0; i < kCount; ++i) values[i] = static_cast<float>(i) * 0.5F - 3;
  const std::size_t nbytes = kCount * sizeof(float);
  const cuda::DeviceMemory send(nbytes), receive(nbytes);
  for (const TransferRule* kind :
       {&transfer_rules::all_gather, &transfer_rules::reduce_scatter, &transfer_rules::all_reduce,
        &transfer_rules::all_to_all, &transfer_rules::broadcast, &transfer_rules::shift}) {
    SCOPED_TRACE(kind->name);
    cuda::fill_zero(receive.bytes());
    cuda::copy_to_device(send.bytes().data(), std::as_bytes(std::span(values)));
    const bool in_place = kind == &transfer_rules::all_reduce || kind == &transfer_rules::broadcast;
    run({.rule = kind,
         .send = in_place ? std::span<const std::byte>() : send.bytes(),
         .receive = in_place ? send.bytes() : receive.bytes()});
    cuda::copy_to_host(std::as_writable_bytes(std::span(got)),
                       (in_place ? send : receive).bytes().data());
    EXPECT_EQ(got, values);
  }
  run({.rule = &transfer_rules::barrier});
}

// The counts lie on the device: they come to the host behind the work of the stream.
TEST_F(NcclOnDeviceTest, BlocksWhoseSizesAreOnTheDevice) {
  const std::vector<float> values{1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<std::int64_t> rows{3}, wrong{2};
  const cuda::DeviceMemory send(32), receive(32), sent(8), expected(8);
  cuda::copy_to_device(send.bytes().data(), std::as_bytes(std::span(values)));
  cuda::copy_to_device(sent.bytes().data(), std::as_bytes(std::span(rows)));
  cuda::copy_to_device(expected.bytes().data(), std::as_bytes(std::span(rows)));
  const Transfer transfer{
      .rule = &transfer_rules::all_to_all_v,
      .send = send.bytes(),
      .receive = receive.bytes(),
      .counts = {.send = sent.bytes(), .receive = expected.bytes(), .row_nbytes = 8, .bound = 4}};
  run(transfer);
  std::vector<float> got(8, -1);
  cuda::copy_to_host(std::as_writable_bytes(std::span(got)), receive.bytes().data());
  EXPECT_EQ(got, (std::vector<float>{1, 2, 3, 4, 5, 6, 0, 0}));
  cuda::copy_to_device(expected.bytes().data(), std::as_bytes(std::span(wrong)));
  end_->start(transfer);
  const testing::Watchdog watchdog("counts that differ");
  Progress progress = Progress::waiting;
  while (progress != Progress::failed && progress != Progress::done) progress = end_->poll();
  EXPECT_EQ(progress, Progress::failed);
  EXPECT_NE(end_->error().message().find("rank 0 sends 3 rows to rank 0, which expects 2 from it"),
            std::string::npos)
      << end_->error().message();
}

TEST_F(NcclOnDeviceTest, AnAbortedGroupEndsAtOnce) {
  const testing::Watchdog watchdog("an aborted group");
  run({.rule = &transfer_rules::barrier});
  end_->abort(Error(ErrorCode::peer_lost, "a rank is gone"));
  end_->start({.rule = &transfer_rules::barrier});
  EXPECT_EQ(end_->poll(), Progress::failed);
  EXPECT_EQ(end_->error().message(), "a rank is gone");
}

// A window over memory that NCCL gave: transfers work in it, and it ends before the memory. One
// rank shows that NCCL takes the calls; that it reaches a peer's memory takes two devices.
TEST_F(NcclOnDeviceTest, TransfersOfAGroupOfOneInAWindow) {
  constexpr std::size_t kCount = 10'007, kNbytes = kCount * sizeof(float);
  std::unique_ptr<NcclMemory> memory;
  try {
    memory = allocate_nccl_memory(4 * kNbytes);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    GTEST_SKIP() << error.message();
  }
  std::vector<float> values(kCount), got(kCount, -1);
  cuda::copy_to_host(std::as_writable_bytes(std::span(got)), memory->bytes().data());
  EXPECT_EQ(got, std::vector<float>(kCount)) << "not cleared";
  for (std::size_t i = 0; i < kCount; ++i) values[i] = static_cast<float>(i) * 0.5F - 3;
  const auto send = memory->bytes().first(kNbytes),
             receive = memory->bytes().subspan(2 * kNbytes, kNbytes);
  cuda::copy_to_device(send.data(), std::as_bytes(std::span(values)));
  end_ = std::make_unique<NcclCommunicator>(open_nccl_channel(make_nccl_id(), 1, 0, stream_->get()),
                                            1, 0, wakeup_, memory->bytes());
  for (const TransferRule* kind : {&transfer_rules::all_gather, &transfer_rules::reduce_scatter,
                                   &transfer_rules::all_to_all}) {
    SCOPED_TRACE(kind->name);
    cuda::fill_zero(receive);
    run({.rule = kind, .send = send, .receive = receive});
    cuda::copy_to_host(std::as_writable_bytes(std::span(got)), receive.data());
    EXPECT_EQ(got, values);
  }
  run({.rule = &transfer_rules::all_reduce, .receive = send});
  run({.rule = &transfer_rules::barrier});
  end_.reset();
}

// Needs no device: the library is asked for its version.
TEST(NcclVersionTest, ALibraryThatIsTooOldForWindowsIsRefusedByItsVersion) {
  try {
    (void)allocate_nccl_memory(4096);
  } catch (const Error& error) {
    if (error.message().find("symmetric memory") != std::string::npos) {
      EXPECT_EQ(error.code(), ErrorCode::unsupported);
      EXPECT_EQ(error.message().find("symmetric memory needs NCCL 2.29.7 or newer, found 2."), 0U)
          << error.message();
      return;
    }
  }
  GTEST_SKIP() << "NCCL is not to be had here, or new enough";
}

}  // namespace
}  // namespace megascale::comm
