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

// The rendezvous store: a few bytes by name, shared by all ranks of a job, with waits. Two kinds
// stand behind one interface: the server that comes with megascale (embedded/) and Redis (redis/).
// A key is used either as a value (set, get, erase) or as a counter (add, wait, get, erase).
//
// Security. Both ends of the embedded kind prove that they know the job's secret before any request
// is accepted or sent; Redis is asked to AUTH and refused if it asks for no password. Nothing is
// encrypted: the store keeps strangers out, not somebody who reads or alters the packets of this
// network.
namespace megascale::comm {

enum class StoreOp : std::uint8_t {
  set,      // keys[i] = values[i]
  set_new,  // the same if none of the keys exists yet; else nothing is written and the reply says
            // exists
  get,      // the values of all keys, once all exist
  add,      // counter keys[0] += number, from 0
  wait,     // once the counter keys[0] >= number
  erase,    // forgets keys; those that do not exist too
};

struct StoreRequest {
  StoreOp op = StoreOp::get;
  std::vector<std::string> keys;
  std::vector<std::string> values{};
  std::int64_t number = 0;
  // Of get and wait: how long the store waits for what is not there yet; 0 asks and returns.
  std::chrono::milliseconds timeout{0};
  bool operator==(const StoreRequest&) const = default;
};

enum class StoreStatus : std::uint8_t { ok, timed_out, exists };

struct StoreReply {
  StoreStatus status = StoreStatus::ok;
  std::int64_t number = 0;  // add, wait: the counter; set_new: place in keys of one that exists
  // get: one per key, null where a key was still missing when the time was over.
  std::vector<std::optional<std::string>> values{};
  bool operator==(const StoreReply&) const = default;
};

// What a client has caused so far.
struct StoreCounts {
  std::uint64_t requests = 0;  // commands that the store executed, authentication included
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
};

struct StoreOptions {
  StoreAddress address;
  JobSecret secret;
  std::string
      job;  // this launch of this job; keys and credentials of another are never mixed up with it
  // To reach the store and authenticate: it may start later than its clients.
  std::chrono::milliseconds connect_timeout{60'000};
  // Before the first try: ranks that come one after the other do not overflow the listen queue.
  std::chrono::microseconds connect_delay{0};
  // Beyond a request's own timeout: after this the store counts as lost.
  std::chrono::milliseconds response_timeout{30'000};
};

// One connection, without blocking, so that one thread can drive thousands. Batches are served in
// order; a request that waits holds back those after it. Not thread safe. After an error the client
// is of no more use: what it asked for may or may not have happened.
class StoreClient {
 public:
  StoreClient() = default;
  StoreClient(const StoreClient&) = delete;
  StoreClient& operator=(const StoreClient&) = delete;
  virtual ~StoreClient() = default;
  // Hands over requests, to be sent at once as far as their order allows. One batch at a time; the
  // first connects. Requests beyond limits.h make the batch fail.
  virtual void start(std::vector<StoreRequest> batch) = 0;
  // Moves what can be moved now. True: the batch is over, and take() says how.
  virtual bool poll() = 0;
  // One reply per request; or why there is none, naming key and address.
  virtual Result<std::vector<StoreReply>> take() = 0;
  // poll() must be called at this time even if the connection is silent.
  [[nodiscard]] virtual std::chrono::steady_clock::time_point next_poll() const = 0;
  [[nodiscard]] virtual const StoreCounts& counts() const noexcept = 0;
  // Connected and authenticated.
  [[nodiscard]] virtual bool is_connected() const noexcept = 0;
};

// A client of the kind that the address names, whose connection reports to `polls` under `token`.
// Nothing is sent yet. `polls` must outlive it. Throws Error (unsupported: built without Redis).
[[nodiscard]] std::unique_ptr<StoreClient> make_store_client(const StoreOptions& options,
                                                             PollSet& polls, std::uint64_t token);

// Sleeps until the client's batch is over. `polls` is the one it was made with, and serves it
// alone.
Result<std::vector<StoreReply>> finish(StoreClient& client, PollSet& polls);

// The same store for callers that may block: every call returns within its timeout plus the
// options' connect and response timeouts. One thread at a time. An Error names key, address and
// what to do; after peer_lost the store is of no more use.
class Store {
 public:
  explicit Store(const StoreOptions& options);

  Result<void> set(std::string key, std::string value);
  Result<void> set_all(std::vector<std::string> keys, std::vector<std::string> values);
  // False: the key exists, and keeps its value.
  Result<bool> set_new(std::string key, std::string value);
  // Waits until the key, or all keys, exist; timeout names those that are missing.
  Result<std::string> get(std::string key, std::chrono::milliseconds timeout);
  Result<std::vector<std::string>> get_all(std::vector<std::string> keys,
                                           std::chrono::milliseconds timeout);
  // What is there now.
  Result<std::vector<std::optional<std::string>>> peek(std::vector<std::string> keys);
  // The counter after the addition.
  Result<std::int64_t> add(std::string key, std::int64_t number);
  // Waits until the counter is at least `number`.
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

// "get of 'a'", "set of 3 keys ('a', 'b', ...)": for messages.
[[nodiscard]] std::string describe(const StoreRequest& request);
// Why a request is beyond limits.h or makes no sense; null for a good one.
[[nodiscard]] std::optional<std::string> find_fault(const StoreRequest& request);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_STORE_STORE_H_
