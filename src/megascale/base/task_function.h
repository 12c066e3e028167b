#ifndef MEGASCALE_BASE_TASK_FUNCTION_H_
#define MEGASCALE_BASE_TASK_FUNCTION_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

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
  // On a device: memory of the host that the device can write, for this task alone; 0 before the work.
  // Work that meets values which only the device sees (counts of rows, say) and which are wrong writes a
  // number there and goes on within its bounds. TaskFunction::late_error() says what it means. If several
  // threads write, one number stays. Null on the CPU.
  std::int64_t* complaint = nullptr;
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
  // For work on a device, which cannot return an error while it is handed over: returns the error of a task
  // that has written this number, not 0, to TaskArguments::complaint.
  [[nodiscard]] virtual Error late_error(std::int64_t complaint) const {
    return {ErrorCode::failed, "the device complained with number " + std::to_string(complaint)};
  }
};

}  // namespace megascale

#endif  // MEGASCALE_BASE_TASK_FUNCTION_H_
