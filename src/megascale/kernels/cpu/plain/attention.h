#ifndef MEGASCALE_KERNELS_CPU_PLAIN_ATTENTION_H_
#define MEGASCALE_KERNELS_CPU_PLAIN_ATTENTION_H_

#include <memory>

#include "megascale/kernels/cpu/attention.h"

// Causal attention with its scores in memory, as chains of single operations: the baseline for the
// fused kernel. For all heads it computes the product of queries and keys, scaling, mask, softmax
// and the product with the values. Formulas, operands and results are those of attention.h. Here a
// sequence has as many queries as keys, and the queries, keys and values of a token are in one row.
//
// Without a window the scores are the whole square, half of which the mask discards. With a window
// they are sliding chunks (Beltagy, Peters and Cohan 2020, "Longformer", arXiv 2004.05150): queries
// in blocks of the window, at least 64, each against the keys that some query of the block sees.
//
// The backward pass computes the probabilities again from the scores, as in selective recomputation
// (Korthikanti et al. 2022, arXiv 2205.05198).
//
// Scratch  batch x query heads x blocks x block x width floats of scores, twice in the backward
//          pass, and the scratch of the products.
// Threads  sequences and key-value heads are shared among config.threads threads. One thread at a
//          time may use an object. Bits do not depend on the number of threads.
namespace megascale::kernels::cpu::plain {

struct AttentionStrides {
  std::size_t qkv = 0, output = 0;  // floats between rows: of q, k, v, their gradients; of o, do
};

class Attention {
 public:
  enum class Direction { forward, backward };
  // `config` must have passed check_attention(). Builds the products. Throws Error like Gemm.
  Attention(const AttentionConfig& config, const AttentionStrides& strides, Direction direction);
  ~Attention();
  Attention(Attention&&) noexcept;
  Attention& operator=(Attention&&) noexcept;

  // Returns the bytes of scratch that a run needs, without building the products.
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
