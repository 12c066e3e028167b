#ifndef MEGASCALE_TESTS_CUDA_DEVICE_OPERATION_H_
#define MEGASCALE_TESTS_CUDA_DEVICE_OPERATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/kernels/kernel.h"

// One op on the CPU and on a device, over the same operands.
namespace megascale::testing {

// An operand: shape and values. `storage`: of the dtype that is tested; else of its own.
struct OperandOf {
  graph::Shape shape;               // empty: absent
  std::optional<DType> dtype;       // absent: the tested storage type
  std::vector<double> values = {};  // of inputs and of sums that exist; others are poisoned
};

struct OpCase {
  std::string name;
  const graph::OpDef* def = nullptr;
  std::vector<OperandOf> operands;
  graph::Attributes attributes = {};
  std::vector<graph::FlatSegment> segments = {};
  graph::AxisSizes axes = {};
  graph::Coordinates coordinates = {};
  bool first = true;
  // An operand that lies where another one does: (this, where that one is).
  std::vector<std::pair<std::size_t, std::size_t>> alias = {};
  bool only_bfloat16 = false;  // the device has no float32 kernel for it
  // Rows that are counted at run time: the sum of these, of the operands in `counted`. They lie
  // behind the operands, after an element that does not count.
  std::vector<std::int64_t> counts = {};
  std::vector<std::size_t> counted = {};
  bool cutlass = false;  // see kernels::KernelSpec
  // The kind's rows are counted in cases of its own only.
  bool has_own_counts = false;
};

// All operands afterwards, as double. Inputs are rounded to `storage` on both devices; the CPU then
// computes in float32. `canary`: false where a kernel wrote outside its operands. Ops over flat
// ranges have no tensors: their operands' dtypes must be given.
struct OpResult {
  std::vector<std::vector<double>> operands;
  bool canaries_whole = true;
};
[[nodiscard]] OpResult run_on_cpu(const OpCase& op, DType storage);
// `late_error`: takes the error that the device has found; null: it is thrown.
[[nodiscard]] OpResult run_on_device(const OpCase& op, DType storage,
                                     std::optional<Error>* late_error = nullptr);

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_CUDA_DEVICE_OPERATION_H_
