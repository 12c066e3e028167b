// Products of few rows as in decoding (kernels/cpu/dot_rows.h), beside the speeds of memory and of the
// FMA units.
//   FLOPS        rate of the product
//   of_peak      FLOPS / the FMA peak
//   of_triad     bytes of the weights per second / the bandwidth of the triad
// out:131072 has 403 MB of weights, about as many as GPT-2 124M: memory bounds it. The weights of out:288
// and out:96 stay in the second-level caches. A product that moved and multiplied at the same time would
// have the smaller rate of the two (decision 0033).
#include <benchmark/benchmark.h>

#include "kernel_bench.h"
#include "megascale/kernels/cpu/dot_rows.h"

namespace megascale::kernels::cpu {
namespace {

void BM_DotRows(benchmark::State& state) {
  const auto rows = static_cast<std::size_t>(state.range(0)),
             in = static_cast<std::size_t>(state.range(1)),
             out = static_cast<std::size_t>(state.range(2));
  const bench::Floats x(rows * in, 1), w(out * in, 2), y(rows * out, 3);
  for (auto _ : state) {
    multiply_dot_rows(
        {.x = x.get(), .w = w.get(), .y = y.get(), .rows = rows, .in = in, .out = out});
    benchmark::ClobberMemory();
  }
  const auto weights = static_cast<double>(in * out) * static_cast<double>(state.iterations());
  const double flops = 2.0 * weights * static_cast<double>(rows);
  using benchmark::Counter;
  state.counters["FLOPS"] = Counter(flops, Counter::kIsRate);
  state.counters["of_peak"] = Counter(flops / bench::peak_flops(), Counter::kIsRate);
  state.counters["of_triad"] =
      Counter(sizeof(float) * weights / bench::peak_bandwidth(), Counter::kIsRate);
}
BENCHMARK(BM_DotRows)
    ->ArgNames({"rows", "in", "out"})
    ->ArgsProduct({{1, 2, 4, 8}, {768}, {288}})
    ->ArgsProduct({{1, 2, 4, 8}, {3072}, {96}})
    ->ArgsProduct({{1, 2, 4, 8}, {768}, {131072}})
    ->ArgsProduct({{1, 2, 4, 8}, {3072}, {32768}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace megascale::kernels::cpu
BENCHMARK_MAIN();
