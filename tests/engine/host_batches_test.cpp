// Members of a host read each batch once, and never depend on each other to get it.
#include "megascale/engine/host_batches.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <latch>
#include <thread>

#include "megascale/base/error.h"
#include "support/watchdog.h"

namespace megascale::engine {
namespace {

using testing::Watchdog;

constexpr HostBatches::Shape kShape{.members = 4, .micro_batches = 3, .tokens = 5};
const HostBatches::Waiting kForEver{.at_most = std::chrono::hours(1)};

// Shared with the processes that a test forks; zeros.
class SharedMemory {
 public:
  explicit SharedMemory(std::uint64_t nbytes) {
    void* address =
        ::mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    MEGASCALE_CHECK(address != MAP_FAILED, "mmap");
    bytes_ = {static_cast<std::byte*>(address), nbytes};
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory() { ::munmap(bytes_.data(), bytes_.size()); }
  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

std::int32_t value(std::int64_t step, std::uint32_t m, std::size_t field, std::size_t i) {
  return static_cast<std::int32_t>(1000 * step + 100 * m + 10 * static_cast<int>(field) +
                                   static_cast<int>(i));
}
void write(std::int64_t step, std::uint32_t m, const HostBatches::Fields& fields) {
  for (std::size_t f = 0; f < fields.size(); ++f) {
    for (std::size_t i = 0; i < fields[f].size(); ++i) fields[f][i] = value(step, m, f, i);
  }
}

// One member's steps: counts what it reads, and the values it takes that are wrong.
struct Member {
  HostBatches* batches = nullptr;
  std::uint32_t number = 0;
  std::atomic<int>* reads = nullptr;
  int wrong = 0, taken = 0;
  std::array<std::array<std::int32_t, kShape.tokens>, 4> own{};

  void next(
      std::int64_t step, const std::function<void()>& before_read = [] {}) {
    batches->next(
        number, step, {own[0], own[1], own[2], own[3]},
        [&](std::uint32_t m, const HostBatches::Fields& fields) {
          before_read();
          reads->fetch_add(1);
          write(step, m, fields);
        },
        [&](std::uint32_t m, const HostBatches::Fields& fields) {
          ++taken;
          for (std::size_t f = 0; f < fields.size(); ++f) {
            for (std::size_t i = 0; i < fields[f].size(); ++i) {
              wrong += fields[f][i] != value(step, m, f, i);
            }
          }
        });
  }
};

std::vector<Member> members_of(HostBatches& batches, std::atomic<int>& reads) {
  std::vector<Member> members(kShape.members);
  for (std::uint32_t i = 0; i < kShape.members; ++i) {
    members[i].batches = &batches;
    members[i].number = i;
    members[i].reads = &reads;
  }
  return members;
}

// A step ahead of each other at most, as ranks are that share every step's sums.
TEST(HostBatchesTest, ThreadsReadEveryMicroBatchOnce) {
  const Watchdog watchdog("threads");
  constexpr std::int64_t kSteps = 200;
  const SharedMemory memory(HostBatches::nbytes(kShape));
  HostBatches batches(memory.bytes(), kShape, kForEver);
  std::atomic<int> reads = 0;
  auto members = members_of(batches, reads);
  std::barrier<> step_is_done(kShape.members);
  std::vector<std::thread> threads;
  for (Member& member : members) {
    threads.emplace_back([&] {
      for (std::int64_t step = 0; step < kSteps; ++step) {
        member.next(step);
        step_is_done.arrive_and_wait();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(reads, kSteps * kShape.micro_batches);
  for (const Member& member : members) {
    EXPECT_EQ(member.taken, kSteps * kShape.micro_batches);
    EXPECT_EQ(member.wrong, 0);
  }
}

// A process for each member, each with an object of its own over the same memory.
TEST(HostBatchesTest, ProcessesReadEveryMicroBatchOnce) {
  const Watchdog watchdog("processes");
  constexpr std::int64_t kSteps = HostBatches::kSlots;  // no slot is used twice: nobody is late
  const std::uint64_t nbytes = HostBatches::nbytes(kShape);
  const SharedMemory memory(nbytes + sizeof(std::atomic<int>));
  auto& reads = *reinterpret_cast<std::atomic<int>*>(memory.bytes().data() + nbytes);
  std::vector<pid_t> children;
  for (std::uint32_t i = 0; i < kShape.members; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      HostBatches batches(memory.bytes(), kShape, kForEver);
      Member member{.batches = &batches, .number = i, .reads = &reads};
      for (std::int64_t step = 0; step < kSteps; ++step) member.next(step);
      ::_exit(member.wrong == 0 && member.taken == kSteps * kShape.micro_batches ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(reads, kSteps * kShape.micro_batches);
}

TEST(HostBatchesTest, AMemberThatNeverComesHoldsNobodyUp) {
  const SharedMemory memory(HostBatches::nbytes(kShape));
  HostBatches batches(memory.bytes(), kShape, kForEver);
  std::atomic<int> reads = 0;
  auto members = members_of(batches, reads);
  constexpr std::int64_t kSteps = 6, kAlone = kSteps - HostBatches::kSlots;
  for (std::int64_t step = 0; step < kSteps; ++step) {
    for (std::uint32_t i = 1; i < kShape.members; ++i) members[i].next(step);
  }
  const std::int64_t apart = kAlone * (kShape.members - 1);
  EXPECT_EQ(reads, kShape.micro_batches * (std::int64_t{HostBatches::kSlots} + apart));
  for (std::uint32_t i = 1; i < kShape.members; ++i) EXPECT_EQ(members[i].wrong, 0);
  // When it comes after all, they share again once the steps that they took alone are over.
  for (std::int64_t step = 0; step < kSteps; ++step) members[0].next(step);
  reads = 0;
  for (Member& member : members) member.next(kSteps);
  EXPECT_EQ(reads, kShape.micro_batches);
  for (const Member& member : members) EXPECT_EQ(member.wrong, 0);
}

TEST(HostBatchesTest, AReaderThatFailsFailsAlone) {
  const SharedMemory memory(HostBatches::nbytes(kShape));
  HostBatches batches(memory.bytes(), kShape, kForEver);
  std::atomic<int> reads = 0;
  auto members = members_of(batches, reads);
  EXPECT_THROW(
      members[0].next(0, [] { throw Error(ErrorCode::bad_input, "a token that is none"); }), Error);
  members[1].next(0);
  EXPECT_EQ(members[1].taken, static_cast<int>(kShape.micro_batches));
  EXPECT_EQ(members[1].wrong, 0);
}

// The reader's process ends inside of its reading: whoever waits for it is told, long before the
// end of its patience, and reads alone.
TEST(HostBatchesTest, AReaderThatIsKilledHoldsNobodyUp) {
  const Watchdog watchdog("killed reader");
  const std::uint64_t nbytes = HostBatches::nbytes(kShape);
  const SharedMemory memory(nbytes + sizeof(std::atomic<int>));
  auto& reads = *reinterpret_cast<std::atomic<int>*>(memory.bytes().data() + nbytes);
  const pid_t reader = ::fork();
  ASSERT_GE(reader, 0);
  if (reader == 0) {
    HostBatches batches(memory.bytes(), kShape, kForEver);
    Member member{.batches = &batches, .number = 0, .reads = &reads};
    member.next(0, [&] {
      if (reads > 0) ::raise(SIGKILL);
    });
    ::_exit(1);
  }
  while (reads == 0) std::this_thread::yield();
  bool was_asked = false;
  HostBatches batches(memory.bytes(), kShape, {.at_most = kForEver.at_most, .is_vain = [&] {
                                                 was_asked = true;
                                                 int status = 0;
                                                 return ::waitpid(reader, &status, WNOHANG) != 0;
                                               }});
  std::atomic<int> own_reads = 0;
  Member member{.batches = &batches, .number = 1, .reads = &own_reads};
  member.next(0);
  EXPECT_TRUE(was_asked);
  EXPECT_EQ(own_reads, static_cast<int>(kShape.micro_batches));
  EXPECT_EQ(member.wrong, 0);
}

// The reader stands still inside of its reading; the others are out of patience and read alone.
TEST(HostBatchesTest, AReaderThatStopsHoldsNobodyUp) {
  const Watchdog watchdog("stopped reader");
  const SharedMemory memory(HostBatches::nbytes(kShape));
  HostBatches batches(memory.bytes(), kShape, {.at_most = std::chrono::milliseconds(1)});
  std::atomic<int> reads = 0;
  auto members = members_of(batches, reads);
  std::latch is_reading(1), may_go_on(1);
  std::atomic<bool> stopped = false;
  std::thread reader([&] {
    members[0].next(0, [&] {
      if (stopped.exchange(true)) return;
      is_reading.count_down();
      may_go_on.wait();
    });
  });
  is_reading.wait();
  members[1].next(0);
  EXPECT_EQ(members[1].wrong, 0);
  EXPECT_EQ(reads, static_cast<int>(kShape.micro_batches));
  may_go_on.count_down();
  reader.join();
  EXPECT_EQ(members[0].wrong, 0);
  EXPECT_EQ(reads, 2 * static_cast<int>(kShape.micro_batches));
}

}  // namespace
}  // namespace megascale::engine
