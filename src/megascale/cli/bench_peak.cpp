#include <fmt/format.h>

#include "megascale/cli/command.h"
#include "megascale/engine/engine.h"
#include "megascale/kernels/cpu/peak.h"

namespace megascale::cli {
namespace {

struct PeakArguments {
  std::vector<std::size_t> gemm_sizes{2048, 3072, 4096};
  double seconds = 0.2;
};

struct BestGemm {
  double flops = 0;
  std::size_t size = 0;
};

BestGemm best_gemm(std::size_t threads, const PeakArguments& arguments) {
  BestGemm best;
  for (const std::size_t size : arguments.gemm_sizes) {
    const auto rate =
        kernels::cpu::gemm_peak(threads, size, {.seconds = arguments.seconds, .repetitions = 3});
    if (rate.best > best.flops) best = {rate.best, size};
  }
  return best;
}

// What `threads` cores can do; prints a line each and returns the figures.
nlohmann::ordered_json measure(std::string_view who, std::size_t threads,
                               const PeakArguments& arguments) {
  constexpr std::size_t kTriadNbytes = std::size_t{256} << 20U;
  const kernels::cpu::PeakOptions options{.seconds = arguments.seconds};
  const double fma = kernels::cpu::fma_peak(threads, options).best,
               memory = kernels::cpu::triad_bandwidth(threads, kTriadNbytes, options).best;
  const double unit = kernels::cpu::matrix_unit_peak(threads, options).best;
  const BestGemm gemm = best_gemm(threads, arguments);
  fmt::print("{:<10} float32 FMA {:8.1f} GFLOP/s\n", who, fma * 1e-9);
  if (unit > 0) {
    fmt::print("{:<10} matrix unit {:8.1f} GFLOP/s bfloat16, {:.1f} as float32 in three parts\n",
               "", unit * 1e-9, unit * 1e-9 / 6);
  }
  fmt::print("{:<10} best GEMM   {:8.1f} GFLOP/s, {:.1f} % of the FMA peak (square, {})\n", "",
             gemm.flops * 1e-9, 100 * gemm.flops / fma, gemm.size);
  fmt::print("{:<10} triad       {:8.1f} GB/s\n", "", memory * 1e-9);
  return {{"fma_flops", fma},
          {"matrix_unit_flops", unit},
          {"gemm_flops", gemm.flops},
          {"gemm_size", gemm.size},
          {"gemm_of_peak", gemm.flops / fma},
          {"memory_bytes_per_second", memory}};
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
  command.option("--seconds", arguments->seconds, "of each repetition of a measurement")
      .positive()
      .shows_default();
  command.does([arguments] { return peak(*arguments); });
}

}  // namespace megascale::cli
