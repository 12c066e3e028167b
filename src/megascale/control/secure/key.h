#ifndef MEGASCALE_CONTROL_SECURE_KEY_H_
#define MEGASCALE_CONTROL_SECURE_KEY_H_

#include <memory>
#include <string>
#include <string_view>

#include "megascale/base/error.h"
#include "megascale/control/secure/certificate.h"

struct evp_pkey_st;

namespace megascale::secure {

// A private or a public key on the curve P-256. OpenSSL wipes the memory when the last copy goes.
// Thread safety: immutable.
class Key {
 public:
  explicit Key(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}
  // Throws Error (failed) if the system gives no random bytes.
  [[nodiscard]] static Key make();
  // Error: bad_input if the text is not the private key of P-256.
  [[nodiscard]] static Result<Key> from_pem(std::string_view pem);
  [[nodiscard]] std::string to_pem() const;  // of a private key
  // SHA-256 of the public key, hexadecimal digits, as MemberCertificate::key.
  [[nodiscard]] std::string digest() const;
  [[nodiscard]] evp_pkey_st* get() const noexcept { return key_.get(); }

 private:
  std::shared_ptr<evp_pkey_st> key_;
};

// Returns a certificate request (PKCS #10, DER): it proves that its sender has the private key. The
// authority takes nothing but the public key from it.
[[nodiscard]] std::string make_request(const Key& key);
// Returns the public key of a request. Errors: bad_input if it is malformed, larger than 4 KiB, not
// signed by its own key, or not on P-256.
[[nodiscard]] Result<Key> parse_request(std::string_view der);
// Returns the public key of a certificate.
[[nodiscard]] Key public_key_of(const MemberCertificate& member);

// Returns the certificate of a new authority, signed by its own key.
[[nodiscard]] AuthorityCertificate make_authority(const Key& key, const std::string& cluster_name,
                                                  Validity validity);
// Returns a certificate of `subject` for `identity`, signed by the authority's key. Its serial
// number is random.
[[nodiscard]] MemberCertificate issue(const Key& authority_key,
                                      const AuthorityCertificate& authority, const Key& subject,
                                      const Identity& identity, Validity validity);

}  // namespace megascale::secure

#endif  // MEGASCALE_CONTROL_SECURE_KEY_H_
