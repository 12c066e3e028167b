// A loop around Executor: attach to a driver, serve, and attach again if the driver has refused ranks
// of an attempt that is over.
#include "megascale/control/remote/host_service.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "megascale/base/error.h"
#include "megascale/control/remote/control_messages.h"
#include "megascale/control/remote/host_lock.h"
#include "megascale/control/remote/own_address.h"
#include "megascale/control/remote/remote_link.h"
#include "megascale/control/stop_signal_file.h"
#include "megascale/launch/process_state.h"

namespace megascale::control {
namespace {

// An executor without a job asks for one again after a pause, which doubles after each failure.
constexpr int kFirstPauseMs = 100, kLongestPauseMs = 1000;
// A rank of an attempt that is over has been killed; nothing is gained by being back at once.
constexpr int kAfterRefusalMs = 1000;

class HostService {
 public:
  explicit HostService(const HostOptions& options) : options_(options), client_(options.driver) {
    const auto& credentials = options_.driver.credentials;
    name_ = options_.name;
    if (name_.empty())
      name_ = credentials ? credentials->own.identity.name : launch::own_host_name();
    if (credentials && name_ != credentials->own.identity.name) {
      throw Error(
          ErrorCode::bad_usage,
          fmt::format("--name: expected the name in the certificate of this host, {}, found "
                      "{}; join the cluster with that name, or leave the option out",
                      credentials->own.identity.name, name_));
    }
  }

  ExecutorEnd run() {
    for (;;) {
      const auto job = attach();
      if (!job) return {.exit_code = 0, .error = {}, .output = {}};
      ExecutorEnd end = serve(*job);
      if (end.refusal == Refusal::restart) {
        options_.on_message(end.error + "; its ranks are ended, and it joins anew");
        if (is_told_to_end(kAfterRefusalMs)) return {.exit_code = 0, .error = {}, .output = {}};
        continue;
      }
      if (end.refusal == Refusal::leave || end.stopped || !options_.stays) return end;
      options_.on_message(end.error.empty() ? "the job has ended; waiting for the next one"
                                            : "the job has ended: " + end.error);
    }
  }

 private:
  // Asks for a job until there is one. Returns nothing if this process is told to end.
  std::optional<AttachReply> attach() {
    int pause_ms = kFirstPauseMs;
    std::string said;
    const auto say_once = [&](const std::string& message) {
      if (said != message) options_.on_message(message);
      said = message;
    };
    for (;;) {
      const auto reply =
          client_.call(kAttachVerb, to_text(AttachRequest{.host = name_}), options_.call_limit);
      if (reply) {
        AttachReply job = parse_attach_reply(*reply);
        if (job.term < term_) {  // of a driver that was replaced
          client_.try_the_next();
        } else if (!job.job.empty()) {
          term_ = job.term;
          return job;
        }
        say_once(fmt::format("host {} waits for a job", name_));
        pause_ms = kFirstPauseMs;
      } else {
        const ErrorCode code = reply.error().code();
        if (code == ErrorCode::bad_usage || code == ErrorCode::unsupported)
          throw Error(reply.error());
        say_once(reply.error().message() + "; trying again");
      }
      if (is_told_to_end(pause_ms)) return std::nullopt;
      if (!reply) pause_ms = std::min(2 * pause_ms, kLongestPauseMs);
    }
  }

  // Waits. Returns true at once if a signal comes.
  [[nodiscard]] bool is_told_to_end(int milliseconds) const {
    pollfd signal{signals_.descriptor(), POLLIN, 0};
    return ::poll(&signal, 1, milliseconds) > 0;
  }

  ExecutorEnd serve(const AttachReply& job) {
    std::error_code failed;
    std::filesystem::current_path(job.directory, failed);
    if (failed) {
      throw Error(
          ErrorCode::failed,
          fmt::format("{}: expected the directory in which the job was submitted, on a file "
                      "system that all hosts share: {}",
                      job.directory, failed.message()));
    }
    const HostLock lock(RunDirectory(job.run_dir),
                        {.host = name_,
                         .incarnation = job.incarnation,
                         .takes_over = std::exchange(replaces_, false) || !job.is_served});
    Executor::Options options;
    options.job = job.job;
    options.host = name_;
    options.address = own_address();
    options.is_one_of_several = true;
    options.incarnation = job.incarnation;
    options.term = job.term;
    options.heartbeat_seconds = job.heartbeat_seconds;
    options.run_dir = job.run_dir;
    options.checkpoints = job.checkpoints;
    options.blocked = &signals_.before();
    options.signals = signals_.descriptor();
    options.program = options_.program;
    options_.on_message(fmt::format("host {} ({}) serves job {} in {}", name_, options.address,
                                    job.job, job.run_dir));
    RemoteLink link(client_, {.term = job.term,
                              .limit = options_.call_limit,
                              .wait_seconds = job.wait_seconds,
                              .on_message = options_.on_message});
    ExecutorEnd end = Executor(std::move(options), link).run();
    term_ = std::max(term_, end.term);
    return end;
  }

  [[nodiscard]] std::string own_address() const {
    if (!options_.address.empty()) return options_.address;
    const auto own = own_address_towards(client_.current());
    return own ? *own : std::string();
  }

  const HostOptions& options_;
  std::string name_;
  StopSignalFile signals_;  // before the first thread
  DriverClient client_;
  bool replaces_ = options_.replaces;  // once
  std::int64_t term_ = 0;              // the highest one of the drivers that have answered
};

}  // namespace

ExecutorEnd serve_host(const HostOptions& options) { return HostService(options).run(); }

}  // namespace megascale::control
