// Decides when a checkpoint is taken and how fast it is written, and says how that went. The loop
// calls this class between steps; CheckpointWriter does the work beside them.
#include "megascale/train/checkpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "megascale/base/clock.h"
#include "megascale/train/save_rate.h"
#include "megascale/train/start_point.h"

namespace megascale::train {
namespace {

// Every byte is written once and read back once.
constexpr std::uint64_t kPasses = 2;
// With copies in memory the disk is needed only for the failures that take these copies along: the
// host is lost, or restarted. One in so many is assumed to be one, for an interval that is "auto".
constexpr double kFailuresPerLostHost = 10;

JointSave joint_save(const Checkpoints::Parts& parts) {
  JointSave save{.directory = checkpoint_directory(*parts.config),
                 .keep_last = parts.config->checkpoint.keep_last,
                 .require_owner = parts.require_owner,
                 .attempt = parts.attempt,
                 .before_action = {}};
  if (parts.options->before_storage) {
    save.before_action = [hook = parts.options->before_storage, rank = parts.commits->rank()](
                             checkpoint::Action action, const std::filesystem::path& path) {
      hook(rank, action, path);
    };
  }
  return save;
}

}  // namespace

Checkpoints::Checkpoints(Parts parts, std::int64_t steps_done)
    : parts_(std::move(parts)),
      snapshot_(parts_.engine->new_snapshot()),
      interval_(parts_.config->checkpoint.interval, steps_done, monotonic_ns()),
      writer_(*parts_.commits, joint_save(parts_)) {
  if (parts_.config->checkpoint.memory_interval == 0) return;
  memory_.emplace(MemoryCopies::Parts{.config = parts_.config,
                                      .engine = parts_.engine,
                                      .copies = parts_.copies,
                                      .hosts = parts_.hosts,
                                      .directory = parts_.memory_directory,
                                      .resumed = parts_.resumed,
                                      .steps_done = steps_done,
                                      .failures = parts_.failures,
                                      .require_owner = parts_.require_owner,
                                      .attempt = parts_.attempt,
                                      .say = parts_.say});
}

void Checkpoints::vote(Votes& votes) const { votes.busy += writer_.is_busy() ? 1 : 0; }

bool Checkpoints::is_in_background(bool is_last) const noexcept {
  return parts_.config->checkpoint.background && !is_last;
}

bool Checkpoints::is_due(std::int64_t steps_done, const Votes& votes) {
  takes_memory_ = memory_ && memory_->is_due(steps_done);
  takes_disk_ = is_disk_due(steps_done, votes);
  stall_seconds_.reset();
  if (memory_ && memory_->waited_seconds() > 0) stall_seconds_ = memory_->waited_seconds();
  return takes_disk_ || takes_memory_;
}

bool Checkpoints::is_disk_due(std::int64_t steps_done, const Votes& votes) {
  if (const auto report = writer_.take_report()) take_result(*report, /*is_last=*/false);
  if (writer_.is_busy()) writer_.set_rate(rate(steps_done, monotonic_ns()));
  if (interval_.is_due(steps_done, votes.busy == 0)) due_ = steps_done;
  if (!due_) return false;
  if (votes.busy == 0) {
    due_.reset();
    return true;
  }
  if (!std::exchange(said_busy_, true)) {
    parts_.say(fmt::format(
        "checkpoint of step {}: {} of {} ranks are still writing the one before; it is taken when "
        "they have done that (checkpoint.interval = {} is short for this storage; not said again)",
        steps_done, votes.busy, parts_.commits->world_size(), interval_.steps()));
  }
  return false;
}

void Checkpoints::copy(std::int64_t steps_done, bool is_last) {
  if (is_last) {
    finish();  // both writers may still read the snapshot
    takes_disk_ = true;
    takes_memory_ = false;
  }
  const std::int64_t copy_ns = monotonic_ns();
  if (!takes_disk_) {
    memory_->copy();
  } else {
    parts_.engine->snapshot_into(snapshot_);
  }
  const std::int64_t now_ns = monotonic_ns();
  const double seconds = static_cast<double>(now_ns - copy_ns) * 1e-9;
  if (takes_memory_) memory_->copied(steps_done, seconds, now_ns);
  if (takes_disk_) {
    interval_.copied(steps_done, seconds, now_ns);
    copy_seconds_ = seconds;
  }
  stall_seconds_ = is_in_background(is_last) ? std::optional(stall_seconds_.value_or(0) + seconds)
                                             : std::nullopt;
}

double Checkpoints::rate(std::int64_t steps_done, std::int64_t now_ns) const {
  const CheckpointConfig& config = parts_.config->checkpoint;
  if (config.max_rate > 0) return config.max_rate;
  const bool begins = steps_done == interval_.last();
  const std::uint64_t nbytes = kPasses * snapshot_.nbytes(),
                      done = begins ? 0 : std::min(nbytes, writer_.nbytes_done());
  return save_rate({.nbytes_left = nbytes - done,
                    .interval = interval_.steps(),
                    .steps = steps_done - interval_.last(),
                    .step_seconds = begins ? interval_.step_seconds()
                                           : interval_.step_seconds_since(steps_done, now_ns)});
}

void Checkpoints::write(checkpoint::RunState state, bool is_last) {
  if (takes_memory_) {
    memory_->write(takes_disk_ ? &snapshot_ : nullptr, state);
  }
  if (!takes_disk_) return;
  const double covered = memory_ && memory_->makes_copies() ? kFailuresPerLostHost : 1;
  WriterJob job{.snapshot = &snapshot_,
                .state = std::move(state),
                .next_interval = interval_.best_steps(covered * parts_.failures.mean_seconds)};
  if (is_in_background(is_last))
    return writer_.start(std::move(job), rate(interval_.last(), monotonic_ns()));
  take_result(writer_.write_now(job), is_last);
}

void Checkpoints::finish() {
  if (const auto report = writer_.finish()) take_result(*report, /*is_last=*/false);
  if (memory_) memory_->finish();
}

void Checkpoints::abandon(const Error& error) noexcept {
  if (memory_) memory_->abandon(error);
  writer_.abandon(error);
}

void Checkpoints::take_result(const WriterReport& report, bool is_last) {
  if (interval_.change(report.saved.next_interval)) {
    parts_.say(describe_change("checkpoint.interval", report.saved.next_interval, copy_seconds_,
                               interval_.step_seconds(), parts_.failures));
  }
  if (report.error) {
    if (is_last || report.has_lost_directory) throw Error(*report.error);
    parts_.say(fmt::format("checkpoint of step {} not saved, training goes on: {}", report.step,
                           report.error->message()));
    return;
  }
  const bool stalled = !is_in_background(is_last);
  parts_.say(fmt::format(
      "checkpoint of step {}: stall {:.3f} s, written in {:.3f} s ({:.0f} MB/s), read back in "
      "{:.3f} s",
      report.step, copy_seconds_ + (stalled ? report.seconds : 0), report.saved.written_seconds,
      static_cast<double>(report.saved.nbytes) * 1e-6 /
          std::max(report.saved.written_seconds, 1e-9),
      report.saved.read_back_seconds));
  for (const std::string& note : report.saved.notes) parts_.say("checkpoint: " + note);
}

}  // namespace megascale::train
