#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "megascale/base/clock.h"
#include "megascale/base/environment.h"
#include "megascale/cli/command.h"
#include "megascale/cli/startup_processes.h"
#include "megascale/comm/bootstrap/bootstrap.h"
#include "megascale/comm/store/embedded/server.h"
#include "megascale/comm/store/open_files.h"
#include "megascale/comm/store/redis/server_process.h"
#include "megascale/engine/engine.h"

namespace megascale::cli {
namespace {

struct StartupArguments {
  std::uint32_t ranks = 2048;
  std::string store = "embedded";
  std::string address;
  std::uint32_t processes = 0;  // 0: as many as cores
  std::uint32_t repeat = 1;
  std::size_t endpoint_bytes = 256;
  bool naive = false, fit = false;
};

struct Run {
  std::uint32_t ranks;
  StartupOrder order;
  StartupFigures figures;
  double server_cpu_seconds = 0;  // 0 where the server is somebody else's
  double request_rate = 0;  // requests per second that the store answers when it is given many
};

std::string_view name_of(StartupOrder order) {
  return order == StartupOrder::bootstrap ? "bootstrap" : "barrier per group";
}

double own_cpu_seconds() {
  rusage usage{};
  (void)::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

// How fast one connection that never waits for a reply gets the smallest request answered: with
// this rate a count of requests becomes a floor of time.
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

// Our keys in somebody else's server.
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

Run run_once(const StartupArguments& arguments, std::uint32_t ranks, StartupOrder order) {
  // The server holds one connection per rank, and for a while those that were given up.
  constexpr std::uint64_t kOwnFiles = 256;
  const std::uint64_t files =
      comm::allow_open_files(ranks + kOwnFiles, std::uint64_t{2} * ranks + kOwnFiles);
  StartupJob job{
      .ranks = ranks,
      .processes = arguments.processes != 0
                       ? arguments.processes
                       : static_cast<std::uint32_t>(std::min<std::size_t>(8, available_cores())),
      .order = order,
      .endpoint_nbytes = arguments.endpoint_bytes,
      .store = {.secret = comm::JobSecret::random(),
                .job = fmt::format("bench-{}-{}", ::getpid(), monotonic_ns()),
                .connect_timeout = std::chrono::minutes(2),
                .response_timeout = std::chrono::minutes(2)}};
  std::unique_ptr<comm::StoreServer> embedded;
  std::unique_ptr<comm::RedisServerProcess> redis;
  if (!arguments.address.empty()) {
    job.store.address = comm::parse_store_address(arguments.address);
    job.store.secret = comm::JobSecret::from_environment(environment_variable);
  } else if (arguments.store == "redis") {
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
  Run run{.ranks = ranks, .order = order, .figures = processes.run()};
  if (arguments.address.empty()) run.server_cpu_seconds = server_cpu() - before;
  run.request_rate = measure_request_rate(job.store);
  if (!arguments.address.empty()) remove_keys(job.store, ranks);
  return run;
}

Run median_run(const StartupArguments& arguments, std::uint32_t ranks, StartupOrder order) {
  std::vector<Run> runs;
  for (std::uint32_t i = 0; i < arguments.repeat; ++i)
    runs.push_back(run_once(arguments, ranks, order));
  std::sort(runs.begin(), runs.end(),
            [](const Run& a, const Run& b) { return a.figures.seconds < b.figures.seconds; });
  return runs[runs.size() / 2];
}

double floor_seconds(const Run& run) {
  return static_cast<double>(run.figures.counts.requests) / run.request_rate;
}

void print(const Run& run) {
  const StartupFigures& f = run.figures;
  fmt::print(
      "{:<17} {:>6} ranks {:>9.3f} s {:>9} requests ({:>6.1f} a rank) {:>5} global barriers, "
      "{:.1f} MB; "
      "floor {:.3f} s at {:.0f} requests/s; processor time: store {:.2f} s, ranks {:.2f} s\n",
      name_of(run.order), run.ranks, f.seconds, f.counts.requests,
      static_cast<double>(f.counts.requests) / run.ranks, f.global_barriers,
      static_cast<double>(f.counts.bytes_sent + f.counts.bytes_received) * 1e-6, floor_seconds(run),
      run.request_rate, run.server_cpu_seconds, f.client_cpu_seconds);
  std::fflush(stdout);
}

nlohmann::ordered_json to_json(const Run& run) {
  const StartupFigures& f = run.figures;
  return {{"order", name_of(run.order)},
          {"ranks", run.ranks},
          {"seconds", f.seconds},
          {"requests", f.counts.requests},
          {"global_barriers", f.global_barriers},
          {"bytes_sent", f.counts.bytes_sent},
          {"bytes_received", f.counts.bytes_received},
          {"requests_per_second", run.request_rate},
          {"floor_seconds", floor_seconds(run)},
          {"store_cpu_seconds", run.server_cpu_seconds},
          {"rank_cpu_seconds", f.client_cpu_seconds}};
}

// The exponent k of y = c ranks^k through the runs, by least squares of the logarithms.
double growth_exponent(const std::vector<Run>& runs, double (*y)(const Run&)) {
  double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
  const auto n = static_cast<double>(runs.size());
  for (const Run& run : runs) {
    const double lx = std::log(run.ranks), ly = std::log(y(run));
    sum_x += lx;
    sum_y += ly;
    sum_xx += lx * lx;
    sum_xy += lx * ly;
  }
  return (n * sum_xy - sum_x * sum_y) / (n * sum_xx - sum_x * sum_x);
}

// Both orders at numbers of ranks that double: from 64, which have all groups, to the one asked
// for; the slow order to an eighth of it, which takes a while already.
Outcome fit(const StartupArguments& arguments) {
  constexpr std::uint32_t kFirst = 64;
  Outcome outcome;
  for (const auto order : {StartupOrder::bootstrap, StartupOrder::barrier_per_group}) {
    const std::uint32_t last =
        order == StartupOrder::bootstrap ? arguments.ranks : arguments.ranks / 8;
    std::vector<Run> runs;
    for (std::uint32_t ranks = kFirst; ranks <= std::max(last, 2 * kFirst); ranks *= 2) {
      runs.push_back(median_run(arguments, ranks, order));
      print(runs.back());
      outcome.json["runs"].push_back(to_json(runs.back()));
    }
    const double seconds =
        growth_exponent(runs, [](const Run& run) { return run.figures.seconds; });
    const double requests = growth_exponent(
        runs, [](const Run& run) { return static_cast<double>(run.figures.counts.requests); });
    fmt::print("{}: time grows as ranks^{:.2f}, requests as ranks^{:.2f}\n", name_of(order),
               seconds, requests);
    outcome.json["growth"][std::string(name_of(order))] = {{"seconds", seconds},
                                                           {"requests", requests}};
  }
  return outcome;
}

Outcome startup(const StartupArguments& arguments) {
  if (arguments.fit) return fit(arguments);
  const Run run =
      median_run(arguments, arguments.ranks,
                 arguments.naive ? StartupOrder::barrier_per_group : StartupOrder::bootstrap);
  print(run);
  return {.json = to_json(run)};
}

}  // namespace

void add_bench_startup(Command& bench) {
  const auto arguments = std::make_shared<StartupArguments>();
  Command command = bench.subcommand(
      "startup",
      "time until all ranks of a job can use their groups, by real connections to a store");
  command.option("--ranks", arguments->ranks, "connections; groups are those of the 175B model")
      .between(1, 65'536)
      .shows_default();
  command.option("--store", arguments->store, "embedded, or redis: a server started for this")
      .one_of({"embedded", "redis"})
      .shows_default();
  command.option("--address", arguments->address,
                 "a running store instead (redis://host:port); its password in "
                 "MEGASCALE_JOB_SECRET or MEGASCALE_JOB_SECRET_FILE");
  command.option("--processes", arguments->processes, "that share the ranks; 0: one per core")
      .between(0, 8);
  command.option("--repeat", arguments->repeat, "runs, of which the median counts")
      .positive()
      .shows_default();
  command.option("--endpoint-bytes", arguments->endpoint_bytes, "that every rank publishes")
      .between(0, 65'536)
      .shows_default();
  command.flag("--naive", arguments->naive, "a barrier over all ranks after every group instead");
  command.flag("--fit", arguments->fit,
               "both orders at several numbers of ranks, and how they grow");
  command.does([arguments] { return startup(*arguments); });
}

}  // namespace megascale::cli
