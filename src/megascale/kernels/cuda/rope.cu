// Rotary position embedding. The table of cosines and sines is computed once; the rotation is a
// grid-stride loop in which a thread rotates packs from both halves of a head.
#include <numeric>

#include "megascale/kernels/cuda/counted_rows-inl.h"
#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/rope.h"

namespace megascale::kernels::cuda {
namespace {

__global__ void rope_table_kernel(RopeTable a) {
  const std::size_t half = a.channels / 2;
  const std::size_t all = counted_rows(a.counted, a.positions) * half;
  for (std::size_t i = grid_thread(); i < all; i += grid_threads()) {
    const std::size_t p = i / half, k = i % half;
    const double frequency =
        pow(a.base, -2.0 * static_cast<double>(k) / static_cast<double>(a.channels));
    const double position =
        a.position == nullptr ? static_cast<double>(p) : static_cast<double>(a.position[p]);
    const double angle =
        position * graph::scaled_frequency(frequency, static_cast<double>(k), a.scaling);
    const double factor = a.scaling.attention_factor;
    a.table[p * a.channels + k] = static_cast<float>(factor * cos(angle));
    a.table[p * a.channels + half + k] = static_cast<float>(factor * sin(angle));
  }
}

// A thread rotates kWidth neighbouring pairs, or copies as many pairs of channels that are not rotated.
// `half`, `turned`: packs in half a head, and in half of its channels that are rotated.
template <class T, int kWidth>
__global__ void rope_kernel(Rope a, std::size_t half, std::size_t turned) {
  using P = Pack<T, kWidth>;
  const std::size_t row = a.row / kWidth, pairs = row / 2;
  const P* x = static_cast<const P*>(a.x);
  P* y = static_cast<P*>(a.y);
  const std::size_t all_pairs = counted_rows(a.counted, a.tokens) * pairs;
  for (std::size_t i = grid_thread(); i < all_pairs; i += grid_threads()) {
    const std::size_t n = i / pairs, head = i % pairs / half, k = i % pairs % half;
    // Channel pack k is rotated with k + turned; those from 2 turned on are copied two by two.
    const std::size_t first = n * row + head * 2 * half + (k < turned ? k : 2 * k),
                      second = first + (k < turned ? turned : 1);
    P low = x[first], high = x[second];
    if (head < a.heads && k < turned) {
      const std::size_t angles =
          a.position == nullptr ? n : static_cast<std::size_t>(a.position[n]);
      const float* cosines = a.table + angles * a.rotated + k * kWidth;
      const float* sines = cosines + a.rotated / 2;
      for (int j = 0; j < kWidth; ++j) {
        const float u = to_float(low.at[j]), v = to_float(high.at[j]);
        const float c = cosines[j], s = a.inverse ? -sines[j] : sines[j];
        low.at[j] = from_float<T>(u * c - v * s);
        high.at[j] = from_float<T>(v * c + u * s);
      }
    } else if (y == x) {
      continue;
    }
    y[first] = low;
    y[second] = high;
  }
}

}  // namespace

void rope_table(const RopeTable& a, CUstream_st* stream) noexcept {
  launch(rope_table_kernel, grid_for(a.positions * a.channels / 2), stream, a);
}

void rope(const Rope& a, CUstream_st* stream) noexcept {
  // Rows are whole heads, so half heads in whole packs make rows of whole packs.
  const std::size_t common = std::gcd(a.head_size / 2, a.rotated / 2);
  with_width(a.dtype, common, [&](auto element, auto width) {
    launch(rope_kernel<decltype(element), decltype(width)::value>,
           grid_for(a.tokens * a.row / 2 / width.value), stream, a, a.head_size / 2 / width.value,
           a.rotated / 2 / width.value);
  });
}

}  // namespace megascale::kernels::cuda
