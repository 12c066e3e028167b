#include "megascale/control/secure/join_client.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "megascale/base/private_file.h"
#include "megascale/comm/store/address.h"
#include "megascale/control/secure/join_message.h"
#include "megascale/control/secure/tls_socket.h"

namespace megascale::secure {
namespace {

using Clock = std::chrono::steady_clock;

// A connection to the join server with one time limit for everything.
class JoinConnection {
 public:
  explicit JoinConnection(const JoinOptions& options)
      : options_(options), end_(Clock::now() + options.limit), context_(make_client_context()) {
    connect();
    session_ = make_session(context_, socket_.get(), false);
    complete("TLS handshake", [&] { return handshake(session_); });
  }

  [[nodiscard]] const TlsSession& session() const { return session_; }

  void send_all(std::string_view bytes) {
    complete("request", [&] { return send(session_, bytes); });
  }
  std::string receive_message() {
    std::string bytes;
    complete("reply", [&] { return receive(session_, bytes, kJoinLengthNbytes); });
    const auto nbytes = join_message_nbytes(bytes);
    if (!nbytes) throw Error(nbytes.error());
    complete("reply", [&] { return receive(session_, bytes, *nbytes); });
    return bytes.substr(kJoinLengthNbytes);
  }

 private:
  void wait_for(short events, const char* what) {
    pollfd waiting{.fd = socket_.get(), .events = events, .revents = 0};
    for (;;) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Clock::now()).count();
      if (left <= 0) {
        throw Error(ErrorCode::timeout,
                    fmt::format("{}: no {} within {} ms", to_string(options_.address), what,
                                options_.limit.count()));
      }
      const int ready = ::poll(&waiting, 1, static_cast<int>(left));
      if (ready > 0) return;
      if (ready < 0 && errno != EINTR)
        throw Error(ErrorCode::io, std::generic_category().message(errno));
    }
  }

  [[noreturn]] void nobody_there(int error) {
    const std::string hint =
        options_.token.address.empty() || options_.token.address == to_string(options_.address)
            ? std::string()
            : fmt::format("; the token was announced for {}", options_.token.address);
    throw Error(
        ErrorCode::peer_lost,
        fmt::format("cannot connect to {}: {}; does megascale cluster serve run there?{}",
                    to_string(options_.address), std::generic_category().message(error), hint));
  }

  void connect() {
    const auto resolved =
        comm::resolve({.host = options_.address.host, .port = options_.address.port, .path = ""});
    if (!resolved) throw Error(resolved.error());
    auto socket = comm::make_socket(*resolved);
    if (!socket) throw Error(socket.error());
    socket_ = std::move(*socket);
    if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&resolved->storage),
                  resolved->nbytes) != 0) {
      if (errno != EINPROGRESS) nobody_there(errno);
      wait_for(POLLOUT, "connection");
      int error = 0;
      socklen_t nbytes = sizeof error;
      ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &nbytes);
      if (error != 0) nobody_there(error);
    }
  }

  template <class Step>
  void complete(const char* what, const Step& step) {
    for (;;) {
      const TlsProgress progress = step();
      if (progress == TlsProgress::done) return;
      if (progress == TlsProgress::closed) {
        throw Error(ErrorCode::peer_lost,
                    fmt::format("{} closed the connection before the {} was complete; is it the "
                                "port of megascale cluster serve?",
                                to_string(options_.address), what));
      }
      if (progress == TlsProgress::failed) {
        throw Error(ErrorCode::failed,
                    fmt::format("{}: the {} failed: {}; is it the port of megascale cluster serve?",
                                to_string(options_.address), what, openssl::last_error()));
      }
      wait_for(progress == TlsProgress::wants_read ? POLLIN : POLLOUT, what);
    }
  }

  const JoinOptions& options_;
  Clock::time_point end_;
  TlsContext context_;
  FileHandle socket_;
  TlsSession session_;
};

// The authority that the token pins, from what the server shows. It must also have signed the
// certificate with which the server has just made the handshake, for a driver.
AuthorityCertificate check_server(const JoinOptions& options, const TlsSession& session) {
  const auto refuse = [&](const std::string& why) {
    return Error(
        ErrorCode::failed,
        fmt::format("{} is not the authority of this token: {}. Nothing was sent. Check the "
                    "address; if it is right, somebody may stand in between",
                    to_string(options.address), why));
  };
  const openssl::Certificate own(SSL_get1_peer_certificate(session.get()));
  const STACK_OF(X509)* chain = SSL_get_peer_cert_chain(session.get());
  if (!own || chain == nullptr) throw refuse("it shows no certificate");
  for (int i = 0; i < sk_X509_num(chain); ++i) {
    auto authority = parse_authority(openssl::to_pem(sk_X509_value(chain, i)));
    if (!authority || authority->digest != options.token.pin) continue;
    const auto server = verify_member(*authority, openssl::to_pem(own.get()));
    if (!server) throw refuse(server.error().message());
    if (server->identity.role != Role::driver)
      throw refuse(fmt::format("its certificate is of {}", to_string(server->identity)));
    if (const auto valid = check_validity(*server, trusted_now()); !valid)
      throw refuse(valid.error().message());
    return std::move(*authority);
  }
  throw refuse("it shows other certificates");
}

Key key_of(const std::filesystem::path& path) {
  if (std::filesystem::exists(path)) return load_key(path);
  Key key = Key::make();
  write_private_file(path, key.to_pem());
  return key;
}

void require_free(const std::filesystem::path& directory, const JoinToken& token) {
  make_private_directory(directory);
  const CredentialPaths paths(directory, Role::executor);
  if (std::filesystem::exists(paths.authority) &&
      load_authority(paths.authority).digest != token.pin) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("{}: the directory belongs to another cluster; use another directory",
                            directory.string()));
  }
}

}  // namespace

Credentials join_cluster(const JoinOptions& options) {
  if (trusted_now() > options.token.expires + kClockSkew.count()) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("the join token expired at {}, and the clock here shows {}; make a new "
                            "one: megascale cluster token DIR",
                            to_utc(options.token.expires), to_utc(trusted_now())));
  }
  require_free(options.directory, options.token);
  JoinConnection connection(options);
  const AuthorityCertificate authority = check_server(options, connection.session());
  // The role is the token's, so it is known only from the certificate: until then the key lies in a
  // file of its own.
  const auto pending = options.directory / "joining.key";
  const Key key = key_of(pending);
  connection.send_all(to_message(JoinRequest{
      .secret = options.token.secret, .name = options.name, .request = make_request(key)}));
  const auto reply = parse_join_reply(connection.receive_message());
  if (!reply) throw Error(reply.error());
  if (!reply->refusal.empty()) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("{} refuses: {}", to_string(options.address), reply->refusal));
  }
  const auto own = verify_member(authority, reply->certificate);
  if (!own) throw Error(own.error());
  if (own->key != key.digest())
    throw Error(ErrorCode::failed, "the certificate of the reply is not for this host's key");
  const CredentialPaths paths(options.directory, own->identity.role);
  write_text_atomically(paths.authority, authority.pem);
  write_private_file(paths.key, key.to_pem());
  write_text_atomically(paths.certificate, own->pem);
  (void)std::filesystem::remove(pending);
  return load_credentials(options.directory, own->identity.role);
}

}  // namespace megascale::secure
