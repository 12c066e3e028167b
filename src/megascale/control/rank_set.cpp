// Every rank has three pipes: stdout, stderr, and the report of launch/executor_report.h. A process
// that ends makes its pidfd readable, so no polling is needed to see it.
#include "megascale/control/rank_set.h"

#include <sys/wait.h>

#include <algorithm>
#include <cmath>

#include "megascale/base/clock.h"
#include "megascale/base/run_directory.h"
#include "megascale/comm/store/embedded/server.h"
#include "megascale/comm/ucx/segment_folder.h"
#include "megascale/control/json_fields.h"
#include "megascale/control/keywords.h"
#include "megascale/control/oom_watch.h"
#include "megascale/launch/executor_report.h"
#include "megascale/launch/process_state.h"
#include "megascale/launch/rank_environment.h"
#include "megascale/launch/spawn.h"
#include "megascale/observe/outcome_reader.h"
#include "megascale/observe/ring_head.h"
#include "megascale/train/epoch_record.h"

namespace megascale::control {
namespace {

constexpr std::size_t kFindingsKept = 32;  // the newest ones
// A rank that is idle for longer tells where it stands. Far less than what counts as frozen, and
// longer than most tasks.
constexpr double kIdleWithPosition = 0.5;  // seconds
// In the positions of all ranks of a heartbeat: some 500 kB of text.
constexpr std::size_t kMostNumbers = 1 << 16;
constexpr std::size_t kMostOutcomes = 4096;  // of all ranks in a heartbeat: some 400 kB of text

double seconds_since(std::int64_t then_ns, std::int64_t now_ns) {
  return static_cast<double>(std::max<std::int64_t>(now_ns - then_ns, 0)) * 1e-9;
}

// Adds the outcomes of steps that were not told. If they are many, only those of steps whose number
// is divisible by a power of two are told, so that all hosts choose the same steps; but always the
// newest one, and those whose result is not finite.
void add_outcomes(const observe::Outcomes& outcomes, std::size_t ranks, RankReport& report) {
  if (outcomes.steps.empty() ||
      outcomes.process_id != static_cast<std::uint32_t>(report.process_id))
    return;
  const std::size_t most = std::clamp<std::size_t>(kMostOutcomes / ranks, 4, 64);
  std::int64_t stride = 1;
  while (outcomes.steps.size() / static_cast<std::size_t>(stride) > most) stride *= 2;
  std::size_t strange = 0;
  for (const StepOutcome& outcome : outcomes.steps) {
    const bool is_strange = !std::isfinite(outcome.loss) || !std::isfinite(outcome.gradient_norm);
    if (outcome.step % stride == 0 || outcome.step == outcomes.steps.back().step ||
        (is_strange && ++strange <= most))
      report.outcomes.push_back(outcome);
  }
  report.plan = outcomes.plan;
  report.groups.assign(outcomes.groups.begin(), outcomes.groups.end());
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
  std::int64_t told_step = -1;            // outcomes up to this step were reported
  std::optional<observe::RingHead> head;  // of its ring, as it was last seen
  OomWatch memory;
  bool out_of_memory = false;
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
  if (order.first_rank == 0) train::EpochRecord::add(RunDirectory(options_.run_dir), order.epoch);
  store_.reset();  // before fork(): its thread ends
  store_is_for_others_ = order.ranks < order.world_size;
  comm::StoreAddress address;
  if (order.rendezvous.store.empty()) {
    const std::int64_t restarts = order.epoch - 1;
    secret_ = comm::JobSecret::random();
    comm::StoreServerOptions options;  // on a free port of the loopback address
    if (!order.listen.empty()) options.address.host = order.listen;
    options.secret = secret_;
    options.job = std::string(launch::RankEnvironment::kJob) + "#" + std::to_string(restarts);
    store_ = std::make_unique<comm::StoreServer>(options);
    address = store_->address();
  } else {
    secret_ = comm::JobSecret(order.rendezvous.secret);
    address = comm::parse_store_address(order.rendezvous.store);
  }
  for (std::uint32_t i = 0; i < order.ranks; ++i) start_rank(order, order.first_rank + i, address);
  if (store_) store_->start();
}

Rendezvous RankSet::rendezvous() const {
  if (!store_ || !store_is_for_others_) return {};
  return {.store = comm::to_string(store_->address()), .secret = std::string(secret_.text())};
}

void RankSet::start_rank(const Order& order, std::uint32_t number,
                         const comm::StoreAddress& store) {
  LinePipe out = make_line_pipe(), err = make_line_pipe(), report = make_line_pipe();
  launch::RankEnvironment environment({.rank = number,
                                       .world_size = order.world_size,
                                       .restarts = order.epoch - 1,
                                       .local_rank = number - order.first_rank,
                                       .local_world_size = order.ranks},
                                      store, secret_);
  environment.set(launch::kReportVariable, std::to_string(report.writer.get()));
  environment.set(launch::kLoadLimitVariable,
                  order.load_at_most < 0 ? "" : std::to_string(order.load_at_most));
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
  for (const Rank& rank : ranks_) {  // a stopped process would take its SIGTERM when it goes on
    if (!rank.ended && is_stopped(rank)) (void)::kill(-rank.process, SIGKILL);
  }
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
      if (auto copies = launch::copies_in(line)) copies_ = *std::move(copies);
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
  rank.out_of_memory =
      WIFSIGNALED(rank.status) && WTERMSIG(rank.status) == SIGKILL && rank.memory.has_grown();
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

std::map<std::uint32_t, pid_t> RankSet::processes() const {
  std::map<std::uint32_t, pid_t> processes;
  for (const Rank& rank : ranks_) {
    if (!rank.ended) processes.emplace(rank.number, rank.process);
  }
  return processes;
}

std::vector<RankReport> RankSet::report(std::int64_t now_ns) {
  std::vector<RankReport> reports;
  std::size_t numbers = 0;
  for (Rank& rank : ranks_) {
    reports.push_back(report_of(rank, now_ns));
    auto& position = reports.back().position;
    if (!position) continue;
    const std::size_t more =
        position->done.size() + position->started.size() + position->matched.size();
    numbers += more;
    if (more > kMostItems || numbers > kMostNumbers) position.reset();
  }
  return reports;
}

bool RankSet::is_stopped(const Rank& rank) const {
  return launch::process_state(options_.host, static_cast<std::uint32_t>(rank.process)) ==
         launch::ProcessState::stopped;
}

RankReport RankSet::report_of(Rank& rank, std::int64_t now_ns) const {
  RankReport report{.rank = rank.number, .process_id = rank.process};
  if (rank.ended) {
    report.state = RankState::ended;
    if (WIFEXITED(rank.status)) report.exit_code = WEXITSTATUS(rank.status);
    if (WIFSIGNALED(rank.status)) report.signal = WTERMSIG(rank.status);
    report.out_of_memory = rank.out_of_memory;
  } else {
    if (is_stopped(rank)) report.state = RankState::stopped;
    rank.memory.note(rank.process);
  }
  report.end_number = rank.end_number;
  report.resumed_step = rank.resumed_step;
  std::int64_t last_ns = std::max(rank.started_ns, rank.resumed_ns);
  const std::filesystem::path path = RunDirectory(options_.run_dir).ring(rank.number);
  const auto ring = observe::read_ring_head(path);
  // The ring of an earlier process may still be there.
  const bool is_own = ring && ring->process_id == static_cast<std::uint32_t>(rank.process) &&
                      rank.resumed_step >= 0;
  // A rank replaces its ring when its batch grows. Until the new one tells of a step, the old one
  // counts: a rank without steps would look frozen.
  if (is_own && (ring->steps_done >= 0 || !rank.head)) rank.head = *ring;
  if (rank.head) {
    report.steps_done = rank.head->steps_done;
    report.tasks_done = rank.head->tasks_done;
    report.in_step = rank.head->in_step;
    report.step_seconds = static_cast<double>(rank.head->step_ns) * 1e-9;
    last_ns = std::max(last_ns, rank.head->last_ns);
  }
  if (is_own) {
    add_outcomes(observe::read_outcomes(path, rank.told_step), ranks_.size(), report);
    if (!report.outcomes.empty()) rank.told_step = report.outcomes.back().step;
  }
  report.idle_seconds = seconds_since(last_ns, now_ns);
  if (report.steps_done >= 0 && report.idle_seconds > kIdleWithPosition)
    report.position = observe::read_rank_position(path);
  return report;
}

}  // namespace megascale::control
