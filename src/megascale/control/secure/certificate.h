#ifndef MEGASCALE_CONTROL_SECURE_CERTIFICATE_H_
#define MEGASCALE_CONTROL_SECURE_CERTIFICATE_H_

#include <string>
#include <string_view>

#include "megascale/base/error.h"
#include "megascale/control/secure/identity.h"
#include "megascale/control/secure/trusted_clock.h"

// Certificates as values, read from PEM text. All functions may be called from any thread.
namespace megascale::secure {

struct Validity {
  UnixSeconds from = 0, to = 0;  // both ends are valid
  bool operator==(const Validity&) const = default;
};

// The certificate of a cluster's authority, which signs itself and all members.
struct AuthorityCertificate {
  std::string pem;
  std::string cluster_name;  // for people
  std::string cluster;       // the id: digest of the authority's public key, 32 hexadecimal digits
  std::string digest;        // SHA-256 of the certificate, 32 bytes: what a join token pins
  Validity validity;
};

// The certificate of a driver, an executor or an operator.
struct MemberCertificate {
  std::string pem;
  Identity identity;
  std::string serial;  // hexadecimal digits
  std::string key;     // SHA-256 of its public key, hexadecimal digits
  Validity validity;
};

// Each parser reads the first certificate of a text and refuses larger texts unread.
inline constexpr std::size_t kMostCertificateNbytes = 16384;
// Errors: bad_input, which says what is missing.
[[nodiscard]] Result<AuthorityCertificate> parse_authority(std::string_view pem);
[[nodiscard]] Result<MemberCertificate> parse_member(std::string_view pem);
// As parse_member(), and requires that the authority has signed the certificate for its cluster. It
// does not look at times: check_validity() does. Error: bad_input.
[[nodiscard]] Result<MemberCertificate> verify_member(const AuthorityCertificate& authority,
                                                      std::string_view pem);
// Error: failed if the certificate is expired or not yet valid at `now`. The message has both
// times, since a clock may be wrong.
[[nodiscard]] Result<void> check_validity(const MemberCertificate& member, UnixSeconds now);
// True if less than a third of the validity is left: the owner should renew the certificate.
[[nodiscard]] bool is_due(const Validity& validity, UnixSeconds now) noexcept;

}  // namespace megascale::secure

#endif  // MEGASCALE_CONTROL_SECURE_CERTIFICATE_H_
