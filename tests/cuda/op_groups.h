#ifndef MEGASCALE_TESTS_CUDA_OP_GROUPS_H_
#define MEGASCALE_TESTS_CUDA_OP_GROUPS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/op_cases.h"

// The groups of op kinds whose cases stand in files of their own; all_cases() joins them.
namespace megascale::testing {

[[nodiscard]] std::vector<OpCase> norm_cases();
[[nodiscard]] OpCase rms_norm_gradient(const NormSetting& s);
[[nodiscard]] std::vector<OpCase> rope_cases();
[[nodiscard]] std::vector<OpCase> attention_cases();
struct AttentionSetting {
  std::int64_t batch, sequence, heads, groups, size, window;
  bool segments;
  double scale = 0, soft_cap = 0;  // 0: 1 / sqrt(size); none
  std::int64_t value_size = 0;     // 0: size, and no attribute
};
// Adds attention and its gradient.
void add_attention(const AttentionSetting& s, std::vector<OpCase>& cases);
// The exchange of heads and sequences around attention.
[[nodiscard]] std::vector<OpCase> exchange_cases();
[[nodiscard]] std::vector<OpCase> loss_cases();
// Returns cross_entropy of rank `rank` over the logits of `stats`, the cases of stats_case() of all ranks, with the
// statistics that the CPU finds.
[[nodiscard]] OpCase loss_case(const std::vector<OpCase>& stats, std::size_t rank);
[[nodiscard]] std::vector<OpCase> preference_cases();
[[nodiscard]] std::vector<OpCase> optimizer_cases();

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_CUDA_OP_GROUPS_H_
