// Moves of rows by maps. Rows are gathered in both directions: a token sums the rows of its choices
// through the inverse map, so no two threads write one element and the order of a sum is fixed. A thread
// moves packs of up to 16 bytes.
#include "megascale/kernels/cuda/counted_rows-inl.h"
#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/routed_rows.h"

namespace megascale::kernels::cuda {
namespace {

// `width`: packs in a row.
template <class T, int kWidth>
__global__ void gather_kernel(GatherRows a, std::size_t width) {
  const auto* x = static_cast<const Pack<T, kWidth>*>(a.x);
  auto* y = static_cast<Pack<T, kWidth>*>(a.y);
  const std::size_t packs = counted_rows(a.counted, a.rows) * width;
  for (std::size_t i = grid_thread(); i < packs; i += grid_threads()) {
    const auto slot = static_cast<std::size_t>(a.source[i / width]);
    Pack<T, kWidth> pack = x[slot / a.per_token * width + i % width];
    if (a.weight != nullptr) {
      const float weight = a.weight[slot];
      for (T& value : pack.at) value = from_float<T>(weight * to_float(value));
    }
    y[i] = pack;
  }
}

template <class T, int kWidth>
__global__ void combine_kernel(CombineRows a, std::size_t width) {
  const auto* x = static_cast<const Pack<T, kWidth>*>(a.x);
  auto* y = static_cast<Pack<T, kWidth>*>(a.y);
  const std::size_t packs = counted_rows(a.counted, a.tokens / a.of_each) * a.of_each * width;
  for (std::size_t i = grid_thread(); i < packs; i += grid_threads()) {
    const std::size_t first = i / width * a.per_token, c = i % width;
    float sums[kWidth] = {};
    for (std::size_t slot = first; slot < first + a.per_token; ++slot) {
      const std::int32_t row = a.place[slot];
      if (row < 0) continue;
      const float weight = a.weight != nullptr ? a.weight[slot] : 1.0F;
      const Pack<T, kWidth> pack = x[static_cast<std::size_t>(row) * width + c];
      for (int k = 0; k < kWidth; ++k) sums[k] += weight * to_float(pack.at[k]);
    }
    Pack<T, kWidth> pack{};
    for (int k = 0; k < kWidth; ++k) pack.at[k] = from_float<T>(sums[k]);
    y[i] = pack;
  }
}

// A warp computes the weight of one slot.
template <class T, int kWidth>
__global__ void weight_gradient_kernel(CombineWeightGradient a, std::size_t width) {
  const auto* dy = static_cast<const Pack<T, kWidth>*>(a.dy);
  const auto* x = static_cast<const Pack<T, kWidth>*>(a.x);
  const std::size_t slots = counted_rows(a.counted, a.tokens) * a.per_token,
                    lane = threadIdx.x % 32;
  for (std::size_t slot = grid_thread() / 32; slot < slots; slot += grid_threads() / 32) {
    const std::int32_t row = a.place[slot];
    float sum = 0;
    if (row >= 0) {
      const auto* of_token = dy + slot / a.per_token * width;
      const auto* of_row = x + static_cast<std::size_t>(row) * width;
      for (std::size_t c = lane; c < width; c += 32) {
        const Pack<T, kWidth> left = of_token[c], right = of_row[c];
        for (int k = 0; k < kWidth; ++k) sum += to_float(left.at[k]) * to_float(right.at[k]);
      }
    }
    sum = warp_sum(sum);
    if (lane == 0) a.dweight[slot] = sum;
  }
}

}  // namespace

void gather_rows(const GatherRows& a, CUstream_st* stream) noexcept {
  with_width(a.dtype, a.channels, [&](auto element, auto width) {
    const std::size_t row = a.channels / width.value;
    launch(gather_kernel<decltype(element), decltype(width)::value>, grid_for(a.rows * row), stream,
           a, row);
  });
}

void combine_rows(const CombineRows& a, CUstream_st* stream) noexcept {
  with_width(a.dtype, a.channels, [&](auto element, auto width) {
    const std::size_t row = a.channels / width.value;
    launch(combine_kernel<decltype(element), decltype(width)::value>, grid_for(a.tokens * row),
           stream, a, row);
  });
}

void combine_weight_gradient(const CombineWeightGradient& a, CUstream_st* stream) noexcept {
  with_width(a.dtype, a.channels, [&](auto element, auto width) {
    launch(weight_gradient_kernel<decltype(element), decltype(width)::value>,
           grid_for(a.tokens * a.per_token * 32), stream, a, a.channels / width.value);
  });
}

}  // namespace megascale::kernels::cuda
