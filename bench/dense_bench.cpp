// Matrix products and attention beside the measured FMA peak of the same team.
//   of_peak  FLOPs of the definition (attention: the visible pairs) / seconds / FMA peak measured
//   at the start.
// Threads: OMP_NUM_THREADS, or all cores. The figure counts only on a quiet machine: compare with
// the FMA row.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <vector>

#include "kernel_bench.h"
#include "megascale/kernels/cpu/attention.h"
#include "megascale/kernels/cpu/gemm.h"

namespace megascale::kernels::cpu {
namespace {

using bench::Floats;
using bench::peak_flops;
using bench::team;

void report(benchmark::State& state, double flops) {
  const double total = flops * static_cast<double>(state.iterations());
  state.counters["FLOPS"] = benchmark::Counter(total, benchmark::Counter::kIsRate);
  state.counters["of_peak"] = benchmark::Counter(total / peak_flops(), benchmark::Counter::kIsRate);
}

void BM_Fma(benchmark::State& state) {
  double rate = 0;
  for (auto _ : state) rate = fma_peak(team(), {.seconds = 0.1, .repetitions = 1}).best;
  state.counters["FLOPS"] = rate;
  state.counters["of_peak"] = rate / peak_flops();
}
BENCHMARK(BM_Fma)->Iterations(3)->UseRealTime();

void BM_Triad(benchmark::State& state) {
  double rate = 0;
  for (auto _ : state)
    rate = triad_bandwidth(team(), std::size_t{128} << 20, {.seconds = 0.1, .repetitions = 1}).best;
  state.counters["bytes_per_second"] = rate;
}
BENCHMARK(BM_Triad)->Iterations(3)->UseRealTime();

void BM_Gemm(benchmark::State& state, GemmKind kind, bool accumulate, bool dynamic_rows) {
  const auto rows = static_cast<std::size_t>(state.range(0)),
             in = static_cast<std::size_t>(state.range(1)),
             out = static_cast<std::size_t>(state.range(2));
  const Gemm gemm({.kind = kind,
                   .rows = rows,
                   .in = in,
                   .out = out,
                   .accumulate = accumulate,
                   .dynamic_rows = dynamic_rows});
  const Floats x(rows * in, 1), w(in * out, 2), y(rows * out, 3),
      scratch(gemm.scratch_bytes() / sizeof(float) + 16);
  GemmOperands o{.scratch = scratch.bytes(), .rows = dynamic_rows ? rows : 0};
  if (kind == GemmKind::forward) o.left = x.get(), o.right = w.get(), o.result = y.get();
  if (kind == GemmKind::input_gradient) o.left = y.get(), o.right = w.get(), o.result = x.get();
  if (kind == GemmKind::weight_gradient) o.left = y.get(), o.right = x.get(), o.result = w.get();
  for (auto _ : state) {
    gemm.run(o);
    benchmark::ClobberMemory();
  }
  report(state,
         2.0 * static_cast<double>(rows) * static_cast<double>(in) * static_cast<double>(out));
}
void gemm_shapes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"rows", "in", "out"})->Args({64, 32, 96});  // the small one also runs in ctest
  for (const auto& [in, out] :
       {std::pair{768, 2304}, {768, 768}, {768, 3072}, {3072, 768}, {768, 50304}})
    b->Args({4096, in, out});
  b->UseRealTime()->Unit(benchmark::kMillisecond);
}
BENCHMARK_CAPTURE(BM_Gemm, forward, GemmKind::forward, false, false)->Apply(gemm_shapes);
BENCHMARK_CAPTURE(BM_Gemm, input_gradient, GemmKind::input_gradient, false, false)
    ->Apply(gemm_shapes);
BENCHMARK_CAPTURE(BM_Gemm, weight_gradient, GemmKind::weight_gradient, false, false)
    ->Apply(gemm_shapes);
BENCHMARK_CAPTURE(BM_Gemm, weight_gradient_accumulate, GemmKind::weight_gradient, true, false)
    ->Apply(gemm_shapes);
BENCHMARK_CAPTURE(BM_Gemm, forward_dynamic, GemmKind::forward, false, true)
    ->Args({64, 32, 96})
    ->Args({4096, 768, 3072})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// Pairs (query, key) that are visible in one sequence.
double visible_pairs(std::size_t sequence, std::size_t window) {
  double pairs = 0;
  for (std::size_t i = 0; i < sequence; ++i)
    pairs += static_cast<double>(window == 0 ? i + 1 : std::min(i + 1, window));
  return pairs;
}

void BM_Attention(benchmark::State& state, bool backward) {
  const auto batch = static_cast<std::size_t>(state.range(0)),
             sequence = static_cast<std::size_t>(state.range(1)),
             heads = static_cast<std::size_t>(state.range(2)),
             kv_heads = static_cast<std::size_t>(state.range(3)),
             size = static_cast<std::size_t>(state.range(4)),
             value_size = static_cast<std::size_t>(state.range(5)),
             window = static_cast<std::size_t>(state.range(6));
  const AttentionConfig c{.batch = batch,
                          .query_heads = heads,
                          .kv_heads = kv_heads,
                          .head_size = size,
                          .value_size = value_size,
                          .max_queries = sequence,
                          .max_keys = sequence,
                          .window = window,
                          .threads = team()};
  const std::size_t queries = heads * size, keys = kv_heads * size,
                    width = queries + keys + kv_heads * value_size, hidden = heads * value_size;
  const Floats packed(batch * sequence * width, 1), o(batch * sequence * hidden),
      lse(batch * heads * sequence);
  const auto part = [&](const Floats& m, std::size_t column) {
    return TokenRows<const float>{m.get() + column, width, sequence * width};
  };
  const AttentionInputs in{.query_count = sequence,
                           .key_count = sequence,
                           .q = part(packed, 0),
                           .k = part(packed, queries),
                           .v = part(packed, queries + keys)};
  const Floats scratch(
      std::max(attention_forward_scratch_bytes(c), attention_backward_scratch_bytes(c)) /
          sizeof(float) +
      16);
  const Floats grad_o(o.size(), 2), grad(packed.size());
  const AttentionForward forward{.in = in,
                                 .o = {o.get(), hidden, sequence * hidden},
                                 .lse = lse.get(),
                                 .scratch = scratch.bytes()};
  attention_forward(c, forward);
  const double pairs = visible_pairs(sequence, window) * static_cast<double>(batch * heads);
  double flops = 2.0 * pairs * static_cast<double>(size + value_size);
  if (!backward) {
    for (auto _ : state) {
      attention_forward(c, forward);
      benchmark::ClobberMemory();
    }
  } else {
    flops = 2.0 * pairs * static_cast<double>(3 * size + 2 * value_size);
    const auto gradient = [&](std::size_t column) {
      return TokenRows<float>{grad.get() + column, width, sequence * width};
    };
    const AttentionBackward run{.in = in,
                                .o = {o.get(), hidden, sequence * hidden},
                                .grad_o = {grad_o.get(), hidden, sequence * hidden},
                                .lse = lse.get(),
                                .dq = gradient(0),
                                .dk = gradient(queries),
                                .dv = gradient(queries + keys),
                                .scratch = scratch.bytes()};
    for (auto _ : state) {
      attention_backward(c, run);
      benchmark::ClobberMemory();
    }
  }
  report(state, flops);
}
void attention_shapes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"B", "S", "nh", "nkv", "hs", "vs", "window"})->Args({1, 100, 2, 1, 20, 20, 0});
  b->Args({4, 1024, 12, 12, 64, 64, 0})
      ->Args({1, 4096, 12, 12, 64, 64, 0})
      ->Args({1, 4096, 12, 12, 64, 64, 512});
  for (const int size : {32, 80, 96, 128}) b->Args({4, 1024, 8, 2, size, size, 0});
  b->Args({4, 1024, 8, 8, 192, 128, 0});  // latent attention
  b->UseRealTime()->Unit(benchmark::kMillisecond);
}
BENCHMARK_CAPTURE(BM_Attention, forward, false)->Apply(attention_shapes);
BENCHMARK_CAPTURE(BM_Attention, backward, true)->Apply(attention_shapes);

}  // namespace
}  // namespace megascale::kernels::cpu
BENCHMARK_MAIN();
