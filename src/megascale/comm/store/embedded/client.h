#ifndef MEGASCALE_COMM_STORE_EMBEDDED_CLIENT_H_
#define MEGASCALE_COMM_STORE_EMBEDDED_CLIENT_H_

#include <memory>

#include "megascale/comm/store/store.h"

namespace megascale::comm {

// Returns a client of StoreServer. It sends no request before the server has proved that it knows
// the job's secret. Then it sends all requests of a batch at once. `polls` must outlive it; its
// connection has the token `token` there.
[[nodiscard]] std::unique_ptr<StoreClient> make_embedded_client(const StoreOptions& options,
                                                                PollSet& polls,
                                                                std::uint64_t token);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_STORE_EMBEDDED_CLIENT_H_
