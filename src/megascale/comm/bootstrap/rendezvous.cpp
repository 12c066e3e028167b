// Sets up the store's server (on rank 0) and client, and runs Bootstrap on them.
#include "megascale/comm/bootstrap/rendezvous.h"

#include "megascale/comm/store/open_files.h"

namespace megascale::comm {
namespace {

// Time for the other ranks to read their last replies before the server ends.
constexpr std::chrono::seconds kDrain{10};
// Files that a training process may have open besides the connections of its store.
constexpr std::uint64_t kOwnFiles = 512;

}  // namespace

Rendezvous::Rendezvous(const LaunchEnvironment& environment, const JobSecret& secret,
                       std::chrono::milliseconds timeout)
    : environment_(environment),
      timeout_(timeout),
      store_options_{.address = environment.store,
                     .secret = secret,
                     .job = environment.job,
                     .connect_timeout = timeout,
                     .connect_delay = environment.rank * kConnectSpacing} {
  if (environment.rank == 0 && environment.store.kind == StoreKind::embedded &&
      !environment.launcher_runs_store) {
    const std::uint64_t files = environment.world_size + kOwnFiles;
    (void)allow_open_files(files, files);
    server_ = std::make_unique<StoreServer>(
        StoreServerOptions{.address = environment.store, .secret = secret, .job = environment.job});
    server_->start();
    store_options_.address = server_->address();
  }
  client_ = make_store_client(store_options_, polls_, 0);
}

Rendezvous::~Rendezvous() {
  client_.reset();
  if (server_ && met_) server_->drain(kDrain);
}

Result<Launch> Rendezvous::meet(std::string endpoint, const LaunchDigest& digest,
                                std::vector<std::vector<std::uint32_t>> groups) {
  MEGASCALE_CHECK(!met_, "ranks meet once");
  met_ = true;
  BootstrapOptions options;
  options.self = {
      .rank = environment_.rank, .host = this_process(), .endpoint = std::move(endpoint)};
  options.world_size = environment_.world_size;
  options.digest = digest;
  options.groups = std::move(groups);
  options.timeout = timeout_;
  Bootstrap bootstrap(*client_, std::move(options));
  return run(bootstrap, *client_, polls_);
}

void Rendezvous::refuse(const Error& error) {
  MEGASCALE_CHECK(!met_, "a rank that has met the others does not refuse to start");
  met_ = true;
  client_->start(refusal(error, server_ ? environment_.world_size : 0, timeout_));
  (void)finish(*client_, polls_);  // the caller reports the error in any case
}

}  // namespace megascale::comm
