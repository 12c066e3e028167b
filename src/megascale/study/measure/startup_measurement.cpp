// Starts a store, lets processes with thousands of store clients run the start-up of a job, and
// measures time, requests and CPU time of the server. Afterwards one more client measures how fast
// the store answers requests. This gives a lower bound for the start, which shows whether the store
// or the method limits it.
#include "megascale/study/measure/startup_measurement.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "megascale/base/clock.h"
#include "megascale/base/core_binding.h"
#include "megascale/base/environment.h"
#include "megascale/base/error.h"
#include "megascale/comm/bootstrap/bootstrap.h"
#include "megascale/comm/store/embedded/server.h"
#include "megascale/comm/store/open_files.h"
#include "megascale/comm/store/redis/server_process.h"
#include "megascale/study/statistics.h"

namespace megascale::study {
namespace {

double own_cpu_seconds() {
  rusage usage{};
  (void)::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

// Returns the requests per second that the store answers on one connection, which sends the
// smallest request without waiting for replies. A number of requests over this rate is a lower
// bound for their time.
double measure_request_rate(const comm::StoreOptions& options) {
  constexpr std::size_t kBatch = 2000, kBatches = 10;
  comm::PollSet polls;
  const auto client = comm::make_store_client(options, polls, 0);
  const std::vector<comm::StoreRequest> batch(
      kBatch, {.op = comm::StoreOp::add, .keys = {"rate"}, .number = 1});
  double best = 0;
  for (std::size_t i = 0; i < kBatches; ++i) {
    const std::int64_t begin = monotonic_ns();
    client->start(batch);
    const auto replies = comm::finish(*client, polls);
    if (!replies) throw Error(replies.error());
    best = std::max(
        best, static_cast<double>(kBatch) / (static_cast<double>(monotonic_ns() - begin) * 1e-9));
  }
  return best;
}

// Removes the keys of a measurement from a store that this program did not start.
void remove_keys(const comm::StoreOptions& options, std::uint32_t ranks) {
  comm::Store store(options);
  std::vector<std::string> keys{"arrived", "verdict", "diagnosis", "rate"};
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    keys.push_back(comm::record_key(rank));
    keys.push_back(comm::launch_key(rank));
    if (keys.size() < 1024 && rank + 1 < ranks) continue;
    if (const auto erased = store.erase(std::exchange(keys, {})); !erased)
      throw Error(erased.error());
  }
}

// Measures one start.
StartupRun run_once(const StartupOptions& options, std::uint32_t ranks, StartupOrder order) {
  // The server has one open connection for each rank, and for a while also connections that clients
  // have given up.
  constexpr std::uint64_t kOwnFiles = 256;
  const std::uint64_t files =
      comm::allow_open_files(ranks + kOwnFiles, std::uint64_t{2} * ranks + kOwnFiles);
  StartupJob job{
      .ranks = ranks,
      .processes = options.processes != 0
                       ? options.processes
                       : static_cast<std::uint32_t>(std::min<std::size_t>(8, available_cores())),
      .order = order,
      .endpoint_nbytes = options.endpoint_bytes,
      .store = {.secret = comm::JobSecret::random(),
                .job = fmt::format("bench-{}-{}", ::getpid(), monotonic_ns()),
                .connect_timeout = std::chrono::minutes(2),
                .response_timeout = std::chrono::minutes(2)}};
  std::unique_ptr<comm::StoreServer> embedded;
  std::unique_ptr<comm::RedisServerProcess> redis;
  if (!options.address.empty()) {
    job.store.address = comm::parse_store_address(options.address);
    job.store.secret = comm::JobSecret::from_environment(environment_variable);
  } else if (options.store == "redis") {
    redis = std::make_unique<comm::RedisServerProcess>(job.store.secret, files - kOwnFiles / 2);
    job.store.address = redis->address();
  } else {
    embedded = std::make_unique<comm::StoreServer>(
        comm::StoreServerOptions{.address = {}, .secret = job.store.secret, .job = job.store.job});
    job.store.address = embedded->address();
  }
  StartupProcesses processes(job);
  if (embedded) embedded->start();
  const auto server_cpu = [&] { return redis ? redis->cpu_seconds() : own_cpu_seconds(); };
  const double before = server_cpu();
  StartupRun run{.ranks = ranks, .order = order, .figures = processes.run()};
  if (options.address.empty()) run.server_cpu_seconds = server_cpu() - before;
  run.request_rate = measure_request_rate(job.store);
  if (!options.address.empty()) remove_keys(job.store, ranks);
  return run;
}

}  // namespace

double StartupRun::floor_seconds() const noexcept {
  return static_cast<double>(figures.counts.requests) / request_rate;
}

std::string_view name_of(StartupOrder order) noexcept {
  return order == StartupOrder::bootstrap ? "bootstrap" : "barrier per group";
}

StartupRun measure_startup(const StartupOptions& options, std::uint32_t ranks, StartupOrder order) {
  std::vector<StartupRun> runs;
  for (std::uint32_t i = 0; i < options.repeat; ++i)
    runs.push_back(run_once(options, ranks, order));
  std::sort(runs.begin(), runs.end(), [](const StartupRun& a, const StartupRun& b) {
    return a.figures.seconds < b.figures.seconds;
  });
  return runs[runs.size() / 2];
}

std::vector<std::uint32_t> ranks_of_growth(std::uint32_t ranks, StartupOrder order) {
  constexpr std::uint32_t kFirst = 64;  // the smallest grid with groups on all axes: 8 x 8
  const std::uint32_t last = order == StartupOrder::bootstrap ? ranks : ranks / 8;
  std::vector<std::uint32_t> all;
  for (std::uint32_t n = kFirst; n <= std::max(last, 2 * kFirst); n *= 2) all.push_back(n);
  return all;
}

StartupGrowth growth_of(const std::vector<StartupRun>& runs) {
  std::vector<Point> seconds, requests;
  for (const StartupRun& run : runs) {
    const auto ranks = static_cast<double>(run.ranks);
    seconds.push_back({ranks, run.figures.seconds});
    requests.push_back({ranks, static_cast<double>(run.figures.counts.requests)});
  }
  return {growth_exponent(seconds), growth_exponent(requests)};
}

}  // namespace megascale::study
