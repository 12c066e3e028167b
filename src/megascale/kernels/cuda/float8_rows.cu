// A warp packs or unpacks a row. Scales by column need the rows of a group twice, so a thread packs one
// column of a group; neighbouring threads have neighbouring columns. Each finds its block by adding the few
// counts.
#include "megascale/graph/ops/float8_ops.h"
#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/float8_rows.h"
#include "megascale/kernels/cuda/float8_values-inl.h"
#include "megascale/kernels/float8.h"

namespace megascale::kernels::cuda {
namespace {

constexpr std::size_t kGroup = graph::kFloat8Group;

__device__ std::size_t groups_of(std::size_t rows) { return (rows + kGroup - 1) / kGroup; }

// Where a block lies: its first row, and its first byte in packed form.
struct BlockPlace {
  std::size_t first_row = 0, rows = 0, first_group = 0, first_byte = 0;
  __device__ std::size_t scales(const Float8Blocks& b) const {
    return b.by_column ? groups_of(rows) * b.columns : rows;
  }
};
// Sets the rows of block number i, which `place` has reached by steps over those before.
__device__ void set_rows(const Float8Blocks& b, std::size_t i, BlockPlace& place) {
  if (b.counts == nullptr) {
    place.rows = b.rows / b.blocks;
    return;
  }
  const std::int64_t count = b.counts[i];
  const std::size_t left = b.rows - place.first_row;
  place.rows = count < 0 ? 0 : static_cast<std::size_t>(count);
  if (place.rows > left) place.rows = left;
}
__device__ void step_over(const Float8Blocks& b, BlockPlace& place) {
  place.first_byte += place.rows * b.columns + place.scales(b) * sizeof(float);
  place.first_group += groups_of(place.rows);
  place.first_row += place.rows;
  place.rows = 0;
}
// Finds the block for which is_in(place) holds. False: there is none.
template <class IsIn>
__device__ bool find_block(const Float8Blocks& b, const IsIn& is_in, BlockPlace& place) {
  place = {};
  for (std::size_t i = 0; i < b.blocks; ++i) {
    set_rows(b, i, place);
    if (is_in(place)) return true;
    step_over(b, place);
  }
  return false;
}
__device__ bool block_of_row(const Float8Blocks& b, std::size_t row, BlockPlace& place) {
  return find_block(
      b, [row](const BlockPlace& at) { return row < at.first_row + at.rows; }, place);
}

__device__ float* scales_of(const Float8Blocks& b, const BlockPlace& place, std::uint8_t* packed) {
  return reinterpret_cast<float*>(packed + place.first_byte + place.rows * b.columns);
}

// The larger magnitude, as integers: so NaN counts as larger than infinity.
__device__ unsigned larger(unsigned most, float x) {
  const unsigned bits = __float_as_uint(x) & 0x7FFFFFFFU;
  return bits > most ? bits : most;
}
__device__ float factor_for(unsigned most_bits) {
  const float most = __uint_as_float(most_bits);
  if (!(most < INFINITY)) return NAN;
  constexpr float kMost = kMostE4m3, kMostFactor = kMostFloat8Factor;
  return most > 0 ? fminf(kMost / most, kMostFactor) : 1.0F;
}
__device__ std::uint8_t to_e4m3(float x) {
  return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3);
}
__device__ float from_e4m3(std::uint8_t code) { return to_float(E4m3{code}); }

template <class T>
__global__ void pack_rows_kernel(Float8Blocks b, const T* x, std::uint8_t* packed) {
  const std::size_t lane = threadIdx.x % 32;
  for (std::size_t n = grid_thread() / 32; n < b.rows; n += grid_threads() / 32) {
    BlockPlace place;
    if (!block_of_row(b, n, place)) continue;
    const T* row = x + n * b.columns;
    const std::size_t in_block = n - place.first_row;
    std::uint8_t* codes = packed + place.first_byte + in_block * b.columns;
    unsigned most = 0;
    for (std::size_t c = lane; c < b.columns; c += 32) most = larger(most, to_float(row[c]));
    for (int offset = 16; offset > 0; offset /= 2) {
      const unsigned other = __shfl_xor_sync(~0U, most, offset);
      most = other > most ? other : most;
    }
    const float factor = factor_for(most);
    for (std::size_t c = lane; c < b.columns; c += 32)
      codes[c] = to_e4m3(to_float(row[c]) * factor);
    if (lane == 0) scales_of(b, place, packed)[in_block] = 1.0F / factor;
  }
}

// `groups`: the most that there can be.
template <class T>
__global__ void pack_columns_kernel(Float8Blocks b, std::size_t groups, const T* x,
                                    std::uint8_t* packed) {
  for (std::size_t i = grid_thread(); i < groups * b.columns; i += grid_threads()) {
    const std::size_t group = i / b.columns, column = i % b.columns;
    BlockPlace place;
    if (!find_block(
            b,
            [group](const BlockPlace& at) { return group < at.first_group + groups_of(at.rows); },
            place)) {
      continue;
    }
    const std::size_t in_block = group - place.first_group, begin = in_block * kGroup;
    const std::size_t end = begin + kGroup < place.rows ? begin + kGroup : place.rows;
    const T* values = x + place.first_row * b.columns + column;
    unsigned most = 0;
    for (std::size_t n = begin; n < end; ++n) most = larger(most, to_float(values[n * b.columns]));
    const float factor = factor_for(most);
    for (std::size_t n = begin; n < end; ++n) {
      packed[place.first_byte + n * b.columns + column] =
          to_e4m3(to_float(values[n * b.columns]) * factor);
    }
    scales_of(b, place, packed)[in_block * b.columns + column] = 1.0F / factor;
  }
}

// The value of column c of row `row` of a block.
__device__ float value_at(const Float8Blocks& b, const BlockPlace& place, std::size_t row,
                          std::size_t c, const std::uint8_t* packed) {
  const float* scales =
      reinterpret_cast<const float*>(packed + place.first_byte + place.rows * b.columns);
  const float inverse = b.by_column ? scales[row / kGroup * b.columns + c] : scales[row];
  return from_e4m3(packed[place.first_byte + row * b.columns + c]) * inverse;
}

template <class T>
__global__ void unpack_kernel(Float8Blocks b, const std::uint8_t* packed, T* y) {
  for (std::size_t n = grid_thread() / 32; n < b.rows; n += grid_threads() / 32) {
    BlockPlace place;
    if (!block_of_row(b, n, place)) continue;
    for (std::size_t c = threadIdx.x % 32; c < b.columns; c += 32)
      y[n * b.columns + c] = from_float<T>(value_at(b, place, n - place.first_row, c, packed));
  }
}

template <class T>
__global__ void sum_kernel(Float8Blocks b, const std::uint8_t* packed, T* y) {
  const std::size_t rows = b.rows / b.blocks;
  for (std::size_t i = grid_thread(); i < rows * b.columns; i += grid_threads()) {
    BlockPlace place;
    float sum = 0;
    for (std::size_t block = 0; block < b.blocks; ++block) {
      set_rows(b, block, place);
      const float value = value_at(b, place, i / b.columns, i % b.columns, packed);
      sum = block == 0 ? value : sum + value;
      step_over(b, place);
    }
    y[i] = from_float<T>(sum);
  }
}

__global__ void counts_kernel(std::size_t blocks, const std::int64_t* counts,
                              std::int64_t* packed_counts) {
  constexpr std::int64_t kRows = graph::kFloat8Group;
  for (std::size_t i = grid_thread(); i < blocks; i += grid_threads())
    packed_counts[i] = counts[i] + 4 * ((counts[i] + kRows - 1) / kRows);
}

}  // namespace

void pack_float8(const Float8Blocks& b, const void* x, std::uint8_t* packed,
                 CUstream_st* stream) noexcept {
  with_storage(b.dtype, [&](auto element) {
    using T = decltype(element);
    const auto* values = static_cast<const T*>(x);
    if (!b.by_column) {
      launch(pack_rows_kernel<T>, grid_for(b.rows * 32), stream, b, values, packed);
      return;
    }
    const std::size_t groups = b.rows / kGroup + b.blocks;
    launch(pack_columns_kernel<T>, grid_for(groups * b.columns), stream, b, groups, values, packed);
  });
}

void unpack_float8(const Float8Blocks& b, const std::uint8_t* packed, void* y,
                   CUstream_st* stream) noexcept {
  with_storage(b.dtype, [&](auto element) {
    using T = decltype(element);
    launch(unpack_kernel<T>, grid_for(b.rows * 32), stream, b, packed, static_cast<T*>(y));
  });
}

void sum_float8(const Float8Blocks& b, const std::uint8_t* packed, void* y,
                CUstream_st* stream) noexcept {
  with_storage(b.dtype, [&](auto element) {
    using T = decltype(element);
    launch(sum_kernel<T>, grid_for(b.rows / b.blocks * b.columns), stream, b, packed,
           static_cast<T*>(y));
  });
}

void float8_counts(std::size_t blocks, const std::int64_t* counts, std::int64_t* packed_counts,
                   CUstream_st* stream) noexcept {
  launch(counts_kernel, grid_for(blocks), stream, blocks, counts, packed_counts);
}

}  // namespace megascale::kernels::cuda
