// Identities and their URIs. The parser takes exactly what to_uri() writes: one spelling for each
// identity, so that two texts never name the same member.
#include "megascale/control/secure/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace megascale::secure {
namespace {

constexpr std::string_view kScheme = "megascale://";
constexpr std::array kRoles{Role::driver, Role::executor, Role::operator_};
constexpr std::size_t kMostNameNbytes = 64;  // the limit of a certificate's common name
constexpr std::size_t kClusterNbytes = 32;
constexpr std::string_view kDigits = "0123456789abcdef";

bool is_letter_or_digit(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

std::string_view to_string(Role role) noexcept {
  switch (role) {
    case Role::driver:
      return "driver";
    case Role::executor:
      return "executor";
    case Role::operator_:
      return "operator";
  }
  return "";
}

Result<Role> parse_role(std::string_view text) {
  for (const Role role : kRoles)
    if (to_string(role) == text) return role;
  return tl::unexpected(
      Error(ErrorCode::bad_usage,
            fmt::format("expected a role (driver, executor, operator), found \"{}\"", text)));
}

bool is_name(std::string_view text) noexcept {
  return !text.empty() && text.size() <= kMostNameNbytes && is_letter_or_digit(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return is_letter_or_digit(c) || c == '.' || c == '-' || c == '_';
         });
}

std::string to_uri(const Identity& identity) {
  return fmt::format("{}{}/{}/{}", kScheme, identity.cluster, to_string(identity.role),
                     identity.name);
}

Result<Identity> parse_identity(std::string_view uri) {
  // The text comes from a peer and may be long or hold anything: it is not quoted.
  const auto refuse = [](const char* part) {
    return tl::unexpected(Error(
        ErrorCode::bad_input,
        fmt::format("expected megascale://CLUSTER/ROLE/NAME as the subject's URI; {}", part)));
  };
  if (!uri.starts_with(kScheme)) return refuse("the URI has another scheme");
  uri.remove_prefix(kScheme.size());
  const std::size_t first = uri.find('/');
  const std::size_t second = first == std::string_view::npos ? first : uri.find('/', first + 1);
  if (second == std::string_view::npos) return refuse("the URI has fewer than three parts");
  const std::string_view cluster = uri.substr(0, first), name = uri.substr(second + 1);
  if (cluster.size() != kClusterNbytes ||
      cluster.find_first_not_of(kDigits) != std::string_view::npos)
    return refuse("the cluster is not 32 hexadecimal digits");
  const auto role = parse_role(uri.substr(first + 1, second - first - 1));
  if (!role) return refuse("the role is unknown");
  if (!is_name(name)) return refuse("the name is not 1 to 64 letters, digits, '.', '-' or '_'");
  return Identity{.cluster = std::string(cluster), .role = *role, .name = std::string(name)};
}

std::string to_string(const Identity& identity) {
  return fmt::format("{} {}", to_string(identity.role), identity.name);
}

}  // namespace megascale::secure
