// `megascale bench startup`: measures how long a job of many ranks needs until all its groups are
// usable, by two methods, and how the time grows with the number of ranks.
#include <fmt/format.h>

#include <cstdio>

#include "megascale/cli/command.h"
#include "megascale/study/measure/startup_measurement.h"

namespace megascale::cli {
namespace {

struct StartupArguments {
  study::StartupOptions options;
  bool naive = false, fit = false;
};

void print(const study::StartupRun& run) {
  const study::StartupFigures& f = run.figures;
  fmt::print(
      "{:<17} {:>6} ranks {:>9.3f} s {:>9} requests ({:>6.1f} a rank) {:>5} global barriers, "
      "{:.1f} MB; "
      "floor {:.3f} s at {:.0f} requests/s; processor time: store {:.2f} s, ranks {:.2f} s\n",
      name_of(run.order), run.ranks, f.seconds, f.counts.requests,
      static_cast<double>(f.counts.requests) / run.ranks, f.global_barriers,
      static_cast<double>(f.counts.bytes_sent + f.counts.bytes_received) * 1e-6,
      run.floor_seconds(), run.request_rate, run.server_cpu_seconds, f.client_cpu_seconds);
  std::fflush(stdout);
}

nlohmann::ordered_json to_json(const study::StartupRun& run) {
  const study::StartupFigures& f = run.figures;
  return {{"order", name_of(run.order)},
          {"ranks", run.ranks},
          {"seconds", f.seconds},
          {"requests", f.counts.requests},
          {"global_barriers", f.global_barriers},
          {"bytes_sent", f.counts.bytes_sent},
          {"bytes_received", f.counts.bytes_received},
          {"requests_per_second", run.request_rate},
          {"floor_seconds", run.floor_seconds()},
          {"store_cpu_seconds", run.server_cpu_seconds},
          {"rank_cpu_seconds", f.client_cpu_seconds}};
}

// Measures both methods at doubling numbers of ranks, and fits how time and requests grow.
Outcome fit(const study::StartupOptions& options) {
  Outcome outcome;
  for (const auto order :
       {study::StartupOrder::bootstrap, study::StartupOrder::barrier_per_group}) {
    std::vector<study::StartupRun> runs;
    for (const std::uint32_t ranks : study::ranks_of_growth(options.ranks, order)) {
      runs.push_back(study::measure_startup(options, ranks, order));
      print(runs.back());
      outcome.json["runs"].push_back(to_json(runs.back()));
    }
    const study::StartupGrowth growth = study::growth_of(runs);
    fmt::print("{}: time grows as ranks^{:.2f}, requests as ranks^{:.2f}\n", name_of(order),
               growth.seconds, growth.requests);
    outcome.json["growth"][std::string(name_of(order))] = {{"seconds", growth.seconds},
                                                           {"requests", growth.requests}};
  }
  return outcome;
}

Outcome startup(const StartupArguments& arguments) {
  if (arguments.fit) return fit(arguments.options);
  const study::StartupRun run = study::measure_startup(
      arguments.options, arguments.options.ranks,
      arguments.naive ? study::StartupOrder::barrier_per_group : study::StartupOrder::bootstrap);
  print(run);
  return {.json = to_json(run)};
}

}  // namespace

void add_bench_startup(Command& bench) {
  const auto arguments = std::make_shared<StartupArguments>();
  Command command = bench.subcommand(
      "startup",
      "time until all ranks of a job can use their groups, by real connections to a store");
  command
      .option("--ranks", arguments->options.ranks,
              "ranks of the job; its groups are those of the 175B model")
      .between(1, 65'536)
      .shows_default();
  command
      .option("--store", arguments->options.store,
              "embedded, or redis: a server that the benchmark starts")
      .one_of({"embedded", "redis"})
      .shows_default();
  command.option("--address", arguments->options.address,
                 "use this running store instead (redis://host:port); its password is in "
                 "MEGASCALE_JOB_SECRET or MEGASCALE_JOB_SECRET_FILE");
  command
      .option("--processes", arguments->options.processes,
              "processes that share the ranks; 0: one per core")
      .between(0, 8);
  command.option("--repeat", arguments->options.repeat, "runs; the run of median time is reported")
      .positive()
      .shows_default();
  command
      .option("--endpoint-bytes", arguments->options.endpoint_bytes,
              "bytes of the endpoint that every rank publishes")
      .between(0, 65'536)
      .shows_default();
  command.flag("--naive", arguments->naive,
               "use a barrier over all ranks after every group instead");
  command.flag("--fit", arguments->fit,
               "measure both methods at several numbers of ranks, and fit how they grow");
  command.does([arguments] { return startup(*arguments); });
}

}  // namespace megascale::cli
