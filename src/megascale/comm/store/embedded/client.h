#ifndef MEGASCALE_COMM_STORE_EMBEDDED_CLIENT_H_
#define MEGASCALE_COMM_STORE_EMBEDDED_CLIENT_H_

#include <memory>

#include "megascale/comm/store/store.h"

namespace megascale::comm {

// A client of StoreServer. It sends no request before the server has proved that it knows the
// secret, and all requests of a batch at once.
[[nodiscard]] std::unique_ptr<StoreClient> make_embedded_client(const StoreOptions& options,
                                                                PollSet& polls,
                                                                std::uint64_t token);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_STORE_EMBEDDED_CLIENT_H_
