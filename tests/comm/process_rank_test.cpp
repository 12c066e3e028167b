// Goal: on devices every member of a group opens it with the id that its first member made, which
// goes through the ranks' records in the store.  Method: ranks as forked processes, which meet
// through a real store; a stand-in for NCCL tells which ids it made, and what it was asked to open.
#include "megascale/comm/process/process_rank.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <map>
#include <thread>

#include "megascale/comm/run_transfer.h"
#include "megascale/comm/store/bytes.h"
#include "megascale/comm/store/embedded/server.h"
#include "support/sanitizer.h"
#include "support/watchdog.h"

namespace megascale::comm {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using testing::Watchdog;
using namespace std::chrono_literals;
using Group = ProcessRank::Group;

// Is through with everything at once, and moves nothing. `says`: what happens to windows.
class IdleChannel final : public NcclChannel {
 public:
  explicit IdleChannel(std::string& says) : says_(says) {}
  ~IdleChannel() override {
    if (has_window_) says_ += "no window; ";
  }
  void register_window(std::span<std::byte> memory) override {
    has_window_ = true;
    says_ += fmt::format("window of {} bytes; ", memory.size());
  }
  void all_gather(std::span<std::byte>, std::span<const std::byte>) override {}
  void reduce_scatter(std::span<std::byte>, std::span<const std::byte>, DType) override {}
  void all_reduce(std::span<std::byte>, DType) override {}
  void broadcast(std::span<std::byte>, std::uint32_t) override {}
  void exchange(std::span<const Outgoing>, std::span<const Incoming>) override {}
  void share_counts(std::span<const std::byte>, std::span<const std::byte>) override {}
  [[nodiscard]] std::span<const std::byte> shared_counts() const noexcept override { return {}; }
  void meet() override {}
  State state() noexcept override { return State::ready; }
  [[nodiscard]] Error error() const override { return {ErrorCode::failed, "none"}; }
  void abort() noexcept override {}

 private:
  std::string& says_;
  bool has_window_ = false;
};
std::string text_of(const NcclId& id) {
  return {reinterpret_cast<const char*>(id.bytes.data()), 16};
}

// Ids say who made them, and which of that rank's they are.
struct StandIn {
  explicit StandIn(std::uint32_t rank) : rank_(rank) {}
  [[nodiscard]] NcclLibrary library() {
    return {.make_id =
                [this] {
                  NcclId id;
                  const std::string text = fmt::format("rank {:03} id {:04}", rank_, made++);
                  std::memcpy(id.bytes.data(), text.data(), text.size());
                  id.bytes.back() = std::byte{0xA5};
                  return id;
                },
            .open =
                [this](const NcclId& id, std::uint32_t size, std::uint32_t my_index, CUstream_st*) {
                  opened = fmt::format("{}{} as {} of {}", text_of(id),
                                       id.bytes.back() == std::byte{0xA5} ? "" : " cut short",
                                       my_index, size);
                  return std::make_unique<IdleChannel>(says);
                }};
  }
  int made = 0;
  std::string opened;  // last
  std::string says;

 private:
  std::uint32_t rank_;
};

// A lane's stream is any address here.
CUstream_st* stream_of(std::size_t lane) {
  static std::array<char, 8> lanes{};
  return reinterpret_cast<CUstream_st*>(&lanes[lane]);
}

struct Job {
  std::uint32_t world_size = 0;
  StoreAddress address = StoreServer({.address = {}, .secret = JobSecret::random()}).address();
  JobSecret secret = JobSecret::random();
  [[nodiscard]] LaunchEnvironment environment(std::uint32_t rank) const {
    return {.rank = rank,
            .world_size = world_size,
            .local_rank = rank,
            .local_world_size = world_size,
            .store = address,
            .job = "ids#0"};
  }
  [[nodiscard]] ProcessLaunch launch(std::uint32_t rank) const {
    return {.environment = environment(rank),
            .secret = secret,
            .network = {.transports = "posix,self", .devices = "lo"}};
  }
};

// What each rank's body returned or threw; "killed" where it was.
using Body = std::function<std::string(std::uint32_t rank)>;
std::vector<std::string> run(std::uint32_t world_size, const Body& body) {
  std::vector<std::pair<pid_t, int>> children;
  for (std::uint32_t rank = 0; rank < world_size; ++rank) {
    std::array<int, 2> pipe{};
    if (::pipe(pipe.data()) != 0) throw Error(ErrorCode::io, "no pipe for the test");
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(50);
      std::string word;
      try {
        word = body(rank);
      } catch (const Error& error) {
        word = fmt::format("{}: {}", to_string(error.code()), error.message());
      }
      ::_exit(::write(pipe[1], word.data(), word.size()) == static_cast<ssize_t>(word.size()) ? 0
                                                                                              : 1);
    }
    ::close(pipe[1]);
    children.emplace_back(child, pipe[0]);
  }
  std::vector<std::string> words;
  for (const auto& [child, end] : children) {
    std::array<char, 4096> text{};
    std::string word;
    for (ssize_t n = 0; (n = ::read(end, text.data(), text.size())) > 0;)
      word.append(text.data(), static_cast<std::size_t>(n));
    ::close(end);
    int status = 0;
    ::waitpid(child, &status, 0);
    words.push_back(WIFEXITED(status) ? word : "killed");
  }
  return words;
}

class ProcessRankTest : public ::testing::Test {
 public:
  void SetUp() override {
    if (!ucx_is_available()) GTEST_SKIP() << "built without UCX";
    if (testing::kSanitizer == testing::kThreadSanitizer)
      GTEST_SKIP() << testing::kSanitizer << " knows no threads in a process that was forked";
  }
};

// Tensor groups of two, data groups of two across them, and all four; rank 3 leads a group of its
// own choice, which is not the lowest of its members.
const std::vector<Group> kGroups{{"tensor/0", {0, 1}}, {"tensor/1", {2, 3}},   {"data/0", {0, 2}},
                                 {"data/1", {1, 3}},   {"step", {0, 1, 2, 3}}, {"back", {3, 1}}};
std::vector<Group> groups_of(std::uint32_t rank) {
  std::vector<Group> mine;
  for (const Group& group : kGroups) {
    if (std::ranges::find(group.members, rank) != group.members.end()) mine.push_back(group);
  }
  return mine;
}

TEST_F(ProcessRankTest, EveryMemberOpensAGroupWithTheIdThatItsFirstMade) {
  const Watchdog watchdog("ranks that tell each other ids", 60s);
  const Job job{.world_size = 4};
  const auto words = run(4, [&](std::uint32_t rank) {
    StandIn nccl(rank);
    // Train's and evaluation's plan name the same groups.
    std::vector<Group> groups = groups_of(rank);
    for (const Group& group : groups_of(rank)) groups.push_back(group);
    ProcessRank process(job.launch(rank),
                        {.groups = groups, .on_device = true, .nccl = nccl.library()});
    std::string word = fmt::format("made {}\n", nccl.made);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const Group& group = groups[i];
      const auto me = std::ranges::find(group.members, rank) - group.members.begin();
      nccl.opened = "the one that is open";
      const Communicator& end =
          process.end(group.key, group.members, static_cast<std::uint32_t>(me), stream_of(i % 3));
      if (end.size() != group.members.size()) return std::string("a group of another size");
      word += group.key + ": " + nccl.opened + "\n";
    }
    (void)process.coordination().any(false, "the end of the test");
    return word;
  });
  const auto expected = [](std::uint32_t rank) {
    std::map<std::string, std::string> ids;  // by key; a rank makes its own in the groups' order
    std::array<int, 4> made{};
    std::string word;
    for (const Group& group : kGroups) {
      const std::uint32_t first = group.members.front();
      ids[group.key] = fmt::format("rank {:03} id {:04}", first, made[first]++);
    }
    for (const Group& group : groups_of(rank)) {
      const auto me = std::ranges::find(group.members, rank) - group.members.begin();
      word +=
          fmt::format("{}: {} as {} of {}\n", group.key, ids[group.key], me, group.members.size());
    }
    std::string again;
    for (const Group& group : groups_of(rank)) again += group.key + ": the one that is open\n";
    return fmt::format("made {}\n{}{}", made[rank], word, again);
  };
  for (std::uint32_t rank = 0; rank < 4; ++rank) EXPECT_EQ(words[rank], expected(rank)) << rank;
}

TEST_F(ProcessRankTest, AnIdThatCannotBeMadeIsToldToAllAtOnce) {
  const Watchdog watchdog("ranks without an id", 60s);
  const auto begin = std::chrono::steady_clock::now();
  const Job job{.world_size = 2};
  const auto words = run(2, [&](std::uint32_t rank) {
    const ProcessRank process(
        job.launch(rank),
        {.groups = {{"pair", {0, 1}}},
         .on_device = true,
         .nccl = {.make_id = []() -> NcclId { throw Error(ErrorCode::failed, "NCCL: refused"); }}});
    return std::string("met");
  });
  EXPECT_EQ(words[0], "failed: NCCL: refused; while making the id of group pair on rank 0");
  EXPECT_THAT(words[1],
              AllOf(HasSubstr("rank 0 (host"), HasSubstr("does not start: NCCL: refused")));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
}

// On the CPU nobody asks NCCL for anything.
TEST_F(ProcessRankTest, WithoutDevicesNoIdsAreMade) {
  const Watchdog watchdog("ranks without devices", 60s);
  const Job job{.world_size = 2};
  const auto words = run(2, [&](std::uint32_t rank) {
    StandIn nccl(rank);
    ProcessRank process(job.launch(rank), {.groups = {{"pair", {0, 1}}}, .nccl = nccl.library()});
    (void)process.end("pair", std::array{0U, 1U}, rank, nullptr);
    (void)process.coordination().any(false, "the end of the test");
    return fmt::format("made {}, opened {}", nccl.made, nccl.opened);
  });
  EXPECT_THAT(words, Each("made 0, opened "));
}

// Rank 0 is what the test is about; rank 1, the first of their group, leaves a record of the test's
// making.
struct Peer {
  std::string tail;  // of the endpoint
  std::string host_id = this_process().host_id;
  std::size_t window_nbytes = 0;  // of rank 0
};
std::string refusal_of(const Peer& peer) {
  const Job job{.world_size = 2};
  const std::vector<std::uint32_t> pair{1, 0};
  return run(2, [&](std::uint32_t rank) -> std::string {
    if (rank == 0) {
      StandIn nccl(0);
      std::vector<std::byte> window(peer.window_nbytes);
      const ProcessRank process(job.launch(0), {.groups = {{"pair", pair, /*equal_offsets=*/true}},
                                                .on_device = true,
                                                .nccl = nccl.library(),
                                                .window = window});
      return "met";
    }
    std::string endpoint;
    ByteWriter writer(endpoint);
    writer.text("address");
    writer.text("address of coordination");
    writer.text("address of the commits' coordination");
    writer.text("");                  // no copies in memory
    writer.number<std::uint32_t>(0);  // addresses of its host
    writer.number<std::int32_t>(-1);
    const Rendezvous rendezvous(job.environment(1), job.secret, 30s);
    PollSet polls;
    const auto store = make_store_client(rendezvous.store_options(), polls, 0);
    BootstrapOptions options{.world_size = 2, .groups = {pair}};
    options.self = {.rank = 1, .host = this_process(), .endpoint = endpoint + peer.tail};
    options.self.host.host_id = peer.host_id;
    Bootstrap bootstrap(*store, options);
    return comm::run(bootstrap, *store, polls) ? "met" : "alone";
  })[0];
}
std::string ids(std::uint32_t count,
                const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.number(count);
  for (const auto& [key, id] : pairs) {
    writer.text(key);
    writer.text(id);
  }
  return bytes;
}

TEST_F(ProcessRankTest, ADamagedRecordIsRefusedByItsRank) {
  const Watchdog watchdog("records that are damaged", 60s);
  const std::string id(sizeof(NcclId), 'x');
  const std::string nothing = "corrupt data: the record of rank 1 in the store holds no endpoints";
  EXPECT_EQ(refusal_of({""}), nothing);
  EXPECT_EQ(refusal_of({ids(2, {{"pair", id}})}), nothing) << "an id is missing";
  EXPECT_EQ(refusal_of({ids(1, {{"pair", id}}) + "more"}), nothing);
  EXPECT_EQ(refusal_of({ids(1, {{"pair", id}}).substr(0, 100)}), nothing);
  EXPECT_EQ(refusal_of({ids(1, {{"pair", id.substr(1)}})}),
            "corrupt data: the record of rank 1 in the store holds 127 bytes as NCCL's id of group "
            "pair, expected 128");
  EXPECT_EQ(refusal_of({ids(1, {{"another", id}})}),
            "corrupt data: the record of rank 1 in the store holds no NCCL id of group pair, which "
            "that rank is the first of");
}

// Goal: the arena of ranks on devices is a window of the groups that may have one, and of no other.
TEST_F(ProcessRankTest, GroupsWithEqualOffsetsGetTheArenaAsTheirWindow) {
  const Watchdog watchdog("ranks with windows", 60s);
  const Job job{.world_size = 2};
  const auto words = run(2, [&](std::uint32_t rank) {
    StandIn nccl(rank);
    {
      std::vector<std::byte> arena(4096);
      ProcessRank process(job.launch(rank), {.groups = {{"data", {0, 1}, /*equal_offsets=*/true},
                                                        {"alone", {rank}, /*equal_offsets=*/true},
                                                        {"edge", {0, 1}}},
                                             .on_device = true,
                                             .nccl = nccl.library(),
                                             .window = arena});
      for (const std::string key : {"data", "edge", "data"}) {
        Communicator& end = process.end(key, std::array{0U, 1U}, rank, stream_of(0));
        nccl.says += key + ": ";
        end.start({.rule = &transfer_rules::barrier});
        (void)end.poll();
      }
      Communicator& alone = process.end("alone", std::array{rank}, 0, stream_of(0));
      alone.start({.rule = &transfer_rules::barrier});
      (void)alone.poll();
      (void)process.coordination().any(false, "the end of the test");
    }
    return nccl.says;
  });
  EXPECT_THAT(words, Each("data: window of 4096 bytes; edge: data: no window; "));
}

TEST_F(ProcessRankTest, WindowsThatNoGroupCanHaveAreRefused) {
  const Watchdog watchdog("ranks that cannot have windows", 60s);
  const std::string record = ids(1, {{"pair", std::string(sizeof(NcclId), 'x')}});
  EXPECT_EQ(refusal_of({.tail = record, .host_id = "elsewhere", .window_nbytes = 64}),
            "unsupported: overlap.symmetric_memory: rank 0 is in no group of ranks of one host "
            "that use equal offsets of their arenas; expected ranks of one pipeline stage on its "
            "host, with transfers between them");
}

// Goal: the arena belongs to its rank, not to the connections. Method: two ranks sum their arenas in
// place, end their connections, meet again with the same arenas, and sum what they find there.
TEST_F(ProcessRankTest, RanksMeetAgainWithTheSameArenas) {
  const Watchdog watchdog("ranks that meet twice", 60s);
  const Job first{.world_size = 2}, second{.world_size = 2};
  const auto words = run(2, [&](std::uint32_t rank) {
    constexpr std::size_t kCount = std::size_t{1} << 16U;  // enough that peers read it directly
    const auto arena = std::make_shared<SharedFile>(kCount * sizeof(std::int64_t));
    const std::span values(reinterpret_cast<std::int64_t*>(arena->bytes().data()), kCount);
    std::fill(values.begin(), values.end(), rank + 1);
    std::string sums;
    for (const Job* job : {&first, &second}) {
      ProcessRank process(job->launch(rank),
                          {.arena = arena, .groups = {{"pair", {0, 1}}}, .timeout = 30s});
      Communicator& end = process.end("pair", std::array{0U, 1U}, rank, nullptr);
      run_transfer(
          end,
          {.rule = &transfer_rules::all_reduce, .receive = arena->bytes(), .dtype = DType::int64},
          process.wakeup(), &process.events());
      (void)process.coordination().any(false, "the end of a job");
      sums += fmt::format("{} {}; ", values.front(), values.back());
    }
    return sums;
  });
  EXPECT_THAT(words, Each("3 3; 6 6; "));
}

// Goal: commits have an order of their own, and their failures are not those of the loop. Method: a
// thread commits while the rank's own asks; on rank 1 the commits only begin when the loop is
// through. Then rank 0 gives its commits up.
TEST_F(ProcessRankTest, CommitsAndTheLoopDoNotWaitForEachOther) {
  const Watchdog watchdog("two coordinations", 60s);
  const Job job{.world_size = 2};
  const auto words = run(2, [&](std::uint32_t rank) {
    ProcessRank process(job.launch(rank), {.timeout = 30s});
    std::atomic<bool> loop_is_through = false;
    std::size_t heard = 0;
    std::string failure = "no failure";
    std::thread committer([&] {
      while (rank == 1 && !loop_is_through) std::this_thread::sleep_for(1ms);
      try {
        for (int i = 0; i < 5; ++i) heard += process.commits().gather("written", "a commit").size();
        // The other rank may still be in its last gather: then that call fails there.
        if (rank == 0) process.commits().abort(Error(ErrorCode::io, "the disk is full"));
        (void)process.commits().broadcast("done", "a commit");
      } catch (const Error& error) {
        failure = to_string(error.code());
      }
    });
    int said_yes = 0;
    for (int i = 0; i < 20; ++i) said_yes += process.coordination().any(i % 2 == 0, "the loop");
    loop_is_through = true;
    committer.join();
    said_yes += process.coordination().any(true, "the loop, after the commit has failed");
    return fmt::format("{} times yes, {} heard, {}", said_yes, heard, failure);
  });
  EXPECT_EQ(words[0], "11 times yes, 10 heard, input/output error");
  EXPECT_EQ(words[1], "11 times yes, 0 heard, input/output error");
}

// NCCL does not say who is gone: the ranks' coordination does, whatever their groups are.
TEST_F(ProcessRankTest, ARankThatIsKilledIsNamedByTheOthers) {
  const Watchdog watchdog("ranks that lost one", 60s);
  const Job job{.world_size = 4};
  const auto words = run(4, [&](std::uint32_t rank) -> std::string {
    StandIn nccl(rank);
    ProcessRank process(job.launch(rank),
                        {.groups = groups_of(rank), .on_device = true, .nccl = nccl.library()});
    for (const Group& group : groups_of(rank)) {
      const auto me = std::ranges::find(group.members, rank) - group.members.begin();
      process.end(group.key, group.members, static_cast<std::uint32_t>(me), stream_of(0))
          .start({.rule = &transfer_rules::barrier});
    }
    (void)process.coordination().any(false, "whether all are there");
    if (rank == 2) ::raise(SIGKILL);
    try {
      (void)process.coordination().any(false, "whether to stop");
    } catch (const Error& error) {
      process.leave(error);
      throw;
    }
    return "nothing was lost";
  });
  EXPECT_EQ(words[2], "killed");
  for (const std::uint32_t rank : {0U, 1U, 3U})
    EXPECT_THAT(words[rank], AllOf(HasSubstr("peer lost"), HasSubstr("rank 2 (process"))) << rank;
}

}  // namespace
}  // namespace megascale::comm
