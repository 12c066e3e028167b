// Reads the clock, lets the state machine decide, stores, and then speaks.
#include "megascale/control/job_driver.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "megascale/base/clock.h"
#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/launch/process_state.h"

namespace megascale::control {
namespace {

// How often progress without a decision is stored, for `megascale status`.
constexpr std::int64_t kStoreNs = 2'000'000'000;

}  // namespace

JobDriver::JobDriver(RunDirectory run, JobRecord& record, Say say, Driver::Tenure tenure)
    : run_(std::move(run)), record_(record), say_(std::move(say)), culprits_(run_.config()) {
  record_.set_driver(launch::own_host_name(), ::getpid());
  job_ = record_.job();
  settings_ = parse_driver_settings(job_.settings);
  std::optional<DriverState> before;
  if (!job_.state.empty()) before = parse_driver_state(job_.state);
  // The clock of another session says nothing about this one.
  clock_ns_ = before && before->session == job_.session ? tenure.clock_ns : 0;
  tenure.clock_ns = clock_ns_;
  driver_.emplace(job_.name, job_.session, settings_, std::move(before), tenure);
  driver_->locate_by([this](const JobSight& sight) { return culprits_.find(sight); });
  settle(driver_->begin(now_ns()));
}

std::int64_t JobDriver::now_ns() const { return monotonic_ns() + clock_ns_; }

Reply JobDriver::heartbeat(const Heartbeat& heartbeat) {
  Reply reply = settle(driver_->heartbeat(heartbeat, now_ns()));
  if (state().phase == Phase::training) culprits_.prepare(settings_.world_size / settings_.hosts);
  return reply;
}
void JobDriver::tick() { settle(driver_->tick(now_ns())); }
void JobDriver::leave() { settle(driver_->leave(now_ns())); }
void JobDriver::block(const std::string& host, const std::string& why) {
  settle(driver_->block(host, why, now_ns()));
}
void JobDriver::allow(const std::string& host) { settle(driver_->allow(host, now_ns())); }
void JobDriver::request_stop() { settle(driver_->request_stop(now_ns())); }
bool JobDriver::is_done() const { return driver_->is_done(now_ns()); }

// Stores what an event has changed, then says it, and returns the reply.
Reply JobDriver::settle(Driver::Step step) {
  const std::int64_t now = now_ns();
  for (const Evidence& evidence : step.evidence) store(evidence);
  if (!step.change.empty() || now - stored_ns_ >= kStoreNs) {
    record_.commit(step.change, to_text(driver_->state()), now);
    stored_ns_ = now;
  }
  for (const std::string& message : step.messages) say_(message);
  return std::move(step.reply);
}

void JobDriver::store(const Evidence& evidence) {
  try {
    write_text_atomically(run_.incident(evidence.incident), evidence.text);
  } catch (const Error& error) {  // on a full disk the job must still recover
    say_(fmt::format("the evidence of incident {} is not kept: {}", evidence.incident,
                     error.message()));
  }
}

}  // namespace megascale::control
