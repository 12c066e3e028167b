#include "megascale/serve/access.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <array>

#include "megascale/serve/query.h"

namespace megascale::serve {
namespace {

// Compares in a time that does not depend on where the texts differ.
bool same_secret(std::string_view given, std::string_view secret) {
  return !secret.empty() && given.size() == secret.size() &&
         CRYPTO_memcmp(given.data(), secret.data(), secret.size()) == 0;
}

// The names of this server: "127.0.0.1:8765", "localhost:8765".
bool names_server(std::string_view host, const AccessRules& rules) {
  constexpr std::array kNames{"127.0.0.1", "localhost", "[::1]"};
  const auto is_named = [&](std::string_view name) {
    return host == fmt::format("{}:{}", name, rules.port);
  };
  return std::any_of(kNames.begin(), kNames.end(), is_named) ||
         std::any_of(rules.names.begin(), rules.names.end(), is_named);
}

bool is_own_origin(std::string_view origin, const AccessRules& rules) {
  const std::string_view scheme = rules.tls ? "https://" : "http://";
  return origin.starts_with(scheme) && names_server(origin.substr(scheme.size()), rules);
}

bool is_to_evict(const RequestFacts& request) {
  const auto path = parse_run_path(request.path);
  return request.method == "POST" && path && path->what == "evict";
}

std::string_view bearer_in(std::string_view authorization) {
  constexpr std::string_view kBearer = "Bearer ";
  return authorization.starts_with(kBearer) ? authorization.substr(kBearer.size()) : "";
}

}  // namespace

std::string AccessRules::cookie_name() const { return fmt::format("megascale_{}", port); }

std::string_view cookie_in(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    const std::size_t end = std::min(header.find(';'), header.size());
    std::string_view pair = header.substr(0, end);
    header.remove_prefix(std::min(end + 1, header.size()));
    while (pair.starts_with(' ')) pair.remove_prefix(1);
    if (pair.starts_with(name) && pair.substr(name.size()).starts_with('='))
      return pair.substr(name.size() + 1);
  }
  return {};
}

Access judge(const AccessRules& rules, const RequestFacts& request) {
  if (!names_server(request.host, rules)) return Access::wrong_host;
  const bool evicts = rules.can_evict && is_to_evict(request);
  if (request.method != "GET" && request.method != "HEAD" && !evicts) return Access::not_read_only;
  if (!request.origin.empty() && !is_own_origin(request.origin, rules)) return Access::other_site;
  const bool is_link = request.path == "/" && !request.token.empty() && !evicts;
  // A link may be followed from anywhere, such as a note in a browser; it shows nothing to that page.
  if (!is_link && (request.fetch_site == "cross-site" || request.fetch_site == "same-site"))
    return Access::other_site;
  if (is_link)
    return same_secret(request.token, rules.token) ? Access::give_cookie : Access::no_token;
  if (same_secret(bearer_in(request.authorization), rules.token)) return Access::allowed;
  if (!same_secret(cookie_in(request.cookies, rules.cookie_name()), rules.cookie))
    return Access::no_token;
  // A browser sends the cookie along with requests of any page, so the page must say that it is ours.
  return evicts && request.origin.empty() ? Access::other_site : Access::allowed;
}

}  // namespace megascale::serve
