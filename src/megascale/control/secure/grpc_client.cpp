// The Client: unary calls of any verb on one channel.
#include <fmt/format.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>

#include <mutex>

#include "megascale/base/value_of.h"
#include "megascale/comm/store/address.h"
#include "megascale/control/secure/client.h"
#include "megascale/control/secure/endpoint.h"
#include "megascale/control/secure/grpc_peers.h"

namespace megascale::secure {
namespace {

// After a loss the client tries again after so long, at most: a driver that is back is found soon.
constexpr int kShortestBackoffMs = 100, kLongestBackoffMs = 1000;
// For a connection to be made. A host that is busy may need some seconds for the handshake.
constexpr int kConnectMs = 10'000;

std::shared_ptr<grpc::ChannelCredentials> channel_credentials(const ClientOptions& options) {
  if (!options.credentials) {
    if (options.insecure) return grpc::InsecureChannelCredentials();
    throw Error(ErrorCode::bad_usage,
                fmt::format("{}: no credentials; join the cluster (megascale cluster join), or ask "
                            "for a connection without any protection (--insecure)",
                            to_string(options.server)));
  }
  grpc::experimental::TlsChannelCredentialsOptions tls;
  tls.set_certificate_provider(grpc_peers::provider(*options.credentials));
  tls.watch_identity_key_cert_pairs();
  tls.watch_root_certs();  // gRPC asks for them, although the verifier alone decides
  tls.set_verify_server_certs(false);
  tls.set_check_call_host(false);
  tls.set_certificate_verifier(grpc_peers::verifier([authority = options.credentials->authority](
                                                        std::string_view pem) -> Result<void> {
    const auto server = verify_member(authority, pem);
    if (!server) return tl::unexpected(server.error());
    if (server->identity.role != Role::driver) {
      return tl::unexpected(Error(
          ErrorCode::failed, fmt::format("expected the certificate of a driver, found that of {}",
                                         to_string(server->identity))));
    }
    return check_validity(*server, trusted_now());
  }));
  return grpc::experimental::TlsCredentials(tls);
}

grpc::ChannelArguments channel_arguments(const ClientOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMostCallNbytes);
  arguments.SetMaxSendMessageSize(kMostCallNbytes);
  for (const auto& [name, value] :
       {std::pair{GRPC_ARG_KEEPALIVE_TIME_MS, static_cast<int>(options.keepalive.count())},
        std::pair{GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
                  static_cast<int>(options.keepalive_timeout.count())},
        std::pair{GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1},
        std::pair{GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0},
        std::pair{GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kShortestBackoffMs},
        std::pair{GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kConnectMs},
        std::pair{GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kLongestBackoffMs},
        std::pair{GRPC_ARG_ENABLE_HTTP_PROXY, 0}, std::pair{GRPC_ARG_ENABLE_RETRIES, 0},
        std::pair{GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1},
        std::pair{GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1}})
    arguments.SetInt(name, value);
  return arguments;
}

// gRPC's name of an address that is resolved already.
std::string target_of(const HostPort& server) {
  return fmt::format("{}:{}", server.host.find(':') == std::string::npos ? "ipv4" : "ipv6",
                     to_string(server));
}

}  // namespace

class Client::Channel {
 public:
  explicit Channel(const ClientOptions& options)
      : options_(options), server_(to_string(options.server)), stub_(connect()) {}

  Result<std::string> call(const std::string& verb, std::string_view request,
                           std::chrono::milliseconds limit) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + limit);
    grpc::CompletionQueue queue;
    const auto stub = current();
    const auto call = stub->PrepareUnaryCall(&context, grpc_peers::method_of(verb),
                                             grpc_peers::to_buffer(request), &queue);
    call->StartCall();
    grpc::ByteBuffer reply;
    grpc::Status status;
    call->Finish(&reply, &status, this);
    void* tag = nullptr;
    bool ok = false;
    (void)queue.Next(&tag, &ok);  // the deadline of the call bounds the wait
    if (status.ok()) return grpc_peers::to_text(reply);
    if (status.error_code() == grpc::StatusCode::UNAVAILABLE ||
        status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED)
      replace(stub);
    return tl::unexpected(error_of(status, verb));
  }

 private:
  using Stub = std::shared_ptr<grpc::GenericStub>;
  [[nodiscard]] Stub connect() const {
    return std::make_shared<grpc::GenericStub>(
        grpc::CreateCustomChannel(target_of(value_of(resolve_host(options_.server))),
                                  channel_credentials(options_), channel_arguments(options_)));
  }
  [[nodiscard]] Stub current() {
    const std::lock_guard lock(mutex_);
    if (!stub_) stub_ = connect();
    return stub_;
  }
  // A connection progresses only while a call waits for it, and a channel that has failed lets no
  // call wait. One whose server has vanished without a word may stay open for a long time. So the next
  // call gets a new channel.
  void replace(const Stub& failed) {
    const std::lock_guard lock(mutex_);
    if (stub_ == failed) stub_.reset();
  }

  [[nodiscard]] Error error_of(const grpc::Status& status, const std::string& verb) const {
    const std::string& message = status.error_message();
    switch (status.error_code()) {
      case grpc::StatusCode::UNAUTHENTICATED:
      case grpc::StatusCode::PERMISSION_DENIED:
        return {ErrorCode::bad_usage,
                fmt::format("the driver at {} refuses: {}", server_, message)};
      case grpc::StatusCode::DEADLINE_EXCEEDED:
        return {ErrorCode::timeout,
                fmt::format("the driver at {} has not answered {} in time", server_, verb)};
      case grpc::StatusCode::UNAVAILABLE:
        return unreachable(message);
      default:
        return {grpc_peers::to_error_code(status.error_code()),
                fmt::format("the driver at {}: {}", server_, message)};
    }
  }

  [[nodiscard]] Error unreachable(const std::string& message) const {
    const std::size_t own = message.find(grpc_peers::kRefusedHere);
    if (own != std::string::npos) {
      return {
          ErrorCode::failed,
          fmt::format("{} is not the driver of this cluster: {}; check the address, and whether "
                      "somebody stands in between",
                      server_, message.substr(own + grpc_peers::kRefusedHere.size()))};
    }
    return {ErrorCode::peer_lost,
            fmt::format("cannot reach the driver at {}: {}; if it runs, its log says whether it "
                        "refused the connection",
                        server_, message)};
  }

  ClientOptions options_;
  std::string server_;
  std::mutex mutex_;
  Stub stub_;  // null: to be made
};

Client::Client(const ClientOptions& options) {
  grpc_peers::silence();
  channel_ = std::make_unique<Channel>(options);
}

Client::~Client() = default;

Result<std::string> Client::call(const std::string& verb, std::string_view request,
                                 std::chrono::milliseconds limit) {
  return channel_->call(verb, request, limit);
}

}  // namespace megascale::secure
