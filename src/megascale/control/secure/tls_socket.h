#ifndef MEGASCALE_CONTROL_SECURE_TLS_SOCKET_H_
#define MEGASCALE_CONTROL_SECURE_TLS_SOCKET_H_

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>

#include "megascale/control/secure/credentials.h"
#include "megascale/control/secure/openssl.h"

// TLS 1.3 over non-blocking sockets. Only sources of this folder include this header.
namespace megascale::secure {

using TlsContext = std::unique_ptr<SSL_CTX, openssl::Deleter<SSL_CTX_free>>;
using TlsSession = std::unique_ptr<SSL, openssl::Deleter<SSL_free>>;

// Returns a server's context: it shows the member's certificate and the authority's. Throws Error.
[[nodiscard]] TlsContext make_server_context(const Credentials& credentials);
// Returns a client's context that takes any certificate: the caller must check it. Throws Error.
[[nodiscard]] TlsContext make_client_context();
// Returns a session on a connected socket, which the caller keeps open. Throws Error.
[[nodiscard]] TlsSession make_session(const TlsContext& context, int socket, bool is_server);

enum class TlsProgress { done, wants_read, wants_write, closed, failed };
// Each function goes on as far as the socket allows. After `failed`, openssl::last_error() says why.
[[nodiscard]] TlsProgress handshake(const TlsSession& session);
// Appends received bytes to `bytes`, until it has `enough`.
[[nodiscard]] TlsProgress receive(const TlsSession& session, std::string& bytes,
                                  std::size_t enough);
// Removes sent bytes from the front of `bytes`.
[[nodiscard]] TlsProgress send(const TlsSession& session, std::string_view& bytes);

}  // namespace megascale::secure

#endif  // MEGASCALE_CONTROL_SECURE_TLS_SOCKET_H_
