#ifndef MEGASCALE_CONTROL_SECURE_TOKEN_BOOK_H_
#define MEGASCALE_CONTROL_SECURE_TOKEN_BOOK_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/control/secure/identity.h"
#include "megascale/control/secure/trusted_clock.h"

namespace megascale::secure {

// What a join token allows.
struct TokenTerms {
  Role role = Role::executor;
  std::string host;       // the only name that may join; empty: any name that is free
  std::int64_t uses = 1;  // hosts that may join with it
  UnixSeconds expires = 0;
};

// The join tokens of an authority: one file for each, in a directory. A file holds the SHA-256 of the
// token's secret and never the secret, so who reads the directory cannot join.
// Not thread safe; the caller also excludes other processes.
class TokenBook {
 public:
  explicit TokenBook(std::filesystem::path directory) : directory_(std::move(directory)) {}
  // Adds a token, and forgets tokens that expired more than a day before `now`.
  void add(std::string_view secret, const TokenTerms& terms, UnixSeconds now);
  // Returns the terms of a token, if the owner of `key` may join with it under `name` at `now`. A
  // second use by the same key and name is allowed: the first reply may have been lost. Error:
  // bad_usage if the token is unknown, expired, used up, or made for another name.
  [[nodiscard]] Result<TokenTerms> check(std::string_view secret, const std::string& name,
                                         const std::string& key, UnixSeconds now) const;
  // Counts a use that check() has allowed. The change is durable when it returns.
  void count_use(std::string_view secret, const std::string& name, const std::string& key);

 private:
  struct Entry;
  [[nodiscard]] std::filesystem::path path_of(const std::string& hash) const;
  [[nodiscard]] Entry read(const std::filesystem::path& path) const;
  void write(const Entry& entry) const;
  std::filesystem::path directory_;
};

}  // namespace megascale::secure

#endif  // MEGASCALE_CONTROL_SECURE_TOKEN_BOOK_H_
