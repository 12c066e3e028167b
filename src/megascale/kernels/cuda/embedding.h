#ifndef MEGASCALE_KERNELS_CUDA_EMBEDDING_H_
#define MEGASCALE_KERNELS_CUDA_EMBEDDING_H_

#include <cstddef>
#include <cstdint>

#include "megascale/base/dtype.h"
#include "megascale/kernels/cuda/row_count.h"

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
// position). Terms are added in order of n, without atomic additions. table_gradient is float32
// (V, C). Without `accumulate` every row is written; with it only the rows that occur among the
// indices.
// Cost  reads all indices once for every 32 rows x 256 columns of the table, and dy once; writes
//       the rows named above.
struct EmbeddingGradient {
  std::size_t tokens = 0, channels = 0;
  RowCount counted = {};
  DType dtype = DType::float32;  // of dy
  const void* dy = nullptr;
  const std::int32_t* index = nullptr;
  std::size_t vocab_start = 0, vocab_count = 0;
  float* table_gradient = nullptr;
  bool accumulate = false;
};
void embedding_gradient(const EmbeddingGradient& args, CUstream_st* stream) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_EMBEDDING_H_
