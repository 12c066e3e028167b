#ifndef MEGASCALE_KERNELS_CUDA_MATRIX_UNIT_INL_H_
#define MEGASCALE_KERNELS_CUDA_MATRIX_UNIT_INL_H_

#include "megascale/kernels/cuda/device_code.h"
#ifndef MEGASCALE_EMULATE_CUDA
#include <mma.h>
#endif

// Products of 16 x 16 matrices of bfloat16 with sums in float32, by one warp on the matrix units (tensor
// cores) of a device; on the emulated device by plain loops. Only .cu files include this file. All lanes
// of a warp call each function together. Addresses are multiples of 32 bytes, strides of 8 elements.
namespace megascale::kernels::cuda {

// How the elements of an operand lie in memory: those of one row (the index that is kept in the product),
// or those of one term of the sums, side by side.
enum class Side : std::uint8_t { terms, kept };

#ifndef MEGASCALE_EMULATE_CUDA

namespace wmma = nvcuda::wmma;

template <Side kContiguous>
class LeftTile {
 public:
  __device__ void load(const Bf16* from, unsigned stride) {
    wmma::load_matrix_sync(tile_, reinterpret_cast<const __nv_bfloat16*>(from), stride);
  }
  using Layout = std::conditional_t<kContiguous == Side::terms, wmma::row_major, wmma::col_major>;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, Layout> tile_;
};
template <Side kContiguous>
class RightTile {
 public:
  __device__ void load(const Bf16* from, unsigned stride) {
    wmma::load_matrix_sync(tile_, reinterpret_cast<const __nv_bfloat16*>(from), stride);
  }
  using Layout = std::conditional_t<kContiguous == Side::terms, wmma::col_major, wmma::row_major>;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, Layout> tile_;
};
class SumTile {
 public:
  __device__ void clear() { wmma::fill_fragment(tile_, 0.0F); }
  template <Side kLeft, Side kRight>
  __device__ void add_product(const LeftTile<kLeft>& left, const RightTile<kRight>& right) {
    wmma::mma_sync(tile_, left.tile_, right.tile_, tile_);
  }
  // Row-major.
  __device__ void store(float* to, unsigned stride) const {
    wmma::store_matrix_sync(to, tile_, stride, wmma::mem_row_major);
    __syncwarp();
  }

 private:
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> tile_;
};

#else

// Lane l computes row l / 2, columns 8 (l % 2) to 8 (l % 2) + 7, and keeps what it needs for that.
template <Side kContiguous>
class LeftTile {
 public:
  void load(const Bf16* from, unsigned stride) {
    const unsigned row = threadIdx.x % 32 / 2;
    for (unsigned k = 0; k < 16; ++k)
      at[k] =
          to_float(kContiguous == Side::terms ? from[row * stride + k] : from[k * stride + row]);
  }
  float at[16];
};
template <Side kContiguous>
class RightTile {
 public:
  void load(const Bf16* from, unsigned stride) {
    for (unsigned n = 0; n < 8; ++n) {
      const unsigned column = threadIdx.x % 2 * 8 + n;
      for (unsigned k = 0; k < 16; ++k)
        at[n][k] = to_float(kContiguous == Side::terms ? from[column * stride + k]
                                                       : from[k * stride + column]);
    }
  }
  float at[8][16];
};
class SumTile {
 public:
  void clear() {
    for (float& sum : sums_) sum = 0;
  }
  template <Side kLeft, Side kRight>
  void add_product(const LeftTile<kLeft>& left, const RightTile<kRight>& right) {
    for (unsigned n = 0; n < 8; ++n) {
      for (unsigned k = 0; k < 16; ++k) sums_[n] += left.at[k] * right.at[n][k];
    }
  }
  void store(float* to, unsigned stride) const {
    for (unsigned n = 0; n < 8; ++n)
      to[threadIdx.x % 32 / 2 * stride + threadIdx.x % 2 * 8 + n] = sums_[n];
    __syncwarp();
  }

 private:
  float sums_[8];
};

#endif

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_MATRIX_UNIT_INL_H_
