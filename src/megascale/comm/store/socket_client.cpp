// The state machine of a store connection: closed -> connecting -> authenticating -> idle or busy.
// Until authentication is complete, every failure that may be temporary leads to another try with
// increasing delays, since the store may start after its clients. Once requests have been sent, a
// broken connection is an error, because it is not known which requests the store has executed.
#include "megascale/comm/store/socket_client.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace megascale::comm {
namespace {

constexpr std::chrono::milliseconds kFirstBackOff{5}, kLastBackOff{500};
// Time for one try to connect and authenticate; it doubles with each try. If the listen queue of
// the server is full, the connection is dropped silently, and the kernel retries after 1, 3, 7, 15,
// ... seconds.
constexpr std::chrono::milliseconds kFirstTry{10'000}, kLastTry{40'000};

// Returns true for errors that may pass: the store, its host or the network may not be ready yet.
bool may_pass(int error) {
  constexpr std::array kPassing{ECONNREFUSED, ENOENT,    EAGAIN,     ETIMEDOUT,    EHOSTUNREACH,
                                ENETUNREACH,  EHOSTDOWN, ECONNRESET, ECONNABORTED, EADDRNOTAVAIL};
  return std::find(kPassing.begin(), kPassing.end(), error) != kPassing.end();
}

}  // namespace

SocketClient::SocketClient(const StoreOptions& options, PollSet& polls, std::uint64_t token)
    : options_(options), polls_(polls), token_(token), try_limit_(kFirstTry) {}

SocketClient::~SocketClient() { disconnect(); }

void SocketClient::start(std::vector<StoreRequest> batch) {
  MEGASCALE_CHECK(state_ == State::closed || is_over(), "one batch at a time");
  batch_ = std::move(batch);
  replies_.clear();
  if (state_ == State::failed) return;
  for (const StoreRequest& request : batch_) {
    if (const auto fault = find_fault(request)) {
      error_ = Error(
          ErrorCode::bad_usage,
          fmt::format("store {}: {}: {}", to_string(options_.address), describe(request), *fault));
      state_ = State::failed;
      return;
    }
  }
  if (state_ == State::closed) {
    next_try_ = Clock::now() + options_.connect_delay;
    deadline_ = next_try_ + options_.connect_timeout;
  } else {
    begin_batch();
  }
}

bool SocketClient::poll() {
  if (is_over()) return true;
  for (;;) {
    const Result<bool> moved = step();
    if (!moved && !retry_if_unasked(moved.error()))
      return fail(moved.error().code(), moved.error().message());
    if (is_over()) return true;
    if (!moved || !*moved) break;
  }
  const auto now = Clock::now();
  if (now < deadline_) {
    if ((state_ == State::connecting || state_ == State::authenticating) && now >= try_deadline_)
      retry_later("no answer");
    return false;
  }
  if (state_ == State::busy)
    return fail(ErrorCode::timeout,
                "no answer in time: look at the log of the process that runs it");
  return fail(
      ErrorCode::timeout,
      fmt::format("not reached within {} ms{}{}: is the process that runs it (rank 0) started, "
                  "and the address the same on every rank?",
                  options_.connect_timeout.count(), last_refusal_.empty() ? "" : ": ",
                  last_refusal_));
}

Result<bool> SocketClient::step() {
  switch (state_) {
    case State::closed:
      if (Clock::now() < next_try_) return false;
      try_connect();
      return state_ != State::closed;
    case State::connecting:
      finish_connect();
      return state_ == State::authenticating;
    case State::authenticating: {
      const auto moved = write_some().and_then([&](bool) { return read_some(); });
      if (!moved) return moved;
      const auto through = authenticate();
      if (!through) return through;
      if (*through) begin_batch();
      return *through || has_unsent();
    }
    case State::busy: {
      const auto moved = write_some().and_then([&](bool) { return read_some(); });
      if (!moved) return moved;
      const auto complete = receive();
      if (!complete) return complete;
      if (*complete) state_ = State::done;
      // If receive() has appended more requests, step() must run again to send them.
      return has_unsent();
    }
    case State::idle:
    case State::done:
    case State::failed:
      break;
  }
  return false;
}

void SocketClient::try_connect() {
  const Result<SocketAddress> address = resolve(options_.address);
  if (!address) return retry_later(address.error().message());
  Result<FileHandle> socket = make_socket(*address);
  if (!socket) return retry_later(socket.error().message());
  socket_ = std::move(*socket);
  try_deadline_ = Clock::now() + try_limit_;
  try_limit_ = std::min(try_limit_ * 2, kLastTry);
  const int result = ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address->storage),
                               address->nbytes);
  if (result != 0 && errno != EINPROGRESS) {
    if (may_pass(errno)) return retry_later(std::generic_category().message(errno));
    (void)fail(ErrorCode::io, std::generic_category().message(errno));
    return;
  }
  polls_.add(socket_.get(), token_, true, result != 0);
  wants_write_ = result != 0;
  state_ = State::connecting;
  if (result == 0) connected();
}

void SocketClient::finish_connect() {
  int error = 0;
  socklen_t nbytes = sizeof error;
  if (::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &nbytes) != 0) error = errno;
  if (error != 0) {
    if (may_pass(error)) return retry_later(std::generic_category().message(error));
    (void)fail(ErrorCode::io, std::generic_category().message(error));
    return;
  }
  sockaddr_storage peer{};
  socklen_t peer_nbytes = sizeof peer;
  if (::getpeername(socket_.get(), reinterpret_cast<sockaddr*>(&peer), &peer_nbytes) == 0)
    connected();
}

void SocketClient::connected() {
  state_ = State::authenticating;
  greet();
}

void SocketClient::retry_later(std::string why) {
  disconnect();
  in_ = {};
  out_ = {};
  last_refusal_ = std::move(why);
  back_off_ = std::clamp(back_off_ * 2, kFirstBackOff, kLastBackOff);
  next_try_ = Clock::now() + back_off_;
  state_ = State::closed;
}

// Retries if the connection broke before authentication was complete. The server may be too busy,
// starting or ending. No request has been sent yet, so a new connection is safe.
bool SocketClient::retry_if_unasked(const Error& error) {
  if (state_ != State::authenticating || error.code() != ErrorCode::peer_lost) return false;
  retry_later(error.message());
  return true;
}

void SocketClient::begin_batch() {
  state_ = State::busy;
  std::chrono::milliseconds most = options_.response_timeout;
  for (const StoreRequest& request : batch_) most += request.timeout;
  deadline_ = Clock::now() + most;
  if (batch_.empty()) {
    state_ = State::done;
    return;
  }
  send_requests();
}

Result<bool> SocketClient::write_some() {
  bool moved = false;
  while (!out_.empty()) {
    const std::string_view bytes = out_.view();
    const ssize_t count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) break;
    if (count < 0) return tl::unexpected(lost(errno));
    counts_.bytes_sent += static_cast<std::uint64_t>(count);
    out_.consume(static_cast<std::size_t>(count));
    moved = true;
  }
  want(!out_.empty());
  return moved;
}

Result<bool> SocketClient::read_some() {
  std::array<char, 65536> buffer;
  bool moved = false;
  for (;;) {
    const ssize_t count = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return moved;
    if (count < 0) return tl::unexpected(lost(errno));
    if (count == 0) {
      // Process the bytes that came before the end: they may contain the reason of a refusal.
      if (moved) return moved;
      return tl::unexpected(lost(0));
    }
    counts_.bytes_received += static_cast<std::uint64_t>(count);
    input().append({buffer.data(), static_cast<std::size_t>(count)});
    moved = true;
    if (static_cast<std::size_t>(count) < buffer.size()) return moved;
  }
}

Error SocketClient::lost(int error) const {
  return {ErrorCode::peer_lost,
          fmt::format("closed the connection{}{}: {}", error == 0 ? "" : " with ",
                      error == 0 ? "" : std::generic_category().message(error),
                      state_ == State::authenticating
                          ? "another kind of server, or it has too many connections"
                          : "the process that ran it (rank 0) has ended; look at its log")};
}

void SocketClient::want(bool write) {
  if (write == wants_write_) return;
  polls_.change(socket_.get(), token_, true, write);
  wants_write_ = write;
}

void SocketClient::disconnect() noexcept {
  polls_.remove(socket_.get());
  socket_ = FileHandle();
  wants_write_ = false;
}

bool SocketClient::fail(ErrorCode code, std::string_view what) {
  error_ = Error(code, fmt::format("store {}: {}", to_string(options_.address), what));
  if (replies_.size() < batch_.size())
    error_->add_context(fmt::format("asking for {}", describe(batch_[replies_.size()])));
  state_ = State::failed;
  disconnect();
  return true;
}

Result<std::vector<StoreReply>> SocketClient::take() {
  MEGASCALE_CHECK(is_over(), "the batch is over");
  if (state_ == State::failed) return tl::unexpected(*error_);
  state_ = State::idle;
  return std::move(replies_);
}

SocketClient::Clock::time_point SocketClient::next_poll() const {
  if (state_ == State::closed) return std::min(next_try_, deadline_);
  return state_ == State::busy ? deadline_ : std::min(try_deadline_, deadline_);
}

}  // namespace megascale::comm
