// The products and the attention of decoding: held against double precision, and each row has bits of
// its own.
#include "megascale/kernels/cpu/dot_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kernels/dense_support.h"
#include "megascale/kernels/cpu/decode_attention.h"
#include "megascale/kernels/cpu/team.h"
#include "megascale/kernels/ref/attention.h"
#include "support/close.h"

namespace megascale {
namespace {

using kernels::cpu::DecodeAttention;
using kernels::cpu::DecodeQuery;
using testing::normal;

struct Product {
  std::size_t rows, in, out;
  bool bias;
  std::vector<float> x, w, b;
  Product(std::size_t rows_, std::size_t in_, std::size_t out_, bool bias_)
      : rows(rows_),
        in(in_),
        out(out_),
        bias(bias_),
        x(normal(rows * in, 1)),
        w(normal(out * in, 2)),
        b(normal(out, 3)) {}
  // The product of `count` rows from `first` on.
  [[nodiscard]] std::vector<float> run(std::size_t first, std::size_t count) const {
    std::vector<float> y(count * out, NAN);
    kernels::cpu::multiply_dot_rows({.x = x.data() + first * in,
                                     .w = w.data(),
                                     .bias = bias ? b.data() : nullptr,
                                     .y = y.data(),
                                     .rows = count,
                                     .in = in,
                                     .out = out});
    return y;
  }
};

std::vector<Product> products() {
  return {{1, 1, 1, false},    {1, 15, 3, true},   {3, 16, 17, false},
          {4, 17, 33, true},   {5, 64, 20, false}, {8, 100, 130, true},
          {9, 768, 50, false}, {64, 48, 77, true}, {1, 768, 700, true}};
}

TEST(DotRowsTest, MeetsItsBound) {
  constexpr double kUnit = 0x1p-24;
  for (const Product& p : products()) {
    const std::vector<float> y = p.run(0, p.rows);
    for (std::size_t r = 0; r < p.rows; ++r) {
      for (std::size_t o = 0; o < p.out; ++o) {
        double sum = p.bias ? p.b[o] : 0, size = 0;
        for (std::size_t i = 0; i < p.in; ++i) {
          const double term = double{p.x[r * p.in + i]} * double{p.w[o * p.in + i]};
          sum += term;
          size += std::abs(term);
        }
        const double bound =
            (static_cast<double>(p.in) / 8 + 8) * kUnit * size + kUnit * std::abs(sum);
        EXPECT_TRUE(std::abs(y[r * p.out + o] - sum) <= bound)
            << p.rows << "x" << p.in << "x" << p.out << " [" << r << "," << o << "]";
      }
    }
  }
}

TEST(DotRowsTest, ARowHasTheBitsThatItHasAloneWithAnyThreads) {
  for (const Product& p : products()) {
    const std::vector<float> all = p.run(0, p.rows);
    for (const std::size_t threads : {1U, 2U, 3U}) {
      const kernels::cpu::TeamSize team(threads);
      for (std::size_t r = 0; r < p.rows; ++r) {
        EXPECT_TRUE(testing::same_bits(p.run(r, 1), std::span(all).subspan(r * p.out, p.out)))
            << p.rows << "x" << p.in << "x" << p.out << ", row " << r;
      }
    }
  }
}

// Queries of several sequences with keys and values side by side, as in a cache.
struct Queries {
  DecodeAttention config;
  std::vector<std::size_t> counts;
  std::vector<float> q, cache;
  std::size_t places = 0;

  Queries(DecodeAttention c, std::vector<std::size_t> n) : config(c), counts(std::move(n)) {
    for (const std::size_t count : counts) places = std::max(places, count);
    config.row_stride = key_width() + value_width();
    config.threads = kernels::cpu::team_size();
    q = normal(counts.size() * query_width(), 4);
    cache = normal(counts.size() * places * config.row_stride, 5);
  }
  [[nodiscard]] std::size_t value_size() const { return kernels::value_size_of(config); }
  [[nodiscard]] std::size_t query_width() const { return config.query_heads * config.head_size; }
  [[nodiscard]] std::size_t key_width() const { return config.kv_heads * config.head_size; }
  [[nodiscard]] std::size_t value_width() const { return config.kv_heads * value_size(); }
  [[nodiscard]] std::size_t width() const { return config.query_heads * value_size(); }  // of o
  [[nodiscard]] const float* keys(std::size_t i) const {
    return cache.data() + i * places * config.row_stride;
  }
  // Outputs of the queries from `first` on.
  [[nodiscard]] std::vector<float> run(std::size_t first, std::size_t count) const {
    std::vector<float> o(count * width(), NAN);
    std::vector<DecodeQuery> queries;
    for (std::size_t i = first; i < first + count; ++i) {
      queries.push_back({.q = q.data() + i * query_width(),
                         .keys = keys(i),
                         .values = keys(i) + key_width(),
                         .o = o.data() + (i - first) * width(),
                         .key_count = counts[i]});
    }
    const testing::PoisonedScratch scratch(kernels::cpu::decode_attention_scratch_bytes(config));
    kernels::cpu::decode_attention(config, queries, scratch.data());
    EXPECT_TRUE(scratch.guard_is_whole());
    return o;
  }
  [[nodiscard]] std::vector<double> want(std::size_t i) const {
    std::vector<double> k, v;
    for (std::size_t j = 0; j < counts[i]; ++j) {
      const float* row = keys(i) + j * config.row_stride;
      k.insert(k.end(), row, row + key_width());
      v.insert(v.end(), row + key_width(), row + config.row_stride);
    }
    return kernels::ref::attention(
               {.query_heads = config.query_heads,
                .kv_heads = config.kv_heads,
                .head_size = config.head_size,
                .value_size = value_size(),
                .query_count = 1,
                .key_count = counts[i],
                .window = config.window,
                .scale = config.scale > 0 ? config.scale
                                          : 1 / std::sqrt(static_cast<double>(config.head_size)),
                .soft_cap = config.soft_cap},
               testing::widen(std::span(q).subspan(i * query_width(), query_width())), k, v, {})
        .o;
  }
};

std::vector<Queries> queries() {
  return {{{.query_heads = 1, .kv_heads = 1, .head_size = 1}, {1}},
          {{.query_heads = 2, .kv_heads = 2, .head_size = 8}, {1, 2, 63, 64, 65}},
          {{.query_heads = 6, .kv_heads = 2, .head_size = 20, .window = 7}, {3, 7, 8, 90}},
          {{.query_heads = 4, .kv_heads = 1, .head_size = 33, .window = 100}, {64, 200, 131}},
          {{.query_heads = 6, .kv_heads = 2, .head_size = 24, .value_size = 16, .window = 70},
           {1, 64, 90}},
          {{.query_heads = 2, .kv_heads = 2, .head_size = 192, .value_size = 128}, {130, 7}},
          {{.query_heads = 4, .kv_heads = 1, .head_size = 12, .value_size = 33}, {65, 200}},
          {{.query_heads = 12, .kv_heads = 12, .head_size = 64}, {300, 5, 129}},
          {{.query_heads = 4, .kv_heads = 2, .head_size = 20, .window = 70, .scale = 0.5}, {65, 7}},
          {{.query_heads = 4, .kv_heads = 2, .head_size = 20, .scale = 0.5, .soft_cap = 1.5},
           {1, 65, 130}},
          {{.query_heads = 6, .kv_heads = 2, .head_size = 64, .soft_cap = 30}, {900, 31}},
          {{.query_heads = 8, .kv_heads = 1, .head_size = 288, .value_size = 256}, {200, 70}}};
}

TEST(DecodeAttentionTest, IsTheReference) {
  for (const Queries& all : queries()) {
    const std::vector<float> o = all.run(0, all.counts.size());
    for (std::size_t i = 0; i < all.counts.size(); ++i) {
      const std::vector<double> want = all.want(i);
      double norm = 0, error = 0;
      for (std::size_t k = 0; k < all.width(); ++k) {
        const double difference = double{o[i * all.width() + k]} - want[k];
        norm += want[k] * want[k];
        error += difference * difference;
      }
      EXPECT_TRUE(std::sqrt(error) <= 3e-6 * std::sqrt(norm))
          << all.config.head_size << ", " << all.value_size() << ", " << all.counts[i]
          << " keys: " << std::sqrt(error / norm);
    }
  }
}

// More threads than key-value heads too.
TEST(DecodeAttentionTest, AQueryHasTheBitsThatItHasAloneWithAnyThreads) {
  for (Queries& all : queries()) {
    const std::vector<float> o = all.run(0, all.counts.size());
    for (const std::size_t threads : {1U, 2U, 5U}) {
      all.config.threads = threads;
      for (std::size_t i = 0; i < all.counts.size(); ++i) {
        EXPECT_TRUE(
            testing::same_bits(all.run(i, 1), std::span(o).subspan(i * all.width(), all.width())))
            << threads << " threads, " << all.counts[i] << " keys";
      }
    }
  }
}

// A broken weight must not look like a quiet one.
TEST(DecodeAttentionTest, NanReachesTheOutput) {
  for (const double cap : {0.0, 2.0}) {
    Queries all({.query_heads = 1, .kv_heads = 1, .head_size = 16, .soft_cap = cap}, {70});
    all.cache[66 * 32 + 3] = NAN;
    EXPECT_TRUE(std::isnan(all.run(0, 1)[0])) << cap;
  }
}

}  // namespace
}  // namespace megascale
