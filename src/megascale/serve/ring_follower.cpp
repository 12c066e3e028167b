// A ring is read only if its head tells of a new step.
#include "megascale/serve/ring_follower.h"

#include <algorithm>
#include <map>

#include "megascale/base/error.h"
#include "megascale/observe/group_steps.h"
#include "megascale/observe/outcome_reader.h"
#include "megascale/observe/ring_head.h"
#include "megascale/observe/run_records.h"

namespace megascale::serve {
namespace {

constexpr std::size_t kWorstTasks = 8;  // of each step

}  // namespace

std::vector<std::uint32_t> RingFollower::list() {
  kept_ = run_.kept_steps_by_rank();
  return run_.ranks_with_rings();
}

std::optional<RingNews> RingFollower::look(std::uint32_t rank) {
  const auto known = seen_.find(rank);
  if (known != seen_.end() && known->second.left_out > 0) {
    --known->second.left_out;
    return std::nullopt;
  }
  const auto head = observe::read_ring_head(run_.ring(rank));
  if (!head) return std::nullopt;
  const auto [place, is_new] = seen_.try_emplace(rank);
  Seen& seen = place->second;
  RingNews news{.rank = rank,
                .process_id = head->process_id,
                .is_new_process = is_new || head->process_id != seen.process_id,
                .host = {},
                .problem = {},
                .steps = {}};
  if (!news.is_new_process && seen.is_elsewhere) {
    seen.pause = std::min(2 * seen.pause, kMostPause);
    seen.left_out = seen.pause - 1;
    return std::nullopt;
  }
  if (!news.is_new_process && head->steps_done == seen.steps_done) return std::nullopt;
  if (news.is_new_process) seen = {};
  seen.process_id = head->process_id;
  seen.steps_done = head->steps_done;
  try {
    read(seen, news);
  } catch (const Error& error) {
    news.problem = error.message();
  }
  if (seen.is_elsewhere) return std::nullopt;
  return news;
}

void RingFollower::read(Seen& seen, RingNews& news) const {
  const auto kept = kept_.find(news.rank);
  const observe::RingFile ring = observe::read_records(
      run_, news.rank, kept == kept_.end() ? std::vector<std::int64_t>() : kept->second,
      seen.newest);
  news.problem = works_->problem_of(news.rank, ring.plan_digest);
  if (!news.problem.empty()) return;
  if (ring.writer) news.host = ring.writer->host_name;
  seen.is_elsewhere = !only_host_.empty() && news.host != only_host_;
  if (seen.is_elsewhere) return;
  const observe::LaneOrder& order = works_->order_of(news.rank);
  const plan::StepPlan& plan = order.plan();
  std::map<std::int64_t, StepOutcome> outcomes;
  for (const StepOutcome& outcome : observe::read_outcomes(run_.ring(news.rank), seen.newest).steps)
    outcomes.emplace(outcome.step, outcome);
  for (const observe::RingStep& step : ring.steps) {
    if (step.end_ns == 0 || step.records.size() != plan.tasks().size() ||
        !observe::waits_exist(plan, step))
      continue;
    const double seconds = 1e-9 * static_cast<double>(step.end_ns - step.begin_ns);
    RankStepEntry entry{.numbers = observe::rank_step(order, step.records, seconds),
                        .moving = std::vector<double>(plan.communicators().size(), 0.0),
                        .worst = observe::worst_tasks(plan, step.records, kWorstTasks)};
    observe::add_moving_seconds(plan, step.records, entry.moving);
    if (const auto outcome = outcomes.find(step.step); outcome != outcomes.end())
      observe::add_outcome(outcome->second, entry.numbers);
    news.steps.emplace_back(step.step, std::move(entry));
    seen.newest = step.step;
  }
}

}  // namespace megascale::serve
