#include <algorithm>

#include "megascale/graph/sliding_window.h"
#include "megascale/kernels/cuda/attention.h"
#include "megascale/kernels/cuda/device_code.h"

// Attention on the float32 units. A thread block computes 32 rows of a result: queries in the
// forward pass and for dq, keys for dk and dv. It loops over tiles of 32 keys (or queries) in
// shared memory. Four neighbouring threads share a row: each computes every fourth column of the
// scores and every fourth channel of the result. The forward pass keeps a running maximum and sum
// of the softmax. The backward pass computes the probabilities again from the scores and the
// logsumexp. No atomic additions are used. Source: Dao 2023, "FlashAttention-2", for the order of
// the loops.
namespace megascale::kernels::cuda {
namespace {

constexpr unsigned kTile = 32, kShare = 4, kBlock = kTile * kShare;

// The row of the tile on which a thread works, and which of the kShare parts of its columns.
struct Place {
  unsigned row, part;
};
__device__ Place place() { return {threadIdx.x / kShare, threadIdx.x % kShare}; }

// Rows have kHead + 1 floats: the threads of a warp read the same column of eight rows, and the odd
// stride puts these eight floats into different banks of shared memory.
template <int kHead>
struct Tile {
  float at[kTile][kHead + 1];
};
struct Scores {
  float at[kTile][kTile + 1];
};

__device__ float sum_of_row(float value) {
  value += __shfl_xor_sync(~0U, value, 1);
  return value + __shfl_xor_sync(~0U, value, 2);
}
__device__ float max_of_row(float value) {
  value = fmaxf(value, __shfl_xor_sync(~0U, value, 1));
  return fmaxf(value, __shfl_xor_sync(~0U, value, 2));
}

// Loads `size` channels of rows [first, first + 32) of the array `from`, whose rows are `stride`
// elements apart. Rows from `rows` on and channels from `size` on become zero. All threads of the
// block call it; they synchronise afterwards.
template <class T, int kHead>
__device__ void load_tile(Tile<kHead>& tile, const T* from, std::size_t stride, std::size_t first,
                          std::size_t rows, std::size_t size) {
  for (unsigned i = threadIdx.x; i < kTile * kHead; i += kBlock) {
    const unsigned r = i / kHead, c = i % kHead;
    tile.at[r][c] = first + r < rows && c < size ? to_float(from[(first + r) * stride + c]) : 0.0F;
  }
}

template <int kHead>
__device__ float dot(const float* a, const float* b) {
  float sum = 0;
#pragma unroll 8
  for (int c = 0; c < kHead; ++c) sum = fmaf(a[c], b[c], sum);
  return sum;
}

// Which keys a query sees, and the range of tiles that a tile of queries or keys has to visit.
struct Mask {
  std::size_t sequence, window;
  const std::int32_t* segments;  // of this sequence, or null
  __device__ bool sees(std::size_t query, std::size_t key) const {
    if (query >= sequence || !graph::is_visible(query, key, window)) return false;
    return segments == nullptr || segments[query] == segments[key];
  }
  __device__ std::size_t first_key(std::size_t query) const {
    return graph::first_visible_key(query, window);
  }
  // Returns the index after the last query that sees a key of the tile.
  __device__ std::size_t query_end(std::size_t first_key_of_tile) const {
    return graph::end_of_seeing_queries(first_key_of_tile + kTile - 1, window, sequence);
  }
};
__device__ Mask mask_of(const AttentionShape& s, const std::int32_t* segments, std::size_t batch) {
  return {s.sequence, s.window, segments == nullptr ? nullptr : segments + batch * s.sequence};
}

// The scores from products of queries and keys.
struct Scoring {
  float scale, cap;  // cap 0: none
  // `s` has a scale.
  __device__ explicit Scoring(const AttentionShape& s) : scale(s.scale), cap(s.soft_cap) {}
  __device__ float score(float product) const {
    const float score = scale * product;
    return cap > 0 ? cap * tanhf(score / cap) : score;
  }
  // The derivative of score(product) by scale * product.
  __device__ float slope(float score) const {
    return cap > 0 ? 1.0F - (score / cap) * (score / cap) : 1.0F;
  }
};

// Returns the address of the first value of a sequence in the head of values `group`.
template <class T>
__device__ const T* first_value(const AttentionShape& s, const void* qkv, std::size_t batch,
                                std::size_t group) {
  return static_cast<const T*>(qkv) + batch * s.sequence * s.row() +
         (s.query_heads + s.kv_heads) * s.head_size + group * s.value_size;
}

// In all kernels `s` has a scale and a size of values (with_defaults()), and kHead is at least the size
// of every head.
//
// Computes o and lse. Block (x, y, z): query tile, head, sequence. A thread's row is a query.
template <class T, int kHead>
__global__ void forward_kernel(AttentionShape s, AttentionForward a) {
  struct Shared {
    Tile<kHead> q, k, v;
    Scores p;
  };
  Shared& shared = *reinterpret_cast<Shared*>(dynamic_shared());
  const auto [row, part] = place();
  const std::size_t head = blockIdx.y, batch = blockIdx.z,
                    first_query = static_cast<std::size_t>(blockIdx.x * kTile);
  const std::size_t query = first_query + row, stride = s.row();
  const std::size_t group = head / (s.query_heads / s.kv_heads);
  const T* q = static_cast<const T*>(a.qkv) + batch * s.sequence * stride + head * s.head_size;
  const T* k = static_cast<const T*>(a.qkv) + batch * s.sequence * stride +
               (s.query_heads + group) * s.head_size;
  const T* v = first_value<T>(s, a.qkv, batch, group);
  const Mask mask = mask_of(s, a.segments, batch);
  const Scoring scoring(s);
  const float minus_infinity = __uint_as_float(0xFF800000U);
  load_tile(shared.q, q, stride, first_query, s.sequence, s.head_size);
  float most = minus_infinity, sum = 0, acc[kHead / kShare] = {};
  const std::size_t first_key = mask.first_key(first_query) / kTile * kTile;
  for (std::size_t key = first_key; key < first_query + kTile && key < s.sequence; key += kTile) {
    __syncthreads();  // all threads have finished reading the previous tiles
    load_tile(shared.k, k, stride, key, s.sequence, s.head_size);
    load_tile(shared.v, v, stride, key, s.sequence, s.value_size);
    __syncthreads();
    float scores[kTile / kShare], tile_most = most;
#pragma unroll
    for (unsigned i = 0; i < kTile / kShare; ++i) {
      const unsigned j = part + i * kShare;
      scores[i] = mask.sees(query, key + j)
                      ? scoring.score(dot<kHead>(shared.q.at[row], shared.k.at[j]))
                      : minus_infinity;
      tile_most = fmaxf(tile_most, scores[i]);
    }
    tile_most = max_of_row(tile_most);
    const float base =
        tile_most == minus_infinity ? 0.0F : tile_most;  // no visible key yet: avoids inf - inf
    float tile_sum = 0;
#pragma unroll
    for (unsigned i = 0; i < kTile / kShare; ++i) {
      const float p = expf(scores[i] - base);
      shared.p.at[row][part + i * kShare] = p;
      tile_sum += p;
    }
    const float shrink = expf(most - base);
    sum = sum * shrink + sum_of_row(tile_sum);
    most = tile_most;
    __syncthreads();  // the probabilities of the row are written
#pragma unroll
    for (unsigned i = 0; i < kHead / kShare; ++i) {
      float value = acc[i] * shrink;
#pragma unroll 4
      for (unsigned j = 0; j < kTile; ++j)
        value = fmaf(shared.p.at[row][j], shared.v.at[j][part + i * kShare], value);
      acc[i] = value;
    }
  }
  if (query >= s.sequence) return;
  T* o =
      static_cast<T*>(a.o) + ((batch * s.sequence + query) * s.query_heads + head) * s.value_size;
#pragma unroll
  for (unsigned i = 0; i < kHead / kShare; ++i) {
    const unsigned c = part + i * kShare;
    if (c < s.value_size) o[c] = from_float<T>(acc[i] / sum);
  }
  if (part == 0) a.lse[(batch * s.query_heads + head) * s.sequence + query] = most + logf(sum);
}

// scratch[b,h,i] = delta[b,h,i] = sum_d grad_o o. One warp per token and head.
template <class T>
__global__ void delta_kernel(AttentionShape s, AttentionBackward a) {
  const std::size_t warp = grid_thread() / 32, lane = threadIdx.x % 32;
  if (warp >= s.batch * s.sequence * s.query_heads) return;
  const std::size_t token = warp / s.query_heads, head = warp % s.query_heads;
  const T* o = static_cast<const T*>(a.o) + warp * s.value_size;
  const T* grad = static_cast<const T*>(a.grad_o) + warp * s.value_size;
  float sum = 0;
  for (std::size_t c = lane; c < s.value_size; c += 32) sum += to_float(o[c]) * to_float(grad[c]);
  sum = warp_sum(sum);
  if (lane == 0) {
    const std::size_t batch = token / s.sequence, i = token % s.sequence;
    a.scratch[(batch * s.query_heads + head) * s.sequence + i] = sum;
  }
}

// Computes dk and dv. Block (x, y, z): key tile, key-value head, sequence. A thread's row is a key.
template <class T, int kHead>
__global__ void key_gradient_kernel(AttentionShape s, AttentionBackward a) {
  struct Shared {
    Tile<kHead> k, v, q, grad;
    Scores p, ds;  // [key][query]
  };
  Shared& shared = *reinterpret_cast<Shared*>(dynamic_shared());
  const auto [row, part] = place();
  const std::size_t group = blockIdx.y, batch = blockIdx.z,
                    first_key = static_cast<std::size_t>(blockIdx.x * kTile);
  const std::size_t key = first_key + row, stride = s.row(), out = s.output_row();
  const T* qkv = static_cast<const T*>(a.qkv) + batch * s.sequence * stride;
  const T* k = qkv + (s.query_heads + group) * s.head_size;
  const T* v = first_value<T>(s, a.qkv, batch, group);
  const T* grad_o = static_cast<const T*>(a.grad_o) + batch * s.sequence * out;
  const Mask mask = mask_of(s, a.segments, batch);
  const Scoring scoring(s);
  load_tile(shared.k, k, stride, first_key, s.sequence, s.head_size);
  load_tile(shared.v, v, stride, first_key, s.sequence, s.value_size);
  float dk[kHead / kShare] = {}, dv[kHead / kShare] = {};
  const std::size_t heads = s.query_heads / s.kv_heads, query_end = mask.query_end(first_key);
  for (std::size_t head = group * heads; head < (group + 1) * heads; ++head) {
    const std::size_t row_of_head = (batch * s.query_heads + head) * s.sequence;
    for (std::size_t query = first_key; query < query_end; query += kTile) {
      __syncthreads();
      load_tile(shared.q, qkv + head * s.head_size, stride, query, s.sequence, s.head_size);
      load_tile(shared.grad, grad_o + head * s.value_size, out, query, s.sequence, s.value_size);
      __syncthreads();
      for (unsigned i = 0; i < kTile / kShare; ++i) {
        const unsigned j = part + i * kShare;
        float p = 0, ds = 0;
        if (mask.sees(query + j, key)) {
          const float score = scoring.score(dot<kHead>(shared.q.at[j], shared.k.at[row]));
          p = expf(score - a.lse[row_of_head + query + j]);
          ds = p * scoring.slope(score) *
               (dot<kHead>(shared.grad.at[j], shared.v.at[row]) -
                a.scratch[row_of_head + query + j]);
        }
        shared.p.at[row][j] = p;
        shared.ds.at[row][j] = ds;
      }
      __syncthreads();
#pragma unroll
      for (unsigned i = 0; i < kHead / kShare; ++i) {
        const unsigned c = part + i * kShare;
#pragma unroll 2
        for (unsigned j = 0; j < kTile; ++j) {
          dv[i] = fmaf(shared.p.at[row][j], shared.grad.at[j][c], dv[i]);
          dk[i] = fmaf(shared.ds.at[row][j], shared.q.at[j][c], dk[i]);
        }
      }
    }
  }
  if (key >= s.sequence) return;
  T* to = static_cast<T*>(a.grad_qkv) + (batch * s.sequence + key) * stride;
  T* to_k = to + (s.query_heads + group) * s.head_size;
  T* to_v = to + (s.query_heads + s.kv_heads) * s.head_size + group * s.value_size;
#pragma unroll
  for (unsigned i = 0; i < kHead / kShare; ++i) {
    const unsigned c = part + i * kShare;
    if (c < s.head_size) to_k[c] = from_float<T>(scoring.scale * dk[i]);
    if (c < s.value_size) to_v[c] = from_float<T>(dv[i]);
  }
}

// Computes dq. Block (x, y, z): query tile, head, sequence. A thread's row is a query.
template <class T, int kHead>
__global__ void query_gradient_kernel(AttentionShape s, AttentionBackward a) {
  struct Shared {
    Tile<kHead> q, grad, k, v;
    Scores ds;  // [query][key]
  };
  Shared& shared = *reinterpret_cast<Shared*>(dynamic_shared());
  const auto [row, part] = place();
  const std::size_t head = blockIdx.y, batch = blockIdx.z,
                    first_query = static_cast<std::size_t>(blockIdx.x * kTile);
  const std::size_t query = first_query + row, stride = s.row(), out = s.output_row();
  const std::size_t group = head / (s.query_heads / s.kv_heads);
  const T* qkv = static_cast<const T*>(a.qkv) + batch * s.sequence * stride;
  const T* k = qkv + (s.query_heads + group) * s.head_size;
  const T* v = first_value<T>(s, a.qkv, batch, group);
  const T* grad_o = static_cast<const T*>(a.grad_o) + batch * s.sequence * out;
  const Mask mask = mask_of(s, a.segments, batch);
  const Scoring scoring(s);
  const std::size_t row_of_head = (batch * s.query_heads + head) * s.sequence;
  const bool is_query = query < s.sequence;
  const float lse = is_query ? a.lse[row_of_head + query] : 0.0F;
  const float delta = is_query ? a.scratch[row_of_head + query] : 0.0F;
  load_tile(shared.q, qkv + head * s.head_size, stride, first_query, s.sequence, s.head_size);
  load_tile(shared.grad, grad_o + head * s.value_size, out, first_query, s.sequence, s.value_size);
  float dq[kHead / kShare] = {};
  const std::size_t first_key = mask.first_key(first_query) / kTile * kTile;
  for (std::size_t key = first_key; key < first_query + kTile && key < s.sequence; key += kTile) {
    __syncthreads();
    load_tile(shared.k, k, stride, key, s.sequence, s.head_size);
    load_tile(shared.v, v, stride, key, s.sequence, s.value_size);
    __syncthreads();
    for (unsigned i = 0; i < kTile / kShare; ++i) {
      const unsigned j = part + i * kShare;
      float ds = 0;
      if (mask.sees(query, key + j)) {
        const float score = scoring.score(dot<kHead>(shared.q.at[row], shared.k.at[j]));
        ds = expf(score - lse) * scoring.slope(score) *
             (dot<kHead>(shared.grad.at[row], shared.v.at[j]) - delta);
      }
      shared.ds.at[row][j] = ds;
    }
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < kHead / kShare; ++i) {
#pragma unroll 4
      for (unsigned j = 0; j < kTile; ++j)
        dq[i] = fmaf(shared.ds.at[row][j], shared.k.at[j][part + i * kShare], dq[i]);
    }
  }
  if (!is_query) return;
  T* to = static_cast<T*>(a.grad_qkv) + (batch * s.sequence + query) * stride + head * s.head_size;
#pragma unroll
  for (unsigned i = 0; i < kHead / kShare; ++i) {
    const unsigned c = part + i * kShare;
    if (c < s.head_size) to[c] = from_float<T>(scoring.scale * dq[i]);
  }
}

template <int kHead>
constexpr std::size_t shared_nbytes(std::size_t tiles, std::size_t scores) {
  return tiles * sizeof(Tile<kHead>) + scores * sizeof(Scores);
}

// Calls body(T{}, Constant<kHead>{}), where kHead is the smallest compiled size of heads (32, 64, 128
// or 256) that is at least s.head_size and s.value_size.
template <class Body>
void with_head(const AttentionShape& s, const Body& body) {
  with_storage(s.dtype, [&](auto element) {
    const std::size_t size = std::max(s.head_size, s.value_size);
    if (size <= 32) {
      body(element, Constant<32>{});
    } else if (size <= 64) {
      body(element, Constant<64>{});
    } else if (size <= 128) {
      body(element, Constant<128>{});
    } else {
      body(element, Constant<256>{});
    }
  });
}

// The shape with the scale and the size of values that it stands for, so that only the host computes
// them.
AttentionShape with_defaults(AttentionShape s) {
  s.scale = s.factor();
  s.value_size = value_size_of(s);
  return s;
}

dim3 grid_of(const AttentionShape& s, std::size_t heads) {
  return dim3(static_cast<unsigned>((s.sequence + kTile - 1) / kTile), static_cast<unsigned>(heads),
              static_cast<unsigned>(s.batch));
}

}  // namespace

void attention_forward(const AttentionShape& shape, const AttentionForward& a,
                       CUstream_st* stream) noexcept {
  const AttentionShape s = with_defaults(shape);
  with_head(s, [&](auto element, auto head) {
    constexpr int kHead = decltype(head)::value;
    launch(forward_kernel<decltype(element), kHead>,
           {.grid = grid_of(s, s.query_heads),
            .block = kBlock,
            .shared_nbytes = shared_nbytes<kHead>(3, 1)},
           stream, s, a);
  });
}

void attention_backward(const AttentionShape& shape, const AttentionBackward& a,
                        CUstream_st* stream) noexcept {
  const AttentionShape s = with_defaults(shape);
  with_head(s, [&](auto element, auto head) {
    using T = decltype(element);
    constexpr int kHead = decltype(head)::value;
    const std::size_t warps = s.batch * s.sequence * s.query_heads;
    launch(delta_kernel<T>, {.grid = dim3(static_cast<unsigned>((warps + 7) / 8)), .block = 256},
           stream, s, a);
    launch(key_gradient_kernel<T, kHead>,
           {.grid = grid_of(s, s.kv_heads),
            .block = kBlock,
            .shared_nbytes = shared_nbytes<kHead>(4, 2)},
           stream, s, a);
    launch(query_gradient_kernel<T, kHead>,
           {.grid = grid_of(s, s.query_heads),
            .block = kBlock,
            .shared_nbytes = shared_nbytes<kHead>(4, 1)},
           stream, s, a);
  });
}

}  // namespace megascale::kernels::cuda
