#ifndef MEGASCALE_CONTROL_SECURE_GRPC_PEERS_H_
#define MEGASCALE_CONTROL_SECURE_GRPC_PEERS_H_

#include <grpcpp/security/tls_certificate_verifier.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "megascale/control/secure/credentials.h"
#include "megascale/control/secure/host_port.h"

// What the two sides of a gRPC connection share. Only sources of this folder include this header.
namespace megascale::secure::grpc_peers {

// Stops gRPC from printing to stderr, unless GRPC_VERBOSITY is set: strangers could fill the log.
void silence();

// Checks the certificate of the other side (PEM) after the handshake. An error ends the connection.
using CheckCertificate = std::function<Result<void>(std::string_view pem)>;
[[nodiscard]] std::shared_ptr<grpc::experimental::CertificateVerifier> verifier(
    CheckCertificate check);
// Reads certificate and key again when they change.
[[nodiscard]] std::shared_ptr<grpc::experimental::CertificateProviderInterface> provider(
    const Credentials& credentials);
// What stands in the status of a connection that the check of this side has refused.
inline constexpr std::string_view kRefusedHere = "megascale: ";

// The full method of a verb.
[[nodiscard]] std::string method_of(std::string_view verb);
[[nodiscard]] std::string to_text(const grpc::ByteBuffer& buffer);
[[nodiscard]] grpc::ByteBuffer to_buffer(std::string_view bytes);
// Reads gRPC's name of a peer, such as "ipv4:10.0.0.1:4711".
[[nodiscard]] HostPort parse_peer(std::string_view peer);

// The codes of a handler's errors travel as status codes; both functions use one table.
[[nodiscard]] grpc::Status to_status(const Error& error);
[[nodiscard]] ErrorCode to_error_code(grpc::StatusCode code) noexcept;

}  // namespace megascale::secure::grpc_peers

#endif  // MEGASCALE_CONTROL_SECURE_GRPC_PEERS_H_
