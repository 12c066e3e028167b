// The same analysis as that of `megascale hang` (observe/hang.h), with positions from heartbeats in
// the place of rings.
#include "megascale/control/culprit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <utility>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/config/load.h"
#include "megascale/control/position_text.h"
#include "megascale/job/batch_plans.h"
#include "megascale/observe/hang.h"

namespace megascale::control {
namespace {

constexpr std::size_t kMostRanksInText = 16;

std::shared_ptr<const job::BatchPlans> plans_of_config(const std::filesystem::path& config,
                                                       std::uint32_t local_ranks) {
  auto plans =
      std::make_shared<const job::BatchPlans>(job::plan_batches(load_config(config), local_ranks));
  job::require_proven(*plans);
  return plans;
}

// Returns the plan that the first rank with a position runs.
const job::JobPlan& plan_in_use(const JobSight& sight, const job::BatchPlans& plans) {
  std::string digest;
  for_each_rank(sight, [&](const std::string&, const RankReport& rank) {
    if (digest.empty() && rank.position) digest = rank.position->plan_digest;
  });
  return plans.of_records(digest);
}

// The progress of a rank, as its position tells it. Throws Error (bad_input) if the position does
// not belong to the plan.
observe::RankProgress progress_of(plan::RankPlan rank, const std::string& digest,
                                  const std::string& host, const RankReport& report) {
  if (!report.position) return observe::progress_of(std::move(rank), {});
  const RankPosition& position = *report.position;
  if (position.plan_digest != digest || position.tasks != rank.plan->tasks().size()) {
    throw Error(ErrorCode::bad_input,
                fmt::format("rank {} runs plan {}, and the configuration makes plan {} here",
                            report.rank, position.plan_digest, digest));
  }
  auto records = records_of(position);
  if (!records) {
    throw Error(ErrorCode::bad_input,
                fmt::format("the position of rank {} contradicts itself", report.rank));
  }
  observe::RingFile ring{.plan_digest = digest};
  ring.writer = {.rank = report.rank,
                 .process_id = static_cast<std::uint32_t>(report.process_id),
                 .host_name = host};
  if (position.step >= 0) {
    ring.steps.push_back({.step = position.step,
                          .begin_ns = position.last_ns,
                          .end_ns = position.ended ? position.last_ns : 0,
                          .records = std::move(*records)});
  }
  return observe::progress_of(std::move(rank), ring);
}

std::vector<observe::RankProgress> all_progress(const JobSight& sight, const job::JobPlan& job) {
  struct Reported {
    std::string host;
    const RankReport* report = nullptr;
  };
  std::map<std::uint32_t, Reported> reported;
  for_each_rank(sight, [&](const std::string& host, const RankReport& rank) {
    reported[rank.rank] = {host, &rank};
  });
  std::map<const plan::StepPlan*, std::string> digests;
  std::vector<observe::RankProgress> ranks;
  for (std::uint32_t r = 0; r < job.grid.world_size(); ++r) {
    const auto found = reported.find(r);
    if (found == reported.end() || found->second.report->state == RankState::ended) {
      throw Error(ErrorCode::bad_input,
                  fmt::format("rank {} has ended, or its host does not report it", r));
    }
    const plan::VerifiedPlan plan = job.plan_of(r, job.train_verification);
    std::string& digest = digests[&plan.plan()];
    if (digest.empty()) digest = plan.plan().digest();
    ranks.push_back(progress_of({plan.shared_plan(), plan.binding()}, digest, found->second.host,
                                *found->second.report));
  }
  return ranks;
}

Json positions_to_json(const JobSight& sight) {
  Json list = Json::array();
  for_each_rank(sight, [&](const std::string& host, const RankReport& rank) {
    Json one{{"rank", rank.rank},
             {"host", host},
             {"process_id", rank.process_id},
             {"process", to_string(rank.state)},
             {"steps_done", rank.steps_done},
             {"idle_seconds", rank.idle_seconds}};
    if (rank.position) one["position"] = position_to_json(*rank.position);
    list.push_back(std::move(one));
  });
  return list;
}

// Puts the verdict into the finding, in words and as JSON.
void take_verdict(const observe::HangVerdict& verdict, HangFinding& finding, Json& file) {
  Json suspects = Json::array(), waiting = Json::array();
  for (const observe::Suspect& suspect : verdict.suspects) {
    suspects.push_back({{"rank", suspect.rank},
                        {"step", suspect.step},
                        {"lane", graph::to_string(suspect.lane)},
                        {"task", suspect.task_name},
                        {"reason", observe::to_string(suspect)}});
  }
  for (const observe::WaitingRank& rank : verdict.waiting) {
    waiting.push_back({{"rank", rank.rank},
                       {"step", rank.step},
                       {"lane", graph::to_string(rank.lane)},
                       {"task", rank.task_name},
                       {"for", rank.awaited}});
  }
  file["suspects"] = std::move(suspects);
  file["waiting"] = std::move(waiting);
  if (verdict.suspects.empty()) {
    finding.evidence = "the plan names nobody: all ranks have ended the same step";
    return;
  }
  observe::Suspect first = verdict.suspects.front();
  finding.rank = first.rank;
  auto waits = std::exchange(first.waiting, {});
  const std::string rank = fmt::format("rank {}", first.rank);
  finding.what = rank + " holds up the others" + observe::to_string(first).substr(rank.size());
  const std::size_t count = waits.size();
  if (count > kMostRanksInText) waits.resize(kMostRanksInText);
  finding.evidence = fmt::format("by the wait graph of the plan; {} ranks wait for it{}{}", count,
                                 count == 0 ? "" : fmt::format(": {}", fmt::join(waits, ", ")),
                                 count > waits.size() ? ", ..." : "");
}

}  // namespace

CulpritFinder::CulpritFinder(std::filesystem::path config) : config_(std::move(config)) {}

CulpritFinder::~CulpritFinder() = default;

void CulpritFinder::prepare(std::uint32_t local_ranks) {
  std::string text;
  try {
    text = fmt::format("{} {}", local_ranks, read_text(config_));
  } catch (const Error&) {
    return;  // find() says so
  }
  if (text == planned_) return;
  planned_ = std::move(text);
  plans_ = std::async(std::launch::async, plans_of_config, config_, local_ranks).share();
}

HangFinding CulpritFinder::find(const JobSight& sight) {
  HangFinding finding;
  Json file{{"epoch", sight.state.attempt.epoch}};
  try {
    if (!plans_.valid())
      throw Error(ErrorCode::io, fmt::format("{} cannot be read", config_.string()));
    const auto plans = plans_.get();
    take_verdict(observe::find_hang(all_progress(sight, plan_in_use(sight, *plans))), finding,
                 file);
  } catch (const std::exception& error) {
    finding.evidence = fmt::format("the plan cannot name the culprit: {}", error.what());
  }
  file["ranks"] = positions_to_json(sight);
  finding.file = to_text(file);
  return finding;
}

}  // namespace megascale::control
