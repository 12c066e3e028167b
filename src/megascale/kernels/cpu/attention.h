#ifndef MEGASCALE_KERNELS_CPU_ATTENTION_H_
#define MEGASCALE_KERNELS_CPU_ATTENTION_H_

#include <cstddef>
#include <cstdint>

#include "megascale/kernels/cpu/dropout_draws.h"
#include "megascale/kernels/value_size.h"

// Causal attention on the CPU, float32. The matrix of scores (queries x keys) is never stored as a
// whole: it is computed block by block, in both directions.
//
// For batch b and query head h with key-value head g = h / (query_heads / kv_heads):
//   s[i,j]    = scale * sum_d q[i,h,d] k[j,g,d]   if query i sees key j, else minus infinity
//   lse[i]    = log sum_j exp(s[i,j]),  p[i,j] = exp(s[i,j] - lse[i])
//   o[i,h,d]  = sum_j p[i,j] v[j,g,d]
// Backward, from the gradient do of o, with delta[i] = sum_d do[i,h,d] o[i,h,d]:
//   ds[i,j]   = p[i,j] * (sum_d do[i,h,d] v[j,g,d] - delta[i])
//   dq[i,h,d] = scale * sum_j ds[i,j] k[j,g,d]
//   dk[j,g,d] = scale * sum_{h of g} sum_i ds[i,j] q[i,h,d]
//   dv[j,g,d] = sum_{h of g} sum_i p[i,j] do[i,h,d]
//
// With a soft cap c (Gemma 2, arXiv 2408.00118, section 2), s is replaced by c tanh(s / c), and ds by
// ds (1 - tanh(s / c)^2), with the s of the first formula.
//
// With dropout, p is replaced in o and dv by p~[i,j] = m[i,j] p[i,j], and do v in ds by m[i,j] do v, where
// m[i,j] is 0 or 1 / (1 - rate). m is drawn (dropout_draws.h) for row number
// (sample heads + first_head + h) key_count + i, channel j of key_count.
//
// Query row r has position i = key_count - query_count + r: the queries are the last positions of
// the sequence, as in decoding with a cache. Query i sees key j if all of these hold:
//   j <= i;   j > i - window, if window > 0;   segments[j] == segments[i], if segments are given.
// Blocks of keys that no query of a block sees are skipped.
//
// Shapes   Rows of q, dq have query_heads * head_size features, rows of k, dk kv_heads * head_size,
//          rows of v, dv kv_heads * value_size, rows of o, do query_heads * value_size. So d has
//          value_size values in the formulas of o, delta and dv and in the product of do and v, and
//          head_size in the others. lse is [batch, query_heads, query_count]. Row r of sequence b
//          starts at data + b * batch_stride + r * row_stride (in floats). So q, k and v may be
//          column slices of one packed tensor
//          [tokens, (query_heads + kv_heads) * head_size + kv_heads * value_size].
// Alias    Outputs overlap nothing. Slices of one tensor may be interleaved (dq, dk, dv in one
//          packed tensor).
// Cost     forward 2 (head_size + value_size), backward 6 head_size + 4 value_size FLOPs for every
//          visible pair and query head; both compute-bound. Sizes of heads that are multiples of 16
//          are fast; others are padded to one inside scratch.
// Error    u = 2^-24, A[i,j] = scale sum_d |q| |k|. Relative error of p, to first order: at most
//          (head_size + 3) u A + 2 (|s| + |lse| + 4) u. Error of o[i,h,d], relative to sum_j p |v|:
//          at most the largest error of p in the row plus (1.1 key_count + 64) u. A soft cap c adds
//          6 c u to that of p. Measured over
//          sizes, windows and documents on normal data (attention_test): 2-norm errors of o, dq,
//          dk, dv below 3e-6 of the 2-norm, lse within 2e-6 (1 + |lse|).
// NaN      in q, k, v, do reaches the outputs. A NaN or infinity in a masked key or value may reach
//          rows of its block.
// Threads  at most config.threads OpenMP threads; tiny work takes fewer. Calls on disjoint outputs
//          and scratch are independent.
// Bits     Every sum has a fixed order, whatever the timing. Forward bits do not depend on
//          `threads`. Backward bits depend on `threads` only if batch * kv_heads is below
//          8 * threads and no multiple of `threads`; in that case scratch also holds up to 7
//          partial sums of dq. Bits differ between vector targets.
// Source   Dao et al. 2022, "FlashAttention"; Dao 2023, "FlashAttention-2"; Milakov and Gimelshein
//          2018 for the running softmax.
namespace megascale::kernels::cpu {

struct AttentionConfig {
  std::size_t batch = 1;
  std::size_t query_heads = 1, kv_heads = 1,
              head_size = 1;   // query_heads is a multiple of kv_heads
  std::size_t value_size = 0;  // channels of a head of v and o; 0: head_size (value_size_of())
  std::size_t max_queries = 1, max_keys = 1;  // per sequence: upper bounds of a run's counts
  std::size_t window = 0;   // most keys that a query sees, its own included; 0: no limit
  std::size_t threads = 1;  // size of the OpenMP team that will run it
  double scale = 0;         // of the scores; 0: 1 / sqrt(head_size)
  double soft_cap = 0;      // of the scores; 0: none
};

// Rows of features, one per token: row r of sequence b starts at data + b * batch_stride + r *
// row_stride. Strides in floats. Borrows the memory.
template <class T>
struct TokenRows {
  T* data = nullptr;
  std::size_t row_stride = 0, batch_stride = 0;
};

struct AttentionDropout {
  DropoutDraws draws;                     // rate 0: none
  const std::int64_t* sample = nullptr;   // (batch): the number of each sequence in the run
  std::size_t heads = 1, first_head = 0;  // query heads of the model, and the first of this run
};
// The counts of one run, and the inputs that both directions read.
struct AttentionInputs {
  std::size_t query_count = 0, key_count = 0;  // query_count <= key_count
  TokenRows<const float> q, k, v;
  const std::int32_t* segments =
      nullptr;  // id of each key's document, or null; a query has the id at its position
  std::size_t segment_batch_stride = 0;
  AttentionDropout dropout;
};
struct AttentionForward {
  AttentionInputs in;
  TokenRows<float> o;
  float* lse = nullptr;
  std::byte* scratch = nullptr;  // attention_forward_scratch_bytes(), aligned to 64
};
struct AttentionBackward {
  AttentionInputs in;
  TokenRows<const float> o, grad_o;  // grad_o: `do` in the formulas
  const float* lse = nullptr;
  TokenRows<float> dq, dk, dv;   // overwritten
  std::byte* scratch = nullptr;  // attention_backward_scratch_bytes(), aligned to 64
};

// Throws Error(bad_usage), which names the field, if the configuration is not valid.
void check_attention(const AttentionConfig& config);
// The functions below need a configuration that passed check_attention(). Each thread of the team
// uses its own part of the scratch; the contents are undefined before and after a run.
[[nodiscard]] std::size_t attention_forward_scratch_bytes(const AttentionConfig& config) noexcept;
[[nodiscard]] std::size_t attention_backward_scratch_bytes(const AttentionConfig& config) noexcept;
void attention_forward(const AttentionConfig& config, const AttentionForward& run) noexcept;
void attention_backward(const AttentionConfig& config, const AttentionBackward& run) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_ATTENTION_H_
