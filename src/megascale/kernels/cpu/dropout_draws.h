#ifndef MEGASCALE_KERNELS_CPU_DROPOUT_DRAWS_H_
#define MEGASCALE_KERNELS_CPU_DROPOUT_DRAWS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

// Which elements dropout keeps (Srivastava et al. 2014). It is a pure function of the seed, the stream, the number
// of the row and the channel. So it does not depend on the layout of ranks, on the number of threads or
// on the vector target.
//
// Element c of row n is kept if word w of a block of Philox4x32-10 (base/philox.h) is at least
// rate 2^32, rounded. The key is the seed. The counter is (block, stream), 64 bits each, with
//   block = (n ceil(C / 64) + c / 64) 16 + c mod 16,   w = c / 16 mod 4,   C channels.
// Neighbouring channels so come from neighbouring blocks, which vectors compute side by side
// (philox-inl.h).
namespace megascale::kernels::cpu {

// The draws of one op.
struct DropoutDraws {
  double rate = 0;  // the share of the elements that become 0, in [0, 1); 0: all are kept
  std::uint64_t seed = 0, stream = 0;

  // Returns the factor of the elements that are kept.
  [[nodiscard]] float scale() const noexcept { return static_cast<float>(1.0 / (1.0 - rate)); }
  // Returns the smallest word that keeps its element.
  [[nodiscard]] std::uint32_t threshold() const noexcept {
    return static_cast<std::uint32_t>(std::min(std::llround(rate * 0x1p32), 0xFFFFFFFFLL));
  }
};

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_DROPOUT_DRAWS_H_
