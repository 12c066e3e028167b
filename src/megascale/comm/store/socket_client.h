#ifndef MEGASCALE_COMM_STORE_SOCKET_CLIENT_H_
#define MEGASCALE_COMM_STORE_SOCKET_CLIENT_H_

#include <optional>
#include <string>

#include "megascale/base/files.h"
#include "megascale/comm/store/bytes.h"
#include "megascale/comm/store/store.h"

namespace megascale::comm {

// The common part of the clients of both kinds of store: a connection that is retried until the
// store is reachable, buffers for both directions, deadlines, and errors that name the request and
// the address. A derived class implements the protocol through four virtual functions.
class SocketClient : public StoreClient {
 public:
  SocketClient(const StoreOptions& options, PollSet& polls, std::uint64_t token);
  ~SocketClient() override;
  void start(std::vector<StoreRequest> batch) final;
  bool poll() final;
  Result<std::vector<StoreReply>> take() final;
  [[nodiscard]] std::chrono::steady_clock::time_point next_poll() const final;
  [[nodiscard]] const StoreCounts& counts() const noexcept final { return counts_; }
  [[nodiscard]] bool is_connected() const noexcept final {
    return state_ == State::idle || state_ == State::busy || state_ == State::done;
  }

 protected:
  using Clock = std::chrono::steady_clock;

  // Called when the connection is established. It may send().
  virtual void greet() = 0;
  // Processes the bytes in input() until authentication is complete. Returns true once requests may
  // be sent. After the error peer_lost another connection is tried.
  virtual Result<bool> authenticate() = 0;
  // Sends the requests of the batch that may be sent now.
  virtual void send_requests() = 0;
  // Decodes replies from input() and appends them to replies(). Returns true once the batch is
  // complete.
  virtual Result<bool> receive() = 0;
  void send(std::string_view bytes) { out_.append(bytes); }
  void count_request() noexcept { ++counts_.requests; }
  [[nodiscard]] ByteQueue& input() noexcept { return in_; }
  [[nodiscard]] std::string& output() noexcept { return out_.end(); }
  [[nodiscard]] const StoreOptions& options() const noexcept { return options_; }
  [[nodiscard]] const std::vector<StoreRequest>& batch() const noexcept { return batch_; }
  [[nodiscard]] std::vector<StoreReply>& replies() noexcept { return replies_; }

 private:
  enum class State : std::uint8_t { closed, connecting, authenticating, idle, busy, done, failed };

  void try_connect();
  void finish_connect();
  void retry_later(std::string why);
  bool retry_if_unasked(const Error& error);
  void connected();
  void begin_batch();
  Result<bool> step();  // returns true if it must be called again at once
  Result<bool> read_some();
  Result<bool> write_some();
  void want(bool write);
  [[nodiscard]] bool has_unsent() const noexcept { return !out_.empty() && !wants_write_; }
  [[nodiscard]] Error lost(int error) const;
  void disconnect() noexcept;
  bool fail(ErrorCode code, std::string_view what);
  [[nodiscard]] bool is_over() const noexcept {
    return state_ == State::done || state_ == State::failed || state_ == State::idle;
  }

  StoreOptions options_;
  PollSet& polls_;
  std::uint64_t token_;
  State state_ = State::closed;
  FileHandle socket_;
  bool wants_write_ = false;
  ByteQueue in_, out_;
  StoreCounts counts_;
  std::vector<StoreRequest> batch_;
  std::vector<StoreReply> replies_;
  std::optional<Error> error_;
  Clock::time_point deadline_;  // of connecting and authenticating, then of the current batch
  Clock::time_point next_try_{}, try_deadline_{};
  std::chrono::milliseconds back_off_{0}, try_limit_;
  std::string last_refusal_;  // why the last try to connect failed
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_STORE_SOCKET_CLIENT_H_
