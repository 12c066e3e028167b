#ifndef MEGASCALE_KERNELS_CUDA_THREAD_PACKS_INL_H_
#define MEGASCALE_KERNELS_CUDA_THREAD_PACKS_INL_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "megascale/kernels/cuda/device_code.h"

namespace megascale::kernels::cuda {

// The part of a row that one of kThreads threads keeps in registers: the packs number
// thread + j * kThreads for every j below kPacks; zeros beyond the end of the row. They are kept as 32-bit words, since
// the compiler would keep each bfloat16 of a Pack in a register of its own.
template <class P, int kPacks, unsigned kThreads>
class ThreadPacks {
 public:
  // `width`: packs in a row.
  __device__ void load(const void* rows, unsigned thread, std::size_t n, std::size_t width) {
#pragma unroll
    for (int j = 0; j < kPacks; ++j) {
      const std::size_t i = thread + j * kThreads;
      if (i < width) words_[j] = static_cast<const Words*>(rows)[n * width + i];
    }
  }
  __device__ P operator[](int j) const { return std::bit_cast<P>(words_[j]); }

 private:
  using Word = std::conditional_t<sizeof(P) % 4 == 0, std::uint32_t, std::uint16_t>;
  using Words = Pack<Word, sizeof(P) / sizeof(Word)>;
  Words words_[kPacks] = {};
};

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_THREAD_PACKS_INL_H_
