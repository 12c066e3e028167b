// Rounding to E4M3 with integer operations on vectors of float32: the mantissa of a normal value is
// cut after three bits, and a value below the smallest normal one is rounded by adding a number
// whose last bit is worth 2^-9.
#include "megascale/kernels/cpu/float8.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "megascale/base/float8.h"
#include "megascale/kernels/cpu/simd_targets.h"
#include "megascale/kernels/cpu/team.h"
#include "megascale/kernels/float8.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/float8.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/simd-inl.h"

#ifndef MEGASCALE_KERNELS_CPU_FLOAT8_ONCE_
#define MEGASCALE_KERNELS_CPU_FLOAT8_ONCE_
namespace megascale::kernels::cpu {

// The largest magnitude is not finite if any value of the group is not: then the factor, and so every
// code and the inverse, is NaN.
float float8_factor(float largest) noexcept {
  if (!std::isfinite(largest)) return std::numeric_limits<float>::quiet_NaN();
  return largest > 0 ? std::min(kMostE4m3 / largest, kMostFloat8Factor) : 1.0F;
}

// Magnitudes are compared as integers: so NaN counts as larger than infinity.
float larger_magnitude(float a, float b) noexcept {
  return std::bit_cast<float>(std::max(std::bit_cast<std::uint32_t>(std::abs(a)),
                                       std::bit_cast<std::uint32_t>(std::abs(b))));
}

}  // namespace megascale::kernels::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

using Bits = hn::RebindToUnsigned<Tag>;
using BitsVec = hn::Vec<Bits>;

// Returns the codes of a vector, one in each lane of 32 bits.
HWY_INLINE BitsVec encode(Vec x) {
  constexpr std::uint32_t kSign = 0x80000000U, kRebias = (127 - 7) << 3;
  const Bits bits;
  const auto number = [=](std::uint32_t value) HWY_ATTR { return hn::Set(bits, value); };
  const BitsVec raw = hn::BitCast(bits, x);
  const BitsVec sign = hn::ShiftRight<24>(hn::And(raw, number(kSign)));
  const Vec size = hn::Abs(x), bounded = at_most(size, kMostE4m3);
  // Round to nearest, ties to even, at bit 20: adds half of it less one, and one if it is set.
  const BitsVec u = hn::BitCast(bits, bounded);
  const BitsVec odd = hn::And(hn::ShiftRight<20>(u), number(1));
  const BitsVec normal =
      hn::Sub(hn::ShiftRight<20>(hn::Add(hn::Add(u, number(0x7FFFF)), odd)), number(kRebias));
  // The last bit of 2^14 + x is 2^-9.
  const Vec magic = set(0x1p14F);
  const BitsVec tiny =
      hn::Sub(hn::BitCast(bits, hn::Add(bounded, magic)), hn::BitCast(bits, magic));
  const auto is_tiny = hn::RebindMask(bits, hn::Lt(bounded, set(0x1p-6F)));
  const auto is_finite =
      hn::RebindMask(bits, hn::Lt(size, set(std::numeric_limits<float>::infinity())));
  const BitsVec code = hn::IfThenElse(is_tiny, tiny, normal);
  return hn::Or(sign, hn::IfThenElse(is_finite, code, number(kE4m3Nan)));
}

// Writes codes[begin .. end) of a row, each value times its factor: factors(at) gives the vector.
template <class Factors>
HWY_INLINE void encode_row(const float* x, std::size_t columns, std::uint8_t* codes,
                           Factors factors) {
  for_each_vector(0, columns, [=](auto at) HWY_ATTR {
    HWY_ALIGN std::uint32_t lanes[kLanes];
    hn::Store(encode(hn::Mul(at.load(x), factors(at))), Bits(), lanes);
    const std::size_t count = std::min(kLanes, columns - at.c);
    for (std::size_t i = 0; i < count; ++i) codes[at.c + i] = static_cast<std::uint8_t>(lanes[i]);
  });
}

// larger_magnitude() of vectors.
HWY_INLINE Vec larger(Vec a, Vec b) {
  const hn::RebindToSigned<Tag> integers;
  return hn::BitCast(Tag(),
                     hn::Max(hn::BitCast(integers, hn::Abs(a)), hn::BitCast(integers, hn::Abs(b))));
}

float largest_of(const float* x, std::size_t count) {
  Vec most = zero();
  for_each_vector(0, count, [&](auto at) HWY_ATTR { most = larger(most, at.load(x)); });
  HWY_ALIGN float lanes[kLanes];
  hn::Store(most, Tag(), lanes);
  float largest = 0;
  for (const float lane : lanes) largest = larger_magnitude(largest, lane);
  return largest;
}

void encode_values(const float* x, std::size_t count, float factor, std::uint8_t* codes) {
  const Vec factors = set(factor);
  encode_row(x, count, codes, [=](auto) HWY_ATTR { return factors; });
}

void quantise_rows_range(const Quantise& a, std::size_t first, std::size_t last) {
  for (std::size_t n = first; n < last; ++n) {
    const float* x = a.x + n * a.columns;
    const float factor = float8_factor(largest_of(x, a.columns));
    a.inverses[n] = 1.0F / factor;
    encode_values(x, a.columns, factor, a.codes + n * a.columns);
  }
}

// Quantises the rows [first, last), which are one group. The inverses hold the maxima, then the
// factors, until the codes are written.
void quantise_group(const Quantise& a, float* inverses, std::size_t first, std::size_t last) {
  for (std::size_t c = 0; c < a.columns; ++c) inverses[c] = 0;
  for (std::size_t n = first; n < last; ++n) {
    const float* x = a.x + n * a.columns;
    for_each_vector(0, a.columns, [=](auto at) HWY_ATTR {
      at.store(larger(at.load(inverses), at.load(x)), inverses);
    });
  }
  for (std::size_t c = 0; c < a.columns; ++c) inverses[c] = float8_factor(inverses[c]);
  for (std::size_t n = first; n < last; ++n) {
    encode_row(a.x + n * a.columns, a.columns, a.codes + n * a.columns,
               [=](auto at) HWY_ATTR { return at.load(inverses); });
  }
  for (std::size_t c = 0; c < a.columns; ++c) inverses[c] = 1.0F / inverses[c];
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(largest_of);
HWY_EXPORT(encode_values);
HWY_EXPORT(quantise_rows_range);
HWY_EXPORT(quantise_group);

float largest_magnitude(const float* x, std::size_t count) noexcept {
  return HWY_DYNAMIC_DISPATCH(largest_of)(x, count);
}

void encode_float8(const float* x, std::size_t count, float factor, std::uint8_t* codes) noexcept {
  HWY_DYNAMIC_DISPATCH(encode_values)(x, count, factor, codes);
}

void quantise_rows(const Quantise& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(quantise_rows_range);
  parallel_ranges(args.rows, 16, args.columns * 9,
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

void quantise_columns(const Quantise& args, std::size_t group) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(quantise_group);
  parallel_ranges((args.rows + group - 1) / group, 1, group * args.columns * 9,
                  [&](std::size_t first, std::size_t last) {
                    for (std::size_t g = first; g < last; ++g) {
                      run(args, args.inverses + g * args.columns, g * group,
                          std::min(args.rows, (g + 1) * group));
                    }
                  });
}

namespace {

// Reads every row n back; inverse(n, c) is the inverse of its column c.
template <class Inverse>
void read_back(const Dequantise& a, const Inverse& inverse) noexcept {
  parallel_ranges(a.rows, 1, a.columns * 5, [&](std::size_t first, std::size_t last) {
    for (std::size_t n = first; n < last; ++n) {
      const std::uint8_t* codes = a.codes + n * a.columns;
      float* y = a.y + n * a.columns;
      for (std::size_t c = 0; c < a.columns; ++c) {
        const float value = kE4m3Values[codes[c]] * inverse(n, c);
        y[c] = a.add ? y[c] + value : value;
      }
    }
  });
}

}  // namespace

void dequantise_rows(const Dequantise& args) noexcept {
  read_back(args, [&](std::size_t n, std::size_t) { return args.inverses[n]; });
}

void dequantise_row_groups(const Dequantise& args, std::size_t group) noexcept {
  read_back(args, [&](std::size_t n, std::size_t) { return args.inverses[n / group]; });
}

void dequantise_columns(const Dequantise& args, std::size_t group) noexcept {
  read_back(args, [&](std::size_t n, std::size_t c) {
    return args.inverses[n / group * args.columns + c];
  });
}

}  // namespace megascale::kernels::cpu
#endif
