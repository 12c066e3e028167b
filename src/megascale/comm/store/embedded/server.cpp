// One thread serves all connections with epoll. A connection starts unproven: within a time limit
// it must send a claim that proves knowledge of the job's secret. Then its requests are executed on
// the table, in order. A request that waits stops the connection's further requests until the table
// has its answer. Buffers are bounded for each connection, and the numbers of connections are
// bounded, so strangers cannot exhaust the memory or the file descriptors of rank 0.
#include "megascale/comm/store/embedded/server.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <system_error>
#include <unordered_map>
#include <vector>

#include "megascale/comm/store/embedded/protocol.h"
#include "megascale/comm/store/embedded/table.h"
#include "megascale/comm/store/limits.h"
#include "megascale/comm/store/poll_set.h"

namespace megascale::comm {
namespace {

using Clock = std::chrono::steady_clock;

// Length of the listen queue. The largest value the kernel accepts, since ten thousand ranks may
// connect at once.
constexpr int kBacklog = 65'535;
// Connections that are accepted in a row before other connections are served.
constexpr int kAcceptBatch = 256;
// Bytes of one recv() call.
constexpr std::size_t kReadNbytes = std::size_t{64} << 10U;
// If a client has this many bytes of unread replies, its requests are not executed until it reads.
constexpr std::size_t kUnreadNbytes = std::size_t{64} << 10U;
// Pause of the listener when no file descriptors are left.
constexpr std::chrono::milliseconds kRest{100};
constexpr std::uint64_t kListenToken = 0, kStopToken = 1, kFirstClient = 2;

// Binds a listening socket, and stores the bound port in `address`.
FileHandle listen_on(StoreAddress& address) {
  const auto fail = [&](std::string_view what) {
    return Error(
        ErrorCode::io,
        fmt::format("the rendezvous store cannot {} {}: {}; set MASTER_ADDR and MASTER_PORT to "
                    "an address of this host and a free port",
                    what, to_string(address), std::generic_category().message(errno)));
  };
  const Result<SocketAddress> resolved = resolve(address);
  if (!resolved) throw Error(resolved.error());
  Result<FileHandle> socket = make_socket(*resolved);
  if (!socket) throw Error(socket.error());
  const int on = 1;
  ::setsockopt(socket->get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const auto* name = reinterpret_cast<const sockaddr*>(&resolved->storage);
  if (::bind(socket->get(), name, resolved->nbytes) != 0) throw fail("bind to");
  if (::listen(socket->get(), kBacklog) != 0) throw fail("listen on");
  SocketAddress bound;
  bound.nbytes = sizeof bound.storage;
  if (::getsockname(socket->get(), reinterpret_cast<sockaddr*>(&bound.storage), &bound.nbytes) != 0)
    throw fail("name");
  // The port is at the same offset in IPv4 and IPv6 addresses.
  sockaddr_in named{};
  std::memcpy(&named, &bound.storage, sizeof named);
  address.port = ntohs(named.sin_port);
  return std::move(*socket);
}

}  // namespace

class StoreServer::Loop {
 public:
  explicit Loop(StoreServerOptions options)
      : options_(std::move(options)),
        listener_(listen_on(options_.address)),
        stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        table_(options_.max_nbytes) {}

  void run() {
    polls_.add(stop_.get(), kStopToken, true, false);
    for (;;) {
      listen(Clock::now() >= rests_until_);
      for (const PollSet::Ready& ready : polls_.wait(time_to_next())) {
        if (ready.token == kStopToken) return;
        if (ready.token == kListenToken) {
          accept_some();
        } else if (peers_.contains(ready.token)) {
          if (ready.readable) read_from(ready.token);
          flush(ready.token);
        }
      }
      end_late();
      serve_answers();
    }
  }

  void stop() noexcept {
    const std::uint64_t one = 1;
    (void)!::write(stop_.get(), &one, sizeof one);
  }
  [[nodiscard]] const StoreAddress& address() const noexcept { return options_.address; }
  [[nodiscard]] Counts counts() const noexcept {
    return {.accepted = accepted_.load(),
            .authenticated = authenticated_.load(),
            .refused = refused_.load(),
            .requests = requests_.load(),
            .connected = connected_.load()};
  }

 private:
  using Id = std::uint64_t;
  struct Peer {
    FileHandle socket;
    ByteQueue in, out;
    Nonce nonce{};
    Clock::time_point since;
    // The client has proved that it knows the secret; its current request waits in the table; the
    // connection is to be closed once `out` is sent.
    bool proven = false, waiting = false, closing = false;
    bool reads = true, writes = false;  // events that the poll set reports for the socket
  };

  // Returns how long the loop may sleep if no socket becomes ready.
  [[nodiscard]] std::chrono::milliseconds time_to_next() const {
    Clock::time_point next = Clock::now() + std::chrono::seconds(1);
    if (!unproven_.empty()) {
      const Peer& oldest = peers_.at(*unproven_.begin());
      next = std::min(next, oldest.since + options_.authentication_timeout);
    }
    if (const auto deadline = table_.next_deadline()) next = std::min(next, *deadline);
    if (!listening_) next = std::min(next, rests_until_);
    return std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now());
  }

  // Switches the listener on or off. It is off for a while when no descriptors are left: epoll
  // would otherwise report it as ready without end.
  void listen(bool on) {
    if (on == listening_) return;
    if (on) {
      polls_.add(listener_.get(), kListenToken, true, false);
    } else {
      polls_.remove(listener_.get());
    }
    listening_ = on;
  }

  void accept_some() {
    for (int i = 0; i < kAcceptBatch; ++i) {
      FileHandle socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (socket.get() < 0) {
        if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM) return;
        // No descriptor or memory is left: disconnect the oldest unproven client, or pause.
        if (!unproven_.empty()) return refuse(*unproven_.begin());
        rests_until_ = Clock::now() + kRest;
        return;
      }
      ++accepted_;
      if (unproven_.size() >= options_.max_unauthenticated ||
          peers_.size() >= options_.max_connections) {
        if (unproven_.empty()) {
          ++refused_;
          continue;
        }
        refuse(*unproven_.begin());
      }
      greet(std::move(socket));
    }
  }

  void greet(FileHandle socket) {
    const Id id = next_id_++;
    polls_.add(socket.get(), id, true, false);
    Peer& peer = peers_[id];
    peer.socket = std::move(socket);
    peer.since = Clock::now();
    peer.nonce = make_nonce();
    peer.out.append(make_greeting(peer.nonce));
    unproven_.insert(id);
    flush(id);
  }

  void read_from(Id id) {
    Peer& peer = peers_.at(id);
    // Before the proof, read at most a claim. After it, read at most one request ahead.
    const std::size_t most = peer.proven ? kMaxFrameNbytes + kReadNbytes : kClaimNbytes;
    while (peer.in.size() < most) {
      const std::size_t room = std::min(most - peer.in.size(), kReadNbytes);
      const ssize_t count = ::recv(peer.socket.get(), buffer_.data(), room, 0);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) break;
      if (count <= 0) return close(id);
      peer.in.append({buffer_.data(), static_cast<std::size_t>(count)});
      if (static_cast<std::size_t>(count) < room) break;
    }
    if (!peer.proven && !check_claim(id)) return;
    serve(id);
  }

  // Checks the claim of an unproven client. Returns false if it is not complete yet, or if the
  // client was refused and disconnected.
  bool check_claim(Id id) {
    Peer& peer = peers_.at(id);
    if (peer.closing) return false;
    const std::string_view bytes = peer.in.view();
    const std::size_t seen = std::min(bytes.size(), kStoreMagic.size());
    const bool stranger = bytes.substr(0, seen) != kStoreMagic.substr(0, seen);
    if (bytes.size() < kClaimNbytes && !stranger) return false;
    const auto claim = stranger ? std::nullopt : read_claim(bytes);
    if (!claim || !equal(claim->proof, make_proof(options_.secret, ProofRole::client, options_.job,
                                                  peer.nonce, claim->nonce))) {
      peer.out.append(make_refusal());
      flush(id);
      if (peers_.contains(id)) refuse(id);
      return false;
    }
    peer.out.append(make_answer(
        make_proof(options_.secret, ProofRole::server, options_.job, peer.nonce, claim->nonce)));
    peer.in.consume(kClaimNbytes);
    peer.proven = true;
    unproven_.erase(id);
    ++authenticated_;
    ++connected_;
    return true;
  }

  // Executes the complete requests of a client, until one of them waits or too many replies are
  // unread.
  void serve(Id id) {
    Peer& peer = peers_.at(id);
    while (!peer.waiting && !peer.closing && peer.out.size() < kUnreadNbytes) {
      const auto payload = next_frame(peer.in);
      if (payload && !*payload) break;
      auto request = payload ? parse_request(**payload) : tl::unexpected(payload.error());
      if (!request) {
        append_frame(peer.out.end(), {}, request.error().message());
        peer.closing = true;
        ++refused_;
        break;
      }
      peer.in.consume(frame_nbytes(**payload));
      ++requests_;
      const auto reply = table_.execute(id, std::move(*request), Clock::now());
      if (reply) {
        answer(peer, *reply);
      } else {
        peer.waiting = true;
      }
    }
  }

  static void answer(Peer& peer, const Result<StoreReply>& reply) {
    const std::size_t before = peer.out.size();
    append_frame(peer.out.end(), reply ? *reply : StoreReply{},
                 reply ? std::string_view() : reply.error().message());
    if (peer.out.size() - before <= kMaxFrameNbytes) return;
    peer.out.end().resize(peer.out.end().size() - (peer.out.size() - before));
    append_frame(peer.out.end(), {},
                 "the values together are too large for one reply: ask for fewer keys");
  }

  // Sends the replies of requests whose wait has ended, and serves the next requests of these
  // clients. Those may end more waits, hence the loop.
  void serve_answers() {
    for (auto answers = table_.take_answers(); !answers.empty(); answers = table_.take_answers()) {
      for (const StoreTable::Answer& ended : answers) {
        const auto peer = peers_.find(ended.client);
        if (peer == peers_.end()) continue;
        peer->second.waiting = false;
        answer(peer->second, ended.reply);
        serve(ended.client);
        flush(ended.client);
      }
    }
  }

  void flush(Id id) {
    const auto found = peers_.find(id);
    if (found == peers_.end()) return;
    Peer& peer = found->second;
    while (!peer.out.empty()) {
      const std::string_view bytes = peer.out.view();
      const ssize_t count = ::send(peer.socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) break;
      if (count < 0) return close(id);
      peer.out.consume(static_cast<std::size_t>(count));
      // Requests that have already arrived may have been held back by unread replies.
      if (peer.out.empty() && peer.proven) serve(id);
    }
    if (peer.closing) return close(id);
    const bool reads = peer.in.size() < kMaxFrameNbytes;
    if (reads != peer.reads || peer.out.empty() == peer.writes) {
      peer.reads = reads;
      peer.writes = !peer.out.empty();
      polls_.change(peer.socket.get(), id, peer.reads, peer.writes);
    }
  }

  // Ends waits whose timeout has passed, and disconnects clients that did not prove themselves in
  // time.
  void end_late() {
    const auto now = Clock::now();
    table_.expire(now);
    while (!unproven_.empty()) {
      const Id oldest = *unproven_.begin();
      if (peers_.at(oldest).since + options_.authentication_timeout > now) break;
      refuse(oldest);
    }
  }

  void refuse(Id id) {
    ++refused_;
    close(id);
  }

  void close(Id id) {
    Peer& peer = peers_.at(id);
    if (peer.proven) --connected_;
    polls_.remove(peer.socket.get());
    table_.forget(id);
    unproven_.erase(id);
    peers_.erase(id);
  }

  StoreServerOptions options_;
  FileHandle listener_, stop_;
  PollSet polls_;
  StoreTable table_;
  bool listening_ = false;
  Clock::time_point rests_until_{};  // end of the listener's pause
  // Ids are never reused, so a late event or answer cannot reach another client.
  Id next_id_ = kFirstClient;
  std::unordered_map<Id, Peer> peers_;
  std::set<Id> unproven_;  // clients without a proof yet; ids ascend, so the first is the oldest
  std::vector<char> buffer_ = std::vector<char>(kReadNbytes);
  std::atomic<std::uint64_t> accepted_{0}, authenticated_{0}, refused_{0}, requests_{0},
      connected_{0};
};

StoreServer::StoreServer(StoreServerOptions options)
    : loop_(std::make_unique<Loop>(std::move(options))) {}

StoreServer::~StoreServer() {
  loop_->stop();
  if (thread_.joinable()) thread_.join();
}

void StoreServer::start() {
  MEGASCALE_CHECK(!thread_.joinable(), "the store's thread is started once");
  thread_ = std::thread([this] { loop_->run(); });
}

const StoreAddress& StoreServer::address() const noexcept { return loop_->address(); }

StoreServer::Counts StoreServer::counts() const noexcept { return loop_->counts(); }

void StoreServer::drain(std::chrono::milliseconds limit) const {
  const auto end = Clock::now() + limit;
  while (counts().connected > 0 && Clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

}  // namespace megascale::comm
