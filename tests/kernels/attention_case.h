#ifndef MEGASCALE_TESTS_KERNELS_ATTENTION_CASE_H_
#define MEGASCALE_TESTS_KERNELS_ATTENTION_CASE_H_

#include <gtest/gtest.h>

#include <string>

#include "kernels/dense_support.h"
#include "megascale/kernels/cpu/attention.h"
#include "megascale/kernels/cpu/team.h"
#include "megascale/kernels/ref/attention.h"
#include "support/close.h"

namespace megascale::testing {

struct Dimensions {
  std::size_t sequence = 1, head_size = 1, batch = 1, heads = 1, kv_heads = 1;
  std::size_t value_size = 0;  // 0: head_size
};
// Sizes around the blocks (64 keys, 48 and 6 queries, vectors of 16): one, one less, one more, and
// several.
inline constexpr Dimensions kAttentionSizes[] = {
    {.sequence = 1, .head_size = 1},
    {.sequence = 5, .head_size = 3},
    {.sequence = 7, .head_size = 3},
    {.sequence = 17, .head_size = 16, .batch = 2, .heads = 2, .kv_heads = 1},
    {.sequence = 63, .head_size = 20, .heads = 3, .kv_heads = 3},
    {.sequence = 64, .head_size = 32},
    {.sequence = 65, .head_size = 33},
    {.sequence = 97, .head_size = 48, .batch = 2, .heads = 6, .kv_heads = 2},
    {.sequence = 130, .head_size = 64, .heads = 4, .kv_heads = 2},
    {.sequence = 200, .head_size = 80, .heads = 2, .kv_heads = 2},
    {.sequence = 150, .head_size = 96, .heads = 2, .kv_heads = 1},
    {.sequence = 129, .head_size = 128},
    {.sequence = 70, .head_size = 131},
    {.sequence = 300, .head_size = 60, .heads = 8, .kv_heads = 1},  // three chunks of queries
};
// Heads of values of another size: those of DeepSeek-V2, sizes that are no multiple of a vector, some
// that pad to the same width as the queries, and larger ones than those of the queries.
inline constexpr Dimensions kAttentionValueSizes[] = {
    {.sequence = 5, .head_size = 3, .value_size = 1},
    {.sequence = 63, .head_size = 20, .heads = 3, .kv_heads = 3, .value_size = 12},
    {.sequence = 97, .head_size = 24, .batch = 2, .heads = 6, .kv_heads = 2, .value_size = 16},
    {.sequence = 130, .head_size = 192, .heads = 2, .kv_heads = 2, .value_size = 128},
    {.sequence = 70, .head_size = 16, .batch = 2, .heads = 4, .kv_heads = 2, .value_size = 40},
    {.sequence = 65, .head_size = 4, .value_size = 131},
    {.sequence = 300, .head_size = 40, .heads = 8, .kv_heads = 1, .value_size = 90},  // chunks
};
inline constexpr std::size_t kAttentionWindows[] = {0, 1, 7, 64, 100};

struct AttentionResult {
  std::vector<float> o, lse, dq, dk, dv;
};

// Seeded inputs of one attention, dense, and the ways to run them: through the kernel with rows
// wider than needed, NaN in every output, gap and byte of scratch; and through the double
// reference.
struct AttentionCase {
  Dimensions size;
  std::size_t window;
  std::vector<float> q, k, v, grad_o;
  std::vector<std::int32_t> segments;
  kernels::cpu::AttentionDropout dropout;  // the references have none
  double scale = 0, soft_cap = 0;          // 0: the usual scale, no cap

  AttentionCase(const Dimensions& s, std::size_t w, bool segmented) : size(s), window(w) {
    if (size.value_size == 0) size.value_size = size.head_size;
    const std::size_t tokens = s.batch * s.sequence;
    q = normal(tokens * s.heads * s.head_size, 11);
    k = normal(tokens * s.kv_heads * s.head_size, 12);
    v = normal(tokens * s.kv_heads * size.value_size, 13);
    grad_o = normal(tokens * output_width(), 14);
    if (!segmented) return;
    const PhiloxStream random(15, "segments");
    std::int32_t document = 3;
    for (std::size_t i = 0; i < tokens; ++i) {
      if (random.uniform(i) < 0.03)
        document += random.uniform(i + tokens) < 0.3 ? -2 : 1;  // ids may come back
      segments.push_back(document);
    }
  }

  // The elements of a row of q, k, v and o.
  [[nodiscard]] std::size_t query_width() const { return size.heads * size.head_size; }
  [[nodiscard]] std::size_t key_width() const { return size.kv_heads * size.head_size; }
  [[nodiscard]] std::size_t value_width() const { return size.kv_heads * size.value_size; }
  [[nodiscard]] std::size_t output_width() const { return size.heads * size.value_size; }

  [[nodiscard]] std::string describe() const {
    return "S " + std::to_string(size.sequence) + " hs " + std::to_string(size.head_size) + " vs " +
           std::to_string(size.value_size) + " B " + std::to_string(size.batch) + " nh " +
           std::to_string(size.heads) + " nkv " + std::to_string(size.kv_heads) + " window " +
           std::to_string(window) + (segments.empty() ? "" : " segmented");
  }

  [[nodiscard]] kernels::ref::AttentionShape shape() const {
    return {.batch = size.batch,
            .query_heads = size.heads,
            .kv_heads = size.kv_heads,
            .head_size = size.head_size,
            .value_size = size.value_size,
            .query_count = size.sequence,
            .key_count = size.sequence,
            .window = window,
            .scale = scale > 0 ? scale : 1.0 / std::sqrt(static_cast<double>(size.head_size)),
            .soft_cap = soft_cap};
  }
  [[nodiscard]] kernels::ref::AttentionOutput reference() const {
    return kernels::ref::attention(shape(), widen(q), widen(k), widen(v), segments);
  }

  // The tokens [begin, end) of a case with one sequence, as a case without segments.
  [[nodiscard]] AttentionCase slice(std::size_t begin, std::size_t end) const {
    AttentionCase part = *this;
    const auto cut = [&](std::vector<float>& m, std::size_t width) {
      m = {m.begin() + static_cast<std::ptrdiff_t>(begin * width),
           m.begin() + static_cast<std::ptrdiff_t>(end * width)};
    };
    part.size.sequence = end - begin;
    cut(part.q, query_width()), cut(part.k, key_width()), cut(part.v, value_width()),
        cut(part.grad_o, output_width());
    part.segments.clear();
    return part;
  }

  [[nodiscard]] kernels::cpu::AttentionConfig config(std::size_t threads) const {
    return {.batch = size.batch,
            .query_heads = size.heads,
            .kv_heads = size.kv_heads,
            .head_size = size.head_size,
            // Both spellings of one size.
            .value_size = size.value_size == size.head_size ? 0 : size.value_size,
            .max_queries = size.sequence,
            .max_keys = size.sequence + 9,
            .window = window,
            .threads = threads,
            .scale = scale,
            .soft_cap = soft_cap};
  }

  // q, k and v side by side in one tensor, as a linear layer leaves them, with some columns more.
  struct Packed {
    std::vector<float> qkv;
    std::size_t width, k_column, v_column;
  };
  [[nodiscard]] Packed pack() const {
    const std::size_t queries = query_width(), keys = key_width(), values = value_width();
    Packed p{{}, queries + keys + values + 3, queries, queries + keys};
    for (std::size_t t = 0; t < size.batch * size.sequence; ++t) {
      p.qkv.insert(p.qkv.end(), q.data() + t * queries, q.data() + (t + 1) * queries);
      p.qkv.insert(p.qkv.end(), k.data() + t * keys, k.data() + (t + 1) * keys);
      p.qkv.insert(p.qkv.end(), v.data() + t * values, v.data() + (t + 1) * values);
      p.qkv.insert(p.qkv.end(), 3, NAN);
    }
    return p;
  }
  [[nodiscard]] kernels::cpu::AttentionInputs inputs(const Packed& p, std::size_t queries) const {
    const std::size_t batch_stride = size.sequence * p.width;
    const auto part = [&](std::size_t column) {
      return kernels::cpu::TokenRows<const float>{p.qkv.data() + column, p.width, batch_stride};
    };
    auto q_rows = part(0);
    q_rows.data += (size.sequence - queries) * p.width;
    return {.query_count = queries,
            .key_count = size.sequence,
            .q = q_rows,
            .k = part(p.k_column),
            .v = part(p.v_column),
            .segments = segments.empty() ? nullptr : segments.data(),
            .segment_batch_stride = size.sequence,
            .dropout = dropout};
  }

  // Forward for the last `queries` positions (0: all).
  [[nodiscard]] AttentionResult forward(std::size_t threads, std::size_t queries = 0) const {
    if (queries == 0) queries = size.sequence;
    const kernels::cpu::TeamSize team(threads);
    const auto c = config(threads);
    kernels::cpu::check_attention(c);
    const Packed packed = pack();
    const std::size_t width = output_width(), stride = width + 5, rows = size.batch * queries;
    std::vector<float> o(rows * stride, NAN);
    AttentionResult result;
    result.lse.assign(rows * size.heads, NAN);
    const PoisonedScratch scratch(kernels::cpu::attention_forward_scratch_bytes(c));
    kernels::cpu::attention_forward(c, {.in = inputs(packed, queries),
                                        .o = {o.data(), stride, queries * stride},
                                        .lse = result.lse.data(),
                                        .scratch = scratch.data()});
    EXPECT_TRUE(scratch.guard_is_whole()) << describe();
    EXPECT_TRUE(gaps_are_untouched(o, rows, width, stride)) << describe();
    result.o = dense(o, rows, width, stride);
    return result;
  }

  // Backward for the last `queries` positions (0: all), after the kernel's own forward. grad_o
  // counts for those rows only.
  [[nodiscard]] AttentionResult backward(std::size_t threads, std::size_t queries = 0) const {
    if (queries == 0) queries = size.sequence;
    AttentionResult result = forward(threads, queries);
    const kernels::cpu::TeamSize team(threads);
    const auto c = config(threads);
    const Packed packed = pack();
    const std::size_t width = query_width(), out = output_width(), keys = key_width(),
                      values = value_width();
    const std::size_t q_rows = size.batch * queries, k_rows = size.batch * size.sequence;
    // dk and dv lie side by side, dq and the inputs in wider rows of their own.
    const std::size_t q_stride = width + 2, k_stride = keys + values + 1;
    const auto o = strided(result.o, q_rows, out, out + 5),
               d = strided(grad_o, k_rows, out, out + 7);
    std::vector<float> dq(q_rows * q_stride, NAN), dkv(k_rows * k_stride, NAN);
    const PoisonedScratch scratch(kernels::cpu::attention_backward_scratch_bytes(c));
    kernels::cpu::attention_backward(
        c, {.in = inputs(packed, queries),
            .o = {o.data(), out + 5, queries * (out + 5)},
            .grad_o = {d.data() + (size.sequence - queries) * (out + 7), out + 7,
                       size.sequence * (out + 7)},
            .lse = result.lse.data(),
            .dq = {dq.data(), q_stride, queries * q_stride},
            .dk = {dkv.data(), k_stride, size.sequence * k_stride},
            .dv = {dkv.data() + keys, k_stride, size.sequence * k_stride},
            .scratch = scratch.data()});
    EXPECT_TRUE(scratch.guard_is_whole()) << describe();
    EXPECT_TRUE(gaps_are_untouched(dq, q_rows, width, q_stride)) << describe();
    EXPECT_TRUE(gaps_are_untouched(dkv, k_rows, keys + values, k_stride)) << describe();
    result.dq = dense(dq, q_rows, width, q_stride);
    result.dk = dense(dkv, k_rows, keys, k_stride);
    result.dv = dense(std::span(dkv).subspan(keys), k_rows, values, k_stride);
    return result;
  }
  [[nodiscard]] kernels::ref::AttentionGradients reference_gradients() const {
    return kernels::ref::attention_gradients(shape(), widen(q), widen(k), widen(v), widen(grad_o),
                                             segments);
  }
};

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_KERNELS_ATTENTION_CASE_H_
