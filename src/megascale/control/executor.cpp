// One loop over poll(): ends of ranks, their output, replies, signals and the next heartbeat.
#include "megascale/control/executor.h"

#include <fmt/format.h>
#include <sys/signalfd.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "megascale/base/clock.h"
#include "megascale/base/error.h"
#include "megascale/base/run_directory.h"
#include "megascale/checkpoint/open.h"

namespace megascale::control {
namespace {

constexpr std::int64_t kMillisecondNs = 1'000'000;
// Also without an event the loop looks at deadlines so often.
constexpr std::int64_t kLongestWaitNs = 100 * kMillisecondNs;
constexpr std::size_t kCheckpointsTold = 16;  // the newest ones

// The exit code of a job that Ctrl-C has ended, as shells count: 128 + SIGINT.
constexpr std::int32_t kInterrupted = 130;

HostFacts read_facts() {
  struct sysinfo info {};
  (void)::sysinfo(&info);
  return {.cores = std::thread::hardware_concurrency(),
          .memory_bytes = std::uint64_t{info.totalram} * info.mem_unit};
}

// The steps of the committed checkpoints, the newest ones; none if the directory cannot be read now.
std::vector<std::int64_t> committed_steps(const std::filesystem::path& directory) {
  std::vector<std::int64_t> steps;
  try {
    for (const checkpoint::Entry& entry : checkpoint::list(directory).checkpoints) {
      if (steps.size() < kCheckpointsTold) steps.push_back(entry.step);
    }
  } catch (const Error&) {
    return {};
  }
  return steps;
}

}  // namespace

Executor::Executor(Options options, Link& link)
    : options_(std::move(options)),
      link_(link),
      errors_(STDERR_FILENO),
      ranks_({.run_dir = options_.run_dir,
              .host = options_.host,
              .program = options_.program,
              .blocked = options_.blocked,
              .on_line = [this](std::uint32_t, std::string_view line) { errors_.add(line); }}),
      stalls_(RunDirectory(options_.run_dir).metrics()),
      facts_(read_facts()) {}

ExecutorEnd Executor::run() {
  for (;;) {
    const std::int64_t now_ns = monotonic_ns();
    link_.service(now_ns);
    while (const auto reply = link_.receive()) {
      if (!reply->refused.empty())
        throw Error(ErrorCode::failed, "the driver refuses this executor: " + reply->refused);
      for (const Order& order : reply->orders) carry_out(order, now_ns);
    }
    urgent_ = ranks_.take(now_ns) || urgent_;
    take_signals();
    errors_.flush();
    if (release_ && !ranks_.any_left()) return end();
    if (interrupts_ > 1) {
      ranks_.kill_all();
      return {.exit_code = kInterrupted,
              .error = "interrupted again: nothing more is saved",
              .output = {}};
    }
    if (const auto why = link_.hopeless(); why && !ranks_.any_left())
      throw Error(ErrorCode::failed, *why);
    if ((urgent_ || now_ns >= next_beat_ns_) && link_.ready()) beat(now_ns);
    wait(now_ns);
  }
}

void Executor::wait(std::int64_t now_ns) {
  std::vector<pollfd> descriptors;
  ranks_.add_to(descriptors);
  link_.add_to(descriptors);
  errors_.add_to(descriptors);
  if (options_.signals >= 0) descriptors.push_back({options_.signals, POLLIN, 0});
  std::int64_t until_ns = now_ns + kLongestWaitNs;
  if (link_.ready()) until_ns = std::min(until_ns, next_beat_ns_);
  if (const auto deadline = ranks_.deadline_ns()) until_ns = std::min(until_ns, *deadline);
  const std::int64_t left = std::max<std::int64_t>(until_ns - now_ns, 0);
  (void)::poll(descriptors.data(), descriptors.size(),
               static_cast<int>((left + kMillisecondNs - 1) / kMillisecondNs));
}

void Executor::take_signals() {
  signalfd_siginfo signal{};
  while (options_.signals >= 0 &&
         ::read(options_.signals, &signal, sizeof signal) == static_cast<ssize_t>(sizeof signal)) {
    if (signal.ssi_signo == SIGINT) ++interrupts_;
    stop_requested_ = true;
    urgent_ = true;
    ranks_.send(SIGTERM);  // at once, also if the driver is down
  }
}

void Executor::beat(std::int64_t now_ns) {
  link_.send(heartbeat(now_ns), now_ns);
  urgent_ = false;
  next_beat_ns_ = now_ns + static_cast<std::int64_t>(options_.heartbeat_seconds * 1e9);
}

Heartbeat Executor::heartbeat(std::int64_t now_ns) {
  auto ranks = ranks_.report(now_ns);
  const bool resumed = !ranks.empty() && ranks.front().resumed_step >= 0;
  if (resumed && !resumed_) stalls_.begin();
  resumed_ = resumed;
  return {.job = options_.job,
          .host = options_.host,
          .incarnation = options_.incarnation,
          .sequence = ++sequence_,
          .epoch = gate_.epoch(),
          .acknowledged = gate_.acknowledged(),
          .stop_requested = stop_requested_,
          .facts = facts_,
          .ranks = std::move(ranks),
          .findings = ranks_.findings(),
          .checkpoints = committed_steps(options_.checkpoints),
          .stall_seconds = resumed ? stalls_.read() : 0};
}

void Executor::carry_out(const Order& order, std::int64_t now_ns) {
  const bool admitted = gate_.admits(order);
  gate_.done(order);  // a stale order is not asked for again either
  if (!admitted) return;
  urgent_ = true;
  switch (order.kind) {
    case OrderKind::start:
      if (stop_requested_) {  // the epoch begins without ranks, and the driver ends the job
        Order none = order;
        none.ranks = 0;
        ranks_.start(none);
      } else {
        ranks_.start(order);
      }
      break;
    case OrderKind::stop:
      ranks_.stop(now_ns, order.grace_seconds);
      break;
    case OrderKind::release:
      release_ = order;
      ranks_.kill_all();
      break;
  }
}

ExecutorEnd Executor::end() const {
  ExecutorEnd end{
      .exit_code = release_->exit_code, .error = release_->text, .output = ranks_.last_output()};
  if (end.exit_code != 0 && interrupts_ > 0) end.exit_code = kInterrupted;
  return end;
}

}  // namespace megascale::control
