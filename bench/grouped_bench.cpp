// Products of experts (kernels/cpu/grouped_linear.h) beside one dense product with the same FLOPs,
// in turns, and beside the roof of their FLOPs and bytes.
//   FLOPS       rate of the grouped product
//   of_dense    its rate / that of the dense product (rows of all experts, weights of one)
//   of_roof     its rate / the lower of the FMA peak and the rate at which its operands can be
//               moved once (bytes of the definition at the bandwidth of the triad)
// With a matrix unit, a product may exceed the FMA peak. Threads: OMP_NUM_THREADS, or all cores.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "kernel_bench.h"
#include "megascale/base/clock.h"
#include "megascale/kernels/cpu/gemm.h"
#include "megascale/kernels/cpu/grouped_linear.h"

namespace megascale::kernels::cpu {
namespace {

using bench::Floats;
using bench::peak_bandwidth;
using bench::peak_flops;

// The three operands of a product in the order left, right, result.
struct Addresses {
  float *left, *right, *result;
};
Addresses order(GemmKind kind, const Floats& x, const Floats& w, const Floats& y) {
  if (kind == GemmKind::forward) return {x.get(), w.get(), y.get()};
  if (kind == GemmKind::input_gradient) return {y.get(), w.get(), x.get()};
  return {y.get(), x.get(), w.get()};
}

void BM_Grouped(benchmark::State& state, GemmKind kind, bool matrix_unit) {
  const auto size = [&](int i) { return static_cast<std::size_t>(state.range(i)); };
  const std::size_t experts = size(0), rows = size(1), in = size(2), out = size(3),
                    all = experts * rows;
  const bool accumulate = kind == GemmKind::weight_gradient;
  const Gemm dense({.kind = kind,
                    .rows = all,
                    .in = in,
                    .out = out,
                    .accumulate = accumulate,
                    .matrix_unit = matrix_unit});
  const GroupedLinear grouped({.kind = kind,
                               .experts = experts,
                               .rows = all,
                               .in = in,
                               .out = out,
                               .accumulate = accumulate,
                               .matrix_unit = matrix_unit});
  const Floats x(all * in, 1), w(experts * in * out, 2), y(all * out, 3),
      scratch(std::max(dense.scratch_bytes(), grouped.scratch_bytes()) / sizeof(float) + 16);
  const std::vector<std::int64_t> counts(experts, static_cast<std::int64_t>(rows));
  const Addresses a = order(kind, x, w, y);
  auto* const bytes = reinterpret_cast<std::byte*>(scratch.get());
  double dense_seconds = 0, grouped_seconds = 0;
  const auto timed = [](double& sum, const auto& body) {
    const std::int64_t begin = monotonic_ns();
    body();
    const double seconds = static_cast<double>(monotonic_ns() - begin) * 1e-9;
    sum += seconds;
    return seconds;
  };
  for (auto _ : state) {
    timed(dense_seconds, [&] {
      dense.run({.left = a.left, .right = a.right, .result = a.result, .scratch = bytes});
    });
    state.SetIterationTime(timed(grouped_seconds, [&] {
      grouped.run({.left = a.left,
                   .right = a.right,
                   .result = a.result,
                   .counts = counts.data(),
                   .scratch = bytes});
    }));
  }
  const auto real = [](std::size_t count) { return static_cast<double>(count); };
  const double flops = 2.0 * real(all) * real(in) * real(out);
  const double moved =
      sizeof(float) * (real(all) * real(in + out) +
                       real(experts) * real(in) * real(out) * (accumulate ? 2.0 : 1.0));
  const double rate = flops * static_cast<double>(state.iterations()) / grouped_seconds;
  state.counters["FLOPS"] = rate;
  state.counters["of_dense"] = dense_seconds / grouped_seconds;
  state.counters["of_roof"] = rate / std::min(peak_flops(), flops / moved * peak_bandwidth());
}
void grouped_shapes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"experts", "rows", "in", "out"})->Args({2, 40, 136, 144});  // also runs in ctest
  for (const int experts : {8, 64}) {
    for (const int rows : {16, 32, 64, 128, 256, 512, 1024, 2048}) {
      if (experts == 64 && rows > 512) continue;
      b->Args({experts, rows, 768, 3072});
    }
  }
  for (const int rows : {64, 256, 512}) {  // of bench/experts/step: gate and up, down
    b->Args({8, rows, 768, 4096});
    b->Args({8, rows, 2048, 768});
  }
  b->UseManualTime()->Unit(benchmark::kMillisecond);
}
BENCHMARK_CAPTURE(BM_Grouped, forward, GemmKind::forward, true)->Apply(grouped_shapes);
BENCHMARK_CAPTURE(BM_Grouped, input_gradient, GemmKind::input_gradient, true)
    ->Apply(grouped_shapes);
BENCHMARK_CAPTURE(BM_Grouped, weight_gradient, GemmKind::weight_gradient, true)
    ->Apply(grouped_shapes);
BENCHMARK_CAPTURE(BM_Grouped, forward_vectors, GemmKind::forward, false)->Apply(grouped_shapes);
BENCHMARK_CAPTURE(BM_Grouped, input_gradient_vectors, GemmKind::input_gradient, false)
    ->Apply(grouped_shapes);
BENCHMARK_CAPTURE(BM_Grouped, weight_gradient_vectors, GemmKind::weight_gradient, false)
    ->Apply(grouped_shapes);

}  // namespace
}  // namespace megascale::kernels::cpu
BENCHMARK_MAIN();
