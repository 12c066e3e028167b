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

// The content of the embedded store: values, counters, and the requests that wait for them. It uses
// no sockets and no clock, so it can be tested by itself. The cost of an operation is proportional
// to its keys and values, plus the clients that it wakes. Not thread safe.
class StoreTable {
 public:
  using Client = std::uint64_t;  // a number that the caller gives to each client
  using TimePoint = std::chrono::steady_clock::time_point;
  struct Answer {
    Client client;
    Result<StoreReply> reply;
  };

  // `max_nbytes` bounds the bytes of keys and values together.
  explicit StoreTable(std::size_t max_nbytes) : max_nbytes_(max_nbytes) {}

  // Executes a request that has passed find_fault(). Returns its reply, or Error (failed) if the
  // request is refused. Returns nothing if the request waits: take_answers() will return the
  // answer, and the client must send no other request before that.
  [[nodiscard]] std::optional<Result<StoreReply>> execute(Client client, StoreRequest request,
                                                          TimePoint now);
  // Returns the answers of requests whose wait has ended since the last call.
  [[nodiscard]] std::vector<Answer> take_answers() { return std::exchange(answers_, {}); }
  // Ends the waits whose deadline has passed.
  void expire(TimePoint now);
  // Returns the earliest deadline of all waits, or nothing if no request waits.
  [[nodiscard]] std::optional<TimePoint> next_deadline() const;
  // Drops the waiting request of a client that has disconnected, if there is one.
  void forget(Client client);
  // Returns the number of waiting requests.
  [[nodiscard]] std::size_t waiting() const noexcept { return waiters_.size(); }

 private:
  struct Waiter {
    StoreRequest request;
    TimePoint deadline;
    std::size_t missing = 0;  // for get: number of keys that do not exist yet
  };
  [[nodiscard]] Result<StoreReply> write(StoreRequest& request);
  [[nodiscard]] Result<StoreReply> add(const StoreRequest& request);
  [[nodiscard]] Result<StoreReply> erase(const StoreRequest& request);
  // Returns the reply of a get or wait for the current content: status ok, or timed_out with the
  // values that exist.
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
  // The clients that wait for a key, by missing key or by counter.
  std::unordered_map<std::string, std::unordered_set<Client>> waiting_for_;
  std::set<std::pair<TimePoint, Client>> deadlines_;
  std::vector<Answer> answers_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_STORE_EMBEDDED_TABLE_H_
