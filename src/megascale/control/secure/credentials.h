#ifndef MEGASCALE_CONTROL_SECURE_CREDENTIALS_H_
#define MEGASCALE_CONTROL_SECURE_CREDENTIALS_H_

#include <filesystem>

#include "megascale/control/secure/certificate.h"
#include "megascale/control/secure/key.h"

namespace megascale::secure {

// The files of a cluster's directory. The directory has mode 0700, every key 0600.
struct CredentialPaths {
  CredentialPaths(const std::filesystem::path& directory, Role role);
  std::filesystem::path authority;    // the authority's certificate
  std::filesystem::path certificate;  // ROLE.crt, signed by the authority
  std::filesystem::path key;          // ROLE.key
};
inline constexpr const char* kAuthorityKeyFile = "authority.key";

// What a member needs to speak with other members.
struct Credentials {
  CredentialPaths paths;
  AuthorityCertificate authority;
  MemberCertificate own;
};
// Reads the credentials of a role from a directory. Throws Error: bad_usage if others may read the
// key, or if the files do not belong together; failed if the certificate is not valid now; io if a
// file is missing.
[[nodiscard]] Credentials load_credentials(const std::filesystem::path& directory, Role role);
// Returns the role whose credentials the directory holds, driver before operator before executor.
// Throws Error (bad_usage) if it holds none.
[[nodiscard]] Role role_of(const std::filesystem::path& directory);
// Reads a private key. Throws Error as load_credentials().
[[nodiscard]] Key load_key(const std::filesystem::path& path);
// Reads the authority's certificate. Throws Error (io, bad_usage).
[[nodiscard]] AuthorityCertificate load_authority(const std::filesystem::path& path);

}  // namespace megascale::secure

#endif  // MEGASCALE_CONTROL_SECURE_CREDENTIALS_H_
