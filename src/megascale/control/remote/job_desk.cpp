// Every verb takes the lock, so the state machine sees one event after the other.
#include "megascale/control/remote/job_desk.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>
#include <utility>

#include "megascale/base/clock.h"
#include "megascale/base/error.h"
#include "megascale/base/local_ranks.h"
#include "megascale/control/job_status.h"
#include "megascale/control/message_text.h"
#include "megascale/control/port_watch.h"
#include "megascale/control/remote/control_messages.h"
#include "megascale/launch/process_state.h"

namespace megascale::control {
namespace {

using secure::Peer;
using secure::Right;

// Two executors of one host must not have the same incarnation, also if the driver dies after it has
// given one. So the lowest bits are random.
constexpr std::int64_t kIncarnationStep = std::int64_t{1} << 20;
constexpr int kIncarnationsOfTermBits = 40;

tl::unexpected<Error> refuse(std::string message) {
  return tl::unexpected(Error(ErrorCode::bad_usage, std::move(message)));
}

// A certificate speaks for the host in its name only.
std::optional<std::string> find_imposture(const Peer& peer, const std::string& host) {
  if (host.empty()) return "expected the name of a host, found none";
  if (!peer.authenticated || peer.member.identity.name == host) return std::nullopt;
  return fmt::format("{} may not speak for host {}", to_string(peer), host);
}

std::string who(const Peer& peer) {
  return peer.authenticated ? to_string(peer.member.identity) : to_string(peer);
}

// Returns what is wrong with a submission; nothing if it can be served.
std::optional<std::string> find_fault_of(const DriverSettings& job, const RunDirectory& run) {
  const auto& arguments = job.arguments;
  if (arguments.size() < 3 || arguments[0] != "megascale" || arguments[1] != "train")
    return "expected ranks with the command line `megascale train CONFIG`, found another one";
  const auto own = std::filesystem::weakly_canonical(run.path());
  if (std::filesystem::weakly_canonical(job.run_dir) != own) {
    return fmt::format(
        "this driver serves the run directory {}, the job has train.run_dir {}: "
        "submit it to the driver of its own run directory",
        own.string(), job.run_dir);
  }
  if (job.world_size % job.hosts != 0) {
    return fmt::format("expected ranks in equal number on all hosts, found {} ranks for {} hosts",
                       job.world_size, job.hosts);
  }
  if (job.world_size / job.hosts > kMostLocalRanks) {
    return fmt::format("expected at most {} ranks on a host, found {}", kMostLocalRanks,
                       job.world_size / job.hosts);
  }
  const auto& fewer = job.fewer_hosts;
  if (!std::is_sorted(fewer.rbegin(), fewer.rend()) || (!fewer.empty() && fewer[0] >= job.hosts))
    return fmt::format("expected fewer than {} hosts, descending, found {}", job.hosts,
                       fmt::join(fewer, ", "));
  if (!fewer.empty() &&
      std::find(arguments.begin(), arguments.end() - 1, "--ranks") == arguments.end() - 1)
    return "expected --ranks in the command line of the ranks, since their number may change";
  return std::nullopt;
}

}  // namespace

bool JobDesk::runs() const { return job_ && job_->state().phase != Phase::ended; }

std::vector<secure::Verb> JobDesk::verbs() {
  const auto verb = [this](const char* name, Right right, auto handle) {
    return secure::Verb{
        .name = name,
        .right = right,
        .handler = [this, handle](const Peer& peer, std::string_view request) -> Answer {
          const std::lock_guard lock(mutex_);
          return handle(peer, request);
        }};
  };
  return {
      verb(kAttachVerb, Right::report,
           [this](const Peer& peer, auto request) { return attach(peer, request); }),
      verb(kHeartbeatVerb, Right::report,
           [this](const Peer& peer, auto request) { return heartbeat(peer, request); }),
      verb(kSubmitVerb, Right::act, [this](const Peer&, auto request) { return submit(request); }),
      verb(kBlockVerb, Right::act,
           [this](const Peer& peer, auto request) { return block(peer, request); }),
      verb(kStopVerb, Right::act, [this](const Peer& peer, auto) { return stop(peer); }),
      verb(kStatusVerb, Right::observe,
           [this](const Peer&, auto request) { return status(request); })};
}

JobDesk::Answer JobDesk::attach(const Peer& peer, std::string_view request) {
  const std::string host = parse_attach_request(request).host;
  if (const auto imposture = find_imposture(peer, host)) return refuse(*imposture);
  AttachReply reply;
  if (!runs()) return to_text(reply);
  const DriverSettings& settings = job_->settings();
  const DriverState& state = job_->state();
  const auto& known = state.incarnations;
  const auto found = known.find(host);
  std::int64_t& newest = given_[host];
  // The record of a driver that was taken over may lack the newest ones.
  newest = std::max({newest, found == known.end() ? 0 : found->second,
                     (state.term - 1) << kIncarnationsOfTermBits});
  std::random_device random;
  newest = (newest / kIncarnationStep + 1) * kIncarnationStep + random() % kIncarnationStep;
  reply = {.job = job_->name(),
           .incarnation = newest,
           .term = state.term,
           .heartbeat_seconds = settings.heartbeat_seconds,
           .wait_seconds = settings.wait_seconds,
           .is_served = state.present.contains(host) && !state.silent_hosts.contains(host),
           .directory = settings.directory,
           .run_dir = settings.run_dir,
           .checkpoints = settings.checkpoints};
  return to_text(reply);
}

JobDesk::Answer JobDesk::heartbeat(const Peer& peer, std::string_view request) {
  const Heartbeat heartbeat = parse_heartbeat(request);
  if (const auto imposture = find_imposture(peer, heartbeat.host)) return refuse(*imposture);
  if (job_) return to_text(job_->heartbeat(heartbeat));
  return answer_without_job(heartbeat);
}

JobDesk::Answer JobDesk::submit(std::string_view request) {
  DriverSettings job = parse_driver_settings(request);
  job.session_key = options_.session_key;
  if (const auto fault = find_fault_of(job, run_)) return refuse(*fault);
  if (lost_ && lost_->submitted)
    return to_text(SubmitReply{.job = record_.job().name, .was_running = true});
  if (runs()) {
    if (job == job_->settings())
      return to_text(SubmitReply{.job = job_->name(), .was_running = true});
    return refuse(
        fmt::format("job {} runs here already, with other settings: wait until it ends, or stop it "
                    "(megascale stop)",
                    job_->name()));
  }
  job_.reset();
  record_.begin_session(to_text(job));
  if (lost_) {
    lost_->submitted = monotonic_ns();
    if (!lost_->name.empty()) begin_lost_job();
    return to_text(SubmitReply{.job = record_.job().name});
  }
  job_.emplace(run_, record_, say_, Driver::Tenure{.term = options_.term});
  say_(fmt::format("job {}: {} ranks on {} hosts", job_->name(), job.world_size, job.hosts));
  return to_text(SubmitReply{.job = job_->name()});
}

JobDesk::Answer JobDesk::block(const Peer& peer, std::string_view request) {
  const BlockRequest block = parse_block_request(request);
  if (!runs()) return refuse("no job runs here");
  std::vector<std::string> known;
  for (const Node& node : record_.nodes()) known.push_back(node.host);
  if (std::find(known.begin(), known.end(), block.host) == known.end()) {
    return refuse(fmt::format("expected a host that has joined the job ({}), found {}",
                              fmt::join(known, ", "), block.host));
  }
  if (block.allow) {
    job_->allow(block.host);
  } else {
    job_->block(block.host, fmt::format("{} asked for it{}{}", who(peer),
                                        block.why.empty() ? "" : ": ", block.why));
  }
  return std::string("{}");
}

JobDesk::Answer JobDesk::stop(const Peer& peer) {
  if (!runs()) return refuse("no job runs here");
  say_(fmt::format("{} stops the job", who(peer)));
  job_->request_stop();
  return std::string("{}");
}

JobDesk::Answer JobDesk::status(std::string_view request) {
  const bool with_ports = parse_status_request(request).with_ports;
  if (record_.job().settings.empty()) return refuse("no job was submitted yet");
  const JobStatus status = read_status(record_, monotonic_ns());
  Json json = to_json(status);
  if (with_ports) json["ports"] = read_ports(run_.path(), status.present);
  return to_text(json);
}

void JobDesk::tick() {
  const std::lock_guard lock(mutex_);
  if (job_) return job_->tick();
  if (lost_) look_after_lost_job();
}

std::optional<JobEnd> JobDesk::end() {
  const std::lock_guard lock(mutex_);
  if (!job_ || !job_->is_done()) return std::nullopt;
  return job_->state().end;
}

std::optional<std::string> JobDesk::replaced() {
  const std::lock_guard lock(mutex_);
  return job_ ? job_->replaced() : std::nullopt;
}

}  // namespace megascale::control
