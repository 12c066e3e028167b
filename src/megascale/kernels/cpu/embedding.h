#ifndef MEGASCALE_KERNELS_CPU_EMBEDDING_H_
#define MEGASCALE_KERNELS_CPU_EMBEDDING_H_

#include <cstddef>
#include <cstdint>

// Table look-up. N tokens, C channels. All matrices row-major and packed, float32; indices int32.
// Bits do not depend on the number of threads or the vector target.
namespace megascale::kernels::cpu {

// y[n,:] = table[token[n] - vocab_start, :]  (+ position_table[position[n], :] where that table is
// given) A token outside [vocab_start, vocab_start + vocab_count) gives a zero row before the
// position's row is added: under vocabulary parallelism another rank holds it, the rows are summed,
// and only one rank may be given the position table. Alias   y overlaps nothing.            Cost  N
// C flops at most; moves 2 to 3 N C floats: memory bound. Error   one rounding where positions are
// added, else exact. Needs   positions inside the position table: checked when a batch is made, not
// here.
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

// table_gradient[v,:] = (accumulate ? table_gradient[v,:] : 0) + sum over n with index[n] = v +
// vocab_start of dy[n,:] Serves the token table (index = token) and the position table (index =
// position). Indices outside the table add nothing. Terms are added one by one in order of n;
// threads share the channels, so no thread waits for another. Alias   nothing overlaps.     Cost  N
// C flops; moves 3 N C floats, and writes the whole table where accumulate is false. Error   per
// element at most (k - 1) u sum |terms|, u = 2^-24, k = number of terms (and the old value).
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
