// Rounding to 8-bit floats against a search through all of them. Without a device, skipped.
#include "megascale/kernels/cuda/quantise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "megascale/cuda/device.h"
#include "megascale/cuda/memory.h"
#include "megascale/cuda/stream.h"
#include "support/close.h"

namespace megascale::kernels::cuda {
namespace {

// What the bits mean, by the table of arXiv 2209.05433.
double value_of(std::uint8_t bits, Float8 format) {
  const int mantissa = format == Float8::e4m3 ? 3 : 2, bias = format == Float8::e4m3 ? 7 : 15;
  const int digits = bits & ((1 << mantissa) - 1), exponent = (bits & 0x7F) >> mantissa;
  const double sign = (bits & 0x80) != 0 ? -1 : 1;
  if (format == Float8::e4m3 ? (bits & 0x7F) == 0x7F : exponent == 31) {
    return format == Float8::e5m2 && digits == 0 ? sign * std::numeric_limits<double>::infinity()
                                                 : std::nan("");
  }
  if (exponent == 0) return sign * std::ldexp(digits, 1 - bias - mantissa);
  return sign * std::ldexp((1 << mantissa) + digits, exponent - bias - mantissa);
}
// The finite one that is nearest; of two the one with an even last digit.
std::uint8_t nearest(double x, Float8 format) {
  std::uint8_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int bits = 0; bits < 256; ++bits) {
    const double value = value_of(static_cast<std::uint8_t>(bits), format);
    if (!std::isfinite(value) || std::signbit(value) != std::signbit(x)) continue;
    const double distance = std::fabs(value - x);
    if (distance < least || (distance == least && bits % 2 == 0)) {
      least = distance;
      best = static_cast<std::uint8_t>(bits);
    }
  }
  return best;
}

std::uint16_t to_bfloat16(float x) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(x) >> 16U);
}
float from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

struct Quantised {
  std::vector<std::uint8_t> out, transposed;
  QuantisedScale scale;
};

class QuantiseTest : public ::testing::Test {
 public:
  void SetUp() override {
    if (megascale::cuda::device_count() == 0) GTEST_SKIP() << megascale::cuda::why_no_device();
  }
  static Quantised run(const std::vector<std::uint16_t>& x, std::size_t rows, Float8 format) {
    using megascale::cuda::DeviceMemory;
    megascale::cuda::use_device(0);
    const DeviceMemory in(x.size() * 2), out(x.size()), transposed(x.size()),
        scale(sizeof(QuantisedScale)), scratch(quantise_parts(1) * sizeof(float));
    megascale::cuda::copy_to_device(in.bytes().data(), std::as_bytes(std::span(x)));
    const megascale::cuda::Stream stream;
    quantise({.rows = rows,
              .columns = x.size() / rows,
              .format = format,
              .x = in.bytes().data(),
              .out = out.bytes().data(),
              .transposed = transposed.bytes().data(),
              .scale = reinterpret_cast<QuantisedScale*>(scale.bytes().data()),
              .scratch = reinterpret_cast<float*>(scratch.bytes().data())},
             stream.get());
    if (auto error = megascale::cuda::take_error()) throw Error(*error);
    stream.synchronize();
    Quantised found{std::vector<std::uint8_t>(x.size()), std::vector<std::uint8_t>(x.size()), {}};
    const auto fetch = [](auto& to, const DeviceMemory& from) {
      megascale::cuda::copy_to_host(std::as_writable_bytes(std::span(to)), from.bytes().data());
    };
    fetch(found.out, out);
    fetch(found.transposed, transposed);
    megascale::cuda::copy_to_host(std::as_writable_bytes(std::span(&found.scale, 1)),
                                  scale.bytes().data());
    return found;
  }
};

TEST_F(QuantiseTest, EveryValueBecomesTheNearestOne) {
  for (const Float8 format : {Float8::e4m3, Float8::e5m2}) {
    for (const std::size_t rows : {16U, 80U}) {
      constexpr std::size_t kColumns = 144;
      std::vector<std::uint16_t> x;
      std::size_t n = 0;
      for (const float value : testing::normal(rows * kColumns, 1, 1.0)) {
        // Down to what becomes subnormal, and zero.
        const int shift = static_cast<int>(n++ % 29);
        x.push_back(to_bfloat16(shift == 28 ? 0.0F : std::ldexp(value, -shift)));
      }
      const Quantised found = run(x, rows, format);
      float most = 0;
      for (const std::uint16_t value : x) most = std::max(most, std::fabs(from_bfloat16(value)));
      EXPECT_EQ(found.scale.factor, (format == Float8::e4m3 ? 448.0F : 57344.0F) / most);
      EXPECT_EQ(found.scale.inverse, 1.0F / found.scale.factor);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const float scaled = from_bfloat16(x[i]) * found.scale.factor;
        ASSERT_EQ(found.out[i], nearest(scaled, format)) << i << ": " << scaled;
        ASSERT_EQ(found.transposed[i % kColumns * rows + i / kColumns], found.out[i]) << i;
      }
    }
  }
}

// Nothing finite comes out of what is not; zeros stay zeros.
TEST_F(QuantiseTest, WhatIsNotFiniteSpoilsTheProduct) {
  std::vector<std::uint16_t> x(256, to_bfloat16(1.5F));
  EXPECT_TRUE(std::isfinite(run(x, 16, Float8::e5m2).scale.inverse));
  for (const float value : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
    x[77] = to_bfloat16(value);
    EXPECT_TRUE(std::isnan(run(x, 16, Float8::e5m2).scale.inverse)) << value;
  }
  const Quantised zeros = run(std::vector<std::uint16_t>(256, 0), 16, Float8::e4m3);
  EXPECT_EQ(zeros.scale.inverse, 1.0F);
  EXPECT_EQ(zeros.out, std::vector<std::uint8_t>(256, 0));
}

}  // namespace
}  // namespace megascale::kernels::cuda
