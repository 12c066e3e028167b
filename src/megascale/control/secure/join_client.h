#ifndef MEGASCALE_CONTROL_SECURE_JOIN_CLIENT_H_
#define MEGASCALE_CONTROL_SECURE_JOIN_CLIENT_H_

#include <chrono>
#include <filesystem>
#include <string>

#include "megascale/control/secure/credentials.h"
#include "megascale/control/secure/host_port.h"
#include "megascale/control/secure/join_token.h"

namespace megascale::secure {

struct JoinOptions {
  HostPort address;  // of the join server
  JoinToken token;
  std::string name;                 // of this host
  std::filesystem::path directory;  // gets the credentials
  std::chrono::milliseconds limit = std::chrono::seconds(20);
};

// Joins a cluster: connects, checks that the server is a driver of the authority that the token pins
// and only then sends the token, and stores the credentials. The private key never leaves the
// directory. The key of an unfinished attempt is used again, so after a lost reply the same command
// can be repeated. Throws Error: bad_usage if the token is refused or expired, or if the directory
// belongs to another cluster; peer_lost if nobody answers; failed if the server is not the
// authority's; timeout.
Credentials join_cluster(const JoinOptions& options);

}  // namespace megascale::secure

#endif  // MEGASCALE_CONTROL_SECURE_JOIN_CLIENT_H_
