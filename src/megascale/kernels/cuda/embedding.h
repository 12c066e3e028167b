#ifndef MEGASCALE_KERNELS_CUDA_EMBEDDING_H_
#define MEGASCALE_KERNELS_CUDA_EMBEDDING_H_

#include <cstddef>
#include <cstdint>

#include "megascale/base/dtype.h"
#include "megascale/kernels/cuda/row_count.h"
#include "megascale/kernels/cuda/sort_tokens.h"

struct CUstream_st;

// Embedding (table lookup) and its gradient on a device. N tokens, C channels, V rows of the table.
// Storage, alignment, failures: see activation.h.
namespace megascale::kernels::cuda {

//   y[n] = table[token[n] - vocab_start] + position_table[position[n]]
// The first term is zero if the table has no such row. The second is left out if `position` is
// null.
// Shapes  y (N, C); table (V, C).  Error  one rounding of the sum.
struct Embedding {
  std::size_t tokens = 0, channels = 0;
  RowCount counted = {};
  DType dtype = DType::float32;
  void* y = nullptr;
  const std::int32_t* token = nullptr;
  const void* table = nullptr;
  std::size_t vocab_start = 0, vocab_count = 0;
  const std::int32_t* position = nullptr;  // null: none are added
  const void* position_table = nullptr;
};
void embedding_forward(const Embedding& args, CUstream_st* stream) noexcept;

// table_gradient[v] = (accumulate ? table_gradient[v] : 0)
//                     + sum of dy[n] over all n with index[n] = v + vocab_start
// It is the gradient of the token table (index = token) or of the position table (index =
// position). table_gradient is float32 (V, C). Without `accumulate` every row is written; with it
// only the rows that occur among the indices.
// Bits  Tokens are sorted by row, stably, and cut into runs of kEmbeddingRun. The tokens of a row are
//       added in order of n within a run, then the sums of the runs in order.
// Cost  reads dy once, and moves 4 N C / kEmbeddingRun bytes of partial sums at most; sorting moves
//       32 bytes per token for each 8 bits of V. Writes the rows named above, twice without
//       `accumulate` if they occur.
struct EmbeddingGradient {
  std::size_t tokens = 0, channels = 0;
  RowCount counted = {};
  DType dtype = DType::float32;  // of dy
  const void* dy = nullptr;
  const std::int32_t* index = nullptr;
  std::size_t vocab_start = 0, vocab_count = 0;
  float* table_gradient = nullptr;
  bool accumulate = false;
  std::byte* scratch = nullptr;  // embedding_gradient_scratch_bytes(), aligned to 32
};
void embedding_gradient(const EmbeddingGradient& args, CUstream_st* stream) noexcept;

// The tokens of a run: short enough for a frequent token to be shared by many thread blocks.
inline constexpr std::size_t kEmbeddingRun = 32;
[[nodiscard]] constexpr std::size_t embedding_runs(std::size_t tokens) noexcept {
  return (tokens + kEmbeddingRun - 1) / kEmbeddingRun;
}
// The scratch: two partial sums of each run, then what sorting needs.
[[nodiscard]] constexpr std::size_t embedding_parts_bytes(std::size_t tokens,
                                                          std::size_t channels) noexcept {
  return embedding_runs(tokens) * 2 * channels * sizeof(float);
}
[[nodiscard]] constexpr std::size_t embedding_gradient_scratch_bytes(
    std::size_t tokens, std::size_t channels) noexcept {
  return embedding_parts_bytes(tokens, channels) + sort_tokens_scratch_bytes(tokens);
}

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_EMBEDDING_H_
