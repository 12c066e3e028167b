#ifndef MEGASCALE_CUDA_DEVICE_CODE_H_
#define MEGASCALE_CUDA_DEVICE_CODE_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "megascale/base/dtype.h"
#include "megascale/cuda/device.h"
// With MEGASCALE_EMULATE_CUDA the tests compile kernels with the host's compiler and run their
// threads one after the other, so kernels are checked without a device. Kernels therefore use only
// the CUDA functions that this file and the emulation provide.
#ifdef MEGASCALE_EMULATE_CUDA
#include "cuda/emulation/device_words.h"
#else
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#endif

// Building blocks of all kernels: element types, wide loads, sums over a block, and kernel
// launches. Only .cu files include it.
namespace megascale::cuda {

// The grid, block and dynamic shared memory of a launch.
struct LaunchShape {
  dim3 grid;
  // Threads; a multiple of 32. A kernel with more than 256 has __launch_bounds__, so that the compiler keeps their
  // registers within those of a multiprocessor: 255, the most of a thread, are enough for 256.
  unsigned block = 256;
  std::size_t shared_nbytes = 0;  // dynamic
};

// Launches a kernel on a stream. cuda::take_error() reports a failure.
template <class... P, class... A>
void launch(void (*kernel)(P...), const LaunchShape& shape, CUstream_st* stream, A... arguments) {
  if (shape.shared_nbytes > kSharedWithoutAsking)
    allow_shared_memory(reinterpret_cast<const void*>(kernel), shape.shared_nbytes);
#ifndef MEGASCALE_EMULATE_CUDA
  kernel<<<shape.grid, shape.block, shape.shared_nbytes, stream>>>(static_cast<P>(arguments)...);
#else
  emulation::launch(reinterpret_cast<const void*>(kernel), shape.grid, shape.block,
                    shape.shared_nbytes, stream, [=] { kernel(static_cast<P>(arguments)...); });
#endif
}
#ifndef MEGASCALE_EMULATE_CUDA
__device__ inline unsigned char* dynamic_shared() {
  extern __shared__ __align__(16) unsigned char bytes[];
  return bytes;
}
#else
inline unsigned char* dynamic_shared() { return emulation::dynamic_shared(); }
#endif

// A bfloat16 value in memory. Arithmetic is done in float.
struct Bf16 {
  std::uint16_t bits;
};

__device__ inline float to_float(float x) { return x; }
__device__ inline float to_float(Bf16 x) {
  return __uint_as_float(static_cast<unsigned>(x.bits) << 16U);
}
template <class T>
__device__ T from_float(float x);
template <>
__device__ inline float from_float<float>(float x) {
  return x;
}
// Rounds to the nearest, ties to even.
template <>
__device__ inline Bf16 from_float<Bf16>(float x) {
#ifdef MEGASCALE_EMULATE_CUDA
  const unsigned bits = __float_as_uint(x);
  if (x != x) return {static_cast<std::uint16_t>((bits >> 16U) | 0x40U)};
  return {static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U)};
#else
  return {__bfloat16_as_ushort(__float2bfloat16_rn(x))};
#endif
}

// 2^x and 1 / x on the special function units. The relative error is at most 2^-22, and subnormal
// numbers become zero.
#ifndef MEGASCALE_EMULATE_CUDA
__device__ inline float fast_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ inline float fast_reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
#else
inline float fast_exp2(float x) { return emulation::without_subnormals(std::exp2(x)); }
inline float fast_reciprocal(float x) {
  return emulation::without_subnormals(1.0F / emulation::without_subnormals(x));
}
#endif

// Returns exp(x) for a value that was stored as T. For float it is expf. For bfloat16 the relative
// error is at most (|x| + 1) 2^-22, far below the error that the rounding of x to bfloat16 causes.
template <class T>
__device__ float exp_for(float x);
template <>
__device__ inline float exp_for<float>(float x) {
  return expf(x);
}
template <>
__device__ inline float exp_for<Bf16>(float x) {
  return fast_exp2(x * 1.4426950408889634F);  // log2(e)
}

// kWidth consecutive elements that are loaded and stored by one access. Its address must be a
// multiple of its size.
template <class T, int kWidth>
struct alignas(sizeof(T) * kWidth) Pack {
  T at[kWidth];
};
// The number of elements in a 16-byte access, the widest one.
template <class T>
inline constexpr int kFullWidth = 16 / static_cast<int>(sizeof(T));

// Calls body(T{}) with the storage type T of `dtype`, which is float32 or bfloat16.
template <class Body>
void with_storage(DType dtype, const Body& body) {
  if (dtype == DType::bfloat16) {
    body(Bf16{});
  } else {
    body(float{});
  }
}
template <int kValue>
using Constant = std::integral_constant<int, kValue>;
// Calls body(T{}, Constant<width>{}), where width is the number of elements per access: 16 bytes if
// a row of `channels` elements is a multiple of that, otherwise one element.
template <class Body>
void with_width(DType dtype, std::size_t channels, const Body& body) {
  with_storage(dtype, [&](auto element) {
    using T = decltype(element);
    if (channels % kFullWidth<T> == 0) {
      body(element, Constant<kFullWidth<T>>{});
    } else {
      body(element, Constant<1>{});
    }
  });
}

// The sum, and below the maximum, over the 32 threads of a warp; every thread gets it.
template <class T>
__device__ T warp_sum(T value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(~0U, value, offset);
  return value;
}
__device__ inline float warp_max(float value) {
  for (int offset = 16; offset > 0; offset /= 2)
    value = fmaxf(value, __shfl_xor_sync(~0U, value, offset));
  return value;
}

// Two sums that are computed in one pass.
struct TwoSums {
  float a, b;
  __device__ TwoSums& operator+=(const TwoSums& other) {
    a += other.a;
    b += other.b;
    return *this;
  }
};
__device__ inline TwoSums warp_sum(TwoSums value) { return {warp_sum(value.a), warp_sum(value.b)}; }

// Returns the sum over all threads of the block, on every thread. The order is fixed: first within
// each warp by halves, then the warps in their order. All threads of the block must call it. A
// block has at most 1,024 threads, in whole warps. `parts` are 32 elements in shared memory.
template <class T>
__device__ T block_sum(T value, T* parts) {
  value = warp_sum(value);
  __syncthreads();  // other threads may still read `parts` of an earlier call
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  T sum = parts[0];
  for (unsigned w = 1; w < blockDim.x / 32; ++w) sum += parts[w];
  return sum;
}
template <class T>
__device__ T block_sum(T value) {
  __shared__ T parts[32];
  return block_sum(value, parts);
}
// Returns the maximum over all threads of the block, on every thread. All threads must call it.
__device__ inline float block_max(float value) {
  __shared__ float parts[32];
  value = warp_max(value);
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  float most = parts[0];
  for (unsigned w = 1; w < blockDim.x / 32; ++w) most = fmaxf(most, parts[w]);
  return most;
}

// The number of this thread in the grid, and the number of threads in the grid, for loops over long
// arrays: for (i = grid_thread(); i < count; i += grid_threads()).
__device__ inline std::size_t grid_thread() {
  return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline std::size_t grid_threads() {
  return static_cast<std::size_t>(gridDim.x) * blockDim.x;
}
// Returns a launch shape for a loop over `count` items: blocks of 256 threads, at most as many as
// fill a device of today several times.
inline LaunchShape grid_for(std::size_t count) {
  constexpr std::size_t kBlock = 256, kMost = std::size_t{132} * 16;
  std::size_t blocks = (count + kBlock - 1) / kBlock;
  blocks = blocks < 1 ? 1 : (blocks > kMost ? kMost : blocks);
  return {.grid = dim3(static_cast<unsigned>(blocks)), .block = kBlock};
}

}  // namespace megascale::cuda

#endif  // MEGASCALE_CUDA_DEVICE_CODE_H_
