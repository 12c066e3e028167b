#ifndef MEGASCALE_KERNELS_CPU_DROP_CHOICES_H_
#define MEGASCALE_KERNELS_CPU_DROP_CHOICES_H_

#include <cstddef>
#include <cstdint>

// Drops choices of a micro-batch over its capacity (dispatch_map.h: drop_over_capacity()), on every rank
// for all tokens, and writes those of this rank. S sequences of L tokens, E experts, k choices per token.
// Gathered tokens come by context rank, each with its share of every sequence, then by sequence and
// position. Choices compete in the order of sequences and positions, so that ties are decided alike in
// every layout. Runs on the calling thread.
// Source  arXiv 2405.04434, 2.1.4.
namespace megascale::kernels::cpu {

struct DropChoices {
  std::size_t sequences = 0, length = 0;  // S, L
  std::size_t contexts = 1;               // ranks that divide every sequence; L is a multiple of it
  std::size_t experts = 0, top_k = 0, groups = 0;
  std::int64_t capacity = 0;  // choices that each group keeps
  double factor = 0;  // above 0: it keeps at most so many times the mean of the choices in [0, E)
  std::size_t first = 0, tokens = 0;     // this rank's tokens, in the gathered order
  const std::int32_t* choice = nullptr;  // (S L, k)
  const float* affinity = nullptr;       // (S L, k)
  const std::int32_t* exempt = nullptr;  // (S): not 0 for exempt sequences; or null
  std::int32_t* kept = nullptr;          // (tokens, k): the choice, or E
};
// scratch: drop_choices_scratch_bytes(S L, k), aligned to 8. Returns how many of this rank's choices were
// dropped.
std::int64_t drop_choices(const DropChoices& args, std::byte* scratch) noexcept;
[[nodiscard]] std::size_t drop_choices_scratch_bytes(std::size_t tokens,
                                                     std::size_t top_k) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_DROP_CHOICES_H_
