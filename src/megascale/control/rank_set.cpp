// Every rank has three pipes: stdout, stderr, and the report of launch/executor_report.h. A process
// that ends makes its pidfd readable, so no polling is needed to see it.
#include "megascale/control/rank_set.h"

#include <sys/wait.h>

#include <algorithm>

#include "megascale/base/clock.h"
#include "megascale/base/run_directory.h"
#include "megascale/comm/store/embedded/server.h"
#include "megascale/comm/ucx/segment_folder.h"
#include "megascale/control/keywords.h"
#include "megascale/launch/executor_report.h"
#include "megascale/launch/process_state.h"
#include "megascale/launch/rank_environment.h"
#include "megascale/launch/spawn.h"
#include "megascale/observe/ring_head.h"

namespace megascale::control {
namespace {

constexpr std::size_t kFindingsKept = 32;  // the newest ones

double seconds_since(std::int64_t then_ns, std::int64_t now_ns) {
  return static_cast<double>(std::max<std::int64_t>(now_ns - then_ns, 0)) * 1e-9;
}

}  // namespace

struct RankSet::Rank {
  std::uint32_t number = 0;
  pid_t process = -1;
  FileHandle pidfd;
  LineReader out, err, report;
  std::int64_t started_ns = 0, resumed_ns = 0, resumed_step = -1;
  bool ended = false;
  int status = 0;  // of waitpid()
  std::uint32_t end_number = 0;
  std::int64_t ended_ns = 0;
};

RankSet::RankSet(Options options) : options_(std::move(options)) {}

RankSet::~RankSet() { kill_all(); }

void RankSet::start(const Order& order) {
  kill_all();
  ranks_.clear();
  ends_ = 0;
  deadline_ns_.reset();
  findings_.clear();
  comm::SegmentFolder::remove_dead();
  const std::int64_t restarts = order.epoch - 1;
  secret_ = comm::JobSecret::random();
  comm::StoreServerOptions options;  // on a free port of the loopback address
  options.secret = secret_;
  options.job = std::string(launch::RankEnvironment::kJob) + "#" + std::to_string(restarts);
  store_.reset();  // before fork(): its thread ends
  store_ = std::make_unique<comm::StoreServer>(options);
  for (std::uint32_t i = 0; i < order.ranks; ++i) start_rank(order, order.first_rank + i);
  store_->start();
}

void RankSet::start_rank(const Order& order, std::uint32_t number) {
  LinePipe out = make_line_pipe(), err = make_line_pipe(), report = make_line_pipe();
  launch::RankEnvironment environment(
      {.rank = number, .world_size = order.world_size, .restarts = order.epoch - 1},
      store_->address(), secret_);
  environment.set(launch::kReportVariable, std::to_string(report.writer.get()));
  Rank& rank = ranks_.emplace_back();
  rank.number = number;
  rank.started_ns = monotonic_ns();
  rank.process = launch::spawn({.arguments = order.arguments,
                                .environment = environment.get(),
                                .blocked = options_.blocked,
                                .out = out.writer.get(),
                                .err = err.writer.get(),
                                .kept = report.writer.get(),
                                .leads_group = true,
                                .program = options_.program});
  rank.pidfd = launch::watch_process(rank.process);
  rank.out = std::move(out.reader);
  rank.err = std::move(err.reader);
  rank.report = std::move(report.reader);
}

void RankSet::stop(std::int64_t now_ns, double grace_seconds) {
  if (!any_left()) return;
  send(SIGTERM);
  deadline_ns_ = now_ns + static_cast<std::int64_t>(grace_seconds * 1e9);
}

void RankSet::send(int signal) const {
  for (const Rank& rank : ranks_) {
    // The group may not exist yet, if the process has only just been forked.
    if (!rank.ended && ::kill(-rank.process, signal) != 0) (void)::kill(rank.process, signal);
  }
}

void RankSet::kill_all() {
  send(SIGKILL);
  for (Rank& rank : ranks_) {
    if (rank.ended) continue;
    (void)::waitpid(rank.process, &rank.status, 0);
    rank.ended = true;
    rank.end_number = ++ends_;
  }
}

void RankSet::add_to(std::vector<pollfd>& descriptors) const {
  for (const Rank& rank : ranks_) {
    if (!rank.ended) descriptors.push_back({rank.pidfd.get(), POLLIN, 0});
    for (const LineReader* reader : {&rank.out, &rank.err, &rank.report}) {
      if (reader->descriptor() >= 0) descriptors.push_back({reader->descriptor(), POLLIN, 0});
    }
  }
}

bool RankSet::take(std::int64_t now_ns) {
  if (deadline_ns_ && now_ns >= *deadline_ns_) {
    send(SIGKILL);
    deadline_ns_.reset();
  }
  bool news = false;
  for (Rank& rank : ranks_) {
    const bool ends = take_end(rank, now_ns);
    rank.report.read([&](std::string_view line) {
      const auto step = launch::resumed_step_in(line);
      if (!step) return;
      rank.resumed_step = *step;
      rank.resumed_ns = now_ns;
      news = true;
    });
    const auto on_error_line = [&](std::string_view line) { take_line(rank.number, line); };
    const auto on_output = [&](std::string_view line) {
      if (rank.number == 0) last_output_ = line;
    };
    if (ends) {  // a process that the rank has started may hold the pipes open
      rank.out.finish(on_output);
      rank.err.finish(on_error_line);
      news = true;
    } else {
      rank.out.read(on_output);
      rank.err.read(on_error_line);
    }
  }
  return news;
}

bool RankSet::take_end(Rank& rank, std::int64_t now_ns) {
  siginfo_t info{};
  if (rank.ended ||
      ::waitid(P_PID, static_cast<id_t>(rank.process), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid != rank.process)
    return false;
  // What the rank has started itself. Its id, and so that of its group, is not free before waitpid().
  (void)::kill(-rank.process, SIGKILL);
  (void)::waitpid(rank.process, &rank.status, 0);
  rank.ended = true;
  rank.end_number = ++ends_;
  rank.ended_ns = now_ns;
  if (!any_left()) {
    deadline_ns_.reset();
    comm::SegmentFolder::remove_dead();
  }
  return true;
}

void RankSet::take_line(std::uint32_t rank, std::string_view line) {
  if (options_.on_line) options_.on_line(rank, line);
  const std::string_view keyword = keyword_in(line);
  if (keyword.empty()) return;
  findings_.push_back({.rank = rank, .keyword = std::string(keyword), .line = std::string(line)});
  if (findings_.size() > kFindingsKept) findings_.pop_front();
}

bool RankSet::any_left() const noexcept {
  return std::any_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return !rank.ended; });
}

std::vector<RankReport> RankSet::report(std::int64_t now_ns) const {
  std::vector<RankReport> reports;
  for (const Rank& rank : ranks_) reports.push_back(report_of(rank, now_ns));
  return reports;
}

RankReport RankSet::report_of(const Rank& rank, std::int64_t now_ns) const {
  RankReport report{.rank = rank.number, .process_id = rank.process};
  if (rank.ended) {
    report.state = RankState::ended;
    if (WIFEXITED(rank.status)) report.exit_code = WEXITSTATUS(rank.status);
    if (WIFSIGNALED(rank.status)) report.signal = WTERMSIG(rank.status);
  } else {
    const auto id = static_cast<std::uint32_t>(rank.process);
    if (launch::process_state(options_.host, id) == launch::ProcessState::stopped)
      report.state = RankState::stopped;
  }
  report.end_number = rank.end_number;
  report.resumed_step = rank.resumed_step;
  std::int64_t last_ns = std::max(rank.started_ns, rank.resumed_ns);
  const auto ring = observe::read_ring_head(RunDirectory(options_.run_dir).ring(rank.number));
  // The ring of an earlier process may still be there.
  if (ring && ring->process_id == static_cast<std::uint32_t>(rank.process) &&
      rank.resumed_step >= 0) {
    report.steps_done = ring->steps_done;
    report.tasks_done = ring->tasks_done;
    report.in_step = ring->in_step;
    report.step_seconds = static_cast<double>(ring->step_ns) * 1e-9;
    last_ns = std::max(last_ns, ring->last_ns);
  }
  report.idle_seconds = seconds_since(last_ns, now_ns);
  return report;
}

}  // namespace megascale::control
