// `megascale hang`: names the rank that holds up a job. It reads only the run directory, so it works
// for a job that hangs now and for one that was killed.
#include "megascale/observe/hang.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "megascale/base/run_directory.h"
#include "megascale/cli/command.h"
#include "megascale/config/load.h"
#include "megascale/job/batch_plans.h"
#include "megascale/launch/process_state.h"
#include "megascale/observe/ring_head.h"
#include "megascale/serve/hang_watch.h"

namespace megascale::cli {
namespace {

struct HangArguments {
  std::filesystem::path run_dir;
  double seconds = 2;
};

// The readings of a job, and what follows from them.
struct Reading {
  std::vector<observe::RankProgress> ranks;
  std::vector<launch::ProcessState> processes;  // by rank
  std::vector<std::uint32_t> moving;  // ranks that did a task between the two readings, if alive
};

Reading read(const HangArguments& arguments) {
  const RunDirectory run(arguments.run_dir);
  const job::JobPlan job =
      job::plan_of_records(load_config(run.config()), observe::read_plan_digest(run.ring(0)));
  job::require_proven(job);
  const auto plan_of = [&](std::uint32_t rank) {
    const plan::VerifiedPlan plan = job.plan_of(rank, job.train_verification);
    return plan::RankPlan{plan.shared_plan(), plan.binding()};
  };
  const auto read_once = [&] {
    return observe::read_progress(arguments.run_dir, job.grid.world_size(), plan_of);
  };
  const auto states_of = [](const std::vector<observe::RankProgress>& ranks) {
    std::vector<launch::ProcessState> states;
    states.reserve(ranks.size());
    for (const auto& rank : ranks)
      states.push_back(launch::process_state(rank.host, rank.process_id));
    return states;
  };
  Reading reading{.ranks = read_once(), .processes = {}, .moving = {}};
  reading.processes = states_of(reading.ranks);
  const bool any_alive =
      std::any_of(reading.processes.begin(), reading.processes.end(),
                  [](launch::ProcessState state) { return state != launch::ProcessState::gone; });
  if (!any_alive) return reading;  // nothing can have changed
  std::this_thread::sleep_for(std::chrono::duration<double>(arguments.seconds));
  auto later = read_once();
  const auto stopped = observe::find_stopped(reading.ranks, later);
  for (std::uint32_t rank = 0; rank < later.size(); ++rank) {
    if (!std::binary_search(stopped.begin(), stopped.end(), rank)) reading.moving.push_back(rank);
  }
  reading.ranks = std::move(later);
  // A process that was told to stop just before the first reading has stopped by now.
  reading.processes = states_of(reading.ranks);
  return reading;
}

Outcome show(const HangArguments& arguments) {
  const Reading reading = read(arguments);
  observe::HangVerdict verdict = observe::find_hang(reading.ranks);
  // A rank that has done a task meanwhile computes, and holds nobody up.
  std::erase_if(verdict.suspects, [&](const observe::Suspect& suspect) {
    return std::binary_search(reading.moving.begin(), reading.moving.end(), suspect.rank);
  });
  Outcome outcome{.json = serve::to_json(verdict, {.ranks = reading.ranks,
                                                   .processes = reading.processes,
                                                   .moving = reading.moving})};
  if (verdict.suspects.empty()) {
    fmt::print("no rank holds up the others: {}\n", verdict.between_steps
                                                        ? "all ranks have ended the same step"
                                                        : "ranks did tasks between two readings");
    return outcome;
  }
  fmt::print("most likely first:\n");
  for (const observe::Suspect& suspect : verdict.suspects) {
    const launch::ProcessState process = reading.processes[suspect.rank];
    const observe::RankProgress& rank = reading.ranks[suspect.rank];
    fmt::print("  {}\n", observe::to_string(suspect));
    if (rank.process_id != 0)
      fmt::print("    its process, {} on host {}, is {}\n", rank.process_id, rank.host,
                 launch::to_string(process));
  }
  for (const observe::WaitingRank& waiting : verdict.waiting) {
    fmt::print("rank {} waits, step {}, lane {}, {}: for ranks {}\n", waiting.rank, waiting.step,
               graph::to_string(waiting.lane), waiting.task_name, fmt::join(waiting.awaited, ", "));
  }
  return outcome;
}

}  // namespace

void add_hang(Command& app) {
  const auto arguments = std::make_shared<HangArguments>();
  Command command = app.subcommand(
      "hang", "names the rank that holds up a job, from its run directory; also of a dead job");
  command.option("RUN_DIR", arguments->run_dir, "run directory").required();
  command
      .option("--seconds", arguments->seconds,
              "time between two readings of a job whose processes may be alive; longer than a task")
      .at_least_zero()
      .shows_default();
  command.does([arguments] { return show(*arguments); });
}

}  // namespace megascale::cli
