// Prepares the directory of a run's copies in /dev/shm, and writes copies to it.
#include "megascale/train/memory_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "megascale/base/clock.h"
#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/checkpoint/open.h"
#include "megascale/train/agreement.h"

namespace megascale::train {
std::optional<checkpoint::Opened> open_newest_copy(
    const std::filesystem::path& directory,
    const std::function<void(const std::string&)>& on_message, const checkpoint::Accept& accept) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(directory, ignored)))
    return std::nullopt;
  if (const std::string why = why_not_ours(directory); !why.empty()) {
    on_message("copies in memory passed over: " + why);
    return std::nullopt;
  }
  try {
    const auto report = [&](const Error& error) {
      on_message("copy in memory passed over: " + error.message());
    };
    return checkpoint::open_newest(directory, report, checkpoint::Check::on_read, accept);
  } catch (const Error&) {  // none is good; each was reported
    return std::nullopt;
  }
}

MemoryCopies::MemoryCopies(Parts parts)
    : parts_(std::move(parts)),
      interval_(parts_.config->checkpoint.memory_interval, parts_.steps_done, monotonic_ns()) {
  const std::string why_not = prepare();
  if (!why_not.empty()) {
    parts_.say("no copies in memory: " + why_not);
    return;
  }
  snapshot_.emplace(parts_.engine->new_snapshot());
  std::optional<HostPlan> plan;
  if (parts_.hosts->count > 1) {
    plan = HostPlan{
        .layout = *parts_.hosts,
        .peers = choose_peers(*parts_.hosts, parts_.copies->near(), parts_.engine->job().grid)};
    parts_.say(describe(plan->peers));
  }
  writer_.emplace(*parts_.copies, JointSave{.directory = parts_.directory,
                                            .keep_last = 1,
                                            .require_owner = parts_.require_owner,
                                            .attempt = parts_.attempt,
                                            .before_action = {},
                                            .hosts = std::move(plan)});
  parts_.say(interval_.is_auto()
                 ? fmt::format("copies of the state in {}", parts_.directory.string())
                 : fmt::format("copies of the state every {} steps in {}", interval_.steps(),
                               parts_.directory.string()));
}

// Returns why no copies can be made; empty if they can. Equal on all ranks.
std::string MemoryCopies::prepare() {
  try {
    agree_on(*parts_.copies, "where copies of the state are kept in memory", [&] {
      if (!parts_.hosts->leads(parts_.copies->rank())) return;
      make_private_directory(parts_.directory);
      mark_ = mark_copies(parts_.directory, parts_.config->train.run_dir);
      remove_all_but(parts_.directory, parts_.resumed);
    });
  } catch (const Error& error) {
    if (error.code() != ErrorCode::failed) throw;
    const std::string& why = error.message();
    constexpr std::string_view kOnlyHost = "rank 0: ";
    const bool names_it = parts_.hosts->count == 1 && why.starts_with(kOnlyHost);
    return names_it ? why.substr(kOnlyHost.size()) : why;
  }
  return "";
}

bool MemoryCopies::is_due(std::int64_t steps_done) {
  if (!writer_) return false;
  wait_for_last(steps_done);
  return interval_.is_due(steps_done, /*is_free=*/true);
}

void MemoryCopies::wait_for_last(std::int64_t steps_done) {
  waited_seconds_ = 0;
  if (writer_->is_busy()) {
    const std::int64_t begin_ns = monotonic_ns();
    look(writer_->finish());
    last_wait_seconds_ = waited_seconds_ = static_cast<double>(monotonic_ns() - begin_ns) * 1e-9;
  } else {
    look(writer_->take_report());
  }
  constexpr double kTenth = 0.1;
  const double between = static_cast<double>(interval_.steps()) * interval_.step_seconds();
  if (waited_seconds_ <= kTenth * between || std::exchange(said_wait_, true)) return;
  parts_.say(
      fmt::format("copy in memory of step {}: training waited {:.3f} s for its end after step {} "
                  "(checkpoint.memory_interval = {} is short for this machine; not said again)",
                  interval_.last(), waited_seconds_, steps_done, interval_.steps()));
}

void MemoryCopies::write(const engine::StateSnapshot* snapshot, checkpoint::RunState state) {
  constexpr double kNoLimit = 0;
  WriterJob job{.snapshot = snapshot != nullptr ? snapshot : &*snapshot_,
                .state = std::move(state),
                .next_interval = interval_.best_steps(parts_.failures.mean_seconds)};
  if (parts_.config->checkpoint.background) return writer_->start(std::move(job), kNoLimit);
  const WriterReport report = writer_->write_now(job);
  if (!report.error && !std::exchange(said_stall_, true)) {
    parts_.say(
        fmt::format("copy in memory of step {}: stall {:.3f} s (checkpoint.background = false; not "
                    "said again)",
                    report.step, stall_seconds_ + report.seconds));
  }
  look(report);
}

void MemoryCopies::finish() {
  if (writer_) look(writer_->finish());
}

// Says the first failure, and the end of failures.
void MemoryCopies::look(const std::optional<WriterReport>& report) {
  if (!report) return;
  if (report->has_lost_directory) throw Error(*report->error);
  if (interval_.change(report->saved.next_interval)) {
    parts_.say(describe_change("checkpoint.memory_interval", report->saved.next_interval,
                               stall_seconds_, interval_.step_seconds(), parts_.failures));
  }
  const bool fails = report->error.has_value();
  if (fails && !has_failed_) {
    parts_.say(fmt::format("copy in memory of step {} not made, training goes on: {}", report->step,
                           report->error->message()));
  }
  if (!fails && has_failed_)
    parts_.say(fmt::format("copies in memory are made again, from step {} on", report->step));
  has_failed_ = fails;
}

}  // namespace megascale::train
