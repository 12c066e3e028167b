#include "megascale/control/secure/grpc_peers.h"

#include <fmt/format.h>
#include <grpc/support/log.h>
#include <grpcpp/security/tls_certificate_provider.h>

#include <array>
#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

namespace megascale::secure::grpc_peers {
namespace {

constexpr unsigned kReloadSeconds = 30;
constexpr std::size_t kMostStatusNbytes = 4096;  // of the metadata that carry it, gRPC allows 8 KiB

constexpr std::array kCodes{
    std::pair{ErrorCode::bad_usage, grpc::StatusCode::INVALID_ARGUMENT},
    std::pair{ErrorCode::bad_input, grpc::StatusCode::OUT_OF_RANGE},
    std::pair{ErrorCode::corrupt_data, grpc::StatusCode::DATA_LOSS},
    std::pair{ErrorCode::io, grpc::StatusCode::INTERNAL},
    std::pair{ErrorCode::out_of_memory, grpc::StatusCode::RESOURCE_EXHAUSTED},
    std::pair{ErrorCode::peer_lost, grpc::StatusCode::UNAVAILABLE},
    std::pair{ErrorCode::timeout, grpc::StatusCode::DEADLINE_EXCEEDED},
    std::pair{ErrorCode::unsupported, grpc::StatusCode::UNIMPLEMENTED}};

class CallingVerifier final : public grpc::experimental::ExternalCertificateVerifier {
 public:
  explicit CallingVerifier(CheckCertificate check) : check_(std::move(check)) {}
  bool Verify(grpc::experimental::TlsCustomVerificationCheckRequest* request,
              std::function<void(grpc::Status)> /*callback*/, grpc::Status* sync_status) override {
    const grpc::string_ref pem = request->peer_cert();
    const auto checked = check_({pem.data(), pem.size()});
    *sync_status = checked ? grpc::Status()
                           : grpc::Status(grpc::StatusCode::UNAUTHENTICATED,
                                          std::string(kRefusedHere) + checked.error().message());
    return true;  // the check is done
  }
  void Cancel(grpc::experimental::TlsCustomVerificationCheckRequest* /*request*/) override {}

 private:
  CheckCertificate check_;
};

}  // namespace

void silence() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (std::getenv("GRPC_VERBOSITY") == nullptr)  // NOLINT(concurrency-mt-unsafe): nobody sets it
      gpr_set_log_function([](gpr_log_func_args* /*args*/) {});
  });
}

std::shared_ptr<grpc::experimental::CertificateVerifier> verifier(CheckCertificate check) {
#ifdef __clang_analyzer__  // it takes the object that gRPC's factory owns from now on for a leak
  const auto taken = std::move(check);
  return taken ? nullptr : std::shared_ptr<grpc::experimental::CertificateVerifier>();
#else
  return grpc::experimental::ExternalCertificateVerifier::Create<CallingVerifier>(std::move(check));
#endif
}

std::shared_ptr<grpc::experimental::CertificateProviderInterface> provider(
    const Credentials& credentials) {
  return std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(
      credentials.paths.key.string(), credentials.paths.certificate.string(),
      credentials.paths.authority.string(), kReloadSeconds);
}

std::string method_of(std::string_view verb) {
  return fmt::format("/megascale.control.Driver/{}", verb);
}

std::string to_text(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string text;
  if (!buffer.Valid() || !buffer.Dump(&slices).ok()) return text;
  text.reserve(buffer.Length());
  for (const grpc::Slice& slice : slices)
    text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return text;
}

grpc::ByteBuffer to_buffer(std::string_view bytes) {
  const grpc::Slice slice(bytes.data(), bytes.size());
  return {&slice, 1};
}

HostPort parse_peer(std::string_view peer) {
  const std::size_t colon = peer.find(':');
  std::string address(colon == std::string_view::npos ? peer : peer.substr(colon + 1));
  for (const auto& [encoded, bracket] : {std::pair{"%5B", "["}, std::pair{"%5D", "]"}}) {
    if (const std::size_t at = address.find(encoded); at != std::string::npos)
      address.replace(at, 3, bracket);
  }
  auto parsed = parse_host_port(address);
  return parsed ? std::move(*parsed) : HostPort{.host = std::string(peer), .port = 0};
}

grpc::Status to_status(const Error& error) {
  grpc::StatusCode status = grpc::StatusCode::UNKNOWN;
  for (const auto& [code, known] : kCodes)
    if (code == error.code()) status = known;
  return {status, error.message().substr(0, kMostStatusNbytes)};
}

ErrorCode to_error_code(grpc::StatusCode status) noexcept {
  for (const auto& [code, known] : kCodes)
    if (known == status) return code;
  return ErrorCode::failed;
}

}  // namespace megascale::secure::grpc_peers
