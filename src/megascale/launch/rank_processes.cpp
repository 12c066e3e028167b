// Forks one child per rank with the environment variables of a launcher (RANK, WORLD_SIZE, ...),
// then waits with sigtimedwait(): all relevant signals are blocked, so SIGCHLD, SIGTERM and a
// deadline are handled in one loop without signal handlers.
#include "megascale/launch/rank_processes.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <optional>

#include "megascale/base/error.h"
#include "megascale/comm/store/embedded/server.h"
#include "megascale/comm/ucx/ucx_worker.h"
#include "megascale/launch/rank_environment.h"
#include "megascale/launch/spawn.h"

namespace megascale::launch {
namespace {

using Clock = std::chrono::steady_clock;

// After a rank has failed, each further end of a rank gives the remaining ones this much time.
constexpr std::chrono::seconds kGrace{4};

// The exit code of a job that Ctrl-C has ended, as shells count: 128 + SIGINT.
constexpr int kInterrupted = 130;

std::string describe(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("ended with exit code {}", WEXITSTATUS(status));
  return fmt::format("was ended by signal {} ({})", WTERMSIG(status),
                     ::strsignal(WTERMSIG(status)));
}

class RankProcesses {
 public:
  // From now on SIGTERM, SIGINT, SIGHUP and SIGCHLD are blocked and handled one by one in wait(). A
  // SIGHUP that this process ignores stays ignored. Ranks start with the signal mask of before.
  explicit RankProcesses(const std::function<void(const std::string&)>& on_message)
      : on_message_(on_message) {
    sigemptyset(&taken_);
    for (const int signal : {SIGTERM, SIGINT, SIGCHLD}) sigaddset(&taken_, signal);
    struct sigaction action {};
    if (::sigaction(SIGHUP, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
      sigaddset(&taken_, SIGHUP);
    ::sigprocmask(SIG_BLOCK, &taken_, &before_);
  }
  RankProcesses(const RankProcesses&) = delete;
  RankProcesses& operator=(const RankProcesses&) = delete;
  ~RankProcesses() {
    for (Child& child : children_) {
      if (child.ended) continue;
      (void)::kill(child.pid, SIGKILL);
      (void)::waitpid(child.pid, nullptr, 0);
    }
  }

  void start(const std::vector<std::string>& arguments, RankEnvironment environment) {
    children_.push_back(
        {.pid = spawn(
             {.arguments = arguments, .environment = environment.get(), .blocked = &before_})});
  }

  void wait() {
    while (take_ended()) {
      const timespec pause = until_deadline();
      const int signal = ::sigtimedwait(&taken_, nullptr, &pause);
      if (signal > 0 && signal != SIGCHLD) pass_on(signal);
      if (deadline_ && Clock::now() >= *deadline_) kill_the_rest();
    }
  }

  [[nodiscard]] RanksEnd end() const {
    RanksEnd end{.first_rank_exited = WIFEXITED(children_.front().status)};
    if (!first_failed_) return end;
    const Child& first = children_[*first_failed_];
    end.error = fmt::format("rank {} (process {}) {}, the first of {} ranks to fail",
                            *first_failed_, first.pid, describe(first.status), children_.size());
    on_message_(end.error);
    end.exit_code = WIFEXITED(first.status) && WEXITSTATUS(first.status) == 2 ? 2 : 1;
    if (interrupts_ > 0) end.exit_code = kInterrupted;
    return end;
  }

 private:
  struct Child {
    pid_t pid = -1;
    bool ended = false;
    int status = 0;
  };

  // Records the children that have ended. Returns false if no child is left.
  bool take_ended() {
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      const auto child = std::find_if(children_.begin(), children_.end(),
                                      [&](const Child& one) { return one.pid == pid; });
      if (child == children_.end()) continue;
      child->ended = true;
      child->status = status;
      if (status != 0 && !first_failed_) first_failed_ = child - children_.begin();
      if (first_failed_) deadline_ = Clock::now() + kGrace;
    }
    return std::any_of(children_.begin(), children_.end(),
                       [](const Child& child) { return !child.ended; });
  }

  [[nodiscard]] timespec until_deadline() const {
    const auto left =
        deadline_ ? *deadline_ - Clock::now() : Clock::duration(std::chrono::hours(1));
    const auto ns = std::max<std::int64_t>(std::chrono::nanoseconds(left).count(), 0);
    return {.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
  }

  // Every rank of a terminal's job gets Ctrl-C from the terminal too, so the ranks count only
  // SIGINT, and SIGTERM is what they get from here.
  void pass_on(int signal) {
    if (signal == SIGINT) ++interrupts_;
    send_all(signal == SIGINT && interrupts_ > 1 ? SIGKILL : SIGTERM);
  }

  void send_all(int signal) {
    for (const Child& child : children_) {
      if (!child.ended) (void)::kill(child.pid, signal);
    }
  }

  void kill_the_rest() {
    for (std::size_t rank = 0; rank < children_.size(); ++rank) {
      if (children_[rank].ended) continue;
      on_message_(fmt::format("rank {} (process {}) has not ended {} s after the others; killed",
                              rank, children_[rank].pid, kGrace.count()));
    }
    send_all(SIGKILL);
    deadline_.reset();
  }

  const std::function<void(const std::string&)>& on_message_;
  sigset_t taken_, before_;
  std::vector<Child> children_;  // by rank
  int interrupts_ = 0;           // SIGINTs so far
  std::optional<std::ptrdiff_t> first_failed_;
  std::optional<Clock::time_point> deadline_;
};

}  // namespace

RanksEnd run_rank_processes(std::uint32_t ranks,
                            const std::function<void(const std::string&)>& on_message) {
  if (!comm::ucx_is_available())
    throw Error(ErrorCode::unsupported,
                "--processes: this binary was built without UCX; install libucx-dev and build "
                "again, or run the ranks as threads (without --processes)");
  const std::vector<std::string> arguments = own_command_line();
  RankProcesses processes(on_message);
  const comm::JobSecret secret = comm::JobSecret::random();
  comm::StoreServerOptions options;  // on a free port of the loopback address
  options.secret = secret;
  options.job = fmt::format("{}#0", RankEnvironment::kJob);
  comm::StoreServer store(options);
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    processes.start(arguments, RankEnvironment(RankEnvironment::on_one_host(rank, ranks),
                                               store.address(), secret));
  store.start();
  processes.wait();
  return processes.end();
}

}  // namespace megascale::launch
