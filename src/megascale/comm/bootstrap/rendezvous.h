#ifndef MEGASCALE_COMM_BOOTSTRAP_RENDEZVOUS_H_
#define MEGASCALE_COMM_BOOTSTRAP_RENDEZVOUS_H_

#include <memory>

#include "megascale/comm/bootstrap/bootstrap.h"
#include "megascale/comm/bootstrap/launch_environment.h"
#include "megascale/comm/store/embedded/server.h"

namespace megascale::comm {

// Connects this rank with the other ranks of the job through the rendezvous store. If the embedded
// store is used and the launcher does not run it, rank 0 does. The functions block. One thread.
class Rendezvous {
 public:
  // `timeout` bounds two waits, each for itself: until the store is reachable, and until the other
  // ranks have arrived. Throws Error on rank 0: io if it cannot listen on the store's address,
  // failed if the limit of open files is too low for a connection of every rank. On all ranks:
  // unsupported for a Redis address in a build without hiredis.
  Rendezvous(const LaunchEnvironment& environment, const JobSecret& secret,
             std::chrono::milliseconds timeout);
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;
  // If this rank runs the store, the destructor ends it. Before that it waits, 10 s at most, until
  // the other ranks have read the result of the launch.
  ~Rendezvous();

  // Waits until all ranks have arrived, and returns the records of this rank and its peers. Call it
  // once. `endpoint` is for the peers: how to reach this rank. `groups` holds the ranks of every
  // group that this rank is in. Errors are those of Bootstrap: if a rank is missing or was started
  // differently, all ranks return the same Error.
  Result<Launch> meet(std::string endpoint, const LaunchDigest& digest,
                      std::vector<std::vector<std::uint32_t>> groups);
  // Instead of meet(): makes `error` the result of meet() on all other ranks. If this rank runs the
  // store, waits until they have arrived, but not longer than the timeout.
  void refuse(const Error& error);
  // Returns the options for further connections to the same store.
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
