#include "megascale/control/check_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include <algorithm>

#include "megascale/base/error.h"
#include "megascale/base/run_directory.h"
#include "megascale/control/json_fields.h"
#include "megascale/diagnose/report_text.h"
#include "megascale/launch/rank_environment.h"
#include "megascale/launch/spawn.h"

namespace megascale::control {
namespace {

constexpr std::size_t kMostTextInResult = 2000;  // a heartbeat takes longer texts

}  // namespace

CheckRun::CheckRun(Options options) : options_(std::move(options)) {}

std::filesystem::path CheckRun::report() const {
  return RunDirectory(options_.run_dir).control() / "checks" / (options_.host + ".json");
}

void CheckRun::start(const Order& order, std::int64_t now_ns) {
  cancel();
  order_ = order.number;
  end_ns_ = now_ns + static_cast<std::int64_t>(options_.limit_seconds * 1e9);
  const auto baselines = RunDirectory(options_.run_dir).control() / "baselines";
  try {
    make_directories(report().parent_path());
    make_directories(baselines);
    std::filesystem::remove(report());
    std::vector<std::string> arguments{"megascale",
                                       "diagnose",
                                       options_.run_dir.string(),
                                       "--baseline",
                                       (baselines / (options_.host + ".json")).string(),
                                       "--report",
                                       report().string()};
    arguments.insert(arguments.end(), order.arguments.begin(), order.arguments.end());
    // The child is alone, also if a launcher has started this process.
    launch::RankEnvironment environment({.rank = 0, .world_size = 1, .local_world_size = 1}, {},
                                        comm::JobSecret::random());
    const FileHandle nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    process_ = launch::spawn({.arguments = arguments,
                              .environment = environment.get(),
                              .out = nowhere.get(),
                              .err = nowhere.get(),
                              .leads_group = true,
                              .program = options_.program});
    pidfd_ = launch::watch_process(process_);
  } catch (const std::exception& error) {
    cancel();
    result_ = {.order = order_,
               .text = fmt::format("the self-checks cannot start: {}", error.what())
                           .substr(0, kMostTextInResult)};
  }
}

void CheckRun::cancel() {
  if (process_ < 0) return;
  (void)::kill(-process_, SIGKILL);
  (void)::kill(process_, SIGKILL);  // the group may not exist yet
  (void)::waitpid(process_, nullptr, 0);
  process_ = -1;
  pidfd_ = FileHandle();
}

bool CheckRun::take(std::int64_t now_ns) {
  if (process_ < 0) return false;
  int status = 0;
  if (::waitpid(process_, &status, WNOHANG) == process_) {
    process_ = -1;
    pidfd_ = FileHandle();
    result_ = read_result(status);
    return true;
  }
  if (now_ns < end_ns_) return false;
  cancel();
  result_ = {
      .order = order_,
      .text = fmt::format("the self-checks did not end within {} s", options_.limit_seconds)};
  return true;
}

CheckResult CheckRun::read_result(int status) const {
  CheckResult result{.order = order_};
  try {
    const Parsed json = parse_object(read_text(report()), "the report of the self-checks");
    const auto host = diagnose::parse_host_report(json.at("hosts").at(0).dump());
    result.passed = status == 0 && host.passed();
    result.text = host.failures().substr(0, kMostTextInResult);
    result.kind = host.compute_kind;
    result.digest = host.compute_digest;
    if (!result.passed && result.text.empty()) result.text = "the self-checks failed";
  } catch (const std::exception& error) {
    const std::string end = WIFSIGNALED(status)
                                ? fmt::format("were ended by signal {} ({})", WTERMSIG(status),
                                              ::strsignal(WTERMSIG(status)))
                                : fmt::format("ended with exit code {}", WEXITSTATUS(status));
    result.passed = false;
    result.text = fmt::format("the self-checks {} and left no report: {}", end, error.what())
                      .substr(0, kMostTextInResult);
  }
  return result;
}

void CheckRun::add_to(std::vector<pollfd>& descriptors) const {
  if (process_ >= 0) descriptors.push_back({pidfd_.get(), POLLIN, 0});
}

}  // namespace megascale::control
