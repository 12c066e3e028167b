#ifndef MEGASCALE_TESTS_CONTROL_SECURE_CLUSTER_H_
#define MEGASCALE_TESTS_CONTROL_SECURE_CLUSTER_H_

#include <functional>
#include <string>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/base/private_file.h"
#include "megascale/control/secure/authority.h"
#include "megascale/control/secure/credentials.h"
#include "support/scratch_directory.h"

namespace megascale::testing {

inline constexpr std::int64_t kDay = 24 * 3600;

// A cluster of its own in a new directory, and certificates that no honest authority would issue.
class TestCluster {
 public:
  explicit TestCluster(const std::string& name = "test")
      : authority_(secure::Authority::create(scratch_ / "cluster", name)) {}

  [[nodiscard]] secure::Authority& authority() { return authority_; }
  [[nodiscard]] std::filesystem::path directory() const { return authority_.directory(); }
  [[nodiscard]] std::filesystem::path scratch(std::string_view name) const {
    return scratch_ / name;
  }
  [[nodiscard]] secure::Credentials credentials(secure::Role role) const {
    return secure::load_credentials(directory(), role);
  }
  // Signs a certificate of any role, name, cluster and validity, without a record of it.
  [[nodiscard]] secure::MemberCertificate sign(const secure::Key& subject, secure::Role role,
                                               const std::string& name,
                                               secure::Validity validity) const {
    return secure::issue(secure::load_key(directory() / secure::kAuthorityKeyFile),
                         authority_.certificate(), subject,
                         {.cluster = authority_.certificate().cluster, .role = role, .name = name},
                         validity);
  }
  // Credentials of a member in a directory of their own. The validity is not checked, so that a
  // test can use an expired certificate.
  [[nodiscard]] secure::Credentials make_member(secure::Role role, const std::string& name,
                                                secure::Validity validity) const {
    const auto home = scratch_ / (std::string(secure::to_string(role)) + "-" + name);
    make_private_directory(home);
    const secure::Key key = secure::Key::make();
    secure::CredentialPaths paths(home, role);
    secure::MemberCertificate own = sign(key, role, name, validity);
    write_private_file(paths.key, key.to_pem());
    write_text_atomically(paths.certificate, own.pem);
    write_text_atomically(paths.authority, authority_.certificate().pem);
    return {.paths = paths, .authority = authority_.certificate(), .own = std::move(own)};
  }
  [[nodiscard]] secure::Credentials make_member(secure::Role role, const std::string& name) const {
    const auto now = secure::trusted_now();
    return make_member(role, name, {.from = now - kDay, .to = now + kDay});
  }

 private:
  ScratchDirectory scratch_;
  secure::Authority authority_;
};

// The message of the Error that `action` throws.
inline std::string message_of_error(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_CONTROL_SECURE_CLUSTER_H_
