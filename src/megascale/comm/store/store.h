#ifndef MEGASCALE_COMM_STORE_STORE_H_
#define MEGASCALE_COMM_STORE_STORE_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/comm/store/address.h"
#include "megascale/comm/store/poll_set.h"
#include "megascale/comm/store/secret.h"

// The rendezvous store: small values and counters by name, shared by all ranks of a job. A rank can
// wait until a key exists or a counter reaches a number. Two implementations have one interface:
// the server that comes with megascale (embedded/) and Redis (redis/). A key is used either as a
// value (set, get, erase) or as a counter (add, wait, get, erase).
//
// Security: both ends of the embedded store prove that they know the job's secret before any
// request is sent or accepted. A client of Redis authenticates with the secret (AUTH) and refuses a
// server without a password. The traffic is not encrypted. The store therefore keeps strangers out,
// but does not protect against an attacker who can read or change packets in the network.
namespace megascale::comm {

enum class StoreOp : std::uint8_t {
  set,      // keys[i] = values[i]
  set_new,  // like set, if none of the keys exists; otherwise writes nothing, status `exists`
  get,      // returns the values of all keys, once all exist
  add,      // counter keys[0] += number; a new counter starts at 0
  wait,     // returns once the counter keys[0] >= number
  erase,    // removes keys; keys that do not exist are ignored
};

struct StoreRequest {
  StoreOp op = StoreOp::get;
  std::vector<std::string> keys;
  std::vector<std::string> values{};
  std::int64_t number = 0;
  // For get and wait: how long the store waits for missing keys or the counter. 0: no waiting.
  std::chrono::milliseconds timeout{0};
  bool operator==(const StoreRequest&) const = default;
};

enum class StoreStatus : std::uint8_t { ok, timed_out, exists };

struct StoreReply {
  StoreStatus status = StoreStatus::ok;
  // For add and wait: the counter. For set_new with status `exists`: index of a key that exists.
  std::int64_t number = 0;
  // For get: one value for each key, absent if the key was still missing at the timeout.
  std::vector<std::optional<std::string>> values{};
  bool operator==(const StoreReply&) const = default;
};

// The activity of a client so far.
struct StoreCounts {
  std::uint64_t requests = 0;  // commands that the store executed, authentication included
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
};

struct StoreOptions {
  StoreAddress address;
  JobSecret secret;
  // Identifies this launch of the job. Keys and proofs of other launches are kept apart by it.
  std::string job;
  // Time to connect and authenticate. The store may start later than its clients.
  std::chrono::milliseconds connect_timeout{60'000};
  // Delay before the first try. Ranks with different delays do not overflow the listen queue.
  std::chrono::microseconds connect_delay{0};
  // If a reply is this late, beyond the timeouts of the requests, the store counts as lost.
  std::chrono::milliseconds response_timeout{30'000};
};

// One connection to a store, with functions that do not block, so that one thread can drive
// thousands of them. The requests of a batch are executed in order; a request that waits delays
// those after it. Not thread safe. After an error the client cannot be used any more, and it is not
// known which of its requests were executed.
class StoreClient {
 public:
  StoreClient() = default;
  StoreClient(const StoreClient&) = delete;
  StoreClient& operator=(const StoreClient&) = delete;
  virtual ~StoreClient() = default;
  // Starts a batch of requests. The first batch connects. The previous batch must be over. A
  // request that exceeds a limit of limits.h makes the batch fail.
  virtual void start(std::vector<StoreRequest> batch) = 0;
  // Sends and receives as far as possible without blocking. Returns true once the batch is over;
  // take() then returns the result.
  virtual bool poll() = 0;
  // Returns one reply for each request, or an error that names key and address.
  virtual Result<std::vector<StoreReply>> take() = 0;
  // Returns the time at which poll() must be called even if no bytes arrive.
  [[nodiscard]] virtual std::chrono::steady_clock::time_point next_poll() const = 0;
  [[nodiscard]] virtual const StoreCounts& counts() const noexcept = 0;
  // Returns true if the client is connected and authenticated.
  [[nodiscard]] virtual bool is_connected() const noexcept = 0;
};

// Returns a client for the kind of store that the address names. Its socket is in `polls` with the
// token `token`, and `polls` must outlive it. Nothing is sent yet. Throws Error (unsupported) for a
// Redis address in a build without hiredis.
[[nodiscard]] std::unique_ptr<StoreClient> make_store_client(const StoreOptions& options,
                                                             PollSet& polls, std::uint64_t token);

// Blocks until the client's batch is over and returns its result. `polls` is the set that the
// client was made with, and must contain no other socket.
Result<std::vector<StoreReply>> finish(StoreClient& client, PollSet& polls);

// The blocking interface of a store. Every call returns within its timeout plus the connect and
// response timeouts of the options. One thread at a time. An Error names the key, the address and
// what to do. After an error the object cannot be used any more, except after the timeout of get(),
// get_all() or wait() that names missing keys or the counter.
class Store {
 public:
  explicit Store(const StoreOptions& options);

  // Sets one value, or several at once.
  Result<void> set(std::string key, std::string value);
  Result<void> set_all(std::vector<std::string> keys, std::vector<std::string> values);
  // Returns false if the key exists already; its value is then kept.
  Result<bool> set_new(std::string key, std::string value);
  // Waits until the key, or all keys, exist, and returns the values. Error (timeout) names the keys
  // that are missing.
  Result<std::string> get(std::string key, std::chrono::milliseconds timeout);
  Result<std::vector<std::string>> get_all(std::vector<std::string> keys,
                                           std::chrono::milliseconds timeout);
  // Returns the current values without waiting; absent for keys that do not exist.
  Result<std::vector<std::optional<std::string>>> peek(std::vector<std::string> keys);
  // Adds `number` to a counter and returns the sum.
  Result<std::int64_t> add(std::string key, std::int64_t number);
  // Waits until the counter is at least `number`, and returns the counter. Error (timeout) names
  // the value that it has reached.
  Result<std::int64_t> wait(std::string key, std::int64_t number,
                            std::chrono::milliseconds timeout);
  Result<void> erase(std::vector<std::string> keys);
  [[nodiscard]] const StoreCounts& counts() const noexcept { return client_->counts(); }

 private:
  Result<StoreReply> call(StoreRequest request);
  PollSet polls_;
  std::unique_ptr<StoreClient> client_;
  std::string address_;
};

// Returns the request in words for messages: "get of 'a'", "set of 3 keys ('a', 'b', ...)".
[[nodiscard]] std::string describe(const StoreRequest& request);
// Returns nothing if the request is valid, otherwise the reason why it is not: it exceeds a limit
// of limits.h, or the numbers of keys and values do not fit the operation, or the timeout is
// negative.
[[nodiscard]] std::optional<std::string> find_fault(const StoreRequest& request);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_STORE_STORE_H_
