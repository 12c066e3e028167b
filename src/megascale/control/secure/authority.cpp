#include "megascale/control/secure/authority.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "megascale/base/files.h"
#include "megascale/base/private_file.h"
#include "megascale/control/secure/credentials.h"

namespace megascale::secure {
namespace {

constexpr std::chrono::seconds kLongestToken = std::chrono::hours(24 * 30);
constexpr std::int64_t kMostUses = 100'000;

// Excludes other threads and processes that change the directory.
class DirectoryLock {
 public:
  explicit DirectoryLock(const std::filesystem::path& directory)
      : file_(
            ::open((directory / "lock").c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600)) {
    int failed = file_.get() < 0 ? -1 : 0;
    while (failed == 0 && (failed = ::flock(file_.get(), LOCK_EX)) != 0 && errno == EINTR)
      failed = 0;
    if (failed != 0) {
      throw Error(ErrorCode::io, fmt::format("cannot lock {}: {}", (directory / "lock").string(),
                                             std::generic_category().message(errno)));
    }
  }

 private:
  FileHandle file_;  // closing it releases the lock
};

std::string own_host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || !is_name(name.data())) return "localhost";
  return name.data();
}

Validity from_now(std::chrono::seconds life) {
  const UnixSeconds now = trusted_now();
  return {.from = now - kClockSkew.count(), .to = now + life.count()};
}

bool is_in_force(const Member& member, UnixSeconds now) {
  return !member.revoked && member.validity.to >= now;
}

}  // namespace

Authority::Authority(std::filesystem::path directory, Key key, AuthorityCertificate certificate)
    : directory_(std::move(directory)),
      key_(std::move(key)),
      certificate_(std::move(certificate)),
      members_(directory_),
      tokens_(directory_ / "tokens") {}

Authority Authority::create(const std::filesystem::path& directory, const std::string& name) {
  if (!is_name(name)) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("cluster name \"{}\": expected 1 to 64 letters, digits, '.', '-' and "
                            "'_', beginning with a letter or digit",
                            name));
  }
  make_private_directory(directory);
  const DirectoryLock lock(directory);
  const auto key_path = directory / kAuthorityKeyFile;
  if (std::filesystem::exists(key_path)) {
    throw Error(
        ErrorCode::bad_usage,
        fmt::format("{}: the directory already holds an authority; a new one would shut out "
                    "all members of its cluster: use another directory",
                    key_path.string()));
  }
  const Key key = Key::make();
  Authority authority(directory, key, make_authority(key, name, from_now(kAuthorityLife)));
  write_text_atomically(directory / "authority.crt", authority.certificate_.pem);
  authority.write_own(Role::driver, own_host_name());
  authority.write_own(Role::operator_, own_host_name());
  // Last: a crash before leaves a directory that the next init takes over.
  write_private_file(key_path, key.to_pem());
  return authority;
}

Authority Authority::open(const std::filesystem::path& directory) {
  require_private_directory(directory);
  AuthorityCertificate certificate = load_authority(directory / "authority.crt");
  Key key = load_key(directory / kAuthorityKeyFile);
  if (!key.digest().starts_with(certificate.cluster)) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("{}: the key does not belong to authority.crt; restore both files "
                            "from the same backup",
                            (directory / kAuthorityKeyFile).string()));
  }
  return {directory, std::move(key), std::move(certificate)};
}

MemberCertificate Authority::issue_to(const Key& subject, Role role, const std::string& name) {
  const Identity identity{.cluster = certificate_.cluster, .role = role, .name = name};
  MemberCertificate member = issue(key_, certificate_, subject, identity, from_now(kMemberLife));
  members_.add(member, trusted_now());
  return member;
}

void Authority::write_own(Role role, const std::string& name) {
  const CredentialPaths paths(directory_, role);
  const Key key = Key::make();
  write_private_file(paths.key, key.to_pem());
  write_text_atomically(paths.certificate, issue_to(key, role, name).pem);
}

JoinToken Authority::make_token(TokenTerms terms, std::chrono::seconds valid,
                                const std::string& address) {
  if (valid < std::chrono::seconds(1) || valid > kLongestToken) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("validity of a join token: expected 1 second to 30 days, found {} s",
                            valid.count()));
  }
  if (terms.uses < 1 || terms.uses > kMostUses) {
    throw Error(
        ErrorCode::bad_usage,
        fmt::format("uses of a join token: expected 1 to {}, found {}", kMostUses, terms.uses));
  }
  if (terms.role == Role::driver || (!terms.host.empty() && !is_name(terms.host))) {
    throw Error(
        ErrorCode::bad_usage,
        "a join token is for an executor or an operator, and its host, if given, has 1 to 64 "
        "letters, digits, '.', '-' and '_'");
  }
  terms.expires = trusted_now() + valid.count();
  JoinToken token{.secret = make_token_secret(),
                  .pin = certificate_.digest,
                  .expires = terms.expires,
                  .address = address};
  const DirectoryLock lock(directory_);
  tokens_.add(token.secret, terms, trusted_now());
  return token;
}

// Frees the name of a host that joins again, if the operator asked for that.
Result<void> Authority::claim_name(const JoinRequest& request, const TokenTerms& terms,
                                   const std::string& key) {
  const UnixSeconds now = trusted_now();
  for (const Member& member : members_.all()) {
    if (member.name != request.name || member.role != terms.role || member.key == key ||
        !is_in_force(member, now))
      continue;
    if (terms.host != request.name) {
      return tl::unexpected(
          Error(ErrorCode::bad_usage,
                fmt::format("{} {} has a certificate already (serial {}): join under another name "
                            "(--name), or replace it with a token made for it: megascale cluster "
                            "token DIR --host {}",
                            to_string(member.role), member.name, member.serial, member.name)));
    }
    members_.revoke(member.serial, now);
  }
  return {};
}

Result<MemberCertificate> Authority::join(const JoinRequest& request) {
  const auto subject = parse_request(request.request);
  if (!subject) return tl::unexpected(subject.error());
  const std::string key = subject->digest();
  const DirectoryLock lock(directory_);
  const auto terms = tokens_.check(request.secret, request.name, key, trusted_now());
  if (!terms) return tl::unexpected(terms.error());
  if (const auto free = claim_name(request, *terms, key); !free)
    return tl::unexpected(free.error());
  // Before the certificate exists: a crash in between may lose a use, never add one.
  tokens_.count_use(request.secret, request.name, key);
  return issue_to(*subject, terms->role, request.name);
}

MemberCertificate Authority::renew(const MemberCertificate& member) {
  const DirectoryLock lock(directory_);
  return issue_to(public_key_of(member), member.identity.role, member.identity.name);
}

std::vector<MemberCertificate> Authority::renew_own(bool all) {
  std::vector<MemberCertificate> renewed;
  for (const Role role : {Role::driver, Role::operator_}) {
    const CredentialPaths paths(directory_, role);
    if (!std::filesystem::exists(paths.certificate)) continue;
    const auto own = verify_member(certificate_, read_text(paths.certificate));
    if (!own) throw Error(own.error());
    if (!all && !is_due(own->validity, trusted_now())) continue;
    renewed.push_back(renew(*own));
    write_text_atomically(paths.certificate, renewed.back().pem);
  }
  return renewed;
}

std::vector<Member> Authority::members() const {
  const DirectoryLock lock(directory_);
  return members_.all();
}

std::vector<Member> Authority::revoke(Role role, const std::string& name_or_serial) {
  const DirectoryLock lock(directory_);
  const UnixSeconds now = trusted_now();
  std::vector<Member> revoked;
  for (const Member& member : members_.all()) {
    const bool named = member.role == role && member.name == name_or_serial;
    if (!is_in_force(member, now) || (!named && member.serial != name_or_serial)) continue;
    members_.revoke(member.serial, now);
    revoked.push_back(member);
    revoked.back().revoked = now;
  }
  if (revoked.empty()) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("no valid certificate belongs to {} {} or has this serial number; "
                            "megascale cluster list {} shows all",
                            to_string(role), name_or_serial, directory_.string()));
  }
  return revoked;
}

}  // namespace megascale::secure
