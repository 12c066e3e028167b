#include "megascale/serve/rank_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "megascale/base/error.h"
#include "megascale/observe/group_steps.h"
#include "megascale/observe/ring_head.h"
#include "megascale/observe/run_records.h"
#include "megascale/serve/step_store.h"

namespace megascale::serve {
namespace {

constexpr std::size_t kLeastSteps = 16;

std::vector<double> seconds_by_communicator(const plan::StepPlan& plan,
                                            const observe::RingStep& step) {
  std::vector<double> seconds(plan.communicators().size(), 0.0);
  observe::add_moving_seconds(plan, step.records, seconds);
  return seconds;
}

}  // namespace

const std::string& RankHistory::work_of(std::uint32_t rank) const {
  const plan::StepPlan& plan = plan_of(rank).plan();
  std::string& digest = digests_[&plan];
  if (digest.empty()) digest = plan.digest();
  return digest;
}

std::size_t RankHistory::most_steps() const {
  return std::max(kLeastSteps, most_entries_ / std::max<std::size_t>(ranks_.size(), 1));
}

bool RankHistory::read(std::uint32_t rank, RankEntry& entry) {
  if (rank >= job_->grid.world_size()) {
    entry.problem = fmt::format("the configuration has ranks 0 to {}", job_->grid.world_size() - 1);
    return false;
  }
  const observe::RingFile ring = observe::read_records(run_, rank);
  const plan::VerifiedPlan verified = plan_of(rank);
  const plan::StepPlan& plan = verified.plan();
  if (ring.plan_digest != work_of(rank)) {
    entry.problem = fmt::format(
        "its records belong to plan {}, and this version of megascale makes plan {} from {}; "
        "megascale trace can show them",
        ring.plan_digest, work_of(rank), RunDirectory::kConfig);
    return false;
  }
  entry.problem.clear();
  if (ring.writer) entry.host = ring.writer->host_name;
  const std::int64_t known = entry.steps.empty() ? -1 : entry.steps.rbegin()->first;
  bool missed = false;
  for (const observe::RingStep& step : ring.steps) {
    if (step.end_ns == 0 || step.records.size() != plan.tasks().size() ||
        !observe::waits_exist(plan, step))
      continue;
    if (step.step <= known) continue;
    const double seconds = 1e-9 * static_cast<double>(step.end_ns - step.begin_ns);
    // Steps come oldest first. One that is new must follow one that is known.
    if (!entry.steps.contains(step.step - 1)) missed = true;
    entry.steps[step.step] = {.numbers = observe::rank_step(plan, step.records, seconds),
                              .moving = seconds_by_communicator(plan, step)};
  }
  while (entry.steps.size() > most_steps()) entry.steps.erase(entry.steps.begin());
  return missed;
}

void RankHistory::read_stored() {
  const StoreFacts facts = store_facts(run_);
  if (facts.newest_step < 0) return;
  // Stored steps behind those of a ring are of an earlier process, and will be done again.
  std::map<std::uint32_t, std::int64_t> newest;
  for (const auto& [rank, entry] : ranks_)
    if (!entry.steps.empty()) newest[rank] = entry.steps.rbegin()->first;
  const std::int64_t first = facts.newest_step - static_cast<std::int64_t>(most_steps());
  read_stored_steps(run_, first, [&](StoredStep&& stored) {
    if (stored.rank >= job_->grid.world_size() || stored.work != work_of(stored.rank) ||
        stored.entry.moving.size() != plan_of(stored.rank).plan().communicators().size())
      return;
    const auto ring = newest.find(stored.rank);
    if (ring != newest.end() && stored.step > ring->second) return;
    RankEntry& entry = ranks_[stored.rank];
    if (entry.host.empty()) entry.host = stored.host;
    entry.steps.try_emplace(stored.step, std::move(stored.entry));
  });
  for (auto& [rank, entry] : ranks_)
    while (entry.steps.size() > most_steps()) entry.steps.erase(entry.steps.begin());
}

void RankHistory::update() {
  const bool missed = update_from_rings();
  if (missed || std::exchange(is_new_, false)) read_stored();
}

bool RankHistory::update_from_rings() {
  bool missed = false;
  for (const std::uint32_t rank : run_.ranks_with_rings()) {
    const auto head = observe::read_ring_head(run_.ring(rank));
    if (!head) continue;
    RankEntry& entry = ranks_[rank];
    const bool is_new_process = head->process_id != entry.process_id;
    if (!is_new_process && head->steps_done == entry.steps_seen) continue;
    // An earlier process may have done steps that were lost with it.
    if (is_new_process) entry.steps.clear();
    entry.process_id = head->process_id;
    entry.steps_seen = head->steps_done;
    try {
      missed = read(rank, entry) || missed;
    } catch (const Error& error) {
      entry.problem = error.message();
    }
  }
  return missed;
}

std::vector<std::int64_t> RankHistory::common_steps(std::size_t most) const {
  std::map<std::int64_t, std::size_t> counts;
  std::size_t usable = 0;
  for (const auto& [rank, entry] : ranks_) {
    if (entry.steps.empty()) continue;
    ++usable;
    for (const auto& [step, numbers] : entry.steps) ++counts[step];
  }
  std::vector<std::int64_t> steps;
  for (const auto& [step, count] : counts)
    if (count == usable) steps.push_back(step);
  if (steps.size() > most)
    steps.erase(steps.begin(), steps.end() - static_cast<std::ptrdiff_t>(most));
  return steps;
}

std::vector<observe::Straggler> RankHistory::stragglers(const std::vector<std::int64_t>& steps,
                                                        std::size_t least_steps) const {
  std::vector<observe::RankSteps> ranks;
  observe::GroupCollector groups(steps.size());
  for (const auto& [rank, entry] : ranks_) {
    if (entry.steps.empty()) continue;
    observe::RankSteps one{.rank = rank, .work = work_of(rank), .steps = {}};
    std::vector<std::span<const double>> moving;
    for (const std::int64_t step : steps) {
      const RankStepEntry& found = entry.steps.at(step);
      one.steps.push_back(found.numbers);
      moving.emplace_back(found.moving);
    }
    const plan::VerifiedPlan plan = plan_of(rank);
    groups.add(plan.plan(), plan.binding(), one.work, moving);
    ranks.push_back(std::move(one));
  }
  return observe::find_stragglers(ranks, std::move(groups).take(), {.least_steps = least_steps});
}

}  // namespace megascale::serve
