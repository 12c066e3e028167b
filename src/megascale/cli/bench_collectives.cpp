// `megascale bench collectives`: times collectives between ranks of this machine, and on request
// those of Open MPI beside them.
#include <fmt/format.h>

#include <set>

#include "megascale/cli/command.h"
#include "megascale/study/measure/collectives.h"
#include "megascale/study/measure/openmpi_yardstick.h"

namespace megascale::cli {
namespace {

struct CollectivesArguments {
  study::CollectivesOptions options;
  bool beside_openmpi = false;
  std::string openmpi_program = study::default_openmpi_program();
};

// Returns Open MPI's times for the same sizes, or nothing if they were not requested.
study::YardstickSeconds seconds_of_openmpi(const CollectivesArguments& arguments,
                                           const std::vector<study::CollectiveTimes>& times) {
  if (!arguments.beside_openmpi) return {};
  std::set<std::size_t> sizes;
  for (const study::CollectiveTimes& one : times) sizes.insert(one.nbytes);
  return study::run_openmpi_yardstick(arguments.openmpi_program, arguments.options.ranks,
                                      {sizes.begin(), sizes.end()});
}

Outcome collectives(const CollectivesArguments& arguments) {
  const auto times = study::measure_collectives(
      arguments.options, [](const std::string& message) { say("megascale: " + message); });
  const study::YardstickSeconds openmpi = seconds_of_openmpi(arguments, times);
  fmt::print("{} ranks over {}\n{:<16} {:>12} {:>12} {:>10} {:>10}{}\n", arguments.options.ranks,
             arguments.options.transport, "kind", "bytes", "us", "algbw GB/s", "busbw GB/s",
             openmpi.empty() ? "" : "  Open MPI us    faster");
  Outcome outcome;
  outcome.json = {{"ranks", arguments.options.ranks}, {"transport", arguments.options.transport}};
  for (const study::CollectiveTimes& one : times) {
    const double algbw = one.algbw() * 1e-9, busbw = algbw * one.bus_factor;
    fmt::print("{:<16} {:>12} {:>12.2f} {:>10.3f} {:>10.3f}", one.kind, one.nbytes,
               one.seconds.median * 1e6, algbw, busbw);
    nlohmann::ordered_json row{
        {"kind", one.kind},
        {"bytes", one.nbytes},
        {"seconds",
         {{"median", one.seconds.median}, {"min", one.seconds.min}, {"max", one.seconds.max}}},
        {"algbw_gb_per_s", algbw},
        {"busbw_gb_per_s", busbw}};
    if (const auto theirs = openmpi.find({one.kind, one.nbytes}); theirs != openmpi.end()) {
      fmt::print("{:>13.2f} {:>8.2f}x", theirs->second * 1e6, theirs->second / one.seconds.median);
      row["openmpi_seconds"] = theirs->second;
    }
    fmt::print("\n");
    outcome.json["results"].push_back(std::move(row));
  }
  return outcome;
}

}  // namespace

void add_bench_collectives(Command& bench) {
  const auto arguments = std::make_shared<CollectivesArguments>();
  Command command = bench.subcommand(
      "collectives",
      "times collectives between ranks of this machine, with sizes as in nccl-tests");
  command.option("--ranks", arguments->options.ranks, "number of ranks")
      .between(1, study::CollectivesOptions::kMostRanks)
      .shows_default();
  command
      .option("--transport", arguments->options.transport,
              "local: threads; ucx: processes over shared memory; ucx-tcp: processes over TCP")
      .one_of({"local", "ucx", "ucx-tcp"})
      .shows_default();
  command.option("--sizes", arguments->options.sizes, "bytes of all ranks together: 64k,1m,64m")
      .separated_by_commas()
      .in_bytes()
      .shows_default();
  command
      .option("--kinds", arguments->options.kinds,
              "only these kinds, such as all_gather,all_to_all (default: all)")
      .separated_by_commas();
  command.option("--batches", arguments->options.batches, "timed batches of every kind and size")
      .between(1, study::CollectivesOptions::kMostBatches)
      .shows_default();
  command.flag("--openmpi", arguments->beside_openmpi, "also time Open MPI on this machine");
  command
      .option("--openmpi-program", arguments->openmpi_program,
              "program for mpirun to start: bench_openmpi_collectives of the bench build")
      .shows_default();
  command.does([arguments] { return collectives(*arguments); });
}

}  // namespace megascale::cli
