#ifndef MEGASCALE_CONTROL_SECURE_IDENTITY_H_
#define MEGASCALE_CONTROL_SECURE_IDENTITY_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "megascale/base/error.h"

// Who a member of a cluster is. A certificate carries its owner's identity as a URI:
//   megascale://CLUSTER/ROLE/NAME
namespace megascale::secure {

enum class Role : std::uint8_t {
  driver,    // decides, one for each job; the only role that peers accept as a server
  executor,  // starts and watches the ranks of one host
  operator_  // a person or a program that submits, observes and evicts
};
[[nodiscard]] std::string_view to_string(Role role) noexcept;  // such as "operator"
// Error: bad_usage, with the known roles.
[[nodiscard]] Result<Role> parse_role(std::string_view text);

struct Identity {
  std::string cluster;  // the id of the authority: 32 hexadecimal digits
  Role role = Role::executor;
  std::string name;  // of the host or of the operator
  bool operator==(const Identity&) const = default;
};

// Returns true for 1 to 64 letters, digits, '.', '-' and '_' that start with a letter or a digit.
// Such a name is safe in a URI, in a file name and in a log.
[[nodiscard]] bool is_name(std::string_view text) noexcept;
// Returns the URI. parse_identity() reads it back; error: bad_input.
[[nodiscard]] std::string to_uri(const Identity& identity);
[[nodiscard]] Result<Identity> parse_identity(std::string_view uri);
// Returns words for a message, such as "executor node7".
[[nodiscard]] std::string to_string(const Identity& identity);

}  // namespace megascale::secure

#endif  // MEGASCALE_CONTROL_SECURE_IDENTITY_H_
