#ifndef MEGASCALE_SERVE_JOB_WORKS_H_
#define MEGASCALE_SERVE_JOB_WORKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "megascale/job/job_plan.h"
#include "megascale/observe/lane_order.h"

namespace megascale::serve {

// The plans of a job's ranks as readers of records need them, made once for each pipeline stage: all
// ranks of a stage do the same work. Immutable, so any thread may read it.
class JobWorks {
 public:
  // `job` must be proven and outlive the object.
  explicit JobWorks(const job::JobPlan& job);
  [[nodiscard]] const job::JobPlan& job() const noexcept { return *job_; }
  [[nodiscard]] std::uint32_t world_size() const noexcept { return job_->grid.world_size(); }
  // Returns the digest of the plan of a rank: ranks with equal ones do the same work.
  [[nodiscard]] const std::string& work_of(std::uint32_t rank) const { return of(rank).digest; }
  [[nodiscard]] const observe::LaneOrder& order_of(std::uint32_t rank) const {
    return of(rank).order;
  }
  [[nodiscard]] const plan::StepPlan& plan_of(std::uint32_t rank) const {
    return of(rank).order.plan();
  }
  // Returns why records of the plan `digest` cannot be used for a rank; "" if they can.
  [[nodiscard]] std::string problem_of(std::uint32_t rank, const std::string& digest) const;

 private:
  struct Work {
    observe::LaneOrder order;
    std::string digest;
  };
  [[nodiscard]] const Work& of(std::uint32_t rank) const {
    return works_[job_->grid.coordinates(rank)[static_cast<std::size_t>(graph::Axis::pipeline)]];
  }
  const job::JobPlan* job_;
  std::vector<Work> works_;  // by stage
};

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_JOB_WORKS_H_
