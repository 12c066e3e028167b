#ifndef MEGASCALE_KERNELS_CPU_HEAD_EXCHANGE_H_
#define MEGASCALE_KERNELS_CPU_HEAD_EXCHANGE_H_

#include <cstddef>

#include "megascale/kernels/value_size.h"

// The copies before and after the all_to_alls of Ulysses: they lay rows out in one block per rank,
// and back. float32; memory bound; the rows are shared over the team. Bits do not depend on the
// number of threads or the vector target.
namespace megascale::kernels::cpu {

// rows   (N, (NH + NG) HS + NG VS): query heads, then key heads, then value heads of each token
// blocks (R, N, (NH/R + G) HS + G VS): block j has the j-th R-th of the query heads, and the G = NG/R
//        key-value heads that they share. With fewer key-value heads than ranks G is 1, and each
//        key-value head is in R/NG blocks.
// split_heads: rows -> blocks, a copy.
// join_heads: blocks -> rows, the adjoint of split_heads: a copy, except that a key-value head in
// several blocks becomes the sum over them, in the order of the blocks.
// Alias   nothing overlaps.
// Cost    moves 2 R N ((NH/R + G) HS + G VS) floats.
// Error   split none; join one rounding per addition.
// Needs   NH a multiple of R; of NG and R one a multiple of the other: checked when the plan is
//         built.
// Source  Jacobs et al. 2023 (arXiv 2309.14509), section 3.
struct HeadExchange {
  std::size_t tokens = 0;                                       // N
  std::size_t heads = 0, groups = 0, head_size = 0, ranks = 1;  // NH, NG, HS, R
  std::size_t value_size = 0;                                   // VS; 0: HS (value_size_of())
  const float* from = nullptr;
  float* to = nullptr;
};
void split_heads(const HeadExchange& args) noexcept;
void join_heads(const HeadExchange& args) noexcept;

// rows   (B, S, C): whole sequences
// blocks (R, B, S/R, C): block j has the j-th R-th of every sequence
// split_sequences: rows -> blocks; join_sequences: blocks -> rows; both are copies.
// Alias   nothing overlaps.
// Cost    moves 2 B S C floats.
// Needs   S a multiple of R.
struct SequenceExchange {
  std::size_t sequences = 0, length = 0, channels = 0, ranks = 1;  // B, S, C, R
  const float* from = nullptr;
  float* to = nullptr;
};
void split_sequences(const SequenceExchange& args) noexcept;
void join_sequences(const SequenceExchange& args) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_HEAD_EXCHANGE_H_
