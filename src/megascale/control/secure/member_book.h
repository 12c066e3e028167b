#ifndef MEGASCALE_CONTROL_SECURE_MEMBER_BOOK_H_
#define MEGASCALE_CONTROL_SECURE_MEMBER_BOOK_H_

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "megascale/control/secure/certificate.h"

namespace megascale::secure {

struct Member {
  std::string serial;
  Role role = Role::executor;
  std::string name;
  std::string key;  // digest of the public key
  Validity validity;
  std::optional<UnixSeconds> revoked;
};

// The certificates that an authority has issued: one file for each, and one list of those that are
// revoked. Not thread safe; the caller also excludes other processes.
class MemberBook {
 public:
  // `cluster` is the directory of the authority.
  explicit MemberBook(const std::filesystem::path& cluster);
  // Adds a certificate, and forgets those that expired more than 30 days before `now`.
  void add(const MemberCertificate& member, UnixSeconds now);
  // Returns all certificates by role, name and time.
  [[nodiscard]] std::vector<Member> all() const;
  // Puts a serial number on the list of revoked ones. The change is durable when it returns.
  void revoke(const std::string& serial, UnixSeconds now);

 private:
  std::filesystem::path members_, revoked_;
};

// The revoked serial numbers, as a server asks for them on every call: it reads the list again when
// the file has changed. Any thread may call it.
class RevokedSerials {
 public:
  explicit RevokedSerials(const std::filesystem::path& cluster);
  // Returns the time of the revocation, if there is one. Throws Error (io) if the list exists and
  // cannot be read: a caller must then refuse.
  [[nodiscard]] std::optional<UnixSeconds> find(const std::string& serial);

 private:
  struct Version {
    std::int64_t modified_ns = -1, nbytes = -1;
    std::uint64_t inode = 0;
    bool operator==(const Version&) const = default;
  };
  std::filesystem::path path_;
  std::mutex mutex_;
  Version version_;
  std::vector<std::pair<std::string, UnixSeconds>> serials_;  // sorted
};

}  // namespace megascale::secure

#endif  // MEGASCALE_CONTROL_SECURE_MEMBER_BOOK_H_
