// One thread and one epoll set serve all connections of joining hosts. A connection goes through
// three stages: handshake, request, reply. Each has a fixed size, and all three together a time
// limit, so nobody can hold the server.
#include "megascale/control/secure/join_server.h"

#include <fmt/format.h>

#include <stop_token>
#include <unordered_map>

#include "megascale/comm/store/open_files.h"
#include "megascale/comm/store/poll_set.h"
#include "megascale/control/secure/tls_socket.h"

namespace megascale::secure {
namespace {

using namespace std::chrono_literals;
constexpr std::chrono::milliseconds kTick = 100ms;  // stops and time limits are seen so late
constexpr std::chrono::hours kUpkeep = 1h;
constexpr std::uint64_t kListener = 0;  // connections are numbered from 1 on
constexpr std::uint64_t kOtherFiles = 128;

}  // namespace

class JoinServer::Loop {
 public:
  explicit Loop(JoinServerOptions options)
      : authority_(Authority::open(options.directory)),
        context_(make_server_context(load_credentials(options.directory, Role::driver))),
        listener_(listen_at(options.listen)),
        table_(options.limits),
        log_(options.log) {
    comm::allow_open_files(options.limits.in_total + kOtherFiles,
                           options.limits.in_total + kOtherFiles);
    poll_.add(listener_.get(), kListener, true, false);
  }

  [[nodiscard]] HostPort address() const { return listening_address(listener_); }

  void run(const std::stop_token& stop) noexcept {
    while (!stop.stop_requested()) {
      try {
        turn();
      } catch (const std::exception& error) {
        log_(fmt::format("joining: {}", error.what()));
        std::this_thread::sleep_for(kTick);
      }
    }
  }

 private:
  struct JoiningHost {
    FileHandle socket;
    HostPort peer;
    TlsSession session;
    enum class Stage { handshake, request, reply } stage = Stage::handshake;
    std::string received, reply;
    std::string_view unsent;  // of reply
  };

  void turn() {
    for (const auto& ready : poll_.wait(kTick)) {
      if (ready.token == kListener) {
        accept_all();
      } else {
        go_on(ready.token);
      }
    }
    for (const auto id : table_.overdue(Clock::now())) close(id, "was too slow");
    if (Clock::now() - upkeep_ >= kUpkeep) keep_up();
  }

  // A member whose certificate is due gets a new one; the connections that follow see it.
  void keep_up() {
    upkeep_ = Clock::now();
    if (authority_.renew_own(false).empty()) return;
    context_ = make_server_context(load_credentials(authority_.directory(), Role::driver));
    log_("the certificates of this directory were renewed");
  }

  void accept_all() {
    for (;;) {
      Accepted accepted = accept_from(listener_);
      if (accepted.socket.get() < 0) return;
      const ConnectionTable::Id id = ++last_id_;
      auto& host = hosts_[id];
      host.socket = std::move(accepted.socket);
      host.peer = std::move(accepted.peer);
      poll_.add(host.socket.get(), id, true, false);
      const auto crowded_out = table_.add(id, host.peer, Clock::now());
      host.session = make_session(context_, host.socket.get(), true);
      for (const auto other : crowded_out) close(other, "gave way: too many connections");
    }
  }

  void go_on(ConnectionTable::Id id) {
    const auto found = hosts_.find(id);
    if (found == hosts_.end()) return;
    JoiningHost& host = found->second;
    TlsProgress progress = TlsProgress::done;
    while (progress == TlsProgress::done) {
      const auto stage = host.stage;
      if (stage == JoiningHost::Stage::handshake) progress = handshake(host.session);
      if (stage == JoiningHost::Stage::request) progress = read_request(host);
      if (stage == JoiningHost::Stage::reply) progress = send(host.session, host.unsent);
      if (progress != TlsProgress::done) break;
      if (stage == JoiningHost::Stage::reply) {
        (void)SSL_shutdown(host.session.get());
        return close(id, "");
      }
      host.stage = stage == JoiningHost::Stage::handshake ? JoiningHost::Stage::request
                                                          : JoiningHost::Stage::reply;
    }
    if (progress == TlsProgress::wants_read || progress == TlsProgress::wants_write) {
      poll_.change(host.socket.get(), id, progress == TlsProgress::wants_read,
                   progress == TlsProgress::wants_write);
      return;
    }
    close(id, progress == TlsProgress::closed
                  ? "left before it had asked"
                  : fmt::format("does not speak TLS as expected: {}", openssl::last_error()));
  }

  TlsProgress read_request(JoiningHost& host) {
    TlsProgress progress = receive(host.session, host.received, kJoinLengthNbytes);
    if (progress != TlsProgress::done) return progress;
    const auto nbytes = join_message_nbytes(host.received);
    if (!nbytes) {
      answer(host, tl::unexpected(nbytes.error()));
      return TlsProgress::done;
    }
    progress = receive(host.session, host.received, *nbytes);
    if (progress != TlsProgress::done) return progress;
    const auto request =
        parse_join_request(std::string_view(host.received).substr(kJoinLengthNbytes));
    if (!request) {
      answer(host, tl::unexpected(request.error()));
    } else {
      answer(host, join(*request));
    }
    return TlsProgress::done;
  }

  Result<MemberCertificate> join(const JoinRequest& request) {
    try {
      return authority_.join(request);
    } catch (const std::exception& error) {  // such as a full disk; a stranger learns no path
      log_(fmt::format("joining: {} gets no certificate: {}", request.name, error.what()));
      return tl::unexpected(Error(
          ErrorCode::failed, "the authority cannot issue a certificate now; its log says why"));
    }
  }

  void answer(JoiningHost& host, const Result<MemberCertificate>& result) {
    const std::string peer = to_string(host.peer);
    if (result) {
      log_(fmt::format("joining: {} from {} has joined (serial {}, valid to {})",
                       to_string(result->identity), peer, result->serial,
                       to_utc(result->validity.to)));
      host.reply = to_message(JoinReply{.refusal = "", .certificate = result->pem});
    } else {
      log_(fmt::format("joining: {} was refused: {}", peer, result.error().message()));
      host.reply = to_message(JoinReply{.refusal = result.error().message(), .certificate = ""});
    }
    host.unsent = host.reply;
  }

  void close(ConnectionTable::Id id, const std::string& why) {
    const auto found = hosts_.find(id);
    if (found == hosts_.end()) return;
    if (!why.empty()) log_(fmt::format("joining: {} {}", to_string(found->second.peer), why));
    poll_.remove(found->second.socket.get());
    table_.remove(id);
    hosts_.erase(found);
  }

  using Clock = std::chrono::steady_clock;
  Authority authority_;
  TlsContext context_;
  FileHandle listener_;
  comm::PollSet poll_;
  ConnectionTable table_;
  LimitedLog log_;
  std::unordered_map<ConnectionTable::Id, JoiningHost> hosts_;
  ConnectionTable::Id last_id_ = kListener;
  Clock::time_point upkeep_{};  // long ago: the first turn renews what is due
};

JoinServer::JoinServer(JoinServerOptions options)
    : loop_(std::make_unique<Loop>(std::move(options))),
      thread_([loop = loop_.get()](const std::stop_token& stop) { loop->run(stop); }) {}

JoinServer::~JoinServer() = default;

HostPort JoinServer::address() const { return loop_->address(); }

}  // namespace megascale::secure
