#ifndef MEGASCALE_KERNELS_CPU_PLAIN_ATTENTION_H_
#define MEGASCALE_KERNELS_CPU_PLAIN_ATTENTION_H_

#include <memory>

#include "megascale/kernels/cpu/attention.h"

// Causal attention with its scores in memory, as chains of single operations: for all heads, the
// product of queries and keys, scaling, mask, softmax, the product with the values. Formulas,
// operands and results are those of attention.h; here a sequence has as many queries as keys, and
// queries, keys and values of a token lie in one row.
//
// Without a window the scores are the whole square, half of which the mask throws away. With one
// they are sliding chunks (Beltagy, Peters and Cohan 2020, "Longformer", arXiv 2004.05150): queries
// in blocks of the window, at least 64, each against the keys that some query of it sees.
// The backward computes the probabilities again from the scores: what selective recomputation does
// (Korthikanti et al. 2022, arXiv 2205.05198).
//
// Scratch  batch x query heads x blocks x block x width floats of scores, twice in the backward,
// and what the products need.
// Threads  sequences and key-value heads are shared among the team of the constructing thread; one
// thread at a time uses an object. Bits do not depend on the number of threads.
namespace megascale::kernels::cpu::plain {

struct AttentionStrides {
  std::size_t qkv = 0, output = 0;  // floats between rows of q, k, v and their gradients; of o, do
};

class Attention {
 public:
  enum class Direction { forward, backward };
  // `config` passed check_attention(). Builds the products. Throws Error like Gemm.
  Attention(const AttentionConfig& config, const AttentionStrides& strides, Direction direction);
  ~Attention();
  Attention(Attention&&) noexcept;
  Attention& operator=(Attention&&) noexcept;

  // Without building the products. For the calling thread's team.
  [[nodiscard]] static std::size_t scratch_bytes(const AttentionConfig& config,
                                                 const AttentionStrides& strides,
                                                 Direction direction);
  void forward(const AttentionForward& run) const noexcept;
  void backward(const AttentionBackward& run) const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace megascale::kernels::cpu::plain

#endif  // MEGASCALE_KERNELS_CPU_PLAIN_ATTENTION_H_
