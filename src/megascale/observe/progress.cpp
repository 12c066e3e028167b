// A lane runs its tasks in order, so the records of its leading tasks tell how many are done. From
// these counts follows, for the first task that is not done, whether its waits are satisfied.
#include "megascale/observe/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "megascale/base/error.h"

namespace megascale::observe {
namespace {

// Counts the tasks that are done by lane, and the transfers by communicator.
void count(const RingStep& step, RankProgress& progress) {
  const plan::StepPlan& plan = *progress.rank.plan;
  std::array<bool, graph::kLaneCount> stopped{};
  std::vector<std::uint64_t> in_step(plan.communicators().size());
  for (std::uint32_t id = 0; id < plan.tasks().size(); ++id) {
    const plan::PlanOp& op = plan.op(plan.tasks()[id]);
    const auto lane = static_cast<std::size_t>(op.lane);
    const TaskRecord& record = step.records[id];
    if (op.def->transfer) ++in_step[plan::index(op.communicator)];
    if (stopped[lane]) continue;
    if (record.done_ns == 0) {
      stopped[lane] = true;
      progress.heads[lane] =
          LaneHead{.task = id, .started = record.start_ns != 0, .matched = record.matched_ns != 0};
      continue;
    }
    ++progress.done[lane];
    progress.last_ns = std::max(progress.last_ns, record.done_ns);
    if (op.def->transfer) ++progress.transfers[plan::index(op.communicator)];
  }
  for (std::size_t c = 0; c < in_step.size(); ++c)
    progress.transfers[c] += static_cast<std::uint64_t>(step.step) * in_step[c];
  for (auto& head : progress.heads) {
    if (!head) continue;
    const auto waits = plan.waits(plan.tasks()[head->task]);
    head->ready = std::all_of(waits.begin(), waits.end(), [&](const plan::Wait& wait) {
      return progress.done[static_cast<std::size_t>(wait.lane)] >= wait.count;
    });
  }
}

}  // namespace

RankProgress progress_of(plan::RankPlan rank, const RingFile& ring) {
  RankProgress progress{.rank = std::move(rank), .host = {}, .heads = {}, .transfers = {}};
  progress.transfers.resize(progress.rank.plan->communicators().size());
  if (ring.writer) {
    progress.host = ring.writer->host_name;
    progress.process_id = ring.writer->process_id;
  }
  if (ring.steps.empty()) return progress;
  const RingStep& newest = ring.steps.back();
  progress.step = newest.step;
  progress.ended = newest.end_ns != 0;
  progress.last_ns = std::max(newest.begin_ns, newest.end_ns);
  count(newest, progress);
  if (ring.writer) progress.last_ns += ring.writer->clock_offset_ns;
  return progress;
}

std::vector<RankProgress> read_progress(const std::filesystem::path& run_dir,
                                        std::uint32_t world_size, const PlanOfRank& plan_of) {
  const RunDirectory run(run_dir);
  const std::vector<std::uint32_t> recorded = run.ranks_with_rings();
  if (recorded.empty()) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("expected the records of a run, {} holds no {}", run.events().string(),
                            run.ring(0).filename().string()));
  }
  std::vector<RankProgress> ranks;
  std::map<const plan::StepPlan*, std::string> digests;
  std::vector<Error> errors;
  for (std::uint32_t r = 0; r < world_size; ++r) {
    plan::RankPlan rank = plan_of(r);
    if (!std::binary_search(recorded.begin(), recorded.end(), r)) {
      ranks.push_back(progress_of(std::move(rank), {}));
      continue;
    }
    const RingFile ring = read_ring(run.ring(r));
    std::string& digest = digests[rank.plan.get()];
    if (digest.empty()) digest = rank.plan->digest();
    const bool sizes_fit = std::all_of(
        ring.steps.begin(), ring.steps.end(),
        [&](const RingStep& step) { return step.records.size() == rank.plan->tasks().size(); });
    if (ring.plan_digest != digest || !sizes_fit) {
      errors.emplace_back(
          ErrorCode::bad_usage,
          fmt::format("{}: expected records of plan {}, as {} makes it on this machine, found plan "
                      "{}; run this on the machine of the run",
                      run.ring(r).string(), digest, run.config().string(), ring.plan_digest));
      continue;
    }
    ranks.push_back(progress_of(std::move(rank), ring));
  }
  if (!errors.empty()) throw join_errors(errors);
  return ranks;
}

}  // namespace megascale::observe
