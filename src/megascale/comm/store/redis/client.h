#ifndef MEGASCALE_COMM_STORE_REDIS_CLIENT_H_
#define MEGASCALE_COMM_STORE_REDIS_CLIENT_H_

#include <memory>

#include "megascale/comm/store/store.h"

namespace megascale::comm {

// Returns a client of a Redis server, version 5 or later. It authenticates with the job's secret
// (AUTH) and refuses a server that has no password. All keys have the prefix "megascale:{JOB}:" and
// expire after a day. `polls` must outlive the client; its connection has the token `token` there.
// Throws Error (unsupported) in a build without hiredis.
//
// Waiting clients do not poll the server. If a script finds a key missing, it sets a mark beside
// the key, and the client blocks on a stream (XREAD BLOCK). A client that sets a marked key also
// adds an entry to that stream, which wakes all waiting clients.
[[nodiscard]] std::unique_ptr<StoreClient> make_redis_client(const StoreOptions& options,
                                                             PollSet& polls, std::uint64_t token);
// Returns false in a build without hiredis.
[[nodiscard]] bool has_redis() noexcept;

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_STORE_REDIS_CLIENT_H_
