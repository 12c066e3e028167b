// `megascale bench peak`: prints the highest rates of one core and of all cores.
#include <fmt/format.h>

#include "megascale/base/core_binding.h"
#include "megascale/cli/command.h"
#include "megascale/kernels/cpu/peak.h"
#include "megascale/study/measure/machine_peak.h"

namespace megascale::cli {
namespace {

struct PeakArguments {
  std::vector<std::size_t> gemm_sizes{2048, 3072, 4096};
  double seconds = 0.2;
};

// Measures `threads` cores, prints a line for each rate, and returns the figures for --json.
nlohmann::ordered_json measure(std::string_view who, std::size_t threads,
                               const PeakArguments& arguments) {
  const study::MachinePeak peak =
      study::measure_machine_peak(threads, arguments.gemm_sizes, arguments.seconds);
  fmt::print("{:<10} float32 FMA {:8.1f} GFLOP/s\n", who, peak.fma_flops * 1e-9);
  if (peak.matrix_unit_flops > 0) {
    fmt::print("{:<10} matrix unit {:8.1f} GFLOP/s bfloat16, {:.1f} as float32 in three parts\n",
               "", peak.matrix_unit_flops * 1e-9, peak.matrix_unit_flops * 1e-9 / 6);
  }
  fmt::print("{:<10} best GEMM   {:8.1f} GFLOP/s, {:.1f} % of the FMA peak (square, {})\n", "",
             peak.gemm_flops * 1e-9, 100 * peak.gemm_flops / peak.fma_flops, peak.gemm_size);
  fmt::print("{:<10} triad       {:8.1f} GB/s\n", "", peak.memory_bytes_per_second * 1e-9);
  return {{"fma_flops", peak.fma_flops},
          {"matrix_unit_flops", peak.matrix_unit_flops},
          {"gemm_flops", peak.gemm_flops},
          {"gemm_size", peak.gemm_size},
          {"gemm_of_peak", peak.gemm_flops / peak.fma_flops},
          {"memory_bytes_per_second", peak.memory_bytes_per_second}};
}

Outcome peak(const PeakArguments& arguments) {
  const std::size_t cores = available_cores();
  fmt::print("{} cores, vector target {}\n", cores, kernels::cpu::vector_target());
  Outcome outcome{.json = {{"cores", cores}, {"vector_target", kernels::cpu::vector_target()}}};
  outcome.json["one_core"] = measure("one core", 1, arguments);
  outcome.json["all_cores"] = measure("all cores", cores, arguments);
  return outcome;
}

}  // namespace

void add_bench_peak(Command& bench) {
  Command command = bench.subcommand("peak",
                                     "measured FMA peak, matrix unit, best matrix product and "
                                     "memory bandwidth of one and of all cores");
  const auto arguments = std::make_shared<PeakArguments>();
  command.option("--gemm-sizes", arguments->gemm_sizes, "rows and columns of square products")
      .separated_by_commas()
      .between(1, 1 << 15)
      .shows_default();
  command.option("--seconds", arguments->seconds, "length of each repetition of a measurement")
      .positive()
      .shows_default();
  command.does([arguments] { return peak(*arguments); });
}

}  // namespace megascale::cli
