#ifndef MEGASCALE_BASE_PHILOX_H_
#define MEGASCALE_BASE_PHILOX_H_

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

// Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3"): a
// counter-based generator, so that element i of a stream is a pure function of (seed, purpose, i)
// and no layout of ranks changes it.
namespace megascale {

// One block of the raw generator: four words from a 128-bit counter and a 64-bit key.
[[nodiscard]] std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                                      std::array<std::uint32_t, 2> key) noexcept;

// A stream of random numbers addressed by index. A value; threads may share it.
class PhiloxStream {
 public:
  // `purpose` separates streams of one seed: a parameter's name, "shuffle", "sample".
  PhiloxStream(std::uint64_t seed, std::string_view purpose) noexcept;
  // Uniform 64-bit word number `index`.
  [[nodiscard]] std::uint64_t bits(std::uint64_t index) const noexcept;
  // Uniform in [0, 1), 53 bits.
  [[nodiscard]] double uniform(std::uint64_t index) const noexcept;
  // Standard normal: Box-Muller turns each block of the generator into the values of an even and
  // the next odd index.
  [[nodiscard]] double normal(std::uint64_t index) const noexcept;
  // out[i] = mean + stddev * normal(first + i).
  void fill_normal(std::span<float> out, std::uint64_t first, double mean,
                   double stddev) const noexcept;

 private:
  [[nodiscard]] std::array<double, 2> normal_pair(std::uint64_t pair) const noexcept;

  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 2> stream_;
};

}  // namespace megascale

#endif  // MEGASCALE_BASE_PHILOX_H_
