// Philox4x32-10 and the streams of uniform and normal numbers on top of it. The 128-bit counter
// holds the index of the number (64 bits) and the digest of the stream's purpose (64 bits); the
// 64-bit key is the seed. Normal numbers use the purpose with its upper word inverted, so they
// never share a block with the uniform numbers of the same stream.
#include "megascale/base/philox.h"

#include <cmath>
#include <numbers>

#include "megascale/base/digest.h"

namespace megascale {
namespace {

constexpr std::uint32_t kMultiplier0 = 0xD2511F53,
                        kMultiplier1 = 0xCD9E8D57;  // Salmon et al., table 2
constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;

constexpr std::uint32_t low(std::uint64_t x) noexcept { return static_cast<std::uint32_t>(x); }
constexpr std::uint32_t high(std::uint64_t x) noexcept {
  return static_cast<std::uint32_t>(x >> 32);
}

// Returns the upper 53 bits as a number in [0, 1).
double to_unit(std::uint64_t bits) noexcept { return static_cast<double>(bits >> 11) * 0x1.0p-53; }

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) noexcept {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{kMultiplier0} * counter[0];
    const std::uint64_t product1 = std::uint64_t{kMultiplier1} * counter[2];
    counter = {high(product1) ^ counter[1] ^ key[0], low(product1),
               high(product0) ^ counter[3] ^ key[1], low(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

PhiloxStream::PhiloxStream(std::uint64_t seed, std::string_view purpose) noexcept
    : key_{low(seed), high(seed)} {
  const std::uint64_t name = digest64(std::as_bytes(std::span(purpose.data(), purpose.size())));
  stream_ = {low(name), high(name)};
}

std::uint64_t PhiloxStream::bits(std::uint64_t index) const noexcept {
  const auto words = philox4x32({low(index / 2), high(index / 2), stream_[0], stream_[1]}, key_);
  const std::size_t half = (index % 2) * 2;
  return std::uint64_t{words[half]} | (std::uint64_t{words[half + 1]} << 32);
}

double PhiloxStream::uniform(std::uint64_t index) const noexcept { return to_unit(bits(index)); }

std::array<double, 2> PhiloxStream::normal_pair(std::uint64_t pair) const noexcept {
  const auto words = philox4x32({low(pair), high(pair), stream_[0], ~stream_[1]}, key_);
  // In (0, 1], so that the logarithm below is finite.
  const double u = 1.0 - to_unit(std::uint64_t{words[0]} | (std::uint64_t{words[1]} << 32));
  const double angle =
      2.0 * std::numbers::pi * to_unit(std::uint64_t{words[2]} | (std::uint64_t{words[3]} << 32));
  const double radius = std::sqrt(-2.0 * std::log(u));
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

double PhiloxStream::normal(std::uint64_t index) const noexcept {
  return normal_pair(index / 2)[index % 2];
}

void PhiloxStream::fill_normal(std::span<float> out, std::uint64_t first, double mean,
                               double stddev) const noexcept {
  for (std::size_t i = 0; i < out.size();) {
    const std::uint64_t index = first + i;
    const auto pair = normal_pair(index / 2);
    for (std::size_t half = index % 2; half < 2 && i < out.size(); ++half, ++i) {
      out[i] = static_cast<float>(mean + stddev * pair[half]);
    }
  }
}

}  // namespace megascale
