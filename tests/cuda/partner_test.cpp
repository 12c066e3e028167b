// Records of transfers on devices tell the wait for a partner from the time in which bytes move.
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <mutex>
#include <thread>

#include "cuda/device_job.h"
#include "megascale/observe/blame.h"
#include "megascale/observe/match_transfers.h"
#include "support/watchdog.h"
#ifdef MEGASCALE_EMULATE_CUDA
#include "cuda/emulation/emulation.h"
#endif

namespace megascale::runtime {
namespace {

using graph::Access;
using graph::Lane;
using testing::PlanWriter;
using testing::TaskId;
using testing::Watchdog;
using namespace std::chrono_literals;

constexpr TaskId kTransfer = 0;
// An injected delay; what must include it; what must not.
constexpr auto kDelay = 120ms;
constexpr double kLong = 0.09, kShort = 0.06;  // seconds

// Rank 0 sends a message to rank 1. The compute lane of both waits for it.
PlanWriter message_of(std::uint32_t rank) {
  PlanWriter w;
  const auto message = w.buffer("message", 4096);
  const auto edge =
      w.communicator("0->1", {0, 1}, rank == 0 ? Lane::forward_send : Lane::forward_receive);
  const bool sends = rank == 0;
  const graph::OpDef& op =
      sends ? static_cast<const graph::OpDef&>(graph::send_op()) : graph::recv_op();
  const TaskId moved =
      w.transfer(op, "message", edge, {w.whole(message, sends ? Access::read : Access::write)}, {});
  w.work(Lane::compute, "use", {w.whole(message, sends ? Access::write : Access::read)},
         {.after = {moved}}, [](const auto&) { return nullptr; });
  return w;
}

double seconds(std::int64_t from, std::int64_t to) { return 1e-9 * static_cast<double>(to - from); }

class PartnerTest : public ::testing::Test {
 public:
  void SetUp() override {
    if (cuda::device_count() == 0) GTEST_SKIP() << cuda::why_no_device();
  }
  // Runs a step. `late`: the rank that comes to its transfer after the other, if any.
  void run(std::optional<std::uint32_t> late, testing::DeviceJobOptions options = {}) {
    const Watchdog watchdog("a message between two ranks on a device");
    options.records = records_;
    options.before_task = [late](std::uint32_t rank, std::uint32_t task) {
      if (rank == late && task == kTransfer) std::this_thread::sleep_for(kDelay);
    };
    for (const auto& error : testing::run_on_device({message_of(0), message_of(1)}, options))
      ASSERT_FALSE(error) << error->message();
    for (const auto& rank : records_) {
      const TaskRecord& record = rank[kTransfer];
      EXPECT_LE(record.head_ns, record.start_ns);
      EXPECT_LE(record.start_ns, moving_since(record));
      EXPECT_LE(moving_since(record), record.done_ns);
    }
  }
  [[nodiscard]] const TaskRecord& transfer(std::uint32_t rank) const {
    return records_[rank][kTransfer];
  }
  [[nodiscard]] double waited(std::uint32_t rank) const {
    return seconds(transfer(rank).start_ns, moving_since(transfer(rank)));
  }
  [[nodiscard]] double moved(std::uint32_t rank) const {
    return seconds(moving_since(transfer(rank)), transfer(rank).done_ns);
  }
  [[nodiscard]] observe::IdleTime idle(std::uint32_t rank) const {
    const plan::RankPlan plan = message_of(rank).rank_plan(rank);
    return observe::blame(*plan.plan, records_[rank]);
  }
  void expect_a_wait_of(std::uint32_t early) const {
    EXPECT_GE(waited(early), kLong);
    EXPECT_LE(moved(early), kShort);
    EXPECT_GE(idle(early).bubble_seconds, kLong);
    EXPECT_LE(idle(early).exposed_comm_seconds, kShort);
    EXPECT_LE(waited(1 - early), kShort) << "the late one finds its partner there";
  }
  std::vector<std::vector<TaskRecord>> records_{2};
};

TEST_F(PartnerTest, AWaitForALateThreadIsABubble) {
  for (const std::uint32_t late : {0U, 1U}) {
    SCOPED_TRACE(late);
    run(late);
    expect_a_wait_of(1 - late);
  }
}

#ifdef MEGASCALE_EMULATE_CUDA

// Only the receiver copies, so the order of its own stream decides what its record says.
TEST_F(PartnerTest, ASlowCopyIsExposedCommunication) {
  emulation::delay_copies(kDelay);
  run(std::nullopt);
  emulation::delay_copies(0ms);
  EXPECT_LE(waited(1), kShort);
  EXPECT_GE(moved(1), kLong);
  EXPECT_LE(idle(1).bubble_seconds, kShort);
  EXPECT_GE(idle(1).exposed_comm_seconds, kLong);
}

// As NCCL's transfers: handed over at once, and on the device they begin together.
class MeetsOnDevice final : public comm::Communicator {
 public:
  struct Group {
    std::array<emulation::Gate, 2> gates;
    std::mutex mutex;
    std::uint32_t started = 0;
    std::chrono::milliseconds transfer_takes{0};
  };
  MeetsOnDevice(Group& group, std::uint32_t member, CUstream_st* stream)
      : group_(&group), member_(member), stream_(stream) {}
  [[nodiscard]] std::uint32_t size() const noexcept override { return 2; }
  [[nodiscard]] std::uint32_t my_index() const noexcept override { return member_; }
  void start(const comm::Transfer& transfer) noexcept override {
    EXPECT_EQ(transfer.matched, nullptr) << "nobody records it";
    const std::lock_guard lock(group_->mutex);
    group_->gates[member_].close(stream_);
    if (++group_->started < 2) return;
    // The device of a rank that waits for this one must be able to go on meanwhile.
    opening_ = std::thread([group = group_] {
      std::this_thread::sleep_for(group->transfer_takes);
      for (emulation::Gate& gate : group->gates) gate.open();
    });
  }
  ~MeetsOnDevice() override {
    if (opening_.joinable()) opening_.join();
  }
  MeetsOnDevice(const MeetsOnDevice&) = delete;
  MeetsOnDevice& operator=(const MeetsOnDevice&) = delete;
  comm::Progress poll() noexcept override { return comm::Progress::done; }
  void abort(const Error&) noexcept override {}
  [[nodiscard]] Error error() const override { return {ErrorCode::failed, "none"}; }
  [[nodiscard]] comm::Awaited awaited() const override { return {}; }

 private:
  Group* group_;
  std::uint32_t member_;
  CUstream_st* stream_;
  std::thread opening_;
};

class MetOnDeviceTest : public PartnerTest {
 public:
  void run_met(std::optional<std::uint32_t> late, std::chrono::milliseconds transfer_takes) {
    MeetsOnDevice::Group group;
    group.transfer_takes = transfer_takes;
    std::mutex mutex;
    std::deque<MeetsOnDevice> ends;
    run(late, {.end_of = [&](const plan::CommunicatorBinding& binding,
                             CUstream_st* stream) -> comm::Communicator& {
          const std::lock_guard lock(mutex);
          return ends.emplace_back(group, binding.my_index, stream);
        }});
  }
  // As after the rings of both ranks were read.
  void match() {
    std::vector<plan::RankPlan> plans;
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      EXPECT_EQ(transfer(rank).matched_ns, 0) << "a rank alone cannot tell";
      plans.push_back(message_of(rank).rank_plan(rank));
    }
    const std::array<observe::RankRecords, 2> ranks{
        {{.plan = plans[0].plan.get(), .binding = &plans[0].binding, .records = records_[0]},
         {.plan = plans[1].plan.get(), .binding = &plans[1].binding, .records = records_[1]}}};
    observe::match_transfers(ranks);
  }
};

TEST_F(MetOnDeviceTest, TheRecordsOfBothTellAWaitForTheLateOne) {
  for (const std::uint32_t late : {0U, 1U}) {
    SCOPED_TRACE(late);
    run_met(late, 0ms);
    match();
    expect_a_wait_of(1 - late);
  }
}

TEST_F(MetOnDeviceTest, TheRecordsOfBothTellASlowTransfer) {
  run_met(std::nullopt, kDelay);
  match();
  for (const std::uint32_t rank : {0U, 1U}) {
    EXPECT_LE(waited(rank), kShort);
    EXPECT_GE(moved(rank), kLong);
    EXPECT_LE(idle(rank).bubble_seconds, kShort);
    EXPECT_GE(idle(rank).exposed_comm_seconds, kLong);
  }
}

#endif

}  // namespace
}  // namespace megascale::runtime
