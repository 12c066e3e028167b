// Processes of one host have memory in common that none of them can leave behind.
#include "megascale/comm/process/host_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "megascale/base/error.h"

namespace megascale::comm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::size_t kNbytes = 8192;

HostMemory::Member member(std::uint32_t rank, std::string host, std::int64_t process = 0,
                          std::int32_t descriptor = -1) {
  return {.record = {.rank = rank, .host = {.hostname = "name", .host_id = std::move(host)}},
          .offer = {.process = process, .descriptor = descriptor}};
}

TEST(HostMemoryTest, RanksOfOtherHostsDoNotShare) {
  const std::vector<HostMemory::Member> members{member(1, "a"), member(3, "b"), member(4, "a"),
                                                member(8, "b"), member(9, "c")};
  const auto ranks = [&](std::uint32_t self) {
    std::vector<std::uint32_t> result;
    for (const auto& one : HostMemory::on_host_of(self, members)) result.push_back(one.record.rank);
    return result;
  };
  EXPECT_THAT(ranks(4), ElementsAre(1, 4));
  EXPECT_THAT(ranks(3), ElementsAre(3, 8));
  EXPECT_THAT(ranks(9), ElementsAre(9));
}

// A process that runs `body`, killed at the end of the test if it lives.
class Process {
 public:
  explicit Process(const std::function<bool()>& body) : pid_(::fork()) {
    if (pid_ == 0) ::_exit(body() ? 0 : 1);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() { end(); }
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  // The status of waitpid; kills it first.
  int end() {
    if (pid_ > 0) ::kill(pid_, SIGKILL);
    return wait();
  }
  int wait() {
    int status = -1;
    if (pid_ > 0) ::waitpid(pid_, &status, 0);
    pid_ = 0;
    return status;
  }

 private:
  pid_t pid_;
};

[[noreturn]] void sleep_for_ever() {
  for (;;) ::pause();
}

TEST(HostMemoryTest, WhatOneRankWritesAllRead) {
  SharedFile own(kNbytes);
  const auto first = member(0, "a", ::getpid(), own.descriptor());
  Process other([&] {
    const HostMemory memory(1, std::vector{first, member(1, "a", ::getpid())}, SharedFile(kNbytes));
    if (memory.bytes().size() != kNbytes || memory.bytes()[7] != std::byte{0}) return false;
    memory.bytes()[7] = std::byte{42};
    return true;
  });
  const HostMemory memory(0, std::vector{first, member(1, "a", other.pid())}, std::move(own));
  EXPECT_THAT(memory.ranks(), ElementsAre(0, 1));
  EXPECT_EQ(other.wait(), 0);
  EXPECT_EQ(memory.bytes()[7], std::byte{42});
}

TEST(HostMemoryTest, ARankThatEndsIsSeen) {
  SharedFile own(kNbytes);
  Process other([] {
    sleep_for_ever();
    return true;
  });
  const std::vector members{member(0, "a", ::getpid(), own.descriptor()),
                            member(1, "a", other.pid())};
  HostMemory memory(0, members, std::move(own));
  EXPECT_FALSE(memory.has_lost_a_rank());
  other.end();
  EXPECT_TRUE(memory.has_lost_a_rank());
}

// The first rank has ended before this one has its memory.
TEST(HostMemoryTest, AFirstRankThatIsGoneIsNamed) {
  Process first([] { return true; });
  const auto pid = first.pid();
  first.wait();
  try {
    const HostMemory memory(6, std::vector{member(5, "a", pid, 3), member(6, "a", ::getpid())},
                            SharedFile(kNbytes));
    FAIL() << "mapped the memory of a process that has ended";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::peer_lost);
    EXPECT_THAT(error.message(), HasSubstr("rank 5 (process " + std::to_string(pid)));
  }
}

// Memory that could shrink, or is shorter than was said, would end this process when it is read.
TEST(HostMemoryTest, MemoryOfAnotherSizeIsRefused) {
  const SharedFile short_file(kNbytes / 2);
  try {
    const HostMemory memory(6,
                            std::vector{member(5, "a", ::getpid(), short_file.descriptor()),
                                        member(6, "a", ::getpid())},
                            SharedFile(kNbytes));
    FAIL() << "mapped " << kNbytes << " bytes of " << kNbytes / 2;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::io);
    EXPECT_THAT(error.message(), HasSubstr("find the announced size of the memory of rank 5"));
  }
}

}  // namespace
}  // namespace megascale::comm
