#include "megascale/control/secure/tls_socket.h"

#include <openssl/err.h>

#include <algorithm>
#include <array>

namespace megascale::secure {
namespace {

TlsContext make_context() {
  TlsContext context(SSL_CTX_new(TLS_method()));
  if (!context || SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION) != 1)
    throw openssl::failure("prepare TLS 1.3");
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // A peer that is gone is `closed`, with or without TLS's own farewell: messages have lengths, so
  // one that is cut is seen anyway.
  SSL_CTX_set_options(context.get(), SSL_OP_IGNORE_UNEXPECTED_EOF);
  return context;
}

TlsProgress progress_of(const TlsSession& session, int result) {
  switch (SSL_get_error(session.get(), result)) {
    case SSL_ERROR_NONE:
      return TlsProgress::done;
    case SSL_ERROR_WANT_READ:
      return TlsProgress::wants_read;
    case SSL_ERROR_WANT_WRITE:
      return TlsProgress::wants_write;
    case SSL_ERROR_ZERO_RETURN:
      return TlsProgress::closed;
    default:
      return ERR_peek_error() == 0 ? TlsProgress::closed : TlsProgress::failed;
  }
}

}  // namespace

TlsContext make_server_context(const Credentials& credentials) {
  TlsContext context = make_context();
  openssl::Certificate authority = openssl::read_certificate(credentials.authority.pem);
  const openssl::Certificate own = openssl::read_certificate(credentials.own.pem);
  const Key key = load_key(credentials.paths.key);
  if (!authority || !own || SSL_CTX_use_certificate(context.get(), own.get()) != 1 ||
      SSL_CTX_use_PrivateKey(context.get(), key.get()) != 1 ||
      SSL_CTX_add1_chain_cert(context.get(), authority.get()) != 1)
    throw openssl::failure("use the certificate " + credentials.paths.certificate.string());
  // Sessions are not resumed: every connection is checked anew.
  SSL_CTX_set_num_tickets(context.get(), 0);
  return context;
}

TlsContext make_client_context() {
  TlsContext context = make_context();
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_NONE, nullptr);
  return context;
}

TlsSession make_session(const TlsContext& context, int socket, bool is_server) {
  TlsSession session(SSL_new(context.get()));
  if (!session || SSL_set_fd(session.get(), socket) != 1) throw openssl::failure("begin TLS");
  if (is_server) {
    SSL_set_accept_state(session.get());
  } else {
    SSL_set_connect_state(session.get());
  }
  return session;
}

TlsProgress handshake(const TlsSession& session) {
  ERR_clear_error();
  return progress_of(session, SSL_do_handshake(session.get()));
}

TlsProgress receive(const TlsSession& session, std::string& bytes, std::size_t enough) {
  std::array<char, 4096> piece{};
  while (bytes.size() < enough) {
    ERR_clear_error();
    std::size_t count = 0;
    const int result = SSL_read_ex(session.get(), piece.data(),
                                   std::min(piece.size(), enough - bytes.size()), &count);
    if (result != 1) return progress_of(session, result);
    bytes.append(piece.data(), count);
  }
  return TlsProgress::done;
}

TlsProgress send(const TlsSession& session, std::string_view& bytes) {
  while (!bytes.empty()) {
    ERR_clear_error();
    std::size_t count = 0;
    const int result = SSL_write_ex(session.get(), bytes.data(), bytes.size(), &count);
    if (result != 1) return progress_of(session, result);
    bytes.remove_prefix(count);
  }
  return TlsProgress::done;
}

}  // namespace megascale::secure
