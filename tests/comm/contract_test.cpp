#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <thread>

#include "comm/counted_exchange.h"
#include "comm/members.h"
#include "comm/numbers.h"
#include "support/watchdog.h"

namespace megascale::comm {
namespace {

using testing::Watchdog;

template <class T>
// NOLINTNEXTLINE(readability-identifier-naming): read as a function of the type
constexpr DType dtype_of = std::is_same_v<T, float>    ? DType::float32
                           : std::is_same_v<T, double> ? DType::float64
                                                       : DType::int64;

template <class T>
bool same_bytes(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}
template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}
template <class T>
std::span<std::byte> room_of(std::vector<T>& values) {
  return std::as_writable_bytes(std::span(values));
}

template <class T, Backend kBackend>
struct Case {
  using Type = T;
  static constexpr Backend kOver = kBackend;
};

// What every back end must do, for every type of sums.
template <class C>
class ContractTest : public ::testing::Test {
 public:
  using Element = typename C::Type;
  void SetUp() override {
    if (!is_available(C::kOver)) GTEST_SKIP() << "built without UCX";
  }
  // Calls body(members, per-member count) for 1 to 5 members and counts that divide and that do
  // not.
  template <class Body>
  static void every_size(Body&& body) {
    for (std::uint32_t n = 1; n <= 5; ++n) {
      for (const std::size_t count : {0U, 1U, 7U, 1023U, 1025U, 80'003U}) {
        SCOPED_TRACE(::testing::Message() << n << " members, " << count << " elements");
        body(n, count);
      }
    }
  }
  static std::vector<std::vector<Element>> inputs(std::uint32_t n, std::size_t count) {
    std::vector<std::vector<Element>> result;
    for (std::uint32_t m = 0; m < n; ++m) result.push_back(numbers<Element>(count, m));
    return result;
  }
  // One after the other, in member order.
  static std::vector<Element> sum(const std::vector<std::vector<Element>>& values) {
    std::vector<Element> total = values[0];
    for (std::size_t m = 1; m < values.size(); ++m) {
      for (std::size_t i = 0; i < total.size(); ++i) total[i] += values[m][i];
    }
    return total;
  }
};
using Cases =
    ::testing::Types<Case<float, Backend::local>, Case<double, Backend::local>,
                     Case<std::int64_t, Backend::local>, Case<float, Backend::ucx_shared_memory>,
                     Case<float, Backend::ucx_messages>, Case<std::int64_t, Backend::ucx_messages>,
                     Case<float, Backend::ucx_tcp>, Case<float, Backend::nccl>,
                     Case<std::int64_t, Backend::nccl>, Case<float, Backend::nccl_window>>;
TYPED_TEST_SUITE(ContractTest, Cases);

// The same without a type.
class BackendTest : public ::testing::TestWithParam<Backend> {
 public:
  void SetUp() override {
    if (!is_available(GetParam())) GTEST_SKIP() << "built without UCX";
  }
};
INSTANTIATE_TEST_SUITE_P(All, BackendTest,
                         ::testing::Values(Backend::local, Backend::ucx_shared_memory,
                                           Backend::ucx_messages, Backend::ucx_tcp),
                         [](const auto& parameter) { return name_of(parameter.param); });

TYPED_TEST(ContractTest, AllReduceAddsInMemberOrder) {
  using T = typename TypeParam::Type;
  const Watchdog watchdog("all_reduce");
  this->every_size([&](std::uint32_t n, std::size_t count) {
    auto values = this->inputs(n, count);
    const auto want = this->sum(values);
    Members members(n, TypeParam::kOver);
    members.run([&](std::uint32_t m, Communicator&) {
      EXPECT_EQ(members.transfer(m, {.rule = &transfer_rules::all_reduce,
                                     .send = {},
                                     .receive = room_of(values[m]),
                                     .dtype = dtype_of<T>}),
                Progress::done);
    });
    for (const auto& got : values) EXPECT_TRUE(same_bytes<T>(got, want));
  });
}

// The order is visible in these numbers: another one gives other bits.
TEST(ContractDataTest, TheOrderOfTheSumShows) {
  auto values = ContractTest<Case<float, Backend::local>>::inputs(3, 1025);
  const auto forward = ContractTest<Case<float, Backend::local>>::sum(values);
  std::swap(values[0], values[2]);
  EXPECT_FALSE(same_bytes<float>(ContractTest<Case<float, Backend::local>>::sum(values), forward));
}

TYPED_TEST(ContractTest, ReduceScatterAddsInMemberOrderAlsoInPlace) {
  using T = typename TypeParam::Type;
  const Watchdog watchdog("reduce_scatter");
  this->every_size([&](std::uint32_t n, std::size_t count) {
    const auto values = this->inputs(n, n * count);
    const auto want = this->sum(values);
    for (const bool in_place : {false, true}) {
      auto send = values;
      std::vector<std::vector<T>> apart(n, std::vector<T>(count));
      const auto target = [&](std::uint32_t m) {
        return in_place ? std::span(send[m]).subspan(m * count, count) : std::span(apart[m]);
      };
      Members members(n, TypeParam::kOver);
      members.run([&](std::uint32_t m, Communicator&) {
        EXPECT_EQ(members.transfer(m, {.rule = &transfer_rules::reduce_scatter,
                                       .send = bytes_of(send[m]),
                                       .receive = std::as_writable_bytes(target(m)),
                                       .dtype = dtype_of<T>}),
                  Progress::done);
      });
      for (std::uint32_t m = 0; m < n; ++m) {
        EXPECT_TRUE(same_bytes<T>(target(m), std::span(want).subspan(m * count, count)))
            << "in place " << in_place;
      }
    }
  });
}

TYPED_TEST(ContractTest, AllGatherAlsoInPlace) {
  using T = typename TypeParam::Type;
  const Watchdog watchdog("all_gather");
  this->every_size([&](std::uint32_t n, std::size_t count) {
    const auto values = this->inputs(n, count);
    std::vector<T> want;
    for (const auto& v : values) want.insert(want.end(), v.begin(), v.end());
    for (const bool in_place : {false, true}) {
      std::vector<std::vector<T>> receive(n, std::vector<T>(n * count, T{77}));
      Members members(n, TypeParam::kOver);
      members.run([&](std::uint32_t m, Communicator&) {
        const auto mine = std::span(receive[m]).subspan(m * count, count);
        if (in_place) std::copy(values[m].begin(), values[m].end(), mine.begin());
        EXPECT_EQ(members.transfer(m, {.rule = &transfer_rules::all_gather,
                                       .send = in_place ? std::as_bytes(mine) : bytes_of(values[m]),
                                       .receive = room_of(receive[m])}),
                  Progress::done);
      });
      for (const auto& got : receive)
        EXPECT_TRUE(same_bytes<T>(got, want)) << "in place " << in_place;
    }
  });
}

TYPED_TEST(ContractTest, AllToAllTransposesBlocks) {
  using T = typename TypeParam::Type;
  const Watchdog watchdog("all_to_all");
  this->every_size([&](std::uint32_t n, std::size_t count) {
    const auto send = this->inputs(n, n * count);
    std::vector<std::vector<T>> receive(n, std::vector<T>(n * count, T{77}));
    Members members(n, TypeParam::kOver);
    members.run([&](std::uint32_t m, Communicator&) {
      EXPECT_EQ(members.transfer(m, {.rule = &transfer_rules::all_to_all,
                                     .send = bytes_of(send[m]),
                                     .receive = room_of(receive[m])}),
                Progress::done);
    });
    for (std::uint32_t to = 0; to < n; ++to) {
      for (std::uint32_t from = 0; from < n; ++from) {
        EXPECT_TRUE(same_bytes<T>(std::span(receive[to]).subspan(from * count, count),
                                  std::span(send[from]).subspan(to * count, count)));
      }
    }
  });
}

// Rows from one member to another: none at all, few, some blocks of more than one window of pieces.
std::int64_t rows_between(std::uint32_t from, std::uint32_t to, int scale) {
  const std::int64_t few = (from * 3 + to * 5) % 4;
  if (scale == 2) return (from + to) % 3 == 0 ? 25'000 : few * 300;
  return scale == 1 ? few : 0;
}

TYPED_TEST(ContractTest, AllToAllWithCountsMovesBlocksOfEverySize) {
  using T = typename TypeParam::Type;
  const Watchdog watchdog("all_to_all_v");
  for (std::uint32_t n = 1; n <= 5; ++n) {
    for (const int scale : {0, 1, 2}) {
      for (const BlockLayout layout : {BlockLayout::packed, BlockLayout::fixed}) {
        SCOPED_TRACE(::testing::Message() << n << " members, scale " << scale << ", layout "
                                          << static_cast<int>(layout));
        const CountedExchange<T> exchange{.members = n,
                                          .row_count = 3,
                                          .bound = scale == 2 ? 25'000U : 3U,
                                          .layout = layout,
                                          .dtype = n % 2 == 0 ? DType::int64 : DType::int32,
                                          .rows = [&](std::uint32_t from, std::uint32_t to) {
                                            return rows_between(from, to, scale);
                                          }};
        const auto send = this->inputs(n, exchange.capacity() * 3);
        std::vector<std::vector<T>> receive(n, std::vector<T>(exchange.capacity() * 3, T{77}));
        Members members(n, TypeParam::kOver);
        members.run([&](std::uint32_t m, Communicator&) {
          const MemberCounts counts(exchange, m);
          EXPECT_EQ(members.transfer(m, {.rule = &transfer_rules::all_to_all_v,
                                         .send = bytes_of(send[m]),
                                         .receive = room_of(receive[m]),
                                         .counts = counts.counts()}),
                    Progress::done);
        });
        for (std::uint32_t m = 0; m < n; ++m)
          EXPECT_TRUE(same_bytes<T>(receive[m], exchange.received(m, send, T{77})));
      }
    }
  }
}

// Goal: sizes that do not fit are an error on every member, on those that they concern at once, and
// nothing is written outside of the buffers.  Method: one number of a good exchange of 3 members is
// changed; behind each receive buffer lie elements that must stay.
TYPED_TEST(ContractTest, WrongCountsAreAnErrorOnEveryMemberThatNamesThem) {
  using T = typename TypeParam::Type;
  constexpr std::size_t kBehind = 64;
  struct Wrong {
    std::uint32_t member;
    bool sends;
    std::uint32_t peer;
    std::int64_t rows;
    const char* message;
  };
  const CountedExchange<T> good{
      .members = 3, .row_count = 5, .bound = 8, .rows = [](std::uint32_t, std::uint32_t) {
        return 4;
      }};
  for (const Wrong& wrong : {
           Wrong{0, true, 1, 3, "rank 0 sends 3 rows to rank 1, which expects 4 from it"},
           Wrong{1, false, 2, 0, "rank 2 sends 4 rows to rank 1, which expects 0 from it"},
           Wrong{2, true, 2, 1, "rank 2 sends 1 rows to rank 2, which expects 4 from it"},
           Wrong{2, true, 0, 9, "rank 2 sends 9 rows to rank 0, expected 0 to 8, the bound"},
           Wrong{0, false, 2, 9, "rank 0 expects 9 rows from rank 2, expected 0 to 8, the bound"},
           Wrong{1, true, 0, -1, "rank 1 sends -1 rows to rank 0, expected 0 to 8, the bound"},
           Wrong{1, true, 2, 8, "rank 1 sends 16 rows in all, its buffer holds 12"},
           Wrong{0, false, 0, 5, "rank 0 expects 13 rows in all, its buffer holds 12"},
       }) {
    const Watchdog watchdog("an all_to_all_v with wrong counts");
    SCOPED_TRACE(wrong.message);
    const std::size_t count = good.capacity() * good.row_count;
    const auto send = this->inputs(3, count);
    std::vector<std::vector<T>> receive(3, std::vector<T>(count + kBehind, T{77}));
    Members members(3, TypeParam::kOver);
    members.run([&](std::uint32_t m, Communicator& end) {
      MemberCounts counts(good, m);
      if (m == wrong.member && wrong.sends) counts.set_send(wrong.peer, wrong.rows);
      if (m == wrong.member && !wrong.sends) counts.set_receive(wrong.peer, wrong.rows);
      Progress progress = members.transfer(
          m, {.rule = &transfer_rules::all_to_all_v,
              .send = bytes_of(send[m]),
              .receive = std::as_writable_bytes(std::span(receive[m])).first(count * sizeof(T)),
              .counts = counts.counts()});
      // A third member may have all that it needs; then its next transfer fails.
      if (m != wrong.member && m != wrong.peer && progress == Progress::done)
        progress = members.transfer(m, {.rule = &transfer_rules::barrier});
      EXPECT_EQ(progress, Progress::failed) << "member " << m;
      EXPECT_NE(end.error().message().find(wrong.message), std::string::npos)
          << "member " << m << ": " << end.error().message();
    });
    for (const auto& got : receive) {
      EXPECT_TRUE(std::all_of(got.begin() + static_cast<std::ptrdiff_t>(count), got.end(),
                              [](T value) { return value == T{77}; }));
    }
  }
}

TYPED_TEST(ContractTest, ShiftReceivesFromFurtherInTheGroup) {
  using T = typename TypeParam::Type;
  const Watchdog watchdog("shift");
  this->every_size([&](std::uint32_t n, std::size_t count) {
    for (std::uint32_t offset = 0; offset < n; ++offset) {
      const auto send = this->inputs(n, count);
      std::vector<std::vector<T>> receive(n, std::vector<T>(count, T{77}));
      Members members(n, TypeParam::kOver);
      members.run([&](std::uint32_t m, Communicator&) {
        EXPECT_EQ(members.transfer(m, {.rule = &transfer_rules::shift,
                                       .send = bytes_of(send[m]),
                                       .receive = room_of(receive[m]),
                                       .offset = offset}),
                  Progress::done);
      });
      for (std::uint32_t m = 0; m < n; ++m) {
        EXPECT_TRUE(same_bytes<T>(receive[m], send[(m + offset) % n]));
      }
    }
  });
}

TYPED_TEST(ContractTest, BroadcastFromEveryRoot) {
  using T = typename TypeParam::Type;
  const Watchdog watchdog("broadcast");
  this->every_size([&](std::uint32_t n, std::size_t count) {
    for (std::uint32_t root = 0; root < n; ++root) {
      auto values = this->inputs(n, count);
      const auto want = values[root];
      Members members(n, TypeParam::kOver);
      members.run([&](std::uint32_t m, Communicator&) {
        EXPECT_EQ(members.transfer(m, {.rule = &transfer_rules::broadcast,
                                       .send = {},
                                       .receive = room_of(values[m]),
                                       .root = root}),
                  Progress::done);
      });
      for (const auto& got : values) EXPECT_TRUE(same_bytes<T>(got, want));
    }
  });
}

// A kind that no back end knows by name: a root gives every member a block of its own.
constexpr TransferRule kScatter{
    .name = "scatter", .source = TransferRule::Source::root, .given = TransferRule::Share::block};

TYPED_TEST(ContractTest, AnInventedKindNeedsItsRuleAlone) {
  using T = typename TypeParam::Type;
  const Watchdog watchdog("scatter");
  this->every_size([&](std::uint32_t n, std::size_t count) {
    for (std::uint32_t root = 0; root < n; ++root) {
      const auto send = this->inputs(n, n * count);
      std::vector<std::vector<T>> receive(n, std::vector<T>(count, T{77}));
      Members members(n, TypeParam::kOver);
      members.run([&](std::uint32_t m, Communicator&) {
        EXPECT_EQ(members.transfer(m, {.rule = &kScatter,
                                       .send = bytes_of(send[m]),
                                       .receive = room_of(receive[m]),
                                       .root = root}),
                  Progress::done);
      });
      for (std::uint32_t m = 0; m < n; ++m) {
        const std::vector<T> want(
            send[root].begin() + static_cast<std::ptrdiff_t>(m * count),
            send[root].begin() + static_cast<std::ptrdiff_t>((m + 1) * count));
        EXPECT_TRUE(same_bytes<T>(receive[m], want)) << "member " << m << " root " << root;
      }
    }
  });
}

TYPED_TEST(ContractTest, SendReachesTheOther) {
  using T = typename TypeParam::Type;
  const Watchdog watchdog("send");
  for (const std::size_t count : {0U, 1U, 7U, 5000U}) {
    const auto values = this->inputs(2, count);
    std::vector<T> got(count);
    Members members(2, TypeParam::kOver);
    members.run([&](std::uint32_t m, Communicator&) {
      const Transfer send{
          .rule = &transfer_rules::send, .send = bytes_of(values[0]), .receive = {}};
      const Transfer receive{.rule = &transfer_rules::recv, .send = {}, .receive = room_of(got)};
      EXPECT_EQ(members.transfer(m, m == 0 ? send : receive), Progress::done);
    });
    EXPECT_TRUE(same_bytes<T>(got, values[0]));
  }
}

// Rendezvous: nothing counts on eager buffering.
TEST_P(BackendTest, NothingIsDoneBeforeEveryMemberHasStarted) {
  Members members(3, GetParam());
  std::vector<float> a(8, 1.0F), b(8, 2.0F), c(8, 3.0F);
  const auto reduce = [](std::vector<float>& v) {
    return Transfer{.rule = &transfer_rules::all_reduce, .send = {}, .receive = room_of(v)};
  };
  members.end(0).start(reduce(a));
  EXPECT_EQ(members.end(0).poll(), Progress::waiting);
  EXPECT_EQ(members.end(0).awaited().members, (std::vector<std::uint32_t>{1, 2}));
  members.end(1).start(reduce(b));
  const Watchdog news("a member that has started");
  // Both: processes that meet for the first time connect while both look.
  while (members.end(0).awaited().members.size() == 2) {
    EXPECT_EQ(members.end(0).poll(), Progress::waiting);
    EXPECT_EQ(members.end(1).poll(), Progress::waiting);
  }
  EXPECT_EQ(members.end(1).poll(), Progress::waiting);
  EXPECT_EQ(members.end(0).awaited().members, (std::vector<std::uint32_t>{2}));
  EXPECT_FALSE(members.end(0).awaited().started);
  EXPECT_EQ(a, std::vector<float>(8, 1.0F));
  members.end(2).start(reduce(c));
  const Watchdog watchdog("three members polled in turn");
  std::array<Progress, 3> progress{};
  while (std::count(progress.begin(), progress.end(), Progress::done) < 3) {
    for (std::uint32_t m = 0; m < 3; ++m) {
      if (progress[m] != Progress::done) progress[m] = members.end(m).poll();
      if (members.rank(m).worker) members.rank(m).worker->progress();  // for those that are not
    }
  }
  EXPECT_EQ(b, std::vector<float>(8, 6.0F));
}

// A report of a stalled step reads awaited() on another thread than the one that polls. The group
// may fail in between, since a peer has given up as well.
TEST_P(BackendTest, AFailureDoesNotChangeWhomATransferWaitsFor) {
  const Watchdog watchdog("a failed transfer");
  Members members(3, GetParam());
  std::vector<float> a(8), b(8);
  const auto reduce = [](std::vector<float>& v) {
    return Transfer{.rule = &transfer_rules::all_reduce, .send = {}, .receive = room_of(v)};
  };
  members.end(0).start(reduce(a));
  members.end(1).start(reduce(b));
  while (members.end(0).awaited().members.size() == 2) {
    EXPECT_EQ(members.end(0).poll(), Progress::waiting);
    EXPECT_EQ(members.end(1).poll(), Progress::waiting);
  }
  members.end(1).abort(Error(ErrorCode::timeout, "rank 1 gives up"));
  while (members.end(0).poll() != Progress::failed) {
    for (const std::uint32_t m : {1U, 2U}) {
      if (members.rank(m).worker) members.rank(m).worker->progress();
    }
  }
  EXPECT_EQ(members.end(0).awaited().members, (std::vector<std::uint32_t>{2}));
  EXPECT_FALSE(members.end(0).awaited().started);
}

// Before a member starts a transfer, it is itself among those that have not.
TEST_P(BackendTest, AMemberThatHasNotStartedAwaitsItself) {
  const Watchdog watchdog("two barriers");
  Members members(2, GetParam());
  for (int transfer = 0; transfer < 2; ++transfer) {
    SCOPED_TRACE(transfer);
    for (const std::uint32_t m : {0U, 1U}) {
      EXPECT_EQ(members.end(m).awaited().members, (std::vector<std::uint32_t>{0, 1}));
      EXPECT_FALSE(members.end(m).awaited().started);
    }
    members.run([&](std::uint32_t m, Communicator&) {
      EXPECT_EQ(members.transfer(m, {.rule = &transfer_rules::barrier}), Progress::done);
    });
  }
}

TEST_P(BackendTest, TransfersMatchByNumber) {
  const Watchdog watchdog("a series of transfers");
  constexpr std::uint32_t kMembers = 3, kTransfers = 400;
  Members members(kMembers, GetParam());
  members.run([&](std::uint32_t m, Communicator&) {
    std::vector<std::int64_t> sum(1), all(kMembers);
    for (std::int64_t i = 0; i < kTransfers; ++i) {
      if ((i * 7 + m) % 5 == 0) std::this_thread::yield();
      if (i % 3 == 0) {
        members.transfer(m, {.rule = &transfer_rules::barrier, .send = {}, .receive = {}});
        continue;
      }
      sum[0] = i * 10 + m;
      if (i % 3 == 1) {
        members.transfer(m, {.rule = &transfer_rules::all_reduce,
                             .send = {},
                             .receive = room_of(sum),
                             .dtype = DType::int64});
        ASSERT_EQ(sum[0], 30 * i + 3);
      } else {
        members.transfer(
            m,
            {.rule = &transfer_rules::all_gather, .send = bytes_of(sum), .receive = room_of(all)});
        ASSERT_EQ(all, (std::vector<std::int64_t>{i * 10, i * 10 + 1, i * 10 + 2}));
      }
    }
  });
}

TEST_P(BackendTest, AbortWakesEveryMemberWithTheFirstError) {
  const Watchdog watchdog("members of an aborted group");
  for (int round = 0; round < 50; ++round) {
    Members members(4, GetParam());
    std::atomic<int> failed{0};
    members.run([&](std::uint32_t m, Communicator& end) {
      if (m == 3) {
        std::this_thread::sleep_for(std::chrono::microseconds(50 * (round % 5)));
        end.abort(Error(ErrorCode::peer_lost, "rank 3 lost its disk"));
        end.abort(Error(ErrorCode::failed, "a second error"));
        EXPECT_EQ(members.wait(m), Progress::failed);
        return;
      }
      std::vector<float> values(100, 1.0F);
      if (members.transfer(
              m, {.rule = &transfer_rules::all_reduce, .send = {}, .receive = room_of(values)}) ==
          Progress::failed) {
        ++failed;
      }
      EXPECT_EQ(end.error().code(), ErrorCode::peer_lost);
      EXPECT_EQ(end.error().message(), "rank 3 lost its disk");
    });
    EXPECT_EQ(failed, 3);
    // From now on: also what starts later.
    std::vector<float> values(1);
    EXPECT_EQ(members.transfer(
                  3, {.rule = &transfer_rules::all_reduce, .send = {}, .receive = room_of(values)}),
              Progress::failed);
  }
}

// Goal: once a member's transfer is over, failed or done, no other touches its memory.  Method:
// every member takes the memory away at once; a copy that still runs dies by SIGSEGV.
TEST_P(BackendTest, AfterAFailureNobodyTouchesAMembersMemory) {
  const Watchdog watchdog("an abort during copies");
  constexpr std::size_t kBytes = 1U << 20U;
  constexpr std::uint32_t kMembers = 2;
  int failures = 0;
  const int rounds = GetParam() == Backend::local ? 150 : 60;
  for (int round = 0; round < rounds; ++round) {
    Members members(kMembers, GetParam());
    std::atomic<int> started{0}, failed{0};
    std::thread aborter([&] {
      while (started < static_cast<int>(kMembers)) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::microseconds(round * 450 / rounds));
      members.end(0).abort(Error(ErrorCode::failed, "stop"));
    });
    members.run([&](std::uint32_t m, Communicator&) {
      void* memory = ::mmap(nullptr, kBytes * (kMembers + 1), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      ASSERT_NE(memory, MAP_FAILED);
      auto* bytes = static_cast<std::byte*>(memory);
      std::memset(bytes, static_cast<int>(m), kBytes);
      ++started;
      if (members.transfer(m, {.rule = &transfer_rules::all_gather,
                               .send = {bytes, kBytes},
                               .receive = {bytes + kBytes, kBytes * kMembers}}) ==
          Progress::failed) {
        ++failed;
      }
      ::munmap(memory, kBytes * (kMembers + 1));
    });
    aborter.join();
    failures += failed != 0;
  }
  EXPECT_GT(failures, 0) << "no abort came in time: the test shows nothing";
}

}  // namespace
}  // namespace megascale::comm
