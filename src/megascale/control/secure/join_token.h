#ifndef MEGASCALE_CONTROL_SECURE_JOIN_TOKEN_H_
#define MEGASCALE_CONTROL_SECURE_JOIN_TOKEN_H_

#include <string>
#include <string_view>

#include "megascale/base/error.h"
#include "megascale/control/secure/trusted_clock.h"

namespace megascale::secure {

// What an operator copies to a new host. The secret proves to the authority that an operator invited
// the host; the pin proves the authority to the host. Both parts are as secret as a password.
struct JoinToken {
  static constexpr std::size_t kSecretNbytes = 32, kPinNbytes = 32;
  std::string secret;       // 32 random bytes
  std::string pin;          // SHA-256 of the authority's certificate, 32 bytes
  UnixSeconds expires = 0;  // the authority decides; here for a message before connecting
  std::string address;      // HOST:PORT at which joining was announced; may be empty
  bool operator==(const JoinToken&) const = default;
};

// Returns one word of letters, digits, '-' and '_', which ends in a checksum.
[[nodiscard]] std::string to_text(const JoinToken& token);
// Reads the output of to_text(), with white space around it. Error: bad_usage; the message never
// quotes the text.
[[nodiscard]] Result<JoinToken> parse_join_token(std::string_view text);
// Returns 32 random bytes. Throws Error (failed) if the system has none.
[[nodiscard]] std::string make_token_secret();

}  // namespace megascale::secure

#endif  // MEGASCALE_CONTROL_SECURE_JOIN_TOKEN_H_
