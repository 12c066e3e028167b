// RMSNorm of query and key heads, vectorized with Highway. A thread takes whole rows, so that a row
// is read from memory once. The gradients of the weights are summed in the fixed blocks of
// row_blocks.h: first over the heads and tokens of a block in order, then over the blocks.
#include "megascale/kernels/cpu/head_norm.h"

#include <cmath>
#include <cstring>

#include "megascale/kernels/cpu/row_blocks.h"
#include "megascale/kernels/cpu/simd_targets.h"
#include "megascale/kernels/cpu/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/head_norm.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

// Calls body(h, first channel in the row, channels, is_query) for every norm of a token.
template <class Body>
HWY_INLINE void for_each_norm(const HeadNormShape& a, Body body) {
  const std::size_t queries = a.whole ? 1 : a.query_heads;
  for (std::size_t h = 0; h < a.norms(); ++h) {
    const bool is_query = h < queries;
    const std::size_t first = a.whole ? (is_query ? 0 : a.query_channels()) : h * a.head_size;
    body(h, first, is_query ? a.query_channels() : a.key_channels(), is_query);
  }
}

// The sum that all ranks have for norm h of token n: of this rank's sum or, if there are several, of those
// in `all`, in rank order.
template <class Own>
HWY_INLINE float sum_of_ranks(const HeadNormShape& a, const float* all, std::size_t n,
                              std::size_t h, Own own) {
  if (a.ranks == 1) return own();
  float sum = 0;
  for (std::size_t r = 0; r < a.ranks; ++r) sum += all[(r * a.tokens + n) * a.norms() + h];
  return sum;
}

HWY_INLINE float sum_of_squares(const float* x, std::size_t size) {
  float squares = 0;
  row_sums<1>(size, &squares, [=](auto at, Vec* lanes) HWY_ATTR {
    const Vec v = at.load(x);
    lanes[0] = hn::MulAdd(v, v, lanes[0]);
  });
  return squares;
}

// Returns the sum of dy (gamma + offset) x rstd.
HWY_INLINE float sum_of_products(const float* dy, const float* gamma, Vec offset, const float* x,
                                 Vec rstd, std::size_t size) {
  float sum = 0;
  row_sums<1>(size, &sum, [=](auto at, Vec* lanes) HWY_ATTR {
    // Loads of dy past the end give 0: no keep() needed.
    const Vec g = hn::Mul(at.load(dy), hn::Add(at.load(gamma), offset));
    lanes[0] = hn::MulAdd(g, hn::Mul(at.load(x), rstd), lanes[0]);
  });
  return sum;
}

void head_norm_rows(const HeadNormForward& a, std::size_t first, std::size_t last) {
  const Vec offset = set(a.gamma_offset);
  for (std::size_t n = first; n < last; ++n) {
    for_each_norm(
        a, [&](std::size_t h, std::size_t at_channel, std::size_t size, bool is_query) HWY_ATTR {
          const float* x = a.x + n * a.row() + at_channel;
          const float* gamma = is_query ? a.query_gamma : a.key_gamma;
          float* y = a.y + n * a.row() + at_channel;
          const float squares =
              sum_of_ranks(a, a.squares, n, h, [=]() HWY_ATTR { return sum_of_squares(x, size); });
          const float rstd = 1.0F / std::sqrt(squares / static_cast<float>(size * a.ranks) + a.eps);
          const Vec scale = set(rstd);
          for_each_vector(0, size, [=](auto at) HWY_ATTR {
            at.store(hn::Mul(hn::Mul(at.load(x), scale), hn::Add(at.load(gamma), offset)), y);
          });
          a.rstd[n * a.norms() + h] = rstd;
        });
    if (a.x == a.y) continue;
    const std::size_t values = n * a.row() + a.normed();
    std::memcpy(a.y + values, a.x + values, a.key_heads * a.head_size * sizeof(float));
  }
}

// Computes the rows [first, last), which are one block of row_blocks.h. `partial` receives the
// block's dquery_gamma and behind it its dkey_gamma.
void head_norm_slope(const HeadNormBackward& a, std::size_t first, std::size_t last,
                     float* partial) {
  const Vec offset = set(a.gamma_offset);
  const bool has_weight_gradients = a.dquery_gamma != nullptr;
  if (has_weight_gradients)
    std::memset(partial, 0, (a.query_channels() + a.key_channels()) * sizeof(float));
  for (std::size_t n = first; n < last; ++n) {
    for_each_norm(
        a, [&](std::size_t h, std::size_t at_channel, std::size_t size, bool is_query) HWY_ATTR {
          const std::size_t head = n * a.row() + at_channel;
          const float *x = a.x + head, *dy = a.dy + head,
                      *gamma = is_query ? a.query_gamma : a.key_gamma;
          float* dgamma = is_query ? partial : partial + a.query_channels();
          float* dx = a.dx + head;
          const Vec scale = set(a.rstd[n * a.norms() + h]);
          const float sum = sum_of_ranks(a, a.products, n, h, [=]() HWY_ATTR {
            return sum_of_products(dy, gamma, offset, x, scale, size);
          });
          const Vec mean = set(sum / static_cast<float>(size * a.ranks));
          for_each_vector(0, size, [=](auto at) HWY_ATTR {
            const Vec z = hn::Mul(at.load(x), scale), d = at.load(dy);
            const Vec v = hn::NegMulAdd(z, mean, hn::Mul(d, hn::Add(at.load(gamma), offset)));
            if (has_weight_gradients) at.store(hn::MulAdd(d, z, at.load(dgamma)), dgamma);
            at.store(hn::Mul(v, scale), dx);
          });
        });
    if (a.dx == a.dy) continue;
    const std::size_t values = n * a.row() + a.normed();
    std::memcpy(a.dx + values, a.dy + values, a.key_heads * a.head_size * sizeof(float));
  }
}

void head_norm_square_rows(const HeadNormShape& a, const float* rows, float* squares,
                           std::size_t first, std::size_t last) {
  for (std::size_t n = first; n < last; ++n) {
    for_each_norm(a, [&](std::size_t h, std::size_t at_channel, std::size_t size, bool) HWY_ATTR {
      squares[n * a.norms() + h] = sum_of_squares(rows + n * a.row() + at_channel, size);
    });
  }
}

void head_norm_product_rows(const HeadNormProducts& a, std::size_t first, std::size_t last) {
  const Vec offset = set(a.gamma_offset);
  for (std::size_t n = first; n < last; ++n) {
    for_each_norm(
        a, [&](std::size_t h, std::size_t at_channel, std::size_t size, bool is_query) HWY_ATTR {
          const std::size_t head = n * a.row() + at_channel, norm = n * a.norms() + h;
          a.products[norm] = sum_of_products(a.dy + head, is_query ? a.query_gamma : a.key_gamma,
                                             offset, a.x + head, set(a.rstd[norm]), size);
        });
  }
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(head_norm_rows);
HWY_EXPORT(head_norm_slope);
HWY_EXPORT(head_norm_square_rows);
HWY_EXPORT(head_norm_product_rows);

void head_norm_forward(const HeadNormForward& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(head_norm_rows);
  parallel_ranges(args.tokens, 1, args.row() * 2 * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

void head_norm_backward(const HeadNormBackward& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(head_norm_slope);
  const std::size_t rows = block_rows(args.tokens), blocks = row_blocks(args.tokens),
                    stride = args.query_channels() + args.key_channels();
  parallel_ranges(
      blocks, 1, rows * args.row() * 3 * sizeof(float), [&](std::size_t first, std::size_t last) {
        for (std::size_t b = first; b < last; ++b) {
          run(args, b * rows, std::min(args.tokens, (b + 1) * rows), args.scratch + b * stride);
        }
      });
  if (args.dquery_gamma == nullptr) return;
  add_partial_sums(args.dquery_gamma, args.scratch, blocks, stride, args.query_channels(),
                   args.accumulate);
  add_partial_sums(args.dkey_gamma, args.scratch + args.query_channels(), blocks, stride,
                   args.key_channels(), args.accumulate);
}

void head_norm_squares(const HeadNormShape& shape, const float* x, float* squares) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(head_norm_square_rows);
  parallel_ranges(
      shape.tokens, 1, shape.row() * sizeof(float),
      [&](std::size_t first, std::size_t last) { run(shape, x, squares, first, last); });
}

void head_norm_products(const HeadNormProducts& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(head_norm_product_rows);
  parallel_ranges(args.tokens, 1, args.row() * 2 * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

std::size_t head_norm_backward_scratch_bytes(const HeadNormShape& shape) noexcept {
  return partial_sum_bytes(shape.tokens, shape.query_channels() + shape.key_channels(), 1);
}

}  // namespace megascale::kernels::cpu
#endif
