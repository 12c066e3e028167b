// LayerNorm and RMSNorm, vectorized with Highway. A thread takes whole rows: it reads a row from
// memory once and makes its further passes over the row in the cache. dgamma and dbeta are summed
// in the fixed blocks of row_blocks.h.
#include "megascale/kernels/cpu/norm.h"

#include <cmath>
#include <cstring>

#include "megascale/kernels/cpu/row_blocks.h"
#include "megascale/kernels/cpu/simd_targets.h"
#include "megascale/kernels/cpu/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/norm.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

HWY_INLINE float rstd_of(float sum_squares, std::size_t channels, float eps) {
  return 1.0F / std::sqrt(sum_squares / static_cast<float>(channels) + eps);
}

void layer_norm_rows(const NormForward& a, std::size_t first, std::size_t last) {
  for (std::size_t n = first; n < last; ++n) {
    const std::size_t row = n * a.channels;
    const float* x = a.x + row;
    float total = 0, squares = 0;
    row_sums<1>(a.channels, &total,
                [=](auto at, Vec* lanes) HWY_ATTR { lanes[0] = hn::Add(lanes[0], at.load(x)); });
    const float mean = total / static_cast<float>(a.channels);
    const Vec center = set(mean);
    row_sums<1>(a.channels, &squares, [=](auto at, Vec* lanes) HWY_ATTR {
      const Vec d = at.keep(hn::Sub(at.load(x), center));
      lanes[0] = hn::MulAdd(d, d, lanes[0]);
    });
    const float rstd = rstd_of(squares, a.channels, a.eps);
    const Vec scale = set(rstd);
    const float *gamma = a.gamma, *beta = a.beta;
    float* y = a.y + row;
    for_each_vector(0, a.channels, [=](auto at) HWY_ATTR {
      const Vec z = hn::Mul(hn::Sub(at.load(x), center), scale);
      at.store(hn::MulAdd(z, at.load(gamma), beta ? at.load(beta) : zero()), y);
    });
    a.mean[n] = mean;
    a.rstd[n] = rstd;
  }
}

void rms_norm_rows(const NormForward& a, std::size_t first, std::size_t last) {
  for (std::size_t n = first; n < last; ++n) {
    const std::size_t row = n * a.channels;
    const float* x = a.x + row;
    float squares = 0;
    row_sums<1>(a.channels, &squares, [=](auto at, Vec* lanes) HWY_ATTR {
      const Vec v = at.load(x);
      lanes[0] = hn::MulAdd(v, v, lanes[0]);
    });
    const float rstd = rstd_of(squares, a.channels, a.eps);
    const Vec scale = set(rstd);
    const float* gamma = a.gamma;
    const Vec offset = set(a.gamma_offset);
    float* y = a.y + row;
    for_each_vector(0, a.channels, [=](auto at) HWY_ATTR {
      at.store(hn::Mul(hn::Mul(at.load(x), scale), hn::Add(at.load(gamma), offset)), y);
    });
    a.rstd[n] = rstd;
  }
}

// Computes the rows [first, last), which are one block of row_blocks.h. `partial` receives the
// block's dgamma and, C floats further, its dbeta.
template <bool kCentered>
HWY_INLINE void norm_backward_block(const NormBackward& a, std::size_t first, std::size_t last,
                                    float* partial) {
  const std::size_t channels = a.channels;
  const float* gamma = a.gamma;
  const Vec offset = set(a.gamma_offset);
  const auto factor = [=](auto at) HWY_ATTR {
    return kCentered ? at.load(gamma) : hn::Add(at.load(gamma), offset);
  };
  float* dgamma = a.dgamma ? partial : nullptr;
  float* dbeta = kCentered && a.dbeta ? partial + channels : nullptr;
  if (dgamma) std::memset(dgamma, 0, channels * sizeof(float));
  if (dbeta) std::memset(dbeta, 0, channels * sizeof(float));
  for (std::size_t n = first; n < last; ++n) {
    const std::size_t row = n * channels;
    const float *x = a.x + row, *dy = a.dy + row;
    const Vec center = kCentered ? set(a.mean[n]) : zero();
    const Vec scale = set(a.rstd[n]);
    const auto normalised = [=](auto at) HWY_ATTR {
      const Vec v = at.load(x);
      return hn::Mul(kCentered ? hn::Sub(v, center) : v, scale);
    };
    float sums[2];
    row_sums<2>(channels, sums, [=](auto at, Vec* lanes) HWY_ATTR {
      const Vec g =
          hn::Mul(at.load(dy), factor(at));  // loads past the end give 0: no keep() needed
      if (kCentered) lanes[0] = hn::Add(lanes[0], g);
      lanes[1] = hn::MulAdd(g, normalised(at), lanes[1]);
    });
    const Vec mean_g = set(sums[0] / static_cast<float>(channels));
    const Vec mean_gz = set(sums[1] / static_cast<float>(channels));
    const float* addend = a.addend ? a.addend + row : nullptr;
    float* dx = a.dx + row;
    for_each_vector(0, channels, [=](auto at) HWY_ATTR {
      const Vec z = normalised(at), d = at.load(dy);
      Vec v = hn::Mul(d, factor(at));
      if (kCentered) v = hn::Sub(v, mean_g);
      v = hn::NegMulAdd(z, mean_gz, v);
      v = addend ? hn::MulAdd(v, scale, at.load(addend)) : hn::Mul(v, scale);
      if (dgamma) at.store(hn::MulAdd(d, z, at.load(dgamma)), dgamma);
      if (dbeta) at.store(hn::Add(at.load(dbeta), d), dbeta);
      at.store(v, dx);
    });
  }
}

void layer_norm_slope(const NormBackward& a, std::size_t first, std::size_t last, float* partial) {
  norm_backward_block<true>(a, first, last, partial);
}
void rms_norm_slope(const NormBackward& a, std::size_t first, std::size_t last, float* partial) {
  norm_backward_block<false>(a, first, last, partial);
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(layer_norm_rows);
HWY_EXPORT(rms_norm_rows);
HWY_EXPORT(layer_norm_slope);
HWY_EXPORT(rms_norm_slope);

namespace {

using ForwardRows = void (*)(const NormForward&, std::size_t, std::size_t);
using BackwardBlock = void (*)(const NormBackward&, std::size_t, std::size_t, float*);

void forward(const NormForward& args, ForwardRows run) noexcept {
  parallel_ranges(args.tokens, 1, args.channels * 2 * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

void backward(const NormBackward& args, BackwardBlock run) noexcept {
  const std::size_t rows = block_rows(args.tokens), blocks = row_blocks(args.tokens),
                    stride = 2 * args.channels;
  parallel_ranges(blocks, 1, rows * args.channels * 3 * sizeof(float),
                  [&](std::size_t first, std::size_t last) {
                    for (std::size_t b = first; b < last; ++b) {
                      run(args, b * rows, std::min(args.tokens, (b + 1) * rows),
                          args.scratch + b * stride);
                    }
                  });
  if (args.dgamma)
    add_partial_sums(args.dgamma, args.scratch, blocks, stride, args.channels, args.accumulate);
  if (args.dbeta) {
    add_partial_sums(args.dbeta, args.scratch + args.channels, blocks, stride, args.channels,
                     args.accumulate);
  }
}

}  // namespace

void layer_norm_forward(const NormForward& args) noexcept {
  forward(args, HWY_DYNAMIC_DISPATCH(layer_norm_rows));
}
void rms_norm_forward(const NormForward& args) noexcept {
  forward(args, HWY_DYNAMIC_DISPATCH(rms_norm_rows));
}
void layer_norm_backward(const NormBackward& args) noexcept {
  backward(args, HWY_DYNAMIC_DISPATCH(layer_norm_slope));
}
void rms_norm_backward(const NormBackward& args) noexcept {
  backward(args, HWY_DYNAMIC_DISPATCH(rms_norm_slope));
}

std::size_t norm_backward_scratch_bytes(std::size_t tokens, std::size_t channels) noexcept {
  return partial_sum_bytes(tokens, channels, 2);
}

}  // namespace megascale::kernels::cpu
#endif
