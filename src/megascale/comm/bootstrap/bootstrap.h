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

// How a rank finds the members of its groups. With n ranks and p peers of a rank:
//
//   publish the own records and count the arrival           2 requests
//   wait for the verdict on all ranks (one global barrier)  1 request
//   fetch the records of the peers, in batches              1 request per thousand peers
//
// so O(n) requests in all and one global barrier, whatever the number of groups: creating a group
// needs no request of its own. The rank that arrives last reads all records, compares what must be
// equal, and publishes the verdict. Where ranks stay away, the first whose patience ends does.
// Source: MegaScale, arXiv 2402.15627, section 3.5, which gives the cost and not the order.
namespace megascale::comm {

// Between the first tries of two ranks to connect (StoreOptions::connect_delay): slower than a
// store accepts connections. A listen queue holds 4,096 by default, Redis' own 511.
inline constexpr std::chrono::microseconds kConnectSpacing{100};

struct BootstrapOptions {
  RankRecord self;
  std::uint32_t world_size = 0;  // ranks
  LaunchDigest digest;
  // The ranks of every group that this rank is in; itself may be among them.
  std::vector<std::vector<std::uint32_t>> groups;
  // For the other ranks to arrive, from the moment this one has.
  std::chrono::milliseconds timeout{300'000};
};

// What a rank knows when it may create its groups.
struct Launch {
  // Of this rank and of all members of its groups, by rank.
  std::vector<RankRecord> records;
  std::string vector_target;  // the lowest of all ranks
  // Null where the rank shares no group with this one.
  [[nodiscard]] const RankRecord* find(std::uint32_t rank) const noexcept;
};

// A way of starting up, as a state machine over one store client: one thread may drive many, the
// trainer drives one. Not thread safe.
class Startup {
 public:
  Startup() = default;
  Startup(const Startup&) = delete;
  Startup& operator=(const Startup&) = delete;
  virtual ~Startup() = default;
  // Goes on as far as it can without waiting; never blocks. True: it is over, take() says how.
  virtual bool poll() = 0;
  virtual Result<Launch> take() = 0;
  // Points at which this rank waited for all others.
  [[nodiscard]] virtual std::uint64_t global_barriers() const noexcept = 0;
};

class Bootstrap final : public Startup {
 public:
  // `store` must outlive it and serve it alone. The options' ranks must be below the world size.
  Bootstrap(StoreClient& store, BootstrapOptions options);
  bool poll() override;
  Result<Launch> take() override;
  [[nodiscard]] std::uint64_t global_barriers() const noexcept override { return 1; }

 private:
  using Replies = std::vector<StoreReply>;
  // What to do with the replies to the batch that is under way.
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
  std::size_t record_nbytes_ = 0;  // of this rank's own; others' are about as large
  std::vector<std::uint32_t> peers_;
  std::string patience_;
  Next next_ = nullptr;  // null: over
  Launch launch_;
  std::optional<Error> error_;
};

// Starts up on the calling thread, which sleeps between replies. `polls` is the one that `store`
// was made with.
Result<Launch> run(Startup& startup, StoreClient& store, PollSet& polls);

// All members of the groups but `self`, each once, in rising order.
[[nodiscard]] std::vector<std::uint32_t> peers_of(
    std::uint32_t self, const std::vector<std::vector<std::uint32_t>>& groups);
// Under which a rank's records stand in the store.
[[nodiscard]] std::string record_key(std::uint32_t rank);
[[nodiscard]] std::string launch_key(std::uint32_t rank);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_BOOTSTRAP_BOOTSTRAP_H_
