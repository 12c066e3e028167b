// Stand-ins for a build without hiredis: the factory throws an error that says what to install.
#include "megascale/comm/store/redis/client.h"

namespace megascale::comm {

std::unique_ptr<StoreClient> make_redis_client(const StoreOptions& /*options*/, PollSet& /*polls*/,
                                               std::uint64_t /*token*/) {
  throw Error(
      ErrorCode::unsupported,
      "built without Redis: install hiredis (Debian: libhiredis-dev) and configure again, or "
      "use the embedded store");
}

bool has_redis() noexcept { return false; }

}  // namespace megascale::comm
