// Runs save_together() on a thread of low priority. The thread and the rank's own thread share the
// job, its report, and the pace of the writes; all else of a save belongs to the thread that writes.
#include "megascale/train/checkpoint_writer.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "megascale/base/clock.h"
#include "megascale/base/error.h"
#include "megascale/train/checkpointing.h"

namespace megascale::train {
namespace {

// Makes the calling thread give way to threads that compute. With 10 nice levels more it gets about
// a tenth of a core that another thread also wants: enough to write, little for the step.
void lower_priority() noexcept {
  constexpr int kLevels = 10, kLowest = 19;
  const auto thread = static_cast<id_t>(::gettid());
  errno = 0;
  const int now = ::getpriority(PRIO_PROCESS, thread);
  if (now == -1 && errno != 0) return;
  (void)::setpriority(PRIO_PROCESS, thread, std::min(now + kLevels, kLowest));
}

}  // namespace

CheckpointWriter::CheckpointWriter(comm::Coordination& commits, JointSave save)
    : commits_(&commits), save_(std::move(save)) {
  save_.pace = &pace_;
  try {
    thread_ = std::thread([this] { serve(); });
  } catch (const std::system_error& error) {
    throw Error(ErrorCode::failed,
                fmt::format("the thread that writes checkpoints cannot be started: {}",
                            error.code().message()));
  }
}

CheckpointWriter::~CheckpointWriter() {
  if (is_busy()) abandon(Error(ErrorCode::failed, "the rank ends before its checkpoint is saved"));
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void CheckpointWriter::start(WriterJob job, double bytes_per_second) {
  commits_->limit_waits(false);
  pace_.set_rate(bytes_per_second);
  nbytes_before_ = pace_.nbytes();
  const std::lock_guard lock(mutex_);
  MEGASCALE_CHECK(!job_ && !report_, "a save begins when the one before is over and reported");
  job_ = std::move(job);
  changed_.notify_all();
}

bool CheckpointWriter::is_busy() const {
  const std::lock_guard lock(mutex_);
  return job_.has_value();
}

std::optional<WriterReport> CheckpointWriter::take_report() {
  const std::lock_guard lock(mutex_);
  return std::exchange(report_, std::nullopt);
}

std::optional<WriterReport> CheckpointWriter::finish() {
  commits_->limit_waits(true);
  pace_.set_rate(0);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !job_; });
  return std::exchange(report_, std::nullopt);
}

WriterReport CheckpointWriter::write_now(const WriterJob& job) {
  MEGASCALE_CHECK(!is_busy(), "one save at a time");
  commits_->limit_waits(true);
  pace_.set_rate(0);
  return write(job);
}

void CheckpointWriter::abandon(const Error& error) noexcept {
  commits_->abort(error);
  pace_.cancel(error);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !job_; });
}

void CheckpointWriter::serve() noexcept {
  lower_priority();
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return job_ || ends_; });
    if (!job_) return;
    const WriterJob& job = *job_;  // nobody else changes it until it is reset below
    lock.unlock();
    WriterReport report = write(job);
    lock.lock();
    report_ = std::move(report);
    job_.reset();
    changed_.notify_all();
  }
}

WriterReport CheckpointWriter::write(const WriterJob& job) noexcept {
  WriterReport report{.step = job.state.step};
  JointSave save = save_;
  save.next_interval = job.next_interval;
  if (save_.require_owner) {
    save.require_owner = [&] {
      try {
        return save_.require_owner();
      } catch (const Error&) {
        report.has_lost_directory = true;
        throw;
      }
    };
  }
  const std::int64_t begin_ns = monotonic_ns();
  try {
    report.saved = save_together(*commits_, save, job.state, pieces_of(job.snapshot->parts()));
  } catch (const Error& error) {
    report.error = error;
  } catch (const std::exception& error) {
    report.error = Error(ErrorCode::failed, error.what());
  }
  report.seconds = static_cast<double>(monotonic_ns() - begin_ns) * 1e-9;
  return report;
}

}  // namespace megascale::train
