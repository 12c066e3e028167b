#include "megascale/control/secure/renewal.h"

#include "megascale/base/files.h"

namespace megascale::secure {
namespace {

constexpr const char* kRenew = "Renew";

}  // namespace

Verb renew_verb(Authority& authority) {
  return {.name = kRenew,
          .right = Right::belong,
          .handler = [&authority](const Peer& peer, std::string_view) -> Result<std::string> {
            if (!peer.authenticated) {
              return tl::unexpected(Error(ErrorCode::unsupported,
                                          "a driver without credentials renews no certificates"));
            }
            return authority.renew(peer.member).pem;
          }};
}

Result<bool> renew_if_due(Client& client, Credentials& credentials,
                          std::chrono::milliseconds limit) {
  if (!is_due(credentials.own.validity, trusted_now())) return false;
  const auto reply = client.call(kRenew, "", limit);
  if (!reply) return tl::unexpected(reply.error());
  auto renewed = verify_member(credentials.authority, *reply);
  if (!renewed) return tl::unexpected(renewed.error());
  if (renewed->identity != credentials.own.identity || renewed->key != credentials.own.key) {
    return tl::unexpected(Error(ErrorCode::bad_input,
                                "the renewed certificate is for another member or another key"));
  }
  write_text_atomically(credentials.paths.certificate, renewed->pem);
  credentials.own = std::move(*renewed);
  return true;
}

}  // namespace megascale::secure
