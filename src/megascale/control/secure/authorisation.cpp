#include "megascale/control/secure/authorisation.h"

#include <fmt/format.h>

namespace megascale::secure {

std::string_view to_string(Right right) noexcept {
  switch (right) {
    case Right::belong:
      return "belong";
    case Right::observe:
      return "observe";
    case Right::report:
      return "report";
    case Right::act:
      return "act";
    case Right::administer:
      return "administer";
  }
  return "";
}

bool has_right(Role role, Right right) noexcept {
  if (right == Right::belong) return true;
  switch (role) {
    case Role::driver:
      return right == Right::observe;
    case Role::executor:
      return right == Right::report;
    case Role::operator_:
      return right == Right::observe || right == Right::act || right == Right::administer;
  }
  return false;
}

std::string to_string(const Peer& peer) {
  return fmt::format("{} at {}", peer.authenticated ? to_string(peer.member.identity) : "somebody",
                     to_string(peer.address));
}

Decision authorise(const Peer& peer, const Verb& verb, RevokedSerials& revoked, UnixSeconds now) {
  const MemberCertificate& member = peer.member;
  if (const auto valid = check_validity(member, now); !valid)
    return {Refusal::certificate, valid.error().message()};
  try {
    if (const auto time = revoked.find(member.serial)) {
      return {Refusal::certificate,
              fmt::format("the certificate of {} (serial {}) was revoked at {}: join again with a "
                          "new token",
                          to_string(member.identity), member.serial, to_utc(*time))};
    }
  } catch (const Error&) {
    return {Refusal::certificate,
            "the list of revoked certificates cannot be read, so nobody is let in: see the log of "
            "the driver"};
  }
  if (!has_right(member.identity.role, verb.right)) {
    return {Refusal::right,
            fmt::format("{} may not call {}, which needs the right to {}: use the "
                        "credentials of a member that has it",
                        to_string(member.identity), verb.name, to_string(verb.right))};
  }
  return {};
}

}  // namespace megascale::secure
