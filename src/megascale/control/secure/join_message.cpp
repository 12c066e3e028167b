#include "megascale/control/secure/join_message.h"

#include <fmt/format.h>

#include "megascale/comm/store/bytes.h"
#include "megascale/control/secure/identity.h"
#include "megascale/control/secure/join_token.h"

namespace megascale::secure {
namespace {

// Version 1 of the two messages: a sender of another version is told so.
constexpr std::uint32_t kRequestMark = 0x31514a4d, kReplyMark = 0x31524a4d;  // "MJQ1", "MJR1"

template <class Fields>
std::string message_of(std::uint32_t mark, const Fields& write_fields) {
  std::string fields;
  comm::ByteWriter writer(fields);
  writer.number(mark);
  write_fields(writer);
  std::string message;
  comm::ByteWriter(message).text(fields);
  MEGASCALE_CHECK(message.size() <= kMostJoinNbytes, "a message of joining is short");
  return message;
}

tl::unexpected<Error> malformed(const char* what) {
  return tl::unexpected(
      Error(ErrorCode::bad_input,
            fmt::format("{}; both sides must run the same version of megascale", what)));
}

}  // namespace

std::string to_message(const JoinRequest& request) {
  return message_of(kRequestMark, [&](comm::ByteWriter& writer) {
    writer.text(request.secret);
    writer.text(request.name);
    writer.text(request.request);
  });
}

std::string to_message(const JoinReply& reply) {
  return message_of(kReplyMark, [&](comm::ByteWriter& writer) {
    writer.text(reply.refusal);
    writer.text(reply.certificate);
  });
}

Result<std::size_t> join_message_nbytes(std::string_view begin) {
  comm::ByteReader reader(begin.substr(0, kJoinLengthNbytes));
  const std::size_t nbytes = std::size_t{reader.number<std::uint32_t>()} + kJoinLengthNbytes;
  if (!reader.complete() || nbytes > kMostJoinNbytes) return malformed("the message is too long");
  return nbytes;
}

Result<JoinRequest> parse_join_request(std::string_view bytes) {
  comm::ByteReader reader(bytes);
  if (reader.number<std::uint32_t>() != kRequestMark) return malformed("not a request to join");
  JoinRequest request{.secret = std::string(reader.text()),
                      .name = std::string(reader.text()),
                      .request = std::string(reader.text())};
  if (!reader.complete()) return malformed("the request to join is malformed");
  if (request.secret.size() != JoinToken::kSecretNbytes)
    return malformed("the request to join has no token");
  if (!is_name(request.name)) {
    return tl::unexpected(Error(
        ErrorCode::bad_input,
        "expected a host name of 1 to 64 letters, digits, '.', '-' and '_'; give one: --name"));
  }
  return request;
}

Result<JoinReply> parse_join_reply(std::string_view bytes) {
  comm::ByteReader reader(bytes);
  if (reader.number<std::uint32_t>() != kReplyMark)
    return malformed("not a reply to a join request");
  JoinReply reply{.refusal = std::string(reader.text()), .certificate = std::string(reader.text())};
  if (!reader.complete() || reply.refusal.empty() == reply.certificate.empty())
    return malformed("the reply to a join request is malformed");
  return reply;
}

}  // namespace megascale::secure
