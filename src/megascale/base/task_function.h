#ifndef MEGASCALE_BASE_TASK_FUNCTION_H_
#define MEGASCALE_BASE_TASK_FUNCTION_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "megascale/base/error.h"

struct CUstream_st;

namespace megascale {

// What a task hands to the code that does its work.
struct TaskArguments {
  std::span<std::byte* const>
      operands;  // in the order of the op's table, null where absent; scratch last if it has one
  std::uint32_t micro_batch = 0;
  bool first = true;  // main gradients and sums are written, not added to
  // CUDA: the stream of the task's lane; run() adds its work to it and returns. Null: run() does
  // the work.
  CUstream_st* stream = nullptr;
};

// A prepared op: run() does the work of one task. Called from one thread at a time; allocates
// nothing.
class TaskFunction {
 public:
  TaskFunction() = default;
  TaskFunction(const TaskFunction&) = delete;
  TaskFunction& operator=(const TaskFunction&) = delete;
  virtual ~TaskFunction() = default;
  // Null, or what went wrong; the error lives as long as this object.
  virtual const Error* run(const TaskArguments& arguments) noexcept = 0;
};

}  // namespace megascale

#endif  // MEGASCALE_BASE_TASK_FUNCTION_H_
