#ifndef MEGASCALE_COMM_STORE_REDIS_CLIENT_H_
#define MEGASCALE_COMM_STORE_REDIS_CLIENT_H_

#include <memory>

#include "megascale/comm/store/store.h"

namespace megascale::comm {

// A client of a Redis server (5 or later), asked to AUTH with the job's secret; one that wants no
// password is refused. Keys stand behind "megascale:{JOB}:" and go after a day.
//
// Waits do not poll: who finds a key missing leaves a mark beside it, in the same script, and
// blocks on a stream (XREAD BLOCK); who sets a marked key adds to that stream, which wakes all who
// wait. Throws Error (unsupported) in a build without hiredis.
[[nodiscard]] std::unique_ptr<StoreClient> make_redis_client(const StoreOptions& options,
                                                             PollSet& polls, std::uint64_t token);
// False in a build without hiredis.
[[nodiscard]] bool has_redis() noexcept;

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_STORE_REDIS_CLIENT_H_
