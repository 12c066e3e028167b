#ifndef MEGASCALE_CONTROL_SECURE_AUTHORISATION_H_
#define MEGASCALE_CONTROL_SECURE_AUTHORISATION_H_

#include <functional>
#include <string>
#include <string_view>

#include "megascale/control/secure/certificate.h"
#include "megascale/control/secure/host_port.h"
#include "megascale/control/secure/member_book.h"

// Who may call what. Each verb of a server needs one right; a role has some of the rights.
namespace megascale::secure {

enum class Right : std::uint8_t {
  belong,     // what every member may do, such as renewing its certificate
  observe,    // reads the state of jobs and hosts
  report,     // tells the driver about a host and takes its orders: heartbeats
  act,        // changes a job: submit, evict, stop
  administer  // changes the control plane itself
};
[[nodiscard]] std::string_view to_string(Right right) noexcept;
// Drivers observe; executors report; operators observe, act and administer.
[[nodiscard]] bool has_right(Role role, Right right) noexcept;

// The other side of a call.
struct Peer {
  MemberCertificate member;  // with its identity; empty if the server runs without credentials
  HostPort address;
  bool authenticated = true;  // false: the server runs without credentials
};
[[nodiscard]] std::string to_string(const Peer& peer);

// Answers a call. Runs on a thread of the server: it must not wait for other calls.
using Handler = std::function<Result<std::string>(const Peer& peer, std::string_view request)>;
struct Verb {
  std::string name;  // letters and digits, such as "Heartbeat"
  Right right = Right::administer;
  Handler handler;
};

enum class Refusal : std::uint8_t { none, certificate, right };
struct Decision {
  Refusal refusal = Refusal::none;
  std::string why;  // names the member, the verb and what to do
};
// Decides whether `peer` may call a verb now: its certificate is valid and not revoked, and its role
// has the right. If the list of revoked certificates cannot be read, nobody may.
[[nodiscard]] Decision authorise(const Peer& peer, const Verb& verb, RevokedSerials& revoked,
                                 UnixSeconds now);

}  // namespace megascale::secure

#endif  // MEGASCALE_CONTROL_SECURE_AUTHORISATION_H_
