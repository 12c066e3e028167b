#include "megascale/base/core_binding.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <set>
#include <thread>

namespace megascale {
namespace {

using Cores = std::vector<int>;

Cores allowed() {
  cpu_set_t set;
  Cores cores;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

TEST(CoreBindingTest, RanksLieAroundTheCores) {
  const Cores cores{0, 1, 4, 5};
  EXPECT_EQ(cores_of_rank(cores, 0, 4, 1), (Cores{0}));
  EXPECT_EQ(cores_of_rank(cores, 2, 4, 1), (Cores{4}));
  EXPECT_EQ(cores_of_rank(cores, 5, 8, 1), (Cores{1}));
  EXPECT_EQ(cores_of_rank(cores, 1, 2, 2), (Cores{4, 5}));
  EXPECT_EQ(cores_of_rank(cores, 1, 2, 3), (Cores{5, 0, 1}));
}

// Each core serves as many ranks as any other, or one fewer.
TEST(CoreBindingTest, CoresHaveEqualShares) {
  const Cores cores{0, 1, 2};
  std::multiset<int> used;
  for (std::size_t rank = 0; rank < 8; ++rank) {
    for (const int core : cores_of_rank(cores, rank, 8, 1)) used.insert(core);
  }
  EXPECT_EQ(used.count(0), 3U);
  EXPECT_EQ(used.count(1), 3U);
  EXPECT_EQ(used.count(2), 2U);
}

TEST(CoreBindingTest, NobodyIsBoundWhereCoresAreFreeOrOneRankHasThemAll) {
  const Cores cores{0, 1, 2, 3};
  EXPECT_EQ(cores_of_rank(cores, 1, 3, 1), cores);
  EXPECT_EQ(cores_of_rank(cores, 1, 2, 4), cores);
  EXPECT_EQ(cores_of_rank(cores, 1, 2, 5), cores);
}

TEST(CoreBindingTest, BindsTheThreadAndThoseItStartsUntilItEnds) {
  const Cores before = allowed();
  EXPECT_EQ(process_cores(), before);
  {
    const CoreBinding binding({before.back()});
    EXPECT_EQ(allowed(), (Cores{before.back()}));
    std::thread([&] { EXPECT_EQ(allowed(), (Cores{before.back()})); }).join();
    EXPECT_EQ(process_cores(), before) << "the process's, not the thread's";
  }
  EXPECT_EQ(allowed(), before);
}

TEST(CoreBindingTest, WhatIsRefusedChangesNothing) {
  const Cores before = allowed();
  const CoreBinding none({}), missing({CPU_SETSIZE - 1});
  EXPECT_EQ(allowed(), before);
}

}  // namespace
}  // namespace megascale
