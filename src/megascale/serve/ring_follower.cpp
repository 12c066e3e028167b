// A ring is read only if its head tells of a new step.
#include "megascale/serve/ring_follower.h"

#include <algorithm>
#include <map>
#include <span>
#include <system_error>

#include "megascale/base/error.h"
#include "megascale/observe/group_steps.h"
#include "megascale/observe/outcome_reader.h"
#include "megascale/observe/ring_head.h"
#include "megascale/observe/run_records.h"

namespace megascale::serve {
namespace {

constexpr std::size_t kWorstTasks = 8;  // of each step

// The last step of the ring up to which all its steps, and the kept ones, are known; -1: none.
std::int64_t newest_known(const std::filesystem::path& ring,
                          const std::map<std::int64_t, RankStepEntry>& known,
                          std::span<const std::int64_t> kept) {
  if (!std::ranges::all_of(kept, [&](std::int64_t step) { return known.contains(step); }))
    return -1;
  std::vector<RecordRingStep> steps = observe::read_ended_steps(ring);
  std::ranges::sort(steps, {}, &RecordRingStep::step);
  std::int64_t newest = -1;
  for (const RecordRingStep& step : steps) {
    const auto found = known.find(step.step);
    // Stored numbers have 4 bytes.
    if (found == known.end() ||
        static_cast<float>(found->second.numbers.times.step) !=
            static_cast<float>(1e-9 * static_cast<double>(step.end_ns - step.begin_ns)))
      break;
    newest = step.step;
  }
  return newest;
}

}  // namespace

const std::vector<std::uint32_t>& RingFollower::list() {
  std::error_code failed;
  const auto time = std::filesystem::last_write_time(run_.events(), failed);
  const bool is_same = !failed && time == folder_time_;
  if (is_same && is_settled_ && ++looks_ < kLooksPerList) return rings_;
  const auto now = std::chrono::steady_clock::now();
  if (!is_same) time_seen_ = now;
  is_settled_ = is_same && now - time_seen_ > kTick;
  folder_time_ = time;
  looks_ = 0;
  kept_ = run_.kept_steps_by_rank();
  rings_ = run_.ranks_with_rings();
  return rings_;
}

std::optional<RingNews> RingFollower::look(std::uint32_t rank,
                                           const std::map<std::int64_t, RankStepEntry>* known) {
  const auto before = seen_.find(rank);
  if (before != seen_.end() && before->second.left_out > 0) {
    --before->second.left_out;
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
  if (is_new && known != nullptr) seen.newest = newest_known(run_.ring(rank), *known, kept(rank));
  try {
    read(seen, news);
  } catch (const Error& error) {
    news.problem = error.message();
  }
  if (seen.is_elsewhere) return std::nullopt;
  news.newest = seen.newest;
  return news;
}

std::span<const std::int64_t> RingFollower::kept(std::uint32_t rank) const {
  const auto found = kept_.find(rank);
  return found == kept_.end() ? std::span<const std::int64_t>() : found->second;
}

void RingFollower::read(Seen& seen, RingNews& news) const {
  const observe::RingFile ring =
      observe::read_records(run_, news.rank, kept(news.rank), seen.newest);
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
