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

// How op kinds get their code: a kernel is prepared once, when a plan is bound, and then only run.
// Found by (op, device), in one of two sets.
namespace megascale::kernels {

enum class Device : std::uint8_t { cpu, cuda };

// plain: norms, activations and attention as chains of single operations over arrays in memory,
// which fused kernels are measured against. All other op kinds have one kernel for both.
enum class KernelSet : std::uint8_t { fused, plain };

// How many rows (axis 0) of an operand mean something, where that is known at run time only: the
// sum of `terms` elements, from number `first` on, of the int64 array that is operand
// `count_operand`. The rows of the operand's shape are the bound. Rows beyond the count may hold
// anything, and nobody reads them for their values. All counted operands of a kernel have the same
// count.
struct RunTimeRows {
  std::uint16_t operand = 0;
  std::uint16_t count_operand = 0;
  std::uint32_t first = 0, terms = 1;
};

// An op as kernels see it. Borrows everything; valid while a kernel is prepared or sized.
struct KernelSpec {
  const graph::OpDef* def = nullptr;
  const graph::Attributes* attributes = nullptr;
  std::span<const std::optional<graph::Tensor>>
      tensors;                            // by operand; empty for absent ones and for flat ranges
  std::span<const std::uint64_t> nbytes;  // by operand, 0 where absent
  std::span<const graph::FlatSegment> segments;  // flat ranges only
  std::span<const RunTimeRows> counted;          // operands whose rows are counted at run time
  graph::AxisSizes axes;  // of the job, and where this rank stands: for kernels of shards
  graph::Coordinates coordinates{};
  bool cudnn = true;                 // on a device cuDNN may be used, where it serves the case
  bool matrix_unit = true;           // of the CPU may be used, where there is one
  std::string_view gemm_choices;     // file of a device's (kernels/cuda/gemm_choices.h), or empty
  std::size_t threads = 1;           // of the OpenMP team that runs it, on the CPU
  std::uint64_t scratch_nbytes = 0;  // that the plan gave it; its address is the last operand

  [[nodiscard]] bool has(std::size_t operand) const noexcept { return nbytes[operand] != 0; }
  [[nodiscard]] std::size_t size(std::size_t operand, std::size_t axis) const {
    return static_cast<std::size_t>(tensors[operand]->shape[axis].size);
  }
  [[nodiscard]] std::int64_t attribute(std::string_view name) const {
    return attributes->integer(name);
  }
};

struct Kernel {
  std::string_view op;
  Device device = Device::cpu;
  // Builds the function. Call it on the thread that will run the function: the thread's OpenMP team
  // must have spec.threads threads then and later. Throws Error.
  std::unique_ptr<TaskFunction> (*prepare)(const KernelSpec& spec) = nullptr;
  // Bytes of scratch, from the specification alone; any thread may call it. Null: no scratch.
  std::uint64_t (*scratch_bytes)(const KernelSpec& spec) = nullptr;
  // Whether rows may be counted at run time. A weight gradient over no rows is zero.
  bool counted_rows = false;
};

// Null where the op has no kernel on the device: such a plan can be sized and simulated, not
// executed.
[[nodiscard]] const Kernel* find_kernel(std::string_view op, Device device,
                                        KernelSet set = KernelSet::fused);

// Kernel::prepare for every caller. Throws Error (unsupported) if rows are counted and the kernel
// does not read counts. On the CPU the function then returns an Error, which names the op, the
// count and the bound, if a count is below zero or above the bound; the kernel does not run. A
// device cannot return an error without a wait of the host: there a count is clamped to the bound.
[[nodiscard]] std::unique_ptr<TaskFunction> prepare(const Kernel& kernel, const KernelSpec& spec);

}  // namespace megascale::kernels

#endif  // MEGASCALE_KERNELS_KERNEL_H_
