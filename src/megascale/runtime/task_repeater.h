#ifndef MEGASCALE_RUNTIME_TASK_REPEATER_H_
#define MEGASCALE_RUNTIME_TASK_REPEATER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/base/task_function.h"
#include "megascale/plan/verify.h"

namespace megascale::runtime {

struct BoundTasks;

// Does some tasks of the compute lane twice and compares the results bit by bit.
//
// Problem  Hardware that computes wrong values now and then is not noticed: all ranks add the wrong
//          gradients, so the copies of the state stay equal. Under ZeRO nobody has a copy.
// Idea     Kernels always give the same bits. Of every `interval` tasks of a step one is done again,
//          in the next step the one before it. After `interval` steps each task was done twice once.
//          The second run works on copies of the bytes that the task writes, which are made before
//          the first run. So it also covers tasks that add to what is there.
// Bounds   A core that gives the same wrong value twice is not found. Inputs are read from the same
//          memory twice: damage that was there before is not found.
// Threads: one at a time. Internal to runtime/, but for nbytes_for().
class TaskRepeater {
 public:
  // `interval` must be above 0.
  explicit TaskRepeater(std::uint32_t interval) noexcept : interval_(interval) {}
  // Returns the bytes of working memory that the tasks of a plan need.
  [[nodiscard]] static std::uint64_t nbytes_for(const plan::VerifiedPlan& plan);
  // Gets the working memory for a plan. Throws Error (out_of_memory).
  void prepare(const plan::VerifiedPlan& plan);
  // Returns whether the task at this position of the compute lane is done twice in this step; steps
  // are counted from 0.
  [[nodiscard]] bool is_due(std::uint32_t position, std::uint64_t step) const noexcept {
    return (position + step) % interval_ == 0;
  }
  // Runs the task twice. Returns null, its error, or (corrupt_data) that the results differ; the
  // error belongs to the task's function or to this object.
  const Error* run(const BoundTasks& tasks, std::uint32_t task) noexcept;

 private:
  // Consecutive bytes of the arena that a task writes, perhaps with bytes that it only reads.
  struct Piece {
    std::uint64_t begin = 0, end = 0;
    bool is_written = false;
    std::uint64_t copy = 0;  // where its copy begins
  };
  // Puts the pieces of a task into `pieces`. `begin_of(i)` returns where operand number i begins: an
  // address, or a place in the arena. Returns the bytes that the copies take.
  template <class BeginOf>
  static std::uint64_t find_pieces(const plan::StepPlan& plan, const plan::Task& task,
                                   const BeginOf& begin_of, std::vector<Piece>& pieces);
  const Error* run_again(const BoundTasks& tasks, std::uint32_t task,
                         const TaskArguments& arguments) noexcept;
  const Error* compare(const BoundTasks& tasks, std::uint32_t task) noexcept;
  [[nodiscard]] std::byte* copy_of(const Piece& piece) noexcept { return memory_ + piece.copy; }

  std::uint32_t interval_;
  std::vector<std::byte> allocated_;
  std::byte* memory_ = nullptr;  // in allocated_
  std::vector<Piece> pieces_;
  std::vector<std::byte*> operands_;
  std::optional<Error> error_;
};

}  // namespace megascale::runtime

#endif  // MEGASCALE_RUNTIME_TASK_REPEATER_H_
