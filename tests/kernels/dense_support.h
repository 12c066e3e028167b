#ifndef MEGASCALE_TESTS_KERNELS_DENSE_SUPPORT_H_
#define MEGASCALE_TESTS_KERNELS_DENSE_SUPPORT_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <vector>

namespace megascale::testing {

inline std::vector<double> widen(std::span<const float> values) {
  return {values.begin(), values.end()};
}

// Scratch as a plan hands it out: aligned to 64, here full of NaN and followed by a guard that no
// kernel may touch.
class PoisonedScratch {
 public:
  explicit PoisonedScratch(std::size_t nbytes)
      : nbytes_(nbytes),
        data_(static_cast<std::byte*>(::operator new (nbytes + kGuard, std::align_val_t{64}))) {
    std::memset(data_.get(), 0xFF, nbytes + kGuard);  // every float of it is NaN
  }
  [[nodiscard]] std::byte* data() const { return data_.get(); }
  [[nodiscard]] bool guard_is_whole() const {
    return std::all_of(data_.get() + nbytes_, data_.get() + nbytes_ + kGuard,
                       [](std::byte b) { return b == std::byte{0xFF}; });
  }

 private:
  static constexpr std::size_t kGuard = 256;
  struct Deleter {
    void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{64}); }
  };
  std::size_t nbytes_;
  std::unique_ptr<std::byte, Deleter> data_;
};

inline bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

// Copies [rows, columns] into rows of `stride` floats; the gaps hold NaN.
inline std::vector<float> strided(std::span<const float> dense, std::size_t rows,
                                  std::size_t columns, std::size_t stride) {
  std::vector<float> wide(rows * stride, NAN);
  for (std::size_t r = 0; r < rows; ++r)
    std::copy_n(dense.data() + r * columns, columns, wide.data() + r * stride);
  return wide;
}
inline std::vector<float> dense(std::span<const float> wide, std::size_t rows, std::size_t columns,
                                std::size_t stride) {
  std::vector<float> narrow(rows * columns);
  for (std::size_t r = 0; r < rows; ++r)
    std::copy_n(wide.data() + r * stride, columns, narrow.data() + r * columns);
  return narrow;
}
// Whether every float between the rows is still NaN.
inline bool gaps_are_untouched(std::span<const float> wide, std::size_t rows, std::size_t columns,
                               std::size_t stride) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = columns; c < stride; ++c) {
      if (!std::isnan(wide[r * stride + c])) return false;
    }
  }
  return true;
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_KERNELS_DENSE_SUPPORT_H_
