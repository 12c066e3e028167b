#include "megascale/serve/tls_server.h"

#include <fmt/format.h>
#include <openssl/ssl.h>

#include "megascale/base/error.h"
#include "megascale/base/private_file.h"

namespace megascale::serve {

std::unique_ptr<httplib::Server> tls_server(const std::filesystem::path& certificate,
                                            const std::filesystem::path& key) {
  constexpr std::size_t kMostKeyBytes = 1U << 16U;
  (void)read_private_file(key, kMostKeyBytes);  // refuses a key that others may read
  const auto prepare = [&](SSL_CTX& context) {
    return SSL_CTX_set_min_proto_version(&context, TLS1_2_VERSION) == 1 &&
           SSL_CTX_use_certificate_chain_file(&context, certificate.c_str()) == 1 &&
           SSL_CTX_use_PrivateKey_file(&context, key.c_str(), SSL_FILETYPE_PEM) == 1 &&
           SSL_CTX_check_private_key(&context) == 1;
  };
  auto server = std::make_unique<httplib::SSLServer>(prepare);
  if (!server->is_valid()) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("expected a certificate in {} and its key in {}, both in PEM",
                            certificate.string(), key.string()));
  }
  return server;
}

}  // namespace megascale::serve
