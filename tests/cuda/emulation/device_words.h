#ifndef MEGASCALE_TESTS_CUDA_EMULATION_DEVICE_WORDS_H_
#define MEGASCALE_TESTS_CUDA_EMULATION_DEVICE_WORDS_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>

#include "cuda/emulation/emulation.h"

// CUDA's words for a host that has no device: kernels are ordinary functions, the threads of a
// block are fibers of one thread that take turns at barriers, and blocks run one after the other.
// What a kernel computes is what a device computes, but for the last bits of exp and the like; a
// barrier that not all threads reach is found, and an order of threads that no barrier forces is
// not relied upon: it changes from block to block.
#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __align__(n) alignas(n)
#define __launch_bounds__(...)

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  dim3() = default;
  explicit dim3(unsigned of_x, unsigned of_y = 1, unsigned of_z = 1) : x(of_x), y(of_y), z(of_z) {}
};

namespace megascale::emulation {

extern dim3 thread_index, block_index, block_size, grid_size;

void sync_block();
// What all lanes of the warp give, by lane. Valid until the warp's next exchange.
std::span<const std::uint64_t> exchange_in_warp(std::uint64_t value);
unsigned char* dynamic_shared();
// What instructions with .ftz make of their operands and results.
inline float without_subnormals(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x;
}

void run_grid(dim3 grid, unsigned block, std::size_t shared_nbytes,
              const std::function<void()>& kernel);
// A launch that a device refuses is refused here; any other is the next work of the stream. `thread`
// is what a thread does.
inline void launch(const void* kernel, dim3 grid, unsigned block, std::size_t shared_nbytes,
                   CUstream_st* stream, std::function<void()> thread) {
  const Launch asked{grid.x, grid.y, grid.z, block, shared_nbytes};
  if (!may_launch(kernel, asked, stream)) return;
  enqueue(stream, [=] { run_grid(grid, block, shared_nbytes, thread); });
}

}  // namespace megascale::emulation

#define threadIdx ::megascale::emulation::thread_index
#define blockIdx ::megascale::emulation::block_index
#define blockDim ::megascale::emulation::block_size
#define gridDim ::megascale::emulation::grid_size

inline void __syncthreads() { ::megascale::emulation::sync_block(); }
// A ballot on a device orders no memory; this does.
inline void __syncwarp() { (void)::megascale::emulation::exchange_in_warp(0); }
template <class T>
T __shfl_xor_sync(unsigned, T value, int mask) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  const auto all = ::megascale::emulation::exchange_in_warp(bits);
  T result;
  std::memcpy(&result, &all[(threadIdx.x % 32) ^ static_cast<unsigned>(mask)], sizeof result);
  return result;
}
inline unsigned __ballot_sync(unsigned, bool vote) {
  const auto all = ::megascale::emulation::exchange_in_warp(vote ? 1 : 0);
  unsigned votes = 0;
  for (unsigned lane = 0; lane < 32; ++lane) votes |= static_cast<unsigned>(all[lane]) << lane;
  return votes;
}
// The lanes that give the same value.
inline unsigned __match_any_sync(unsigned, unsigned value) {
  const auto all = ::megascale::emulation::exchange_in_warp(value);
  unsigned same = 0;
  for (unsigned lane = 0; lane < 32; ++lane) same |= (all[lane] == value ? 1U : 0U) << lane;
  return same;
}
// Threads take turns, so nothing comes between.
template <class T>
T atomicAdd(T* address, T value) {
  const T before = *address;
  *address = before + value;
  return before;
}
inline unsigned __popc(unsigned bits) { return static_cast<unsigned>(std::popcount(bits)); }
enum __nv_saturation_t { __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
// To the nearest, ties to even; what is beyond the largest number becomes that.
inline unsigned char __nv_cvt_float_to_fp8(float x, __nv_saturation_t,
                                           __nv_fp8_interpretation_t format) {
  const int mantissa = format == __NV_E4M3 ? 3 : 2, bias = format == __NV_E4M3 ? 7 : 15;
  const unsigned sign = std::signbit(x) ? 0x80U : 0U;
  if (x != x) return static_cast<unsigned char>(sign | 0x7FU);
  const float size = std::fmin(std::fabs(x), format == __NV_E4M3 ? 448.0F : 57344.0F);
  if (size == 0) return static_cast<unsigned char>(sign);
  const int exponent = std::max(std::ilogb(size), 1 - bias);
  // Of units of the last digit: a carry into the exponent is what adding the two does.
  const auto units = static_cast<unsigned>(std::nearbyint(std::ldexp(size, mantissa - exponent)));
  const unsigned exponent_bits = static_cast<unsigned>(exponent + bias - 1) << mantissa;
  return static_cast<unsigned char>(sign | (exponent_bits + units));
}
inline float __uint_as_float(unsigned bits) { return std::bit_cast<float>(bits); }
inline unsigned __float_as_uint(float value) { return std::bit_cast<unsigned>(value); }

#endif  // MEGASCALE_TESTS_CUDA_EMULATION_DEVICE_WORDS_H_
