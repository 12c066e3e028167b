// Element-wise sums as grid-stride loops over packs of up to 16 bytes, and sums over rows. A sum
// over rows has two kernels: the first sums blocks of rows into `scratch`, the second adds the
// blocks. Both fix the order of additions, so no atomic additions are needed and bits are
// reproducible.
#include "megascale/kernels/cuda/counted_rows-inl.h"
#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/elementwise.h"

namespace megascale::kernels::cuda {
namespace {

template <class T, int kWidth>
__global__ void add_kernel(std::size_t all_packs, RowCount counted, std::size_t channels,
                           const Pack<T, kWidth>* a, const Pack<T, kWidth>* b, Pack<T, kWidth>* y) {
  const std::size_t packs = counted_packs<kWidth>(counted, all_packs, channels);
  for (std::size_t i = grid_thread(); i < packs; i += grid_threads()) {
    Pack<T, kWidth> sum = a[i];
    const Pack<T, kWidth> other = b[i];
    for (int k = 0; k < kWidth; ++k)
      sum.at[k] = from_float<T>(to_float(sum.at[k]) + to_float(other.at[k]));
    y[i] = sum;
  }
}

template <class T, int kWidth>
__global__ void scale_kernel(std::size_t all_packs, RowCount counted, std::size_t channels,
                             float factor, const Pack<T, kWidth>* x, Pack<T, kWidth>* y) {
  const std::size_t packs = counted_packs<kWidth>(counted, all_packs, channels);
  for (std::size_t i = grid_thread(); i < packs; i += grid_threads()) {
    Pack<T, kWidth> pack = x[i];
    for (T& value : pack.at) value = from_float<T>(factor * to_float(value));
    y[i] = pack;
  }
}

// `width`: packs in a row.
template <class X, class Y, int kWidth>
__global__ void cast_kernel(std::size_t all_packs, RowCount counted, std::size_t channels,
                            const Pack<X, kWidth>* x, Pack<Y, kWidth>* y) {
  const std::size_t packs = counted_packs<kWidth>(counted, all_packs, channels);
  for (std::size_t i = grid_thread(); i < packs; i += grid_threads()) {
    const Pack<X, kWidth> from = x[i];
    Pack<Y, kWidth> to{};
    for (int k = 0; k < kWidth; ++k) to.at[k] = from_float<Y>(to_float(from.at[k]));
    y[i] = to;
  }
}

template <class T, int kWidth>
__global__ void add_bias_kernel(std::size_t tokens, RowCount counted, std::size_t width,
                                const Pack<T, kWidth>* x, const Pack<T, kWidth>* bias,
                                Pack<T, kWidth>* y) {
  const std::size_t packs = counted_rows(counted, tokens) * width;
  for (std::size_t i = grid_thread(); i < packs; i += grid_threads()) {
    Pack<T, kWidth> sum = x[i];
    const Pack<T, kWidth> other = bias[i % width];
    for (int k = 0; k < kWidth; ++k)
      sum.at[k] = from_float<T>(to_float(sum.at[k]) + to_float(other.at[k]));
    y[i] = sum;
  }
}

template <class X, class Y, int kWidth>
__global__ void sum_blocks_kernel(std::size_t packs, std::size_t blocks, const Pack<X, kWidth>* x,
                                  Pack<Y, kWidth>* y) {
  for (std::size_t i = grid_thread(); i < packs; i += grid_threads()) {
    const Pack<X, kWidth> pack = x[i];
    float sum[kWidth];
    for (int k = 0; k < kWidth; ++k) sum[k] = to_float(pack.at[k]);
    for (std::size_t b = 1; b < blocks; ++b) {
      const Pack<X, kWidth> other = x[b * packs + i];
      for (int k = 0; k < kWidth; ++k) sum[k] += to_float(other.at[k]);
    }
    Pack<Y, kWidth> rounded{};
    for (int k = 0; k < kWidth; ++k) rounded.at[k] = from_float<Y>(sum[k]);
    y[i] = rounded;
  }
}

template <int kWidth>
__global__ void clear_kernel(std::size_t packs, Pack<float, kWidth>* x) {
  for (std::size_t i = grid_thread(); i < packs; i += grid_threads()) x[i] = {};
}

constexpr unsigned kRowRuns = 8;

// Block (x, y) sums block y of the rows, in the x-th group of 32 packs of columns. Warp w adds
// every kRowRuns-th row from the w-th on; then the sums of the warps are added in order. `bound`:
// rows of the tensor. `width`: packs in a row.
template <class T, int kWidth>
__global__ void __launch_bounds__(32 * kRowRuns)
    column_parts_kernel(std::size_t bound, RowCount counted, std::size_t width,
                        const Pack<T, kWidth>* x, float* parts) {
  __shared__ Pack<float, kWidth> sums[kRowRuns][32];
  const std::size_t tokens = counted_rows(counted, bound);
  const unsigned lane = threadIdx.x % 32, run = threadIdx.x / 32;
  const std::size_t first_pack = static_cast<std::size_t>(blockIdx.x) * 32, i = first_pack + lane;
  const std::size_t first = tokens * blockIdx.y / gridDim.y,
                    last = tokens * (blockIdx.y + 1) / gridDim.y;
  Pack<float, kWidth> sum = {};
  if (i < width) {
#pragma unroll 4
    for (std::size_t n = first + run; n < last; n += kRowRuns) {
      const Pack<T, kWidth> pack = x[n * width + i];
      for (int k = 0; k < kWidth; ++k) sum.at[k] += to_float(pack.at[k]);
    }
  }
  sums[run][lane] = sum;
  __syncthreads();
  // From here on each thread handles one column.
  const unsigned column = threadIdx.x;
  if (column >= 32 * kWidth || first_pack + column / kWidth >= width) return;
  float total = 0;
  for (unsigned r = 0; r < kRowRuns; ++r) total += sums[r][column / kWidth].at[column % kWidth];
  parts[(blockIdx.y * width + first_pack) * kWidth + column] = total;
}

// Warp w of block (x, y) sums run w of the rows, in the x-th group of 32 columns. y = 0 computes
// result, y = 1 next_result.
__global__ void __launch_bounds__(32 * kRowRuns) add_rows_kernel(AddRows a) {
  __shared__ float sums[kRowRuns][32];
  const unsigned lane = threadIdx.x % 32, run = threadIdx.x / 32;
  const std::size_t c = static_cast<std::size_t>(blockIdx.x) * 32 + lane;
  const std::size_t first = a.rows * run / kRowRuns, last = a.rows * (run + 1) / kRowRuns;
  if (c < a.channels) {
    const float* column = a.parts + blockIdx.y * a.channels + c;
    float sum = 0;
#pragma unroll 8
    for (std::size_t r = first; r < last; ++r) sum += column[r * a.stride];
    sums[run][lane] = sum;
  }
  __syncthreads();
  if (run > 0 || c >= a.channels) return;
  float* result = blockIdx.y == 0 ? a.result : a.next_result;
  float sum = a.accumulate ? result[c] : 0.0F;
  for (unsigned r = 0; r < kRowRuns; ++r) sum += sums[r][lane];
  result[c] = sum;
}

__global__ void clear_rows_kernel(ClearRows a) {
  const std::size_t words = a.row_nbytes / sizeof(std::uint32_t);
  const std::size_t first = counted_rows(a.counted, a.tokens) * words, last = a.tokens * words;
  auto* x = reinterpret_cast<std::uint32_t*>(a.x);
  for (std::size_t i = first + grid_thread(); i < last; i += grid_threads()) x[i] = 0;
}

unsigned blocks_of(std::size_t count, std::size_t block) {
  return static_cast<unsigned>((count + block - 1) / block);
}

}  // namespace

void add(const Add& a, CUstream_st* stream) noexcept {
  with_width(a.dtype, a.count, [&](auto element, auto width) {
    using P = Pack<decltype(element), decltype(width)::value>;
    const std::size_t packs = a.count / width.value;
    launch(add_kernel<decltype(element), decltype(width)::value>, grid_for(packs), stream, packs,
           a.counted, a.channels, static_cast<const P*>(a.a), static_cast<const P*>(a.b),
           static_cast<P*>(a.y));
  });
}

void scale(const Scale& a, CUstream_st* stream) noexcept {
  with_width(a.dtype, a.count, [&](auto element, auto width) {
    using P = Pack<decltype(element), decltype(width)::value>;
    const std::size_t packs = a.count / width.value;
    launch(scale_kernel<decltype(element), decltype(width)::value>, grid_for(packs), stream, packs,
           a.counted, a.channels, a.factor, static_cast<const P*>(a.x), static_cast<P*>(a.y));
  });
}

void cast(const Cast& a, CUstream_st* stream) noexcept {
  const auto between = [&](auto from, auto to, auto width) {
    using X = Pack<decltype(from), decltype(width)::value>;
    using Y = Pack<decltype(to), decltype(width)::value>;
    const std::size_t packs = a.count / width.value;
    launch(cast_kernel<decltype(from), decltype(to), decltype(width)::value>, grid_for(packs),
           stream, packs, a.counted, a.channels, static_cast<const X*>(a.x), static_cast<Y*>(a.y));
  };
  with_storage(a.from, [&](auto from) {
    with_storage(a.to, [&](auto to) {
      if (a.count % 4 == 0) return between(from, to, Constant<4>{});
      between(from, to, Constant<1>{});
    });
  });
}

void add_bias(const AddBias& a, CUstream_st* stream) noexcept {
  with_width(a.dtype, a.channels, [&](auto element, auto width) {
    using P = Pack<decltype(element), decltype(width)::value>;
    const std::size_t row = a.channels / width.value, packs = a.tokens * row;
    launch(add_bias_kernel<decltype(element), decltype(width)::value>, grid_for(packs), stream,
           a.tokens, a.counted, row, static_cast<const P*>(a.x), static_cast<const P*>(a.bias),
           static_cast<P*>(a.y));
  });
}

void sum_blocks(const SumBlocks& a, CUstream_st* stream) noexcept {
  with_width(a.dtype, a.count, [&](auto from, auto width) {
    with_storage(a.sum_dtype, [&](auto to) {
      using X = Pack<decltype(from), decltype(width)::value>;
      using Y = Pack<decltype(to), decltype(width)::value>;
      const std::size_t packs = a.count / width.value;
      launch(sum_blocks_kernel<decltype(from), decltype(to), decltype(width)::value>,
             grid_for(packs), stream, packs, a.blocks, static_cast<const X*>(a.x),
             static_cast<Y*>(a.y));
    });
  });
}

// The results of a range of values, whose length is that of everything before it, lie where values lay
// that are packed already. So such a range is rounded at once, and the next one is twice as long. The
// first range is one value, which a thread reads before it writes.
void pack_bfloat16(std::size_t count, float* values, CUstream_st* stream) noexcept {
  auto* const packed = reinterpret_cast<Bf16*>(values);
  const auto pack = [&](std::size_t begin, std::size_t number) {
    cast({.count = number,
          .channels = number,
          .from = DType::float32,
          .to = DType::bfloat16,
          .x = values + begin,
          .y = packed + begin},
         stream);
  };
  if (count > 0) pack(0, 1);
  for (std::size_t begin = 1; begin < count; begin *= 2)
    pack(begin, begin < count - begin ? begin : count - begin);
}

// A share ends, packed, in front of the next block, so only the first one may lie where it is packed to.
void pack_shares(const PackShares& a, CUstream_st* stream) noexcept {
  const bool rounds = a.dtype == DType::bfloat16;
  auto* const packed = reinterpret_cast<std::byte*>(a.values);
  for (std::size_t block = 0; block < a.blocks; ++block) {
    const std::size_t begin = block * a.stride + a.offset;
    if (begin == 0) {
      if (rounds) pack_bfloat16(a.count, a.values, stream);
      continue;
    }
    sum_blocks({.count = a.count,
                .blocks = 1,
                .dtype = DType::float32,
                .sum_dtype = a.dtype,
                .x = a.values + begin,
                .y = packed + block * a.count * itemsize(a.dtype)},
               stream);
  }
}

void clear(std::size_t count, float* x, CUstream_st* stream) noexcept {
  with_width(DType::float32, count, [&](auto, auto width) {
    constexpr int kWidth = decltype(width)::value;
    launch(clear_kernel<kWidth>, grid_for(count / kWidth), stream, count / kWidth,
           reinterpret_cast<Pack<float, kWidth>*>(x));
  });
}

void column_sum(const ColumnSum& a, CUstream_st* stream) noexcept {
  with_width(a.dtype, a.channels, [&](auto element, auto width) {
    using P = Pack<decltype(element), decltype(width)::value>;
    const std::size_t row = a.channels / width.value;
    launch(column_parts_kernel<decltype(element), decltype(width)::value>,
           {.grid = dim3(blocks_of(row, 32), static_cast<unsigned>(kColumnBlocks)),
            .block = 32 * kRowRuns},
           stream, a.tokens, a.counted, row, static_cast<const P*>(a.x), a.scratch);
  });
  add_rows({.rows = kColumnBlocks,
            .stride = a.channels,
            .channels = a.channels,
            .parts = a.scratch,
            .result = a.result,
            .accumulate = a.accumulate},
           stream);
}

void clear_uncounted_rows(const ClearRows& a, CUstream_st* stream) noexcept {
  if (a.counted.counts == nullptr) return;
  launch(clear_rows_kernel, grid_for(a.tokens * a.row_nbytes / sizeof(std::uint32_t)), stream, a);
}

void add_rows(const AddRows& a, CUstream_st* stream) noexcept {
  launch(add_rows_kernel,
         {.grid = dim3(blocks_of(a.channels, 32), a.next_result != nullptr ? 2 : 1),
          .block = 32 * kRowRuns},
         stream, a);
}

}  // namespace megascale::kernels::cuda
