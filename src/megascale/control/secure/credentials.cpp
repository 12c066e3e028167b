#include "megascale/control/secure/credentials.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <string>

#include "megascale/base/files.h"
#include "megascale/base/private_file.h"

namespace megascale::secure {
namespace {

constexpr std::size_t kMostKeyNbytes = 4096;

[[noreturn]] void refuse_file(const std::filesystem::path& path, const Error& error) {
  throw Error(ErrorCode::bad_usage, fmt::format("{}: {}", path.string(), error.message()));
}

}  // namespace

CredentialPaths::CredentialPaths(const std::filesystem::path& directory, Role role)
    : authority(directory / "authority.crt"),
      certificate(directory / fmt::format("{}.crt", to_string(role))),
      key(directory / fmt::format("{}.key", to_string(role))) {}

Key load_key(const std::filesystem::path& path) {
  std::string pem = read_private_file(path, kMostKeyNbytes);
  auto key = Key::from_pem(pem);
  OPENSSL_cleanse(pem.data(), pem.size());
  if (!key) refuse_file(path, key.error());
  return std::move(*key);
}

AuthorityCertificate load_authority(const std::filesystem::path& path) {
  auto authority = parse_authority(read_text(path));
  if (!authority) refuse_file(path, authority.error());
  return std::move(*authority);
}

Credentials load_credentials(const std::filesystem::path& directory, Role role) {
  require_private_directory(directory);
  CredentialPaths paths(directory, role);
  AuthorityCertificate authority = load_authority(paths.authority);
  auto own = verify_member(authority, read_text(paths.certificate));
  if (!own) refuse_file(paths.certificate, own.error());
  if (own->identity.role != role) {
    refuse_file(paths.certificate,
                Error(ErrorCode::bad_usage,
                      fmt::format("expected the certificate of the role {}, found one of {}",
                                  to_string(role), to_string(own->identity))));
  }
  if (load_key(paths.key).digest() != own->key) {
    refuse_file(paths.key, Error(ErrorCode::bad_usage,
                                 fmt::format("the key does not belong to {}; restore the file, or "
                                             "join again",
                                             paths.certificate.string())));
  }
  if (const auto valid = check_validity(*own, trusted_now()); !valid) throw Error(valid.error());
  return {.paths = std::move(paths), .authority = std::move(authority), .own = std::move(*own)};
}

Role role_of(const std::filesystem::path& directory) {
  for (const Role role : {Role::driver, Role::operator_, Role::executor})
    if (std::filesystem::exists(CredentialPaths(directory, role).certificate)) return role;
  throw Error(ErrorCode::bad_usage,
              fmt::format("{}: expected driver.crt, operator.crt or executor.crt; make a cluster "
                          "(megascale cluster init DIR) or join one (megascale cluster join)",
                          directory.string()));
}

}  // namespace megascale::secure
