#ifndef MEGASCALE_TESTS_CUDA_OP_CASES_H_
#define MEGASCALE_TESTS_CUDA_OP_CASES_H_

#include <cstdint>
#include <vector>

#include "cuda/device_operation.h"

// The cases of every op kind that a device executes. Operands are random and seeded.
namespace megascale::testing {

// Random operands, of the tested storage type or of float32.
[[nodiscard]] OperandOf input(graph::Shape shape, double stddev = 1.0);
[[nodiscard]] OperandOf input32(graph::Shape shape, double stddev = 1.0);
[[nodiscard]] OperandOf output(graph::Shape shape);
[[nodiscard]] OperandOf output32(graph::Shape shape);
[[nodiscard]] OperandOf absent();
// Whole numbers in [0, most).
[[nodiscard]] OperandOf numbers(std::int64_t count, std::uint64_t most);
// Values of int64.
[[nodiscard]] OperandOf integers(std::vector<double> values);
// `first`: the sums over tokens begin here; `addend`: another gradient is added to the result.
struct NormSetting {
  std::int64_t tokens, channels;
  bool first = true, addend = false;
};
[[nodiscard]] OpCase layer_norm_gradient_case(const NormSetting& s);
// The columns of rank `rank` of `ranks`, v each, of which `valid` in all are words.
[[nodiscard]] OpCase stats_case(OperandOf logits, OperandOf targets, std::int64_t valid,
                                std::uint32_t rank = 0, std::int64_t ranks = 1);

// The cases of routers, of experts and of rows in 8 bits, which all_cases() contains.
[[nodiscard]] std::vector<OpCase> router_cases();
[[nodiscard]] std::vector<OpCase> expert_cases();
[[nodiscard]] std::vector<OpCase> float8_cases();
// The products of experts again for kernels.cutlass, and larger ones: several of its tiles in each direction.
[[nodiscard]] std::vector<OpCase> cutlass_cases();

// Small shapes with odd sizes, padding and absent operands. The same operands at every call.
[[nodiscard]] std::vector<OpCase> all_cases();
// The widths of GPT-2 1.5B and of Llama 3 8B: products, norms, attention and the loss run other code
// for them than for small ones. An emulated device has time for a few rows.
[[nodiscard]] std::vector<OpCase> real_cases();

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_CUDA_OP_CASES_H_
