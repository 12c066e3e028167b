#ifndef MEGASCALE_KERNELS_CPU_EMBEDDING_H_
#define MEGASCALE_KERNELS_CPU_EMBEDDING_H_

#include <cstddef>
#include <cstdint>

// Embedding (table lookup) and its gradient. N tokens, C channels. All matrices are row-major and
// packed, float32; indices are int32. Bits do not depend on the number of threads or the vector
// target.
namespace megascale::kernels::cpu {

// y[n,:] = table[token[n] - vocab_start, :]  (+ position_table[position[n], :], if given)
// A token outside [vocab_start, vocab_start + vocab_count) gives a row of zeros before the
// position's row is added. Under vocabulary parallelism another rank holds that token, and the
// ranks' rows are summed; so only one rank may be given the position table.
// Alias   y overlaps nothing.
// Cost    N C flops at most; moves 2 to 3 N C floats: memory bound.
// Error   one rounding if positions are added, else exact.
// Needs   positions inside the position table: checked when a batch is made, not here.
struct EmbeddingForward {
  std::size_t tokens = 0, channels = 0;
  float* y = nullptr;                   // (N, C)
  const std::int32_t* token = nullptr;  // (N)
  const float* table = nullptr;         // (vocab_count, C)
  std::size_t vocab_start = 0, vocab_count = 0;
  const std::int32_t* position = nullptr;  // (N); with position_table
  const float* position_table = nullptr;   // or null
};
void embedding_forward(const EmbeddingForward& args) noexcept;

// table_gradient[v,:] = (accumulate ? table_gradient[v,:] : 0)
//                       + sum of dy[n,:] over all n with index[n] = v + vocab_start
// Computes the gradient of the token table (index = token) or of the position table (index =
// position). Indices outside the table add nothing. Terms are added one by one, in order of n.
// Threads share the channels, so no thread waits for another.
// Alias   nothing overlaps.
// Cost    N C flops; moves 3 N C floats, and writes the whole table if accumulate is false.
// Error   per element at most (k - 1) u sum |terms|, u = 2^-24, k = number of terms (the old value
//         included).
struct EmbeddingBackward {
  std::size_t tokens = 0, channels = 0;
  float* table_gradient = nullptr;      // (vocab_count, C)
  const std::int32_t* index = nullptr;  // (N)
  const float* dy = nullptr;            // (N, C)
  std::size_t vocab_start = 0, vocab_count = 0;
  bool accumulate = false;  // false: every element of the table is written
};
void embedding_backward(const EmbeddingBackward& args) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_EMBEDDING_H_
