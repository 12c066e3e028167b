// Answers about all ranks are kept until a number changes: pages ask for the same ones again and again.
#include "megascale/serve/rank_history.h"

#include <algorithm>
#include <utility>

#include "megascale/plan/bind.h"

namespace megascale::serve {
namespace {

constexpr std::size_t kLeastSteps = 16;
// Steps of the past with which a wire is compared if there is no other one like it.
constexpr std::size_t kStepsBefore = 256;

}  // namespace

std::size_t RankHistory::most_steps(std::size_t ranks) const {
  return std::max(kLeastSteps, most_entries_ / std::max<std::size_t>(ranks, 1));
}

void RankHistory::trim(RankEntry& entry) const {
  while (entry.steps.size() > most_steps(ranks_.size())) entry.steps.erase(entry.steps.begin());
}

bool RankHistory::take(RingNews&& news) {
  ++version_;
  RankEntry& entry = ranks_[news.rank];
  if (news.is_new_process && entry.newest_in_ring >= 0) entry.steps.clear();
  // Until now there were stored steps only. Those after the ring's end are of an earlier process.
  if (entry.newest_in_ring < 0 && news.newest >= 0)
    entry.steps.erase(entry.steps.upper_bound(news.newest), entry.steps.end());
  entry.newest_in_ring = std::max(entry.newest_in_ring, news.newest);
  entry.process_id = news.process_id;
  entry.problem = std::move(news.problem);
  if (!news.host.empty()) entry.host = std::move(news.host);
  bool missed = false;
  for (auto& [step, numbers] : news.steps) {
    // Steps come oldest first. One that is new must follow one that is known.
    if (!entry.steps.contains(step - 1)) missed = true;
    entry.newest_in_ring = step;
    entry.steps.insert_or_assign(step, std::move(numbers));
  }
  trim(entry);
  return missed;
}

void RankHistory::take(StoredStep&& stored) {
  if (stored.rank >= works_->world_size() || stored.work != works_->work_of(stored.rank) ||
      stored.entry.moving.size() != works_->plan_of(stored.rank).communicators().size())
    return;
  const auto known = ranks_.find(stored.rank);
  if (known != ranks_.end() && known->second.newest_in_ring >= 0 &&
      stored.step > known->second.newest_in_ring)
    return;
  ++version_;
  RankEntry& entry = ranks_[stored.rank];
  if (entry.host.empty()) entry.host = stored.host;
  entry.steps.try_emplace(stored.step, std::move(stored.entry));
  trim(entry);
}

std::vector<std::int64_t> RankHistory::common_steps(std::size_t most) const {
  if (common_.version != version_) {
    common_ = {.version = version_, .value = {}};
    bool is_first = true;
    for (const auto& [rank, entry] : ranks_) {
      if (entry.steps.empty()) continue;
      if (std::exchange(is_first, false)) {
        for (const auto& [step, numbers] : entry.steps) common_.value.push_back(step);
      } else {
        std::erase_if(common_.value,
                      [&entry = entry](std::int64_t step) { return !entry.steps.contains(step); });
      }
    }
  }
  const auto& all = common_.value;
  const std::size_t count = std::min(most, all.size());
  return {all.end() - static_cast<std::ptrdiff_t>(count), all.end()};
}

const observe::GroupIndex& RankHistory::groups() const {
  if (!groups_) {
    std::vector<const plan::StepPlan*> plans;
    for (std::uint32_t rank = 0; rank < works_->world_size(); ++rank)
      plans.push_back(&works_->plan_of(rank));
    groups_.emplace(plans, [&](std::uint32_t rank, std::size_t communicator) {
      return plan::bind(plans[rank]->communicators()[communicator], job().grid, rank);
    });
  }
  return *groups_;
}

const std::vector<observe::Straggler>& RankHistory::stragglers(std::size_t most,
                                                               std::size_t least_steps) const {
  if (stragglers_.version == version_ && stragglers_.most == most &&
      stragglers_.least == least_steps)
    return stragglers_.value;
  const std::vector<std::int64_t> all = common_steps(most + kStepsBefore);
  const std::size_t before = all.size() - std::min(most, all.size());
  std::vector<observe::RankSteps> ranks;
  observe::GroupCollector collector(groups(), all.size() - before, before);
  for (const auto& [rank, entry] : ranks_) {
    if (entry.steps.empty()) continue;
    observe::RankSteps one{.rank = rank, .work = works_->work_of(rank), .steps = {}};
    std::vector<std::span<const double>> moving;
    std::vector<double> core_waits;
    for (std::size_t s = 0; s < all.size(); ++s) {
      const RankStepEntry& found = entry.steps.at(all[s]);
      if (s >= before) one.steps.push_back(observe::rank_times(found.numbers));
      moving.emplace_back(found.moving);
      core_waits.push_back(found.numbers.transfer_core_wait);
    }
    collector.add(rank, one.work, moving, core_waits);
    ranks.push_back(std::move(one));
  }
  stragglers_ = {.version = version_,
                 .most = most,
                 .least = least_steps,
                 .value = observe::find_stragglers(ranks, std::move(collector).take(),
                                                   {.least_steps = least_steps})};
  return stragglers_.value;
}

}  // namespace megascale::serve
