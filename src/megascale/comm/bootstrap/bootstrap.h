#ifndef MEGASCALE_COMM_BOOTSTRAP_BOOTSTRAP_H_
#define MEGASCALE_COMM_BOOTSTRAP_BOOTSTRAP_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "megascale/comm/bootstrap/rank_record.h"
#include "megascale/comm/store/store.h"

// The start of a job: every rank finds the members of its groups through the rendezvous store, and
// all ranks check that they were started alike. With n ranks, every rank sends:
//
//   publish its own records and count its arrival           2 requests
//   wait for the verdict on all ranks (one global barrier)  1 request
//   fetch the records of its peers, in batches              1 request per thousand peers
//
// So there are O(n) requests in all and one global barrier, for any number of groups: creating a
// group needs no request of its own. The rank that arrives last reads all records, compares the
// parts that must be equal, and publishes the verdict. If ranks are missing, the first rank whose
// wait times out does this instead, and the verdict names the missing ranks.
// Source: MegaScale, arXiv 2402.15627, section 3.5, which states the cost but not the method.
namespace megascale::comm {

// Time between the first connection tries of two consecutive ranks (StoreOptions::connect_delay). A
// store accepts connections faster than this, so its listen queue does not overflow. That queue
// holds 4,096 connections by default, and 511 in Redis.
inline constexpr std::chrono::microseconds kConnectSpacing{100};

struct BootstrapOptions {
  RankRecord self;
  std::uint32_t world_size = 0;  // ranks
  LaunchDigest digest;
  // The ranks of every group that this rank is in. This rank itself may be listed or not.
  std::vector<std::vector<std::uint32_t>> groups;
  // How long this rank waits for the others, counted from its own arrival.
  std::chrono::milliseconds timeout{300'000};
};

// The result of a start: everything that a rank needs to create its groups.
struct Launch {
  // The records of this rank and of all members of its groups, in ascending order of ranks.
  std::vector<RankRecord> records;
  std::string vector_target;  // the lowest vector target of all ranks
  // Returns the record of `rank`, or null if it shares no group with this rank.
  [[nodiscard]] const RankRecord* find(std::uint32_t rank) const noexcept;
};

// A start-up method as a state machine on one store client. It does not block, so one thread can
// drive thousands of ranks in a benchmark. Not thread safe.
class Startup {
 public:
  Startup() = default;
  Startup(const Startup&) = delete;
  Startup& operator=(const Startup&) = delete;
  virtual ~Startup() = default;
  // Proceeds as far as possible without blocking. Returns true once the start is over; take() then
  // returns the result.
  virtual bool poll() = 0;
  virtual Result<Launch> take() = 0;
  // Returns the number of points at which this rank waited for all other ranks.
  [[nodiscard]] virtual std::uint64_t global_barriers() const noexcept = 0;
};

// The start-up method described at the top of this file. If the verdict is an error, it is the same
// on all ranks: timeout names missing ranks, bad_usage names ranks that were started differently or
// twice. A rank that loses the store, or finds a malformed record there, returns an error of its
// own.
class Bootstrap final : public Startup {
 public:
  // `store` must outlive this object and must not be used by anything else meanwhile. All ranks in
  // `options` must be below the world size.
  Bootstrap(StoreClient& store, BootstrapOptions options);
  bool poll() override;
  Result<Launch> take() override;
  [[nodiscard]] std::uint64_t global_barriers() const noexcept override { return 1; }

 private:
  using Replies = std::vector<StoreReply>;
  // The function that processes the replies to the current batch.
  using Next = void (Bootstrap::*)(Replies&);

  void ask(std::vector<StoreRequest> batch, Next next);
  void fail(Error error);
  void after_publishing(Replies& replies);
  void after_finding_a_double(Replies& replies);
  void read_all();
  void after_reading_all(Replies& replies);
  void announce(const Verdict& verdict);
  void after_waiting(Replies& replies);
  void after_claiming(Replies& replies);
  void after_verdict(Replies& replies);
  void after_fetching(Replies& replies);

  StoreClient& store_;
  BootstrapOptions options_;
  std::size_t record_nbytes_ = 0;  // of this rank's larger record; other ranks' are similar
  std::vector<std::uint32_t> peers_;
  std::string patience_;  // the timeout in words, for messages
  Next next_ = nullptr;   // null: the start is over
  Launch launch_;
  std::optional<Error> error_;
};

// Returns the requests with which a rank that will not start makes `error` the verdict on all ranks,
// unless there is one already. It counts as arrived. If the rank runs the store (`arrivals` above
// 0), the requests end once that many ranks have arrived, or after `patience`.
[[nodiscard]] std::vector<StoreRequest> refusal(const Error& error, std::uint32_t arrivals,
                                                std::chrono::milliseconds patience);

// Runs a start on the calling thread, which sleeps between replies. `polls` is the set that `store`
// was made with.
Result<Launch> run(Startup& startup, StoreClient& store, PollSet& polls);

// Returns all members of the groups except `self`, each once, in ascending order.
[[nodiscard]] std::vector<std::uint32_t> peers_of(
    std::uint32_t self, const std::vector<std::vector<std::uint32_t>>& groups);
// Return the keys of a rank's RankRecord and LaunchRecord in the store.
[[nodiscard]] std::string record_key(std::uint32_t rank);
[[nodiscard]] std::string launch_key(std::uint32_t rank);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_BOOTSTRAP_BOOTSTRAP_H_
