#include "train/rank_processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "megascale/base/files.h"
#include "megascale/config/load.h"

namespace megascale::testing {
namespace {

constexpr const char* kAsRank = "--as-rank";
std::atomic<bool> stop_requested{false};

std::filesystem::path err_path(const std::filesystem::path& directory, std::uint32_t rank) {
  return directory / fmt::format("rank{}.err", rank);
}

// What the rank has read of the training data.
std::filesystem::path samples_path(const std::filesystem::path& directory, std::uint32_t rank) {
  return directory / fmt::format("rank{}.samples", rank);
}

// In the child: becomes a rank.
[[noreturn]] void become_rank(std::uint32_t rank, std::uint32_t ranks, const std::string& store,
                              const std::filesystem::path& directory, std::int64_t most_steps,
                              const ProcessFault& fault, const comm::JobSecret& secret) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const auto set = [](const char* name, const std::string& value) {
    ::setenv(name, value.c_str(), 1);
  };
  set("RANK", std::to_string(rank));
  set("WORLD_SIZE", std::to_string(ranks));
  set("LOCAL_RANK", std::to_string(rank));
  set("LOCAL_WORLD_SIZE", std::to_string(ranks));
  set("MEGASCALE_STORE", store);
  set("MEGASCALE_STORE_BY", "launcher");
  set("MEGASCALE_JOB_ID", "test");
  set("MEGASCALE_JOB_SECRET", std::string(secret.text()));
  const int err = ::open(err_path(directory, rank).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ::dup2(err, STDERR_FILENO);
  const std::string number = fault.rank == rank ? std::to_string(fault.number) : "-1",
                    signal = std::to_string(fault.signal), config = directory / "job.toml",
                    most = std::to_string(most_steps);
  ::execl("/proc/self/exe", "rank", kAsRank, config.c_str(), most.c_str(), number.c_str(),
          signal.c_str(), nullptr);
  ::_exit(127);
}

// As the program does: no handler may interrupt a kernel
// (docs/decisions/0004-no-signal-handlers.md).
void take_stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals] {
    int signal = 0;
    if (::sigwait(&signals, &signal) == 0) stop_requested.store(true);
  }).detach();
}

}  // namespace

RankProcesses::RankProcesses(const Config& config, const std::filesystem::path& directory,
                             std::int64_t most_steps, const ProcessFault& fault)
    : directory_(directory) {
  std::filesystem::create_directories(directory);
  write_text_atomically(directory / "job.toml", to_toml(config));
  const comm::JobSecret secret = comm::JobSecret::random();
  comm::StoreServerOptions options;
  options.secret = secret;
  options.job = "test#0";
  store_.emplace(options);
  const auto ranks = static_cast<std::uint32_t>(config.parallel.world_size);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      become_rank(rank, ranks, comm::to_string(store_->address()), directory, most_steps, fault,
                  secret);
    }
    children_.push_back(pid);
  }
  statuses_.resize(ranks);
  store_->start();
}

RankProcesses::~RankProcesses() {
  for (const pid_t child : children_) {
    if (child <= 0) continue;
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
}

void RankProcesses::wait_for(std::uint32_t rank) {
  int status = 0;
  ::waitpid(children_.at(rank), &status, WUNTRACED);
  if (WIFSTOPPED(status)) return;
  children_[rank] = 0;
  statuses_[rank] = status;
}

void RankProcesses::send(std::uint32_t rank, int signal) const {
  if (children_.at(rank) > 0) ::kill(children_[rank], signal);
}

std::vector<std::optional<RankEnd>> RankProcesses::wait(std::optional<std::uint32_t> except) {
  std::vector<std::optional<RankEnd>> ends(children_.size());
  for (std::uint32_t rank = 0; rank < children_.size(); ++rank) {
    if (rank == except && children_[rank] > 0) continue;
    if (children_[rank] > 0) ::waitpid(children_[rank], &statuses_[rank], 0);
    children_[rank] = 0;
    ends[rank] = RankEnd{statuses_[rank], read_text(err_path(directory_, rank))};
  }
  return ends;
}

Outcome run_as_processes(Laboratory& laboratory, const Settings& settings,
                         std::int64_t most_steps) {
  Outcome outcome{.checkpoints = laboratory.new_checkpoints()};
  const std::filesystem::path run_dir = outcome.checkpoints.parent_path();
  Settings all = settings;
  all.push_back("train.run_dir=" + run_dir.string());
  RankProcesses processes(laboratory.config(all), run_dir / "ranks", most_steps);
  for (const auto& end : processes.wait()) {
    if (end->status != 0) throw std::runtime_error("a rank failed: " + end->err);
  }
  std::istringstream lines(read_text(run_dir / "metrics.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const auto metrics = nlohmann::json::parse(line);
    outcome.losses.push_back(metrics.at("loss"));
    outcome.gradient_norms.push_back(metrics.at("grad_norm"));
    if (metrics.contains("validation_loss"))
      outcome.validation_losses.push_back(metrics["validation_loss"]);
  }
  for (std::uint32_t rank = 0; rank < processes.size(); ++rank)
    outcome.samples_read += std::stoll(read_text(samples_path(run_dir / "ranks", rank)));
  const checkpoint::Opened opened = checkpoint::open_path(outcome.checkpoints);
  outcome.tensors = read_tensors(opened);
  outcome.state = opened.state();
  return outcome;
}

std::optional<int> run_as_rank(int argc, char** argv) {
  if (argc != 6 || std::string_view(argv[1]) != kAsRank) return std::nullopt;
  try {
    take_stop_signals();
    const auto process = comm::ProcessLaunch::from_environment();
    const std::int64_t fault = std::atoll(argv[4]);
    const int signal = std::atoi(argv[5]);
    std::atomic<std::int64_t> started{0};
    train::TrainOptions options;
    options.on_step = [](const train::StepMetrics&, bool, double) {};
    options.on_message = [](const std::string&) {};
    options.most_steps = std::atoll(argv[3]);
    options.before_task = [&](std::uint32_t, std::uint32_t) {
      if (started++ == fault) ::raise(signal);
    };
    options.process = process ? &*process : nullptr;
    options.peak_flops = 1e9;  // nobody looks at the utilisation here
    options.stop = &stop_requested;
    const train::TrainResult result = train::train(load_config(argv[2], {}), options);
    if (process) {
      write_text_atomically(
          samples_path(std::filesystem::path(argv[2]).parent_path(), process->environment.rank),
          std::to_string(result.samples_read));
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

}  // namespace megascale::testing
