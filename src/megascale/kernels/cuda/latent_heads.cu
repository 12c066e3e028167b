// Heads of latent attention as grid-stride loops over the packs of the results. A thread that writes a
// rotated pack reads both packs of its pairs.
#include <numeric>

#include "megascale/kernels/cuda/counted_rows-inl.h"
#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/latent_heads.h"

namespace megascale::kernels::cuda {
namespace {

// Sizes in packs; `half` is half of the rotated channels.
struct Packs {
  std::size_t heads, plain, half, values;
  __host__ __device__ std::size_t head() const { return plain + 2 * half; }
  __host__ __device__ std::size_t packed() const { return plain + values; }
  __host__ __device__ std::size_t row() const { return heads * (2 * head() + values); }
  // All inputs of a token.
  __host__ __device__ std::size_t inputs() const { return heads * (head() + packed()) + 2 * half; }
};

template <int kWidth>
struct Pair {
  float low[kWidth], high[kWidth];
};

// Returns rotated pack number k of a head, of which `pair` is the pack and its partner, before the rotation.
template <class T, int kWidth>
__device__ Pack<T, kWidth> turned(const LatentHeadShape& a, const Pair<kWidth>& pair, std::size_t n,
                                  std::size_t k, std::size_t half, bool inverse) {
  const auto angles = static_cast<std::size_t>(a.position[n]);
  const float* cosines = a.table + angles * a.rotated + k % half * kWidth;
  const float* sines = cosines + a.rotated / 2;
  Pack<T, kWidth> y{};
  for (int j = 0; j < kWidth; ++j) {
    const float c = cosines[j], s = inverse ? -sines[j] : sines[j];
    y.at[j] = from_float<T>(k < half ? pair.low[j] * c - pair.high[j] * s
                                     : pair.high[j] * c + pair.low[j] * s);
  }
  return y;
}

// The pair of rotated pack k of a head whose rotated packs begin at x.
template <class T, int kWidth>
__device__ Pair<kWidth> pair_of(const Pack<T, kWidth>* x, std::size_t k, std::size_t half) {
  Pair<kWidth> pair{};
  const Pack<T, kWidth> low = x[k % half], high = x[k % half + half];
  for (int j = 0; j < kWidth; ++j) {
    pair.low[j] = to_float(low.at[j]);
    pair.high[j] = to_float(high.at[j]);
  }
  return pair;
}

template <class T, int kWidth>
__global__ void latent_heads_kernel(LatentHeads a, Packs s) {
  using P = Pack<T, kWidth>;
  const P* query = static_cast<const P*>(a.query);
  const P* key_value = static_cast<const P*>(a.key_value);
  const P* key_rope = static_cast<const P*>(a.key_rope);
  P* qkv = static_cast<P*>(a.qkv);
  const std::size_t count = counted_rows(a.counted, a.tokens) * s.row();
  for (std::size_t i = grid_thread(); i < count; i += grid_threads()) {
    const std::size_t n = i / s.row(), c = i % s.row(), queries = s.heads * s.head();
    if (c >= 2 * queries) {
      const std::size_t h = (c - 2 * queries) / s.values, k = (c - 2 * queries) % s.values;
      qkv[i] = key_value[(n * s.heads + h) * s.packed() + s.plain + k];
      continue;
    }
    const bool is_key = c >= queries;
    const std::size_t h = c / s.head() % s.heads, k = c % s.head();
    const P* own = query + (n * s.heads + h) * s.head();
    if (k < s.plain) {
      qkv[i] = is_key ? key_value[(n * s.heads + h) * s.packed() + k] : own[k];
    } else {
      const P* x = is_key ? key_rope + n * 2 * s.half : own + s.plain;
      qkv[i] = turned<T, kWidth>(a, pair_of<T, kWidth>(x, k - s.plain, s.half), n, k - s.plain,
                                 s.half, false);
    }
  }
}

template <class T, int kWidth>
__global__ void latent_heads_gradient_kernel(LatentHeadsGradient a, Packs s) {
  using P = Pack<T, kWidth>;
  const std::size_t queries = s.heads * s.head(), key_values = s.heads * s.packed();
  const std::size_t count = counted_rows(a.counted, a.tokens) * s.inputs();
  for (std::size_t i = grid_thread(); i < count; i += grid_threads()) {
    const std::size_t n = i / s.inputs(), c = i % s.inputs();
    const P* from = static_cast<const P*>(a.grad_qkv) + n * s.row();
    if (c < queries) {
      const std::size_t k = c % s.head();
      P* const to = static_cast<P*>(a.grad_query) + n * queries + c;
      *to = k < s.plain ? from[c]
                        : turned<T, kWidth>(
                              a, pair_of<T, kWidth>(from + c - k + s.plain, k - s.plain, s.half), n,
                              k - s.plain, s.half, true);
    } else if (c < queries + key_values) {
      const std::size_t at = c - queries, h = at / s.packed(), k = at % s.packed();
      P* const to = static_cast<P*>(a.grad_key_value) + n * key_values + at;
      *to = k < s.plain ? from[queries + h * s.head() + k]
                        : from[2 * queries + h * s.values + k - s.plain];
    } else {
      const std::size_t k = c - queries - key_values;
      Pair<kWidth> sum{};
      for (std::size_t h = 0; h < s.heads; ++h) {
        const Pair<kWidth> pair =
            pair_of<T, kWidth>(from + queries + h * s.head() + s.plain, k, s.half);
        for (int j = 0; j < kWidth; ++j) {
          sum.low[j] += pair.low[j];
          sum.high[j] += pair.high[j];
        }
      }
      static_cast<P*>(a.grad_key_rope)[n * 2 * s.half + k] =
          turned<T, kWidth>(a, sum, n, k, s.half, true);
    }
  }
}

// Calls body(element, width, packs) for the widest packs of which all parts of a head are whole numbers.
template <class Body>
void with_packs(const LatentHeadShape& a, const Body& body) noexcept {
  const std::size_t common = std::gcd(std::gcd(a.plain, a.rotated / 2), a.values);
  with_width(a.dtype, common, [&](auto element, auto width) {
    body(
        element, width,
        Packs{a.heads, a.plain / width.value, a.rotated / 2 / width.value, a.values / width.value});
  });
}

}  // namespace

void latent_heads(const LatentHeads& a, CUstream_st* stream) noexcept {
  with_packs(a, [&](auto element, auto width, const Packs& packs) {
    launch(latent_heads_kernel<decltype(element), decltype(width)::value>,
           grid_for(a.tokens * packs.row()), stream, a, packs);
  });
}

void latent_heads_gradient(const LatentHeadsGradient& a, CUstream_st* stream) noexcept {
  with_packs(a, [&](auto element, auto width, const Packs& packs) {
    launch(latent_heads_gradient_kernel<decltype(element), decltype(width)::value>,
           grid_for(a.tokens * packs.inputs()), stream, a, packs);
  });
}

}  // namespace megascale::kernels::cuda
