#ifndef MEGASCALE_CONTROL_SECURE_JOIN_MESSAGE_H_
#define MEGASCALE_CONTROL_SECURE_JOIN_MESSAGE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "megascale/base/error.h"

// The two messages of joining, over TLS: the host sends a request, the authority a reply, and the
// connection ends. A message is its length in 32 bits, little-endian, and the fields.
namespace megascale::secure {

struct JoinRequest {
  std::string secret;   // of the join token, 32 bytes
  std::string name;     // the host's
  std::string request;  // certificate request, DER
  bool operator==(const JoinRequest&) const = default;
};
struct JoinReply {
  std::string refusal;      // why the host may not join; empty: it may
  std::string certificate;  // PEM, of the host
  bool operator==(const JoinReply&) const = default;
};

inline constexpr std::size_t kMostJoinNbytes = 32768;

// Returns the whole message with its length.
[[nodiscard]] std::string to_message(const JoinRequest& request);
[[nodiscard]] std::string to_message(const JoinReply& reply);
// Returns how many bytes a message has, its length included, from its first four bytes. Error:
// bad_input if it is longer than kMostJoinNbytes.
inline constexpr std::size_t kJoinLengthNbytes = 4;
[[nodiscard]] Result<std::size_t> join_message_nbytes(std::string_view begin);
// Reads a message without its length. Error: bad_input.
[[nodiscard]] Result<JoinRequest> parse_join_request(std::string_view bytes);
[[nodiscard]] Result<JoinReply> parse_join_reply(std::string_view bytes);

}  // namespace megascale::secure

#endif  // MEGASCALE_CONTROL_SECURE_JOIN_MESSAGE_H_
