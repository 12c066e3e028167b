// The Endpoint: a gRPC server whose connections come through a ConnectionGate and whose calls go to a
// CallService.
#include <fmt/format.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <thread>

#include "megascale/control/secure/endpoint.h"
#include "megascale/control/secure/grpc_call.h"
#include "megascale/control/secure/grpc_peers.h"

namespace megascale::secure {
namespace {

constexpr std::chrono::milliseconds kLook{100};   // how often overdue requests are looked for
constexpr std::chrono::milliseconds kGrace{500};  // for running calls when the endpoint ends
constexpr int kMostMetadataNbytes = 8192;         // headers of a call; ours have 200 bytes
constexpr std::size_t kMostMemoryNbytes = std::size_t{256} << 20U;  // of all connections

int to_ms(std::chrono::milliseconds time) { return static_cast<int>(time.count()); }

std::shared_ptr<grpc::ServerCredentials> server_credentials(const EndpointOptions& options,
                                                            LimitedLog& log) {
  if (!options.credentials) return grpc::InsecureServerCredentials();
  grpc::experimental::TlsServerCredentialsOptions tls(grpc_peers::provider(*options.credentials));
  tls.watch_identity_key_cert_pairs();
  // The verifier checks the whole certificate. OpenSSL's own check would end the connection without
  // a word to a member whose certificate has expired.
  tls.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_BUT_DONT_VERIFY);
  tls.set_certificate_verifier(grpc_peers::verifier(
      [authority = options.credentials->authority, &log](std::string_view pem) -> Result<void> {
        const auto member = verify_member(authority, pem);
        if (member) return {};
        log(fmt::format("refused a connection: {}", member.error().message()));
        return tl::unexpected(member.error());
      }));
  return grpc::experimental::TlsServerCredentials(tls);
}

void set_limits(grpc::ServerBuilder& builder, const EndpointOptions& options) {
  builder.SetMaxReceiveMessageSize(kMostCallNbytes);
  builder.SetMaxSendMessageSize(kMostCallNbytes);
  // A compressed message of 4 MiB could hold gigabytes.
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  grpc::ResourceQuota quota("megascale.control");
  builder.SetResourceQuota(quota.Resize(kMostMemoryNbytes));
  const int keepalive = to_ms(options.keepalive);
  for (const auto& [name, value] :
       {std::pair{GRPC_ARG_MAX_CONCURRENT_STREAMS, options.calls_per_connection},
        std::pair{GRPC_ARG_MAX_METADATA_SIZE, kMostMetadataNbytes},
        // The gate ends such connections before, and says so.
        std::pair{GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, 2 * to_ms(options.connections.pending_for)},
        std::pair{GRPC_ARG_MAX_CONNECTION_IDLE_MS, to_ms(options.idle_for)},
        std::pair{GRPC_ARG_KEEPALIVE_TIME_MS, keepalive},
        std::pair{GRPC_ARG_KEEPALIVE_TIMEOUT_MS, to_ms(options.keepalive_timeout)},
        std::pair{GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1},
        std::pair{GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0},  // no bound on ours
        std::pair{GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 500}})
    builder.AddChannelArgument(name, value);
}

void require_credentials(const EndpointOptions& options) {
  if (!options.credentials && !options.insecure) {
    throw Error(
        ErrorCode::bad_usage,
        fmt::format("{}: the control plane has no credentials; make some (megascale cluster "
                    "init DIR), or ask for a port without any protection (--insecure)",
                    to_string(options.listen)));
  }
  if (options.credentials && options.credentials->own.identity.role != Role::driver) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("{}: expected the credentials of a driver, found those of {}",
                            options.credentials->paths.certificate.string(),
                            to_string(options.credentials->own.identity)));
  }
}

}  // namespace

class Endpoint::Server {
 public:
  Server(EndpointOptions options, std::vector<Verb> verbs) : log_(options.log) {
    require_credentials(options);
    grpc_peers::silence();
    FileHandle listener = listen_at(options.listen);
    for (Verb& verb : verbs) {
      std::string method = grpc_peers::method_of(verb.name);
      service_.verbs.emplace(std::move(method), std::move(verb));
    }
    service_.request_for = options.request_for;
    service_.audit = options.log;
    service_.log = &log_;
    if (options.credentials) {
      service_.revoked =
          std::make_unique<RevokedSerials>(options.credentials->paths.authority.parent_path());
    } else if (options.log) {
      options.log(
          fmt::format("WARNING: {} serves everybody who reaches it, without TLS and without "
                      "rights (--insecure)",
                      to_string(listening_address(listener))));
    }
    start(options, std::move(listener));
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  ~Server() {
    {
      const std::lock_guard lock(service_.mutex);
      service_.stopping = true;
    }
    server_->Shutdown(std::chrono::system_clock::now() + kGrace);
    {
      std::unique_lock lock(service_.mutex);
      service_.none_live.wait(lock, [this] { return service_.live == 0; });
    }
    queue_->Shutdown();
    threads_.clear();  // each returns when the queue is empty
    gate_.reset();
  }

  [[nodiscard]] HostPort address() const { return listening_address(gate_->listener()); }
  [[nodiscard]] Counts counts() const {
    return {
        .answered = service_.answered, .refused = service_.refused, .connections = gate_->size()};
  }

 private:
  void start(const EndpointOptions& options, FileHandle listener) {
    grpc::ServerBuilder builder;
    set_limits(builder, options);
    builder.RegisterAsyncGenericService(&service_.generic);
    queue_ = builder.AddCompletionQueue();
    service_.queue = queue_.get();
    using Builder = grpc::ServerBuilder::experimental_type;
    acceptor_ = builder.experimental().AddExternalConnectionAcceptor(
        Builder::ExternalConnectionType::FROM_FD, server_credentials(options, log_));
    server_ = builder.BuildAndStart();
    if (!server_) throw Error(ErrorCode::failed, "gRPC cannot start a server");
    gate_ = std::make_unique<ConnectionGate>(
        std::move(listener), options.connections, log_, [this](int socket) {
          grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
          connection.fd = socket;
          acceptor_->HandleNewConnection(&connection);
        });
    service_.gate = gate_.get();
    for (int i = 0; i < options.threads; ++i) {
      Call::begin(service_);
      threads_.emplace_back([this] { serve(); });
    }
  }

  void serve() {
    for (;;) {
      void* call = nullptr;
      bool ok = false;
      const auto next = queue_->AsyncNext(&call, &ok, std::chrono::system_clock::now() + kLook);
      if (next == grpc::CompletionQueue::SHUTDOWN) return;
      if (next == grpc::CompletionQueue::GOT_EVENT) static_cast<Call*>(call)->go_on(ok);
      look_for_overdue();
    }
  }

  void look_for_overdue() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    auto last = looked_.load(std::memory_order_relaxed);
    if (now - last < std::chrono::nanoseconds(kLook).count() ||
        !looked_.compare_exchange_strong(last, now))
      return;
    service_.cancel_overdue();
  }

  LimitedLog log_;
  CallService service_;
  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<ConnectionGate> gate_;
  std::atomic<std::int64_t> looked_{0};
  std::vector<std::jthread> threads_;
};

Endpoint::Endpoint(EndpointOptions options, std::vector<Verb> verbs)
    : server_(std::make_unique<Server>(std::move(options), std::move(verbs))) {}

Endpoint::~Endpoint() = default;

HostPort Endpoint::address() const { return server_->address(); }

Endpoint::Counts Endpoint::counts() const { return server_->counts(); }

}  // namespace megascale::secure
