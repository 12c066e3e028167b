#ifndef MEGASCALE_TESTS_SUPPORT_EMPTY_STEP_H_
#define MEGASCALE_TESTS_SUPPORT_EMPTY_STEP_H_

#include <cstdint>
#include <span>
#include <vector>

#include "support/job.h"

namespace megascale::testing {

// One rank whose step is `tasks` tasks of the compute lane that do nothing: what is left is the
// lane runner itself.
class EmptyStep {
 public:
  explicit EmptyStep(std::uint32_t tasks) : job_({plan_of(tasks)}) {}
  // On the calling thread. `records`: one per task, or empty.
  void run(std::span<TaskRecord> records) { job_.runner(0).run_step(0, records); }

 private:
  static PlanWriter plan_of(std::uint32_t tasks) {
    PlanWriter writer;
    for (std::uint32_t i = 0; i < tasks; ++i)
      writer.work(Lane::compute, "nothing", {}, {}, [](const auto&) { return nullptr; });
    return writer;
  }
  Job job_;
};

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_SUPPORT_EMPTY_STEP_H_
