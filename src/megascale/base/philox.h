#ifndef MEGASCALE_BASE_PHILOX_H_
#define MEGASCALE_BASE_PHILOX_H_

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

// Random numbers of Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2,
// 3"). The generator is counter-based: element i of a stream is a pure function of (seed, purpose,
// i). Every rank can therefore compute its own elements, and no layout of ranks changes them.
namespace megascale {

// Returns one block of the raw generator: four 32-bit words from a 128-bit counter and a 64-bit
// key.
[[nodiscard]] std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                                      std::array<std::uint32_t, 2> key) noexcept;

// A stream of random numbers that are addressed by their index. It has no mutable state: it can be
// copied, and threads may share it.
class PhiloxStream {
 public:
  // Streams of one seed with different purposes are independent. A purpose is for instance a
  // parameter's name, "shuffle" or "sample".
  PhiloxStream(std::uint64_t seed, std::string_view purpose) noexcept;
  // Returns the 64-bit word number `index`, uniform over all values.
  [[nodiscard]] std::uint64_t bits(std::uint64_t index) const noexcept;
  // Returns a number that is uniform in [0, 1), with 53 random bits.
  [[nodiscard]] double uniform(std::uint64_t index) const noexcept;
  // Returns a number of the standard normal distribution. The Box-Muller method makes two numbers
  // of each block of the generator, for the indices 2 k and 2 k + 1.
  [[nodiscard]] double normal(std::uint64_t index) const noexcept;
  // Sets out[i] = mean + stddev * normal(first + i).
  void fill_normal(std::span<float> out, std::uint64_t first, double mean,
                   double stddev) const noexcept;

 private:
  [[nodiscard]] std::array<double, 2> normal_pair(std::uint64_t pair) const noexcept;

  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 2> stream_;
};

}  // namespace megascale

#endif  // MEGASCALE_BASE_PHILOX_H_
