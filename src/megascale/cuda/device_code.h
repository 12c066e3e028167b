#ifndef MEGASCALE_CUDA_DEVICE_CODE_H_
#define MEGASCALE_CUDA_DEVICE_CODE_H_

#include <cstddef>
#include <cstdint>

#include "megascale/base/dtype.h"
// Under MEGASCALE_EMULATE_CUDA the tests compile kernels with the host's compiler and run their
// threads in turn: what a kernel computes is then checked without a device. So kernels use the
// words of this file and of emulation only.
#ifdef MEGASCALE_EMULATE_CUDA
#include "cuda/emulation/device_words.h"
#else
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#endif

// What all code for devices shares: element types, wide loads, sums over a block, and how a kernel
// is started. Included by .cu files only.
namespace megascale::cuda {

struct LaunchShape {
  dim3 grid;
  unsigned block = 256;           // threads; a multiple of 32
  std::size_t shared_nbytes = 0;  // dynamic
};

#ifndef MEGASCALE_EMULATE_CUDA
// Failures are found by cuda::take_error().
template <class... P, class... A>
void launch(void (*kernel)(P...), const LaunchShape& shape, CUstream_st* stream, A... arguments) {
  constexpr std::size_t kWithoutAsking = 48 * 1024;
  if (shape.shared_nbytes > kWithoutAsking) {
    (void)cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shape.shared_nbytes));
  }
  kernel<<<shape.grid, shape.block, shape.shared_nbytes, stream>>>(static_cast<P>(arguments)...);
}
__device__ inline unsigned char* dynamic_shared() {
  extern __shared__ __align__(16) unsigned char bytes[];
  return bytes;
}
#else
template <class... P, class... A>
void launch(void (*kernel)(P...), const LaunchShape& shape, CUstream_st* stream, A... arguments) {
  emulation::enqueue(stream, [=] {
    emulation::run_grid(shape.grid, shape.block, shape.shared_nbytes,
                        [=] { kernel(static_cast<P>(arguments)...); });
  });
}
inline unsigned char* dynamic_shared() { return emulation::dynamic_shared(); }
#endif

// bfloat16 as it lies in memory; arithmetic is done in float.
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
// To the nearest, ties to even.
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

// 2^x and 1 / x by the units for special functions: relative errors of at most 2^-22, and zero in
// the place of subnormal numbers.
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

// exp(x) for values out of storage type T: of float by expf; of bfloat16 with a relative error of
// at most (|x| + 1) 2^-22, far below what rounding has made of x.
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

// kWidth neighbours that are loaded and stored at once; addresses are multiples of its size.
template <class T, int kWidth>
struct alignas(sizeof(T) * kWidth) Pack {
  T at[kWidth];
};
// Elements of a 16-byte access.
template <class T>
inline constexpr int kFullWidth = 16 / static_cast<int>(sizeof(T));

// body(T{}) for the storage type that a dtype means: float32 or bfloat16.
template <class Body>
void with_storage(DType dtype, const Body& body) {
  if (dtype == DType::bfloat16) {
    body(Bf16{});
  } else {
    body(float{});
  }
}
template <int kValue>
struct Constant {
  static constexpr int value = kValue;
};
// body(T{}, Constant<width>{}): 16-byte accesses where rows of `channels` allow them, single
// elements otherwise.
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

// Two sums that are taken together.
struct TwoSums {
  float a, b;
  __device__ TwoSums& operator+=(const TwoSums& other) {
    a += other.a;
    b += other.b;
    return *this;
  }
};
__device__ inline TwoSums warp_sum(TwoSums value) { return {warp_sum(value.a), warp_sum(value.b)}; }

// The sum over all threads of the block, on every thread, in one order: lanes by halves, then warps
// in theirs. All threads call it; blocks have at most 1,024 of them, in whole warps.
// `parts`: 32, in shared memory.
template <class T>
__device__ T block_sum(T value, T* parts) {
  value = warp_sum(value);
  __syncthreads();  // of a call before, somebody may still read the parts
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

// This thread's number in the grid, and the number of threads: for loops over long arrays.
__device__ inline std::size_t grid_thread() {
  return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline std::size_t grid_threads() {
  return static_cast<std::size_t>(gridDim.x) * blockDim.x;
}
// Blocks of 256 threads for a loop over `count` items; enough to fill any device of today several
// times.
inline LaunchShape grid_for(std::size_t count) {
  constexpr std::size_t kBlock = 256, kMost = 132 * 16;
  std::size_t blocks = (count + kBlock - 1) / kBlock;
  blocks = blocks < 1 ? 1 : (blocks > kMost ? kMost : blocks);
  return {.grid = dim3(static_cast<unsigned>(blocks)), .block = kBlock};
}

}  // namespace megascale::cuda

#endif  // MEGASCALE_CUDA_DEVICE_CODE_H_
