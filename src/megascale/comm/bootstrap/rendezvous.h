#ifndef MEGASCALE_COMM_BOOTSTRAP_RENDEZVOUS_H_
#define MEGASCALE_COMM_BOOTSTRAP_RENDEZVOUS_H_

#include <memory>

#include "megascale/comm/bootstrap/bootstrap.h"
#include "megascale/comm/bootstrap/launch_environment.h"
#include "megascale/comm/store/embedded/server.h"

namespace megascale::comm {

// From the launcher's environment to the other ranks: rank 0 runs the embedded store where that is
// the kind asked for and the launcher does not, every rank connects. Blocks; one thread.
class Rendezvous {
 public:
  // Throws Error where rank 0 cannot listen on the store's address (io), or may not open a
  // connection for every rank (failed). `timeout`: for the others to arrive, and for the store to
  // be there.
  Rendezvous(const LaunchEnvironment& environment, const JobSecret& secret,
             std::chrono::milliseconds timeout);
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;
  // On rank 0 the store ends with it, after the others have read how the launch went.
  ~Rendezvous();

  // Meets the other ranks, once. `groups`: the ranks of every group that this one is in. An Error
  // is the same on all ranks: somebody is missing, or differs.
  Result<Launch> meet(std::string endpoint, const LaunchDigest& digest,
                      std::vector<std::vector<std::uint32_t>> groups);
  // For further connections to the same store.
  [[nodiscard]] const StoreOptions& store_options() const noexcept { return store_options_; }

 private:
  LaunchEnvironment environment_;
  std::chrono::milliseconds timeout_;
  StoreOptions store_options_;
  std::unique_ptr<StoreServer> server_;
  PollSet polls_;
  std::unique_ptr<StoreClient> client_;
  bool met_ = false;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_BOOTSTRAP_RENDEZVOUS_H_
