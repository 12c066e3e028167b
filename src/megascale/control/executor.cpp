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
#include "megascale/launch/process_state.h"

namespace megascale::control {
namespace {

constexpr std::int64_t kMillisecondNs = 1'000'000;
// Also without an event the loop looks at deadlines so often.
constexpr std::int64_t kLongestWaitNs = 100 * kMillisecondNs;
constexpr std::size_t kCheckpointsTold = 16;  // the newest ones

// The exit code of a job that Ctrl-C has ended, as shells count: 128 + SIGINT.
constexpr std::int32_t kInterrupted = 130;
// Bad usage or refused, as exit codes of commands say.
constexpr std::int32_t kRefused = 2;

HostFacts read_facts() {
  struct sysinfo info {};
  (void)::sysinfo(&info);
  return {.cores = std::thread::hardware_concurrency(),
          .memory_bytes = std::uint64_t{info.totalram} * info.mem_unit};
}

// The steps of the committed checkpoints, the newest ones; none if the directory cannot be read now.
std::vector<std::int64_t> committed_steps(const std::filesystem::path& directory) {
  std::vector<std::int64_t> steps;
  if (directory.empty()) return steps;
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
      logs_(options_.run_dir),
      ranks_({.run_dir = options_.run_dir,
              .host = launch::own_host_name(),
              .program = options_.program,
              .blocked = options_.blocked,
              .on_line =
                  [this](std::uint32_t rank, std::string_view line) {
                    errors_.add(line);
                    logs_.add(rank, gate_.epoch(), line);
                  }}),
      checks_({.run_dir = options_.run_dir, .host = options_.host, .program = options_.program}),
      stalls_(RunDirectory(options_.run_dir).metrics()),
      ports_(options_.run_dir, "host-" + options_.host, options_.host),
      facts_(read_facts()) {}

ExecutorEnd Executor::run() {
  for (;;) {
    const std::int64_t now_ns = monotonic_ns();
    link_.service(now_ns);
    if (auto refused = take_replies(now_ns)) {
      refused->term = options_.term;
      return std::move(*refused);
    }
    urgent_ = ranks_.take(now_ns) || urgent_;
    urgent_ = checks_.take(now_ns) || urgent_;
    take_signals();
    errors_.flush();
    if (auto found = find_end()) {
      if (options_.is_one_of_several) say_farewell();
      return std::move(*found);
    }
    if (const auto why = link_.hopeless(); why && !ranks_.any_left())
      throw Error(ErrorCode::failed, *why);
    if ((urgent_ || now_ns >= next_beat_ns_) && link_.ready()) beat(now_ns);
    wait(now_ns);
  }
}

std::optional<ExecutorEnd> Executor::take_replies(std::int64_t now_ns) {
  while (const auto reply = link_.receive()) {
    options_.term = std::max(options_.term, reply->term);
    if (reply->refusal == Refusal::leave || reply->refusal == Refusal::restart) {
      ranks_.kill_all();
      // One that was replaced must not be started again by its supervisor: it would replace the other.
      return ExecutorEnd{.exit_code = reply->refusal == Refusal::leave ? kRefused : 1,
                         .refusal = reply->refusal,
                         .error = "the driver refuses this executor: " + reply->refused,
                         .output = {}};
    }
    for (const Order& order : reply->orders) carry_out(order, now_ns);
  }
  return std::nullopt;
}

std::optional<ExecutorEnd> Executor::find_end() {
  if (release_ && !ranks_.any_left()) return end();
  if (interrupts_ > 1) {
    ranks_.kill_all();
    return ExecutorEnd{.exit_code = kInterrupted,
                       .stopped = true,
                       .error = "interrupted again: nothing more is saved",
                       .output = {}};
  }
  // A spare, or a host whose ranks have not been started.
  if (options_.is_one_of_several && stop_requested_ && gate_.epoch() == 0) {
    leaving_ = true;
    return ExecutorEnd{.stopped = true, .error = {}, .output = {}};
  }
  return std::nullopt;
}

// The driver waits for the acknowledgement of a release, and need not wait for an executor that
// leaves. If the driver is away, so be it.
void Executor::say_farewell() {
  constexpr std::int64_t kLimitNs = 2'000 * kMillisecondNs;
  const std::int64_t begin_ns = monotonic_ns();
  bool said = false;
  for (std::int64_t now_ns = begin_ns; now_ns - begin_ns < kLimitNs; now_ns = monotonic_ns()) {
    link_.service(now_ns);
    while (link_.receive()) {
    }
    if (link_.ready() && said) return;
    if (link_.ready()) {
      beat(now_ns);
      said = true;
    }
    wait(now_ns);
  }
}

void Executor::wait(std::int64_t now_ns) {
  std::vector<pollfd> descriptors;
  ranks_.add_to(descriptors);
  checks_.add_to(descriptors);
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

// This process listens for the store only.
void Executor::look_at_ports(std::int64_t now_ns) {
  std::vector<WatchedProcess> processes{{.process = ::getpid(), .purpose = "store"}};
  for (const auto& [rank, process] : ranks_.processes())
    processes.push_back({.process = process, .purpose = "data", .rank = rank});
  ports_.look(processes, now_ns);
}

void Executor::beat(std::int64_t now_ns) {
  look_at_ports(now_ns);
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
          .term = options_.term,
          .epoch = gate_.epoch(),
          .acknowledged = gate_.acknowledged(),
          .stop_requested = stop_requested_ && !leaving_,
          .leaving = leaving_,
          .address = options_.address,
          .rendezvous = ranks_.rendezvous(),
          .facts = facts_,
          .ranks = std::move(ranks),
          .findings = ranks_.findings(),
          .interfaces = read_interface_counters(),
          .checkpoints = committed_steps(options_.checkpoints),
          .copies = committed_steps(ranks_.copies()),
          .stall_seconds = resumed ? stalls_.read() : 0,
          .check = checks_.result()};
}

void Executor::carry_out(const Order& order, std::int64_t now_ns) {
  const bool admitted = gate_.admits(order);
  gate_.done(order);  // a stale order is not asked for again either
  if (!admitted) return;
  urgent_ = true;
  switch (order.kind) {
    case OrderKind::check:
      ranks_.kill_all();  // of an attempt that is over
      checks_.start(order, now_ns);
      break;
    case OrderKind::start:
      checks_.cancel();
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
    case OrderKind::save:
      ranks_.send(SIGTERM);
      break;
    case OrderKind::release:
      release_ = order;
      checks_.cancel();
      ranks_.kill_all();
      break;
  }
}

ExecutorEnd Executor::end() const {
  ExecutorEnd end{.exit_code = release_->exit_code,
                  .term = options_.term,
                  .stopped = stop_requested_,
                  .error = release_->text,
                  .output = ranks_.last_output()};
  if (end.exit_code != 0 && interrupts_ > 0) end.exit_code = kInterrupted;
  return end;
}

}  // namespace megascale::control
