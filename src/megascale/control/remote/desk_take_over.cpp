// How a desk comes to its job: from the record of this host's driver, from that of a driver on another
// host that is lost, or from executors, if that record is lost too.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "megascale/base/clock.h"
#include "megascale/base/error.h"
#include "megascale/control/message_text.h"
#include "megascale/control/remote/job_desk.h"
#include "megascale/launch/process_state.h"

namespace megascale::control {
namespace {

// Throws Error if the record cannot be read.
void require_readable(const std::filesystem::path& path) {
  JobRecord record(path, Database::Access::write);
  const JobRow job = record.job();
  if (!job.settings.empty()) (void)parse_driver_settings(job.settings);
  if (!job.state.empty()) (void)parse_driver_state(job.state);
}

// A driver that takes over needs no record of the one before: an unreadable one is set aside.
JobRecord open_record(const RunDirectory& run, const JobDesk::Options& options,
                      const JobDesk::Say& say) {
  const std::filesystem::path path = run.job_record();
  if (!options.takes_over) return {path, Database::Access::write};
  try {
    require_readable(path);
  } catch (const Error& error) {
    const std::string aside = fmt::format("{}.lost-{}", path.string(), options.term);
    for (const std::string_view ending : Database::kFiles) {
      std::error_code none;
      std::filesystem::rename(path.string().append(ending), std::string(aside).append(ending),
                              none);
    }
    say(fmt::format("{}; it is kept as {}, and a new record begins", error.message(), aside));
  }
  return {path, Database::Access::write};
}

}  // namespace

JobDesk::JobDesk(const RunDirectory& run, Options options, Say say)
    : run_(run),
      options_(std::move(options)),
      say_(std::move(say)),
      record_(open_record(run_, options_, say_)) {
  find_job();
  if (job_)
    say_(fmt::format("goes on with job {}, attempt {}", job_->name(), job_->state().attempt.epoch));
}

void JobDesk::find_job() {
  const JobRow row = record_.job();
  const DriverSettings settings =
      row.settings.empty() ? DriverSettings() : parse_driver_settings(row.settings);
  if (row.state.empty() || settings.run_dir.empty()) {
    if (!options_.takes_over) return;
    lost_.emplace();
    say_(
        "takes a job over without its record: submit the same job again, and its running ranks "
        "go on");
    return;
  }
  const DriverState state = parse_driver_state(row.state);
  if (state.phase == Phase::ended) return;
  if (!options_.session_key.empty() && settings.session_key != options_.session_key) {
    return say_(fmt::format(
        "the session of job {} has the key \"{}\", this driver \"{}\": a submission begins a new "
        "session from the newest checkpoint",
        row.name, settings.session_key, options_.session_key));
  }
  // The times in a driver's state are those of one host since its last boot.
  const bool is_own =
      row.driver_host == launch::own_host_name() && row.alive_ns <= monotonic_ns() + state.clock_ns;
  if (is_own) {
    job_.emplace(run_, record_, say_,
                 Driver::Tenure{.term = options_.term, .clock_ns = state.clock_ns});
  } else if (options_.takes_over) {
    say_(fmt::format("the driver of job {} was process {} of host {}", row.name, row.driver_process,
                     row.driver_host));
    job_.emplace(run_, record_, say_,
                 Driver::Tenure{.term = options_.term,
                                .clock_ns = record_.session_time_ns() - monotonic_ns(),
                                .takes_over = true});
  } else {
    say_(
        fmt::format("the driver of job {} was process {} of host {}, before its last boot if that "
                    "is this one: a submission begins a new session from the newest checkpoint; "
                    "start this driver with --take-over to go on with running ranks",
                    row.name, row.driver_process, row.driver_host));
  }
}

// The ranks of a job that is to be taken over must not end before it was submitted.
std::string JobDesk::answer_without_job(const Heartbeat& heartbeat) {
  Reply reply{.sequence = heartbeat.sequence,
              .term = options_.term,
              .refusal = Refusal::restart,
              .refused = "this driver has no job",
              .orders = {}};
  if (lost_) {
    reply.refusal = Refusal::ignore;
    reply.refused = "this driver waits for a submission of the job that it takes over";
    if (lost_->name.empty()) lost_->name = heartbeat.job;
    lost_->term = std::max(lost_->term, heartbeat.term);
    if (lost_->submitted) begin_lost_job();
  }
  return to_text(reply);
}

void JobDesk::begin_lost_job() {
  record_.set_name(lost_->name);
  const std::int64_t term = std::max(options_.term, lost_->term + 1);
  lost_.reset();
  job_.emplace(run_, record_, say_, Driver::Tenure{.term = term, .takes_over = true});
}

// If no executor knows the job, it begins anew.
void JobDesk::look_after_lost_job() {
  if (!lost_->submitted) return;
  const double lease = parse_driver_settings(record_.job().settings).lease_seconds;
  if (static_cast<double>(monotonic_ns() - *lost_->submitted) * 1e-9 < lease) return;
  lost_.reset();
  say_("no executor has ranks of the job: it begins anew");
  job_.emplace(run_, record_, say_, Driver::Tenure{.term = options_.term});
}

}  // namespace megascale::control
