#include "megascale/control/secure/token_book.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "megascale/base/private_file.h"
#include "megascale/control/secure/openssl.h"

namespace megascale::secure {
namespace {

// A file has 200 bytes and 100 more for each use.
constexpr std::size_t kMostTokenFileNbytes = std::size_t{4} << 20U;
// For so long an expired token is called expired; afterwards it is unknown.
constexpr UnixSeconds kKeepExpired = 24 * 3600;
constexpr std::size_t kFileNameDigits = 16;

tl::unexpected<Error> refuse_token(std::string_view why) {
  return tl::unexpected(
      Error(ErrorCode::bad_usage,
            fmt::format("the join token {}; make a new one: megascale cluster token DIR", why)));
}

}  // namespace

struct TokenBook::Entry {
  std::string hash;  // of the secret
  TokenTerms terms;
  struct Use {
    std::string name, key;
  };
  std::vector<Use> used;
  [[nodiscard]] bool has(const std::string& name, const std::string& key) const {
    return std::any_of(used.begin(), used.end(),
                       [&](const Use& use) { return use.name == name && use.key == key; });
  }
};

std::filesystem::path TokenBook::path_of(const std::string& hash) const {
  return directory_ / (hash.substr(0, kFileNameDigits) + ".json");
}

TokenBook::Entry TokenBook::read(const std::filesystem::path& path) const try {
  const auto json = nlohmann::json::parse(read_private_file(path, kMostTokenFileNbytes));
  const auto role = parse_role(json.at("role").get<std::string>());
  if (!role) throw Error(role.error());
  Entry entry{.hash = json.at("sha256"),
              .terms = {.role = *role,
                        .host = json.at("host"),
                        .uses = json.at("uses"),
                        .expires = json.at("expires")}};
  for (const auto& use : json.at("used"))
    entry.used.push_back({.name = use.at("name"), .key = use.at("key")});
  return entry;
} catch (const nlohmann::json::exception& error) {
  throw Error(ErrorCode::corrupt_data,
              fmt::format("{}: not the record of a join token ({}); delete "
                          "the file and make a new token",
                          path.string(), error.what()));
}

void TokenBook::write(const Entry& entry) const {
  auto used = nlohmann::ordered_json::array();
  for (const Entry::Use& use : entry.used) used.push_back({{"name", use.name}, {"key", use.key}});
  const nlohmann::ordered_json json{
      {"sha256", entry.hash},     {"role", to_string(entry.terms.role)}, {"host", entry.terms.host},
      {"uses", entry.terms.uses}, {"expires", entry.terms.expires},      {"used", std::move(used)}};
  write_private_file(path_of(entry.hash), json.dump(1) + "\n");
}

void TokenBook::add(std::string_view secret, const TokenTerms& terms, UnixSeconds now) {
  make_private_directory(directory_);
  for (const auto& file : std::filesystem::directory_iterator(directory_)) {
    if (file.path().extension() == ".json" && read(file.path()).terms.expires + kKeepExpired < now)
      std::filesystem::remove(file.path());
  }
  write({.hash = openssl::to_hex(openssl::sha256(secret)), .terms = terms, .used = {}});
}

Result<TokenTerms> TokenBook::check(std::string_view secret, const std::string& name,
                                    const std::string& key, UnixSeconds now) const {
  const std::string hash = openssl::to_hex(openssl::sha256(secret));
  const auto path = path_of(hash);
  const auto unknown = [] {
    return refuse_token("is unknown here: it is not of this cluster, or expired long ago");
  };
  if (!std::filesystem::exists(path)) return unknown();
  const Entry entry = read(path);
  if (entry.hash.size() != hash.size() ||
      CRYPTO_memcmp(entry.hash.data(), hash.data(), hash.size()) != 0)
    return unknown();
  if (now > entry.terms.expires)
    return refuse_token(fmt::format("expired at {}", to_utc(entry.terms.expires)));
  if (!entry.terms.host.empty() && entry.terms.host != name)
    return refuse_token(fmt::format("was made for {}, not for {}", entry.terms.host, name));
  if (!entry.has(name, key) && static_cast<std::int64_t>(entry.used.size()) >= entry.terms.uses) {
    return refuse_token(fmt::format("may be used {} times and was, last by {}", entry.terms.uses,
                                    entry.used.empty() ? "nobody" : entry.used.back().name));
  }
  return entry.terms;
}

void TokenBook::count_use(std::string_view secret, const std::string& name,
                          const std::string& key) {
  Entry entry = read(path_of(openssl::to_hex(openssl::sha256(secret))));
  if (entry.has(name, key)) return;
  entry.used.push_back({.name = name, .key = key});
  write(entry);
}

}  // namespace megascale::secure
