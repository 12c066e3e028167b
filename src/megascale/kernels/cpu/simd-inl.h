// Vector loops whose bits do not depend on the vector length. Compiled once per target, after hwy/foreach_target.h.
//
// Element c of a row always goes to virtual lane c mod 64 of a sum, lanes add in order of c and are folded by halves, so
// AVX2 and AVX-512 (both fuse MulAdd) give the same bits. Element-wise code has no order to begin with.
#if defined(MEGASCALE_KERNELS_CPU_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MEGASCALE_KERNELS_CPU_SIMD_INL_H_
#undef MEGASCALE_KERNELS_CPU_SIMD_INL_H_
#else
#define MEGASCALE_KERNELS_CPU_SIMD_INL_H_
#endif

#include <cstddef>
#include <cstring>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, 16>;
using Vec = hn::Vec<Tag>;
inline constexpr std::size_t kLanes = hn::MaxLanes(Tag());
inline constexpr std::size_t kVirtualLanes = 64;
static_assert(kVirtualLanes % kLanes == 0);

HWY_INLINE Vec set(float value) { return hn::Set(Tag(), value); }
HWY_INLINE Vec zero() { return hn::Zero(Tag()); }

// Where a loop stands: a whole vector at element `c`.
struct Whole {
  std::size_t c;
  HWY_INLINE Vec load(const float* p) const { return hn::LoadU(Tag(), p + c); }
  HWY_INLINE void store(Vec v, float* p) const { hn::StoreU(v, Tag(), p + c); }
  HWY_INLINE Vec keep(Vec v) const { return v; }
};

// The last `n` < kLanes elements at `c`. Loads give 0 in the other lanes and read nothing there; stores write nothing
// there; keep() zeroes them before they enter a sum.
struct Rest {
  std::size_t c, n;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  HWY_INLINE Vec load(const float* p) const { return hn::MaskedLoad(hn::FirstN(Tag(), n), Tag(), p + c); }
  HWY_INLINE void store(Vec v, float* p) const { hn::BlendedStore(v, hn::FirstN(Tag(), n), Tag(), p + c); }
#else
  HWY_INLINE Vec load(const float* p) const {
    HWY_ALIGN float buffer[kLanes] = {};
    std::memcpy(buffer, p + c, n * sizeof(float));
    return hn::Load(Tag(), buffer);
  }
  HWY_INLINE void store(Vec v, float* p) const {
    HWY_ALIGN float buffer[kLanes];
    hn::Store(v, Tag(), buffer);
    std::memcpy(p + c, buffer, n * sizeof(float));
  }
#endif
  HWY_INLINE Vec keep(Vec v) const { return hn::IfThenElseZero(hn::FirstN(Tag(), n), v); }
};

// body(at) for every vector of [begin, end), in order.
template <class Body>
HWY_INLINE void for_each_vector(std::size_t begin, std::size_t end, Body body) {
  std::size_t c = begin;
  for (; c + kLanes <= end; c += kLanes) body(Whole{c});
  if (c < end) body(Rest{c, end - c});
}

// A vector of a fixed group that may lie across or behind the end.
template <class Body>
HWY_INLINE void at_position(std::size_t c, std::size_t end, Body body) {
  if (c + kLanes <= end) {
    body(Whole{c});
  } else if (c < end) {
    body(Rest{c, end - c});
  }
}

// Folds the 64 virtual lanes by halves.
HWY_INLINE float fold_sum(const Vec* lanes) {
  HWY_ALIGN float sums[kVirtualLanes];
  for (std::size_t j = 0; j < kVirtualLanes / kLanes; ++j) hn::Store(lanes[j], Tag(), sums + j * kLanes);
  for (std::size_t half = kVirtualLanes / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
  }
  return sums[0];
}

// kSums sums over [0, count). term(at, lanes) adds the terms of one vector to lanes[0 .. kSums).
template <std::size_t kSums, class Term>
HWY_INLINE void row_sums(std::size_t count, float* result, Term term) {
  constexpr std::size_t kGroup = kVirtualLanes / kLanes;
  Vec lanes[kGroup][kSums];
  for (std::size_t j = 0; j < kGroup; ++j) {
    for (std::size_t s = 0; s < kSums; ++s) lanes[j][s] = zero();
  }
  std::size_t c = 0;
  for (; c + kVirtualLanes <= count; c += kVirtualLanes) {
#pragma GCC unroll 16
    for (std::size_t j = 0; j < kGroup; ++j) term(Whole{c + j * kLanes}, lanes[j]);
  }
  if (c < count) {
#pragma GCC unroll 16
    for (std::size_t j = 0; j < kGroup; ++j) {
      at_position(c + j * kLanes, count, [&](auto at) HWY_ATTR { term(at, lanes[j]); });
    }
  }
  for (std::size_t s = 0; s < kSums; ++s) {
    Vec one[kGroup];
    for (std::size_t j = 0; j < kGroup; ++j) one[j] = lanes[j][s];
    result[s] = fold_sum(one);
  }
}

// e^x for x <= 0, relative error below 2 u (measured over every float: math_test), 0 where e^x < 2^-126. NaN stays NaN
// (hwy's Exp gives 0, which would hide a broken logit). Cephes expf: x = k ln 2 + r, polynomial of degree 7 in r.
HWY_INLINE Vec exp_nonpositive(Vec x) {
  const hn::RebindToSigned<Tag> int_tag;
  const Vec lowest = set(-87.336544F);  // ln(2^-126)
  const auto underflows = hn::Lt(x, lowest);
  const Vec clamped = hn::IfThenElse(underflows, lowest, x);
  const Vec k = hn::Round(hn::Mul(clamped, set(1.44269504088896341F)));
  Vec r = hn::NegMulAdd(k, set(0.693359375F), clamped);
  r = hn::NegMulAdd(k, set(-2.12194440e-4F), r);
  Vec p = set(1.9875691500e-4F);
  p = hn::MulAdd(p, r, set(1.3981999507e-3F));
  p = hn::MulAdd(p, r, set(8.3334519073e-3F));
  p = hn::MulAdd(p, r, set(4.1665795894e-2F));
  p = hn::MulAdd(p, r, set(1.6666665459e-1F));
  p = hn::MulAdd(p, r, set(5.0000001201e-1F));
  p = hn::Add(hn::MulAdd(p, hn::Mul(r, r), r), set(1.0F));
  const auto exponent = hn::ShiftLeft<23>(hn::Add(hn::ConvertTo(int_tag, k), hn::Set(int_tag, 127)));
  const Vec y = hn::Mul(p, hn::BitCast(Tag(), exponent));
  return hn::IfThenElse(underflows, zero(), y);
}

// sigmoid(z) and sigmoid(z) (1 - sigmoid(z)), both with small relative error on both sides. NaN stays NaN.
struct Sigmoid {
  Vec value, slope;
};
HWY_INLINE Sigmoid sigmoid(Vec z) {
  const Vec e = exp_nonpositive(hn::Neg(hn::Abs(z)));
  const Vec inverse = hn::Div(set(1.0F), hn::Add(set(1.0F), e));
  const Vec small = hn::Mul(e, inverse);
  return {hn::IfThenElse(hn::Lt(z, zero()), small, inverse), hn::Mul(small, inverse)};
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
