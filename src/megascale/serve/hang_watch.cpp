#include "megascale/serve/hang_watch.h"

#include <algorithm>

#include "megascale/base/clock.h"

namespace megascale::serve {
namespace {

using Json = nlohmann::ordered_json;

std::vector<observe::RankProgress> read_now(const RunDirectory& run, const job::JobPlan& job) {
  return observe::read_progress(run.path(), job.grid.world_size(), [&](std::uint32_t rank) {
    const plan::VerifiedPlan plan = job.plan_of(rank, job.train_verification);
    return plan::RankPlan{plan.shared_plan(), plan.binding()};
  });
}

Json suspect_json(const observe::Suspect& suspect, const HangReading& reading) {
  const observe::RankProgress& rank = reading.ranks[suspect.rank];
  Json json{{"rank", suspect.rank},
            {"reason", observe::to_string(suspect)},
            {"process", launch::to_string(reading.processes[suspect.rank])},
            {"process_id", rank.process_id},
            {"host", rank.host},
            {"waiting", suspect.waiting}};
  if (suspect.step >= 0) json["step"] = suspect.step;
  if (!suspect.task_name.empty()) {
    json["lane"] = graph::to_string(suspect.lane);
    json["task"] = suspect.task_name;
  }
  return json;
}

}  // namespace

Json to_json(const observe::HangVerdict& verdict, const HangReading& reading) {
  Json json{{"hangs", !verdict.suspects.empty()},
            {"suspects", Json::array()},
            {"waiting", Json::array()},
            {"moving", reading.moving}};
  for (const observe::Suspect& suspect : verdict.suspects)
    json["suspects"].push_back(suspect_json(suspect, reading));
  if (verdict.suspects.empty()) return json;
  for (const observe::WaitingRank& waiting : verdict.waiting) {
    json["waiting"].push_back({{"rank", waiting.rank},
                               {"step", waiting.step},
                               {"lane", graph::to_string(waiting.lane)},
                               {"task", waiting.task_name},
                               {"awaited", waiting.awaited}});
  }
  return json;
}

Json HangWatch::look(const RunDirectory& run, const job::JobPlan& job) {
  std::vector<observe::RankProgress> ranks = read_now(run, job);
  const std::int64_t now = monotonic_ns();
  std::vector<launch::ProcessState> processes;
  for (const auto& rank : ranks)
    processes.push_back(launch::process_state(rank.host, rank.process_id));
  const bool any_alive =
      std::any_of(processes.begin(), processes.end(),
                  [](launch::ProcessState state) { return state != launch::ProcessState::gone; });
  HangReading reading{.ranks = ranks, .processes = processes, .moving = {}};
  if (any_alive) {
    const std::int64_t age = now - before_ns_;
    const bool comparable = before_.size() == ranks.size() && age <= kMostNs;
    if (comparable && age < kLeastNs) return {{"watching", true}};
    if (!comparable) {
      before_ = std::move(ranks);
      before_ns_ = now;
      return {{"watching", true}};
    }
    const auto stopped = observe::find_stopped(before_, ranks);
    for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
      if (!std::binary_search(stopped.begin(), stopped.end(), rank)) reading.moving.push_back(rank);
    }
  }
  observe::HangVerdict verdict = observe::find_hang(ranks);
  // A rank that has done a task meanwhile computes, and holds nobody up.
  std::erase_if(verdict.suspects, [&](const observe::Suspect& suspect) {
    return std::binary_search(reading.moving.begin(), reading.moving.end(), suspect.rank);
  });
  Json json = to_json(verdict, reading);
  before_ = std::move(ranks);
  before_ns_ = now;
  return json;
}

}  // namespace megascale::serve
