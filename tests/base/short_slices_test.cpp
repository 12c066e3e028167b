#include "megascale/base/short_slices.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <thread>

namespace megascale {
namespace {

// What the kernel says of the calling thread: its slice where the policy is SCHED_OTHER. At byte 24
// of struct sched_attr (sched(7), sched_setattr(2)).
std::uint64_t slice_ns() {
  std::array<std::uint8_t, 48> attributes{};
  if (::syscall(SYS_sched_getattr, 0, attributes.data(), attributes.size(), 0U) != 0) return 0;
  std::uint64_t ns = 0;
  std::memcpy(&ns, attributes.data() + 24, sizeof ns);
  return ns;
}

TEST(ShortSlicesTest, OnlyTheCallingThreadGetsThem) {
  const std::uint64_t before = slice_ns();
  if (before == 0) GTEST_SKIP() << "this kernel has no slices of single threads (Linux 6.12)";
  std::uint64_t after = 0;
  std::thread([&] {
    ask_for_short_slices();
    after = slice_ns();
  }).join();
  EXPECT_GT(after, 0U);
  EXPECT_LE(2 * after, before);
  EXPECT_EQ(slice_ns(), before);
  EXPECT_EQ(::sched_getscheduler(0), SCHED_OTHER);
}

}  // namespace
}  // namespace megascale
