#ifndef MEGASCALE_KERNELS_CUDA_DROP_CHOICES_H_
#define MEGASCALE_KERNELS_CUDA_DROP_CHOICES_H_

#include <cstddef>
#include <cstdint>

struct CUstream_st;

// Drops choices of a micro-batch over its capacity on a device, on every rank for all tokens, and writes
// those of this rank. The rules and the order of the gathered tokens are those of
// kernels/cpu/drop_choices.h. S sequences of L tokens, E experts, k choices per token, D groups of E / D
// experts. Failures: see activation.h.
// Needs  S L k < 2^31.
namespace megascale::kernels::cuda {

struct DropChoices {
  std::size_t sequences = 0, length = 0;  // S, L
  std::size_t contexts = 1;               // ranks that divide every sequence
  std::size_t experts = 0, top_k = 0, groups = 0;
  std::int64_t capacity = 0;  // choices that each group keeps
  double factor = 0;  // above 0: it keeps at most so many times the mean of the choices in [0, E)
  std::size_t first = 0, tokens = 0;     // this rank's tokens, in the gathered order
  const std::int32_t* choice = nullptr;  // (S L, k)
  const float* affinity = nullptr;       // (S L, k)
  const std::int32_t* exempt = nullptr;  // (S): not 0 for exempt sequences; or null
  std::int32_t* kept = nullptr;          // (tokens, k): the choice, or E
  const std::int64_t* before = nullptr;  // (1): dropped earlier; or null
  std::int64_t* dropped = nullptr;  // (1): how many of this rank's choices were dropped, and before
  std::uint64_t* scratch = nullptr;  // drop_choices_scratch_bytes()
};
void drop_choices(const DropChoices& args, CUstream_st* stream) noexcept;
[[nodiscard]] constexpr std::size_t drop_choices_scratch_bytes(std::size_t groups) noexcept {
  return groups * sizeof(std::uint64_t);
}

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_DROP_CHOICES_H_
