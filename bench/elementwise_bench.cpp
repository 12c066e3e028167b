// Memory-bound kernels beside a copy in the same run. GB/s count the floats that a kernel's header
// says it moves, each once. BM_Copy is a plain vector loop that scales; BM_CopyStreaming is memcpy, whose large
// stores pass the caches and so spare the read that an ordinary store begins with. Arguments:
// tokens, channels; the last shape is far beyond the last-level cache.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "megascale/kernels/cpu/activation.h"
#include "megascale/kernels/cpu/column_sum.h"
#include "megascale/kernels/cpu/cross_entropy.h"
#include "megascale/kernels/cpu/elementwise.h"
#include "megascale/kernels/cpu/embedding.h"
#include "megascale/kernels/cpu/norm.h"
#include "megascale/kernels/cpu/optimizer.h"
#include "megascale/kernels/cpu/rope.h"
#include "megascale/kernels/cpu/team.h"

namespace megascale::kernels::cpu {
namespace {

struct Shape {
  explicit Shape(const benchmark::State& state)
      : tokens(static_cast<std::size_t>(state.range(0))),
        channels(static_cast<std::size_t>(state.range(1))) {}
  std::size_t tokens, channels, size = tokens * channels;
};

// Floats as an arena places them: on a cache line, at differing distances from a page (equal ones
// would make the store of one stream look like the load of another to the core).
class Floats {
 public:
  explicit Floats(std::size_t count) : memory_(count + 2048), count_(count) {
    static std::size_t skew = 0;
    skew = (skew + 5) % 64;
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    offset_ = ((4096 - address % 4096) % 4096 + 64 * skew) / sizeof(float);
  }
  float* data() { return memory_.data() + offset_; }
  const float* data() const { return memory_.data() + offset_; }
  float* begin() { return data(); }
  float* end() { return data() + count_; }
  operator std::span<float>() {
    return {data(), count_};
  }  // NOLINT: a span of it is what kernels take
  operator std::span<const float>() const { return {data(), count_}; }  // NOLINT

 private:
  std::vector<float> memory_;
  std::size_t count_, offset_ = 0;
};

// Uniform in [-1, 1): cheap to make, spread enough for every branch of the kernels.
Floats random(std::size_t count) {
  Floats values(count);
  std::uint32_t word = 12345;
  for (float& v : values) {
    word = word * 1664525U + 1013904223U;
    v = static_cast<float>(word >> 8) * 0x1p-23F - 1.0F;
  }
  return values;
}

template <class Body>
void measure(benchmark::State& state, std::size_t floats, Body body) {
  for (auto _ : state) {
    body();
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(floats * sizeof(float)));
}

void BM_Copy(benchmark::State& state) {
  const Shape s(state);
  auto x = random(s.size), y = random(s.size);
  const float* from = x.data();
  float* to = y.data();
  measure(state, 2 * s.size, [&] {
    parallel_ranges(s.size, 64, 2 * sizeof(float), [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) to[i] = 1.5F * from[i];
    });
  });
}
void BM_CopyStreaming(benchmark::State& state) {
  const Shape s(state);
  auto x = random(s.size), y = random(s.size);
  measure(state, 2 * s.size, [&] {
    copy(std::as_writable_bytes(std::span<float>(y)), std::as_bytes(std::span<float>(x)));
  });
}
void BM_Add(benchmark::State& state) {
  const Shape s(state);
  auto a = random(s.size), b = random(s.size), y = random(s.size);
  measure(state, 3 * s.size, [&] {
    add({.tokens = s.tokens, .channels = s.channels, .a = a.data(), .b = b.data(), .y = y.data()});
  });
}
void BM_Embedding(benchmark::State& state) {
  const Shape s(state);
  const std::size_t vocab = std::min<std::size_t>(50304, 8 * s.tokens);
  auto table = random(vocab * s.channels), positions = random(s.size), y = random(s.size);
  std::vector<std::int32_t> token(s.tokens), position(s.tokens);
  for (std::size_t n = 0; n < s.tokens; ++n) {
    token[n] = static_cast<std::int32_t>(n * 7919 % vocab);
    position[n] = static_cast<std::int32_t>(n);
  }
  measure(state, 3 * s.size, [&] {
    embedding_forward({.tokens = s.tokens,
                       .channels = s.channels,
                       .y = y.data(),
                       .token = token.data(),
                       .table = table.data(),
                       .vocab_count = vocab,
                       .position = position.data(),
                       .position_table = positions.data()});
  });
}
void BM_EmbeddingBackward(benchmark::State& state) {
  const Shape s(state);
  const std::size_t vocab = std::min<std::size_t>(50304, 8 * s.tokens);
  auto table = random(vocab * s.channels), dy = random(s.size);
  std::vector<std::int32_t> token(s.tokens);
  for (std::size_t n = 0; n < s.tokens; ++n) token[n] = static_cast<std::int32_t>(n * 7919 % vocab);
  measure(state, 3 * s.size, [&] {
    embedding_backward({.tokens = s.tokens,
                        .channels = s.channels,
                        .table_gradient = table.data(),
                        .index = token.data(),
                        .dy = dy.data(),
                        .vocab_count = vocab,
                        .accumulate = true});
  });
}

struct NormData {
  explicit NormData(const Shape& s)
      : x(random(s.size)),
        residual(random(s.size)),
        sum(random(s.size)),
        y(random(s.size)),
        gamma(random(s.channels)),
        beta(random(s.channels)),
        mean(random(s.tokens)),
        rstd(random(s.tokens)),
        dgamma(random(s.channels)),
        dbeta(random(s.channels)),
        scratch(norm_backward_scratch_bytes(s.tokens, s.channels) / sizeof(float)) {}
  Floats x, residual, sum, y, gamma, beta, mean, rstd, dgamma, dbeta, scratch;
};
void BM_LayerNorm(benchmark::State& state) {
  const Shape s(state);
  NormData d(s);
  measure(state, 2 * s.size, [&] {
    layer_norm_forward({.tokens = s.tokens,
                        .channels = s.channels,
                        .x = d.x.data(),
                        .gamma = d.gamma.data(),
                        .beta = d.beta.data(),
                        .y = d.y.data(),
                        .mean = d.mean.data(),
                        .rstd = d.rstd.data()});
  });
}
void BM_LayerNormBackward(benchmark::State& state) {
  const Shape s(state);
  NormData d(s);
  measure(state, 4 * s.size, [&] {
    layer_norm_backward({.tokens = s.tokens,
                         .channels = s.channels,
                         .dy = d.residual.data(),
                         .x = d.x.data(),
                         .gamma = d.gamma.data(),
                         .mean = d.mean.data(),
                         .rstd = d.rstd.data(),
                         .addend = d.sum.data(),
                         .dx = d.y.data(),
                         .dgamma = d.dgamma.data(),
                         .dbeta = d.dbeta.data(),
                         .accumulate = true,
                         .scratch = d.scratch.data()});
  });
}
void BM_RmsNorm(benchmark::State& state) {
  const Shape s(state);
  NormData d(s);
  measure(state, 2 * s.size, [&] {
    rms_norm_forward({.tokens = s.tokens,
                      .channels = s.channels,
                      .x = d.x.data(),
                      .gamma = d.gamma.data(),
                      .y = d.y.data(),
                      .rstd = d.rstd.data()});
  });
}
void BM_RmsNormBackward(benchmark::State& state) {
  const Shape s(state);
  NormData d(s);
  measure(state, 3 * s.size, [&] {
    rms_norm_backward({.tokens = s.tokens,
                       .channels = s.channels,
                       .dy = d.residual.data(),
                       .x = d.x.data(),
                       .gamma = d.gamma.data(),
                       .rstd = d.rstd.data(),
                       .dx = d.y.data(),
                       .dgamma = d.dgamma.data(),
                       .scratch = d.scratch.data()});
  });
}
void BM_Gelu(benchmark::State& state) {
  const Shape s(state);
  auto x = random(s.size), y = random(s.size);
  measure(state, 2 * s.size, [&] {
    gelu_forward({.tokens = s.tokens, .channels = s.channels, .x = x.data(), .y = y.data()});
  });
}
void BM_GeluBackward(benchmark::State& state) {
  const Shape s(state);
  auto x = random(s.size), dy = random(s.size), dx = random(s.size);
  measure(state, 3 * s.size, [&] {
    gelu_backward({.tokens = s.tokens,
                   .channels = s.channels,
                   .dy = dy.data(),
                   .x = x.data(),
                   .dx = dx.data()});
  });
}
void BM_Swiglu(benchmark::State& state) {
  const Shape s(state);
  auto x = random(s.size), y = random(s.size);
  measure(state, 3 * s.size / 2, [&] {
    swiglu_forward({.tokens = s.tokens, .width = s.channels / 2, .x = x.data(), .y = y.data()});
  });
}
void BM_SwigluBackward(benchmark::State& state) {
  const Shape s(state);
  auto x = random(s.size), dy = random(s.size / 2), dx = random(s.size);
  measure(state, 5 * s.size / 2, [&] {
    swiglu_backward({.tokens = s.tokens,
                     .width = s.channels / 2,
                     .dy = dy.data(),
                     .x = x.data(),
                     .dx = dx.data()});
  });
}
void BM_ColumnSum(benchmark::State& state) {
  const Shape s(state);
  auto x = random(s.size), sum = random(s.channels);
  Floats scratch(column_sum_scratch_bytes(s.tokens, s.channels) / sizeof(float));
  measure(state, s.size, [&] {
    column_sum({.tokens = s.tokens,
                .channels = s.channels,
                .stride = s.channels,
                .x = x.data(),
                .result = sum.data(),
                .accumulate = true,
                .scratch = scratch.data()});
  });
}
void BM_Rope(benchmark::State& state) {
  const Shape s(state);
  auto x = random(s.size), y = random(s.size);
  Floats table(rope_table_size({.positions = 1024, .channels = 64}));
  rope_table({.positions = 1024, .channels = 64}, table);
  std::vector<std::int32_t> position(s.tokens);
  for (std::size_t n = 0; n < s.tokens; ++n) position[n] = static_cast<std::int32_t>(n % 1024);
  measure(state, 2 * s.size, [&] {
    rope_forward({.tokens = s.tokens,
                  .heads = s.channels / 64,
                  .head_size = 64,
                  .rotated = 64,
                  .x = x.data(),
                  .x_stride = s.channels,
                  .y = y.data(),
                  .y_stride = s.channels,
                  .position = position.data(),
                  .table = table.data()});
  });
}

// Here channels = columns of the vocabulary.
LogitRows rows_of(const Shape& s, const Floats& x, const std::vector<std::int32_t>& target) {
  return {.tokens = s.tokens,
          .columns = s.channels,
          .stride = s.channels,
          .logits = x.data(),
          .target = target.data(),
          .valid_vocab = s.channels};
}
void BM_LogitStats(benchmark::State& state) {
  const Shape s(state);
  auto x = random(s.size);
  std::vector<std::int32_t> target(s.tokens, 3);
  std::vector<LogitStats> stats(s.tokens);
  measure(state, s.size, [&] { logit_stats(rows_of(s, x, target), stats.data()); });
}
void BM_CrossEntropy(benchmark::State& state) {
  const Shape s(state);
  auto x = random(s.size), dx = random(s.size);
  std::vector<std::int32_t> target(s.tokens, 3);
  std::vector<LogitStats> stats(s.tokens);
  logit_stats(rows_of(s, x, target), stats.data());
  Floats loss(s.tokens);
  measure(state, 2 * s.size, [&] {
    cross_entropy({.rows = rows_of(s, x, target),
                   .stats = stats.data(),
                   .loss = loss.data(),
                   .dlogits = dx.data()});
  });
}

// Here tokens * channels = elements of the range.
void BM_Adamw(benchmark::State& state) {
  const Shape s(state);
  auto param = random(s.size), gradient = random(s.size), m = random(s.size), v = random(s.size);
  for (float& value : v) value *= value;
  const std::vector<OptimizerSegment> segments{{.begin = 0, .count = s.size}};
  measure(state, 7 * s.size, [&] {
    adamw({param.data(), gradient.data(), m.data(), v.data(), segments},
          {.lr = 1e-9, .weight_decay = 0.1, .step = 10});
  });
}
void BM_LambDirection(benchmark::State& state) {
  const Shape s(state);
  auto param = random(s.size), gradient = random(s.size), m = random(s.size), v = random(s.size),
       r = random(s.size);
  for (float& value : v) value *= value;
  const std::vector<OptimizerSegment> segments{{.begin = 0, .count = s.size}};
  std::vector<double> sums(norm_blocks(s.size)), more(norm_blocks(s.size));
  measure(state, 7 * s.size, [&] {
    lamb_direction({{param.data(), gradient.data(), m.data(), v.data(), segments},
                    {.lr = 1e-9, .weight_decay = 0.1, .step = 10},
                    r.data(),
                    sums,
                    more});
  });
}
void BM_BlockSquareSums(benchmark::State& state) {
  const Shape s(state);
  auto x = random(s.size);
  std::vector<double> sums(norm_blocks(s.size));
  measure(state, s.size, [&] { benchmark::DoNotOptimize(block_square_sums(x, sums)); });
}

// The shortest time of the repetitions: on a shared machine the median measures the neighbours. The
// library applies this to counters too, so the bytes per second beside a `best_time` are those of
// the slowest repetition: divide by hand.
double best(const std::vector<double>& times) {
  return *std::min_element(times.begin(), times.end());
}

// The small shape also runs as a test, so that nothing here rots.
void sizes(benchmark::internal::Benchmark* b) {
  b->Args({8, 64})
      ->Args({1024, 768})
      ->Args({24576, 1024})
      ->UseRealTime()
      ->ComputeStatistics("best_time", best);
}
void vocabulary_sizes(benchmark::internal::Benchmark* b) {
  b->Args({8, 64})->Args({512, 50304})->UseRealTime()->ComputeStatistics("best_time", best);
}

BENCHMARK(BM_Copy)->Apply(sizes);
BENCHMARK(BM_CopyStreaming)->Apply(sizes);
BENCHMARK(BM_Add)->Apply(sizes);
BENCHMARK(BM_Embedding)->Apply(sizes);
BENCHMARK(BM_EmbeddingBackward)->Apply(sizes);
BENCHMARK(BM_LayerNorm)->Apply(sizes);
BENCHMARK(BM_LayerNormBackward)->Apply(sizes);
BENCHMARK(BM_RmsNorm)->Apply(sizes);
BENCHMARK(BM_RmsNormBackward)->Apply(sizes);
BENCHMARK(BM_Gelu)->Apply(sizes);
BENCHMARK(BM_GeluBackward)->Apply(sizes);
BENCHMARK(BM_Swiglu)->Apply(sizes);
BENCHMARK(BM_SwigluBackward)->Apply(sizes);
BENCHMARK(BM_ColumnSum)->Apply(sizes);
BENCHMARK(BM_Rope)->Apply(sizes);
BENCHMARK(BM_LogitStats)->Apply(vocabulary_sizes);
BENCHMARK(BM_CrossEntropy)->Apply(vocabulary_sizes);
BENCHMARK(BM_Adamw)->Apply(sizes);
BENCHMARK(BM_LambDirection)->Apply(sizes);
BENCHMARK(BM_BlockSquareSums)->Apply(sizes);
BENCHMARK(BM_Copy)->Name("BM_CopyAgain")->Apply(sizes);

}  // namespace
}  // namespace megascale::kernels::cpu
