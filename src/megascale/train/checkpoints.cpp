// Decides when a checkpoint is taken and how fast it is written, and says how that went. The loop
// calls this class between steps; CheckpointWriter does the work beside them.
#include "megascale/train/checkpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "megascale/base/clock.h"
#include "megascale/train/start_point.h"

namespace megascale::train {
namespace {

// The share of the time between two checkpoints in which one is written.
constexpr double kShare = 0.5;
// Every byte is written once and read back once.
constexpr double kPasses = 2;

JointSave joint_save(const Checkpoints::Parts& parts) {
  JointSave save{.directory = checkpoint_directory(*parts.config),
                 .keep_last = parts.config->checkpoint.keep_last,
                 .require_owner = parts.require_owner,
                 .before_action = {}};
  if (parts.options->before_storage) {
    save.before_action = [hook = parts.options->before_storage, rank = parts.commits->rank()](
                             checkpoint::Action action, const std::filesystem::path& path) {
      hook(rank, action, path);
    };
  }
  return save;
}

double seconds_since(std::int64_t begin_ns) {
  return static_cast<double>(monotonic_ns() - begin_ns) * 1e-9;
}

}  // namespace

Checkpoints::Checkpoints(Parts parts, std::int64_t steps_done)
    : parts_(std::move(parts)),
      snapshot_(parts_.engine->new_snapshot()),
      copied_ns_(monotonic_ns()),
      copied_step_(steps_done),
      writer_(*parts_.commits, joint_save(parts_)) {
  if (parts_.config->checkpoint.memory_interval == 0) return;
  memory_.emplace(MemoryCopies::Parts{.config = parts_.config,
                                      .engine = parts_.engine,
                                      .copies = parts_.copies,
                                      .directory = parts_.memory_directory,
                                      .resumed = parts_.resumed,
                                      .require_owner = parts_.require_owner,
                                      .say = parts_.say});
}

void Checkpoints::vote(Votes& votes) const {
  votes.busy += writer_.is_busy() ? 1 : 0;
  votes.copying += memory_ && memory_->is_busy() ? 1 : 0;
}

bool Checkpoints::is_in_background(bool is_last) const noexcept {
  return parts_.config->checkpoint.background && !is_last;
}

bool Checkpoints::is_due(std::int64_t steps_done, const Votes& votes) {
  if (votes.copying == 0) is_shared_ = false;
  takes_memory_ = memory_ && memory_->is_due(steps_done, votes);
  takes_disk_ = is_disk_due(steps_done, votes);
  return takes_disk_ || takes_memory_;
}

bool Checkpoints::is_disk_due(std::int64_t steps_done, const Votes& votes) {
  if (const auto report = writer_.take_report()) say_result(*report, /*is_last=*/false);
  const std::int64_t interval = parts_.config->checkpoint.interval;
  if (interval > 0 && steps_done % interval == 0) due_ = steps_done;
  if (!due_) return false;
  if (votes.busy == 0 && !is_shared_) {
    due_.reset();
    return true;
  }
  if (votes.busy > 0 && !std::exchange(said_busy_, true)) {
    parts_.say(fmt::format(
        "checkpoint of step {}: {} of {} ranks are still writing the one before; it is taken when "
        "they have done that (checkpoint.interval = {} is short for this storage; not said again)",
        steps_done, votes.busy, parts_.commits->world_size(), interval));
  }
  return false;
}

std::optional<double> Checkpoints::copy(std::int64_t steps_done, bool is_last) {
  if (is_last) {
    finish();  // both writers may still read the snapshot
    takes_disk_ = true;
    takes_memory_ = false;
  }
  const std::int64_t copy_ns = monotonic_ns();
  if (!takes_disk_) {
    memory_->copy();
    return static_cast<double>(monotonic_ns() - copy_ns) * 1e-9;
  }
  if (steps_done > copied_step_)
    step_seconds_ = seconds_since(copied_ns_) / static_cast<double>(steps_done - copied_step_);
  parts_.engine->snapshot_into(snapshot_);
  copied_ns_ = monotonic_ns();
  copied_step_ = steps_done;
  copy_seconds_ = static_cast<double>(copied_ns_ - copy_ns) * 1e-9;
  return is_in_background(is_last) ? std::optional(copy_seconds_) : std::nullopt;
}

double Checkpoints::rate() const noexcept {
  const CheckpointConfig& config = parts_.config->checkpoint;
  if (config.max_rate > 0) return config.max_rate;
  const double seconds = kShare * step_seconds_ * static_cast<double>(config.interval);
  return seconds > 0 ? kPasses * static_cast<double>(snapshot_.nbytes()) / seconds : 0;
}

void Checkpoints::write(checkpoint::RunState state, bool is_last) {
  if (takes_memory_) {
    is_shared_ = takes_disk_;
    memory_->write(takes_disk_ ? &snapshot_ : nullptr, state);
  }
  if (!takes_disk_) return;
  WriterJob job{.snapshot = &snapshot_, .state = std::move(state)};
  if (is_in_background(is_last)) return writer_.start(std::move(job), rate());
  say_result(writer_.write_now(job), is_last);
}

void Checkpoints::finish() {
  if (const auto report = writer_.finish()) say_result(*report, /*is_last=*/false);
  if (memory_) memory_->finish();
}

void Checkpoints::abandon(const Error& error) noexcept {
  if (memory_) memory_->abandon(error);
  writer_.abandon(error);
}

void Checkpoints::say_result(const WriterReport& report, bool is_last) {
  if (report.error) {
    if (is_last || report.has_lost_directory) throw Error(*report.error);
    parts_.say(fmt::format("checkpoint of step {} not saved, training goes on: {}", report.step,
                           report.error->message()));
    return;
  }
  const bool stalled = !is_in_background(is_last);
  parts_.say(fmt::format(
      "checkpoint of step {}: stall {:.3f} s, written in {:.3f} s ({:.0f} MB/s)", report.step,
      copy_seconds_ + (stalled ? report.seconds : 0), report.seconds,
      static_cast<double>(report.saved.nbytes) * 1e-6 / std::max(report.seconds, 1e-9)));
  for (const std::string& note : report.saved.notes) parts_.say("checkpoint: " + note);
}

}  // namespace megascale::train
