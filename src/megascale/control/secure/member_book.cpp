#include "megascale/control/secure/member_book.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>
#include <tuple>

#include "megascale/base/private_file.h"

namespace megascale::secure {
namespace {

constexpr std::size_t kMostMemberFileNbytes = 4096;
constexpr std::size_t kMostRevokedNbytes = std::size_t{64} << 20U;
constexpr UnixSeconds kKeepExpiredMember = 30 * 24 * 3600;

std::filesystem::path revoked_path(const std::filesystem::path& cluster) {
  return cluster / "revoked";
}

// One line for each certificate: "SERIAL TIME".
std::vector<std::pair<std::string, UnixSeconds>> read_revoked(const std::filesystem::path& path) {
  std::vector<std::pair<std::string, UnixSeconds>> serials;
  std::istringstream lines(read_private_file(path, kMostRevokedNbytes));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::pair<std::string, UnixSeconds> entry;
    if (!(words >> entry.first >> entry.second)) {
      throw Error(
          ErrorCode::corrupt_data,
          fmt::format("{}: expected lines \"SERIAL SECONDS\", found another", path.string()));
    }
    serials.push_back(std::move(entry));
  }
  std::sort(serials.begin(), serials.end());
  return serials;
}

std::optional<UnixSeconds> find_serial(
    const std::vector<std::pair<std::string, UnixSeconds>>& sorted, const std::string& serial) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), std::pair(serial, UnixSeconds{0}));
  if (at == sorted.end() || at->first != serial) return std::nullopt;
  return at->second;
}

Member read_member(const std::filesystem::path& path) try {
  const auto json = nlohmann::json::parse(read_private_file(path, kMostMemberFileNbytes));
  const auto role = parse_role(json.at("role").get<std::string>());
  if (!role) throw Error(role.error());
  return {.serial = json.at("serial"),
          .role = *role,
          .name = json.at("name"),
          .key = json.at("key"),
          .validity = {.from = json.at("valid_from"), .to = json.at("valid_to")},
          .revoked = std::nullopt};
} catch (const nlohmann::json::exception& error) {
  throw Error(ErrorCode::corrupt_data,
              fmt::format("{}: not the record of a certificate ({})", path.string(), error.what()));
}

}  // namespace

MemberBook::MemberBook(const std::filesystem::path& cluster)
    : members_(cluster / "members"), revoked_(revoked_path(cluster)) {}

void MemberBook::add(const MemberCertificate& member, UnixSeconds now) {
  make_private_directory(members_);
  for (const Member& old : all()) {
    if (old.validity.to + kKeepExpiredMember < now)
      std::filesystem::remove(members_ / (old.serial + ".json"));
  }
  const nlohmann::ordered_json json{{"serial", member.serial},
                                    {"role", to_string(member.identity.role)},
                                    {"name", member.identity.name},
                                    {"key", member.key},
                                    {"valid_from", member.validity.from},
                                    {"valid_to", member.validity.to}};
  write_private_file(members_ / (member.serial + ".json"), json.dump(1) + "\n");
}

std::vector<Member> MemberBook::all() const {
  std::vector<Member> members;
  if (!std::filesystem::exists(members_)) return members;
  const auto revoked = std::filesystem::exists(revoked_)
                           ? read_revoked(revoked_)
                           : std::vector<std::pair<std::string, UnixSeconds>>();
  for (const auto& file : std::filesystem::directory_iterator(members_)) {
    if (file.path().extension() != ".json") continue;
    members.push_back(read_member(file.path()));
    members.back().revoked = find_serial(revoked, members.back().serial);
  }
  std::sort(members.begin(), members.end(), [](const Member& a, const Member& b) {
    return std::tie(a.role, a.name, a.validity.from, a.serial) <
           std::tie(b.role, b.name, b.validity.from, b.serial);
  });
  return members;
}

void MemberBook::revoke(const std::string& serial, UnixSeconds now) {
  std::string text;
  if (std::filesystem::exists(revoked_)) {
    for (const auto& [known, time] : read_revoked(revoked_)) {
      if (known == serial) return;
      text += fmt::format("{} {}\n", known, time);
    }
  }
  write_private_file(revoked_, text + fmt::format("{} {}\n", serial, now));
}

RevokedSerials::RevokedSerials(const std::filesystem::path& cluster)
    : path_(revoked_path(cluster)) {}

std::optional<UnixSeconds> RevokedSerials::find(const std::string& serial) {
  struct stat status {};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) {
    throw Error(ErrorCode::io, fmt::format("cannot read {}: {}", path_.string(),
                                           std::generic_category().message(errno)));
  }
  const Version version =
      exists ? Version{.modified_ns = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 +
                                      status.st_mtim.tv_nsec,
                       .nbytes = status.st_size,
                       .inode = status.st_ino}
             : Version{};
  const std::lock_guard lock(mutex_);
  if (!(version == version_)) {
    serials_ = exists ? read_revoked(path_) : std::vector<std::pair<std::string, UnixSeconds>>();
    version_ = version;
  }
  return find_serial(serials_, serial);
}

}  // namespace megascale::secure
