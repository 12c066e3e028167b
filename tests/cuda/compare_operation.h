#ifndef MEGASCALE_TESTS_CUDA_COMPARE_OPERATION_H_
#define MEGASCALE_TESTS_CUDA_COMPARE_OPERATION_H_

#include <cstddef>

#include "cuda/device_operation.h"

// Compares what a device computes with what the CPU computes.
namespace megascale::testing {

// Elements of an operand that mean something: of counted rows, or all.
[[nodiscard]] std::size_t counted_elements(const OpCase& op, std::size_t operand,
                                           std::size_t numel);
// Expects equal integers, and close numbers by 2-norm per operand; where the CPU leaves what it found, the
// device must too.
void expect_close(const OpCase& op, DType storage);
// Runs the case twice on the device.
void expect_same_bits(const OpCase& op, DType storage);

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_CUDA_COMPARE_OPERATION_H_
