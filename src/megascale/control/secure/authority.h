#ifndef MEGASCALE_CONTROL_SECURE_AUTHORITY_H_
#define MEGASCALE_CONTROL_SECURE_AUTHORITY_H_

#include <chrono>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "megascale/control/secure/certificate.h"
#include "megascale/control/secure/join_message.h"
#include "megascale/control/secure/join_token.h"
#include "megascale/control/secure/key.h"
#include "megascale/control/secure/member_book.h"
#include "megascale/control/secure/token_book.h"

namespace megascale::secure {

// The certificate authority of a cluster, kept in one directory of the host where the driver runs:
//   authority.key, authority.crt   signs all certificates
//   driver.key, operator.key, ...  the credentials of this host
//   members/, revoked, tokens/     issued certificates, revoked ones, join tokens
// Who has this directory rules the cluster. Any thread may call the functions; several processes may
// use one directory at the same time.
class Authority {
 public:
  static constexpr std::chrono::seconds kAuthorityLife = std::chrono::hours(24 * 3650);
  static constexpr std::chrono::seconds kMemberLife = std::chrono::hours(24 * 90);

  // Makes the directory, the authority, and the certificates of driver and operator. Throws Error:
  // bad_usage if the directory has an authority already or the name is no name; io.
  static Authority create(const std::filesystem::path& directory, const std::string& name);
  // Throws the errors of load_key() and load_authority().
  static Authority open(const std::filesystem::path& directory);

  [[nodiscard]] const AuthorityCertificate& certificate() const noexcept { return certificate_; }
  [[nodiscard]] const std::filesystem::path& directory() const noexcept { return directory_; }

  // Makes a join token; terms.expires is set to `valid` from now. Throws Error (bad_usage) if `valid`
  // is not between a second and 30 days, `uses` not from 1 to 100,000, or the host no name.
  [[nodiscard]] JoinToken make_token(TokenTerms terms, std::chrono::seconds valid,
                                     const std::string& address);
  // Answers a join request: checks the token, the request and the name, and issues a certificate.
  // A name that has a valid certificate is given to another key only if the token was made for it;
  // the older certificates of the name are then revoked. Errors as TokenBook::check(), bad_input.
  [[nodiscard]] Result<MemberCertificate> join(const JoinRequest& request);
  // Issues a new certificate for the same key and identity. The old one stays valid until it expires.
  // The caller has checked that `member` is valid and not revoked.
  [[nodiscard]] MemberCertificate renew(const MemberCertificate& member);
  // Renews the certificates of this directory that are due, or all. Returns the new ones.
  std::vector<MemberCertificate> renew_own(bool all);
  [[nodiscard]] std::vector<Member> members() const;
  // Revokes all certificates of a member or the one of a serial number. Returns those that it
  // revoked. Throws Error (bad_usage) if there is none.
  std::vector<Member> revoke(Role role, const std::string& name_or_serial);

 private:
  Authority(std::filesystem::path directory, Key key, AuthorityCertificate certificate);
  [[nodiscard]] MemberCertificate issue_to(const Key& subject, Role role, const std::string& name);
  [[nodiscard]] Result<void> claim_name(const JoinRequest& request, const TokenTerms& terms,
                                        const std::string& key);
  void write_own(Role role, const std::string& name);

  std::filesystem::path directory_;
  Key key_;
  AuthorityCertificate certificate_;
  MemberBook members_;
  TokenBook tokens_;
};

}  // namespace megascale::secure

#endif  // MEGASCALE_CONTROL_SECURE_AUTHORITY_H_
