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

void head_norm_rows(const HeadNormForward& a, std::size_t first, std::size_t last) {
  const std::size_t size = a.head_size, row = a.row(), heads = a.heads();
  for (std::size_t n = first; n < last; ++n) {
    for (std::size_t h = 0; h < heads; ++h) {
      const float* x = a.x + n * row + h * size;
      const float* gamma = h < a.query_heads ? a.query_gamma : a.key_gamma;
      float* y = a.y + n * row + h * size;
      float squares = 0;
      row_sums<1>(size, &squares, [=](auto at, Vec* lanes) HWY_ATTR {
        const Vec v = at.load(x);
        lanes[0] = hn::MulAdd(v, v, lanes[0]);
      });
      const float rstd = 1.0F / std::sqrt(squares / static_cast<float>(size) + a.eps);
      const Vec scale = set(rstd);
      for_each_vector(0, size, [=](auto at) HWY_ATTR {
        at.store(hn::Mul(hn::Mul(at.load(x), scale), at.load(gamma)), y);
      });
      a.rstd[n * heads + h] = rstd;
    }
    if (a.x == a.y) continue;
    const std::size_t values = n * row + heads * size;
    std::memcpy(a.y + values, a.x + values, a.key_heads * size * sizeof(float));
  }
}

// Computes the rows [first, last), which are one block of row_blocks.h. `partial` receives the
// block's dquery_gamma and, HS floats further, its dkey_gamma.
void head_norm_slope(const HeadNormBackward& a, std::size_t first, std::size_t last,
                     float* partial) {
  const std::size_t size = a.head_size, row = a.row(), heads = a.heads();
  const bool has_weight_gradients = a.dquery_gamma != nullptr;
  if (has_weight_gradients) std::memset(partial, 0, 2 * size * sizeof(float));
  for (std::size_t n = first; n < last; ++n) {
    for (std::size_t h = 0; h < heads; ++h) {
      const bool is_query = h < a.query_heads;
      const std::size_t head = n * row + h * size;
      const float *x = a.x + head, *dy = a.dy + head,
                  *gamma = is_query ? a.query_gamma : a.key_gamma;
      float* dgamma = is_query ? partial : partial + size;
      float* dx = a.dx + head;
      const Vec scale = set(a.rstd[n * heads + h]);
      float sum = 0;  // of g z
      row_sums<1>(size, &sum, [=](auto at, Vec* lanes) HWY_ATTR {
        // Loads past the end give 0: no keep() needed.
        const Vec g = hn::Mul(at.load(dy), at.load(gamma));
        lanes[0] = hn::MulAdd(g, hn::Mul(at.load(x), scale), lanes[0]);
      });
      const Vec mean = set(sum / static_cast<float>(size));
      for_each_vector(0, size, [=](auto at) HWY_ATTR {
        const Vec z = hn::Mul(at.load(x), scale), d = at.load(dy);
        const Vec v = hn::NegMulAdd(z, mean, hn::Mul(d, at.load(gamma)));
        if (has_weight_gradients) at.store(hn::MulAdd(d, z, at.load(dgamma)), dgamma);
        at.store(hn::Mul(v, scale), dx);
      });
    }
    if (a.dx == a.dy) continue;
    const std::size_t values = n * row + heads * size;
    std::memcpy(a.dx + values, a.dy + values, a.key_heads * size * sizeof(float));
  }
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(head_norm_rows);
HWY_EXPORT(head_norm_slope);

void head_norm_forward(const HeadNormForward& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(head_norm_rows);
  parallel_ranges(args.tokens, 1, args.row() * 2 * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

void head_norm_backward(const HeadNormBackward& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(head_norm_slope);
  const std::size_t rows = block_rows(args.tokens), blocks = row_blocks(args.tokens),
                    stride = 2 * args.head_size;
  parallel_ranges(
      blocks, 1, rows * args.row() * 3 * sizeof(float), [&](std::size_t first, std::size_t last) {
        for (std::size_t b = first; b < last; ++b) {
          run(args, b * rows, std::min(args.tokens, (b + 1) * rows), args.scratch + b * stride);
        }
      });
  if (args.dquery_gamma == nullptr) return;
  add_partial_sums(args.dquery_gamma, args.scratch, blocks, stride, args.head_size,
                   args.accumulate);
  add_partial_sums(args.dkey_gamma, args.scratch + args.head_size, blocks, stride, args.head_size,
                   args.accumulate);
}

std::size_t head_norm_backward_scratch_bytes(std::size_t tokens, std::size_t head_size) noexcept {
  return partial_sum_bytes(tokens, head_size, 2);
}

}  // namespace megascale::kernels::cpu
#endif
