// Reads the rings of all ranks of a run and keeps the steps that can be compared. Records are only
// meaningful together with their plan, so each ring must name the digest of the plan that the given
// configuration leads to. Rings of ranks may hold different steps, for instance after a crash; only
// the steps that every rank has completed are kept.
#include "megascale/observe/run_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "megascale/base/error.h"
#include "megascale/base/run_directory.h"
#include "megascale/observe/match_transfers.h"
#include "megascale/observe/run_clocks.h"
#include "megascale/parallel/rank_grid.h"
#include "megascale/plan/bind.h"

namespace megascale::observe {
namespace {

namespace fs = std::filesystem;

std::vector<std::uint32_t> ranks_in(const RunDirectory& run_dir) {
  std::vector<std::uint32_t> ranks = run_dir.ranks_with_rings();
  if (ranks.empty()) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("expected the records of a run, {} holds no {}: give the run "
                            "directory of megascale train, or of bench step --keep",
                            run_dir.events().string(), run_dir.ring(0).filename().string()));
  }
  return ranks;
}

// Removes the steps that are not complete on all ranks: a step that a crash cut off, and old steps
// that some ring no longer holds.
void keep_whole_steps(std::vector<std::vector<RingStep>>& ranks) {
  std::map<std::int64_t, std::size_t> whole;
  for (const auto& steps : ranks) {
    for (const RingStep& step : steps) whole[step.step] += step.end_ns != 0 ? 1 : 0;
  }
  for (auto& steps : ranks)
    std::erase_if(steps, [&](const RingStep& step) { return whole[step.step] < ranks.size(); });
}

// Completes the records of ranks that could not tell when their partners started (NCCL).
void match(RunRecords& run, std::span<const std::shared_ptr<const plan::StepPlan>> plans,
           const std::vector<std::optional<RingFile::Writer>>& writers) {
  constexpr std::string_view kAligned = "the clock of the first rank";
  bool any = false;
  for (std::size_t r = 0; r < run.ranks.size(); ++r) {
    const plan::StepPlan& plan = *plans[run.ranks[r]];
    any = any || std::any_of(run.steps[r].begin(), run.steps[r].end(), [&](const RingStep& step) {
            return has_unmatched(plan, step.records);
          });
  }
  if (!any) return;
  std::vector<plan::Binding> bindings;
  std::vector<RankRing> rings;
  for (std::size_t r = 0; r < run.ranks.size(); ++r) {
    const plan::StepPlan& plan = *plans[run.ranks[r]];
    bindings.push_back(plan::bind(plan, parallel::RankGrid(plan.axes()), run.ranks[r]));
    rings.push_back({.writer = writers[r] ? &*writers[r] : nullptr,
                     .steps = run.steps[r],
                     .transfers = transfers_of(plan, bindings.back())});
  }
  const RunClocks clocks = align_clocks(rings);
  for (std::size_t s = 0; s < run.steps.front().size(); ++s) {
    std::vector<RankRecords> ranks;
    for (std::size_t r = 0; r < run.ranks.size(); ++r) {
      // Within a step the rates of clocks make no difference.
      const std::int64_t begin_ns = run.steps[r][s].begin_ns;
      const ClockFit& clock = clocks.of(r);
      const bool is_aligned = clock.uncertainty_ns || clock.offset_ns != 0;
      ranks.push_back({.plan = plans[run.ranks[r]].get(),
                       .binding = &bindings[r],
                       .records = run.steps[r][s].records,
                       .clock = is_aligned ? kAligned : clocks.hosts[clocks.host_of[r]].host,
                       .clock_offset_ns = clock.to_reference(begin_ns) - begin_ns});
    }
    match_transfers(ranks);
  }
}

}  // namespace

bool waits_exist(const plan::StepPlan& plan, const RingStep& step) {
  for (std::size_t id = 0; id < step.records.size(); ++id) {
    const std::uint32_t wait = step.records[id].last_wait;
    if (wait != TaskRecord::kNoWait && wait >= plan.waits(plan.tasks()[id]).size()) return false;
  }
  return true;
}

RunRecords read_run(const fs::path& path,
                    std::span<const std::shared_ptr<const plan::StepPlan>> plans) {
  const RunDirectory run_dir(path);
  RunRecords run{.ranks = ranks_in(run_dir), .steps = {}};
  std::map<const plan::StepPlan*, std::string> digests;
  std::vector<std::optional<RingFile::Writer>> writers;
  std::vector<Error> errors;
  auto kept = run_dir.kept_steps_by_rank();
  for (const std::uint32_t rank : run.ranks) {
    const fs::path file = run_dir.ring(rank);
    if (rank >= plans.size()) {
      errors.emplace_back(ErrorCode::bad_usage,
                          fmt::format("{}: expected ranks 0 to {}, as the configuration has them",
                                      file.string(), plans.size() - 1));
      continue;
    }
    RingFile ring = read_records(run_dir, rank, kept[rank]);
    std::string& digest = digests[plans[rank].get()];
    if (digest.empty()) digest = plans[rank]->digest();
    const std::size_t tasks = plans[rank]->tasks().size();
    const bool sizes_fit =
        std::all_of(ring.steps.begin(), ring.steps.end(),
                    [&](const RingStep& step) { return step.records.size() == tasks; });
    if (ring.plan_digest != digest || !sizes_fit) {
      errors.emplace_back(
          ErrorCode::bad_usage,
          fmt::format("{}: expected steps of plan {}, as the configuration makes it, found plan {}",
                      file.string(), digest, ring.plan_digest));
      continue;
    }
    if (!std::all_of(ring.steps.begin(), ring.steps.end(),
                     [&](const RingStep& step) { return waits_exist(*plans[rank], step); })) {
      errors.emplace_back(
          ErrorCode::bad_input,
          fmt::format("{} is damaged: a record names a wait that its task does not have",
                      file.string()));
      continue;
    }
    run.steps.push_back(std::move(ring.steps));
    writers.push_back(std::move(ring.writer));
  }
  const bool is_other_job = std::any_of(errors.begin(), errors.end(), [](const Error& error) {
    return error.code() == ErrorCode::bad_usage;
  });
  if (is_other_job) {
    const fs::path config = run_dir.config();
    std::error_code ignored;
    errors.emplace_back(
        ErrorCode::bad_usage,
        fmt::format("these are records of another job: give the configuration that it had, --set, "
                    "--ranks and threads included{}",
                    fs::exists(config, ignored) ? fmt::format(" ({})", config.string()) : ""));
  }
  if (!errors.empty()) throw join_errors(errors);
  keep_whole_steps(run.steps);
  if (run.steps.front().empty()) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: expected a step that all ranks have finished, found none",
                            run_dir.events().string()));
  }
  match(run, plans, writers);
  return run;
}

}  // namespace megascale::observe
