#ifndef MEGASCALE_KERNELS_KERNEL_H_
#define MEGASCALE_KERNELS_KERNEL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "megascale/base/task_function.h"
#include "megascale/graph/flat_segment.h"
#include "megascale/graph/op.h"

// How an op finds the code that runs it. A kernel is looked up by (op, device) in one of two sets.
// It is prepared once, when a plan is bound; a step then only runs the prepared function.
namespace megascale::kernels {

enum class Device : std::uint8_t { cpu, cuda };

// fused: one kernel per op. plain: norms, activations and attention as chains of single operations
// over arrays in memory; it is the baseline that the fused kernels are measured against. All other
// ops have the same kernel in both sets. Devices have only fused kernels.
enum class KernelSet : std::uint8_t { fused, plain };

// The number of valid rows (axis 0) of an operand, if only the step itself determines it. It is the
// sum of `terms` consecutive elements, from index `first` on, of the int64 array that is operand
// `count_operand`. The shape of `operand` gives the upper bound. Rows beyond the count may hold
// anything, and no kernel lets their values reach a result. All counted operands of a kernel have
// the same count, unless the kernel accepts several (Kernel::several_counts).
struct RunTimeRows {
  std::uint16_t operand = 0;
  std::uint16_t count_operand = 0;
  std::uint32_t first = 0, terms = 1;
};

// The facts about an op that a kernel needs to be sized or prepared: operands, attributes, this
// rank's place in the job, and the limits of the machine. It owns nothing; all that it points to
// must live while a kernel is sized or prepared.
struct KernelSpec {
  const graph::OpDef* def = nullptr;
  const graph::Attributes* attributes = nullptr;
  std::span<const std::optional<graph::Tensor>>
      tensors;  // by operand; no value for absent operands and flat ranges
  std::span<const std::uint64_t> nbytes;         // by operand; 0 if absent
  std::span<const graph::FlatSegment> segments;  // of ops over flat buffers only
  std::span<const RunTimeRows> counted;          // operands whose row counts vary between runs
  graph::AxisSizes axes;                         // sizes of the job's parallel axes
  graph::Coordinates coordinates{};              // this rank's, along those axes
  bool cudnn = true;                 // CUDA: cuDNN may be used for cases that it supports
  bool cutlass = false;              // CUDA: CUTLASS may be used for cases that it supports
  bool deterministic = true;         // CUDA: cuDNN's kernels give equal bits when they run again
  bool matrix_unit = true;           // CPU: the matrix unit may be used if there is one
  std::string_view gemm_choices;     // CUDA: path of a file (kernels/cuda/gemm_choices.h), or empty
  std::size_t threads = 1;           // CPU: size of the OpenMP team that runs the kernel
  std::uint64_t scratch_nbytes = 0;  // granted by the plan; the last operand is its address

  [[nodiscard]] bool has(std::size_t operand) const noexcept { return nbytes[operand] != 0; }
  [[nodiscard]] std::size_t size(std::size_t operand, std::size_t axis) const {
    return static_cast<std::size_t>(tensors[operand]->shape[axis].size);
  }
  [[nodiscard]] std::int64_t attribute(std::string_view name) const {
    return attributes->integer(name);
  }
};

// An entry of the kernel table. Entries are constants; any thread may read them.
struct Kernel {
  std::string_view op;
  Device device = Device::cpu;
  // Builds the function. Call it on the thread that will run the function. That thread's OpenMP
  // team must have spec.threads threads, both during this call and whenever the function runs.
  // Throws Error.
  std::unique_ptr<TaskFunction> (*prepare)(const KernelSpec& spec) = nullptr;
  // Returns the bytes of scratch that the function needs; any thread may call it. Null: no scratch.
  std::uint64_t (*scratch_bytes)(const KernelSpec& spec) = nullptr;
  // The kernel supports rows that are counted at run time. The weight gradient of no rows is zero.
  bool counted_rows = false;
  // The counted operands may differ in their count and bound.
  bool several_counts = false;
};

// Returns null if the op has no kernel on the device. A plan with such an op can be sized and
// simulated, but not executed. Any thread may call it.
[[nodiscard]] const Kernel* find_kernel(std::string_view op, Device device,
                                        KernelSet set = KernelSet::fused);

// Prepares a kernel; callers use this function instead of Kernel::prepare. Throws
// Error(unsupported) if rows are counted and the kernel does not read counts, or if the counted
// operands differ in their count or bound and the kernel accepts one count only. On the CPU, run() of the prepared function returns an
// Error if a count is below zero or above the bound. The error names the op, the count and the
// bound, and the kernel does not run. A device could return an error only if the host waited for
// it, so there a count is clamped to the bound.
[[nodiscard]] std::unique_ptr<TaskFunction> prepare(const Kernel& kernel, const KernelSpec& spec);

}  // namespace megascale::kernels

#endif  // MEGASCALE_KERNELS_KERNEL_H_
