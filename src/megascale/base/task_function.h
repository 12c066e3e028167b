#ifndef MEGASCALE_BASE_TASK_FUNCTION_H_
#define MEGASCALE_BASE_TASK_FUNCTION_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "megascale/base/error.h"

struct CUstream_st;

// The interface between the lane runners, which decide when a task starts, and the kernels, which
// do its work.
namespace megascale {

// The arguments of one task.
struct TaskArguments {
  // In the order of the op kind's operand table; null where an optional operand is absent. The
  // scratch buffer is last, if the op has one.
  std::span<std::byte* const> operands;
  std::uint32_t micro_batch = 0;
  bool first = true;  // true: main gradients and sums are overwritten; false: added to
  // The stream of the task's lane on a CUDA device: run() enqueues its work there and returns. Null
  // on the CPU: run() does the work itself.
  CUstream_st* stream = nullptr;
};

// An op that is prepared for execution: run() does the work of one task of this op. One thread at a
// time may call it; it allocates nothing.
class TaskFunction {
 public:
  TaskFunction() = default;
  TaskFunction(const TaskFunction&) = delete;
  TaskFunction& operator=(const TaskFunction&) = delete;
  virtual ~TaskFunction() = default;
  // Returns null, or the error that occurred. The error belongs to this object.
  virtual const Error* run(const TaskArguments& arguments) noexcept = 0;
  // For work on a device, which cannot return an error while it is handed over: called when this work is
  // done. Returns null, or the error that the device has found in any run until then.
  virtual const Error* late_error() noexcept { return nullptr; }
};

}  // namespace megascale

#endif  // MEGASCALE_BASE_TASK_FUNCTION_H_
