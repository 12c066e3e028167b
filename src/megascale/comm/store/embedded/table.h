#ifndef MEGASCALE_COMM_STORE_EMBEDDED_TABLE_H_
#define MEGASCALE_COMM_STORE_EMBEDDED_TABLE_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "megascale/comm/store/store.h"

namespace megascale::comm {

// What the embedded store remembers: values, counters, and who waits for which. No sockets and no
// clock of its own. Costs of an operation: its keys and values, plus the clients that it wakes. Not
// thread safe.
class StoreTable {
 public:
  using Client = std::uint64_t;
  using TimePoint = std::chrono::steady_clock::time_point;
  struct Answer {
    Client client;
    Result<StoreReply> reply;
  };

  // Keys and values together hold at most `max_nbytes`.
  explicit StoreTable(std::size_t max_nbytes) : max_nbytes_(max_nbytes) {}

  // Executes a request that find_fault() has nothing against. Null: the client waits, and must ask
  // nothing more before its answer comes out of take_answers(). An Error: the request is refused.
  [[nodiscard]] std::optional<Result<StoreReply>> execute(Client client, StoreRequest request,
                                                          TimePoint now);
  // Answers of clients whose wait has ended since the last call.
  [[nodiscard]] std::vector<Answer> take_answers() { return std::exchange(answers_, {}); }
  // Ends the waits whose time is over.
  void expire(TimePoint now);
  // When expire() has something to do next.
  [[nodiscard]] std::optional<TimePoint> next_deadline() const;
  // The client has gone.
  void forget(Client client);
  [[nodiscard]] std::size_t waiting() const noexcept { return waiters_.size(); }

 private:
  struct Waiter {
    StoreRequest request;
    TimePoint deadline;
    std::size_t missing = 0;  // of get: keys that do not exist yet
  };
  [[nodiscard]] Result<StoreReply> write(StoreRequest& request);
  [[nodiscard]] Result<StoreReply> add(const StoreRequest& request);
  [[nodiscard]] Result<StoreReply> erase(const StoreRequest& request);
  // What a get or wait finds now: ok, or timed_out with what there is.
  [[nodiscard]] Result<StoreReply> look(const StoreRequest& request) const;
  void begin_wait(Client client, StoreRequest request, TimePoint deadline);
  void key_appeared(const std::string& key);
  void counter_moved(const std::string& key, std::int64_t value);
  void end_wait(Client client);
  Waiter remove_waiter(Client client);

  std::size_t max_nbytes_;
  std::size_t nbytes_ = 0;
  std::unordered_map<std::string, std::string> values_;
  std::unordered_map<std::string, std::int64_t> counters_;
  std::unordered_map<Client, Waiter> waiters_;
  std::unordered_map<std::string, std::unordered_set<Client>>
      waiting_for_;  // by missing key or counter
  std::set<std::pair<TimePoint, Client>> deadlines_;
  std::vector<Answer> answers_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_STORE_EMBEDDED_TABLE_H_
