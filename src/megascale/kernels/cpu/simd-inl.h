// Vector loops whose bits do not depend on the vector length. This file is compiled once per vector
// target (included after hwy/foreach_target.h).
//
// In a sum, element c of a row always goes to virtual lane c mod 64. Each lane adds its elements in
// order of c, and the lanes are folded by halves. So AVX2 and AVX-512 give the same bits (both fuse
// MulAdd). Element-wise code has no order of additions.
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

// A position in a loop: the whole vector that starts at element `c`.
struct Whole {
  std::size_t c;
  HWY_INLINE Vec load(const float* p) const { return hn::LoadU(Tag(), p + c); }
  HWY_INLINE void store(Vec v, float* p) const { hn::StoreU(v, Tag(), p + c); }
  HWY_INLINE Vec keep(Vec v) const { return v; }
};

// A position in a loop: the last `n` < kLanes elements, from `c` on. Loads give 0 in the other
// lanes and read nothing there. Stores write nothing there. keep() zeroes them, which is needed
// before a computed value enters a sum.
struct Rest {
  std::size_t c, n;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  HWY_INLINE Vec load(const float* p) const {
    return hn::MaskedLoad(hn::FirstN(Tag(), n), Tag(), p + c);
  }
  HWY_INLINE void store(Vec v, float* p) const {
    hn::BlendedStore(v, hn::FirstN(Tag(), n), Tag(), p + c);
  }
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

// Calls body(at) for every vector of [begin, end), in order; `at` is a Whole or a Rest.
template <class Body>
HWY_INLINE void for_each_vector(std::size_t begin, std::size_t end, Body body) {
  std::size_t c = begin;
  for (; c + kLanes <= end; c += kLanes) body(Whole{c});
  if (c < end) body(Rest{c, end - c});
}

// Calls body for the vector at `c`, if any of it lies before `end`.
template <class Body>
HWY_INLINE void at_position(std::size_t c, std::size_t end, Body body) {
  if (c + kLanes <= end) {
    body(Whole{c});
  } else if (c < end) {
    body(Rest{c, end - c});
  }
}

// Returns the sum of the 64 virtual lanes, added by halves: lane i + lane i + 32, and so on.
HWY_INLINE float fold_sum(const Vec* lanes) {
  HWY_ALIGN float sums[kVirtualLanes];
  for (std::size_t j = 0; j < kVirtualLanes / kLanes; ++j)
    hn::Store(lanes[j], Tag(), sums + j * kLanes);
  for (std::size_t half = kVirtualLanes / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
  }
  return sums[0];
}

// Computes kSums sums over the elements [0, count). term(at, lanes) adds the terms of one vector to
// lanes[0 .. kSums).
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

// max(x, low) and min(x, high) that keep NaN. The x86 instructions return the second operand if one
// is NaN; other targets may not, so they compare and select.
HWY_INLINE Vec at_least(Vec x, float low) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  return hn::Max(set(low), x);
#else
  return hn::IfThenElse(hn::Lt(x, set(low)), set(low), x);
#endif
}
HWY_INLINE Vec at_most(Vec x, float high) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  return hn::Min(set(high), x);
#else
  return hn::IfThenElse(hn::Gt(x, set(high)), set(high), x);
#endif
}

// The range of exp_in_range(), to which callers clamp x. The result is 0 at kExpZero, and wherever
// e^x is below 2^-126.5; it is infinity at kExpInfinity.
inline constexpr float kExpZero = -88.0F, kExpInfinity = 88.8F;

// Returns e^x for kExpZero <= x <= kExpInfinity, with a relative error below 1.5 u between 2^-126
// and 2^127 (measured: simd_math_test). NaN stays NaN (hwy's Exp gives 0, which would hide a broken
// logit). Method: x = k ln 2 + r. Adding 1.5 2^23 + 127 rounds to k and leaves k + 127, the
// exponent of 2^k, in the low bits. e^r is a polynomial that interpolates at Chebyshev's points
// (error 0.2 u).
HWY_INLINE Vec exp_in_range(Vec x) {
  const Vec magic = set(12582912.0F + 127.0F);
  const Vec biased = hn::MulAdd(x, set(1.44269504088896341F), magic);
  const Vec k = hn::Sub(biased, magic);
  Vec r = hn::NegMulAdd(k, set(0.693359375F),
                        x);  // ln 2 in two parts (Cody and Waite): k times the first part is exact
  r = hn::NegMulAdd(k, set(-2.12194440e-4F), r);
  Vec p = set(1.392621347e-3F);
  p = hn::MulAdd(p, r, set(8.363202972e-3F));
  p = hn::MulAdd(p, r, set(4.166655444e-2F));
  p = hn::MulAdd(p, r, set(1.666657685e-1F));
  p = hn::MulAdd(p, r, set(0.5F));
  p = hn::Add(hn::MulAdd(p, hn::Mul(r, r), r), set(1.0F));
  const hn::RebindToUnsigned<Tag> bits;
  return hn::Mul(p, hn::BitCast(Tag(), hn::ShiftLeft<23>(hn::BitCast(bits, biased))));
}

// Returns e^x for x <= 0, as small as x may be.
HWY_INLINE Vec exp_nonpositive(Vec x) { return exp_in_range(at_least(x, kExpZero)); }

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
