#include "megascale/diagnose/host_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "megascale/base/core_binding.h"
#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/diagnose/baseline.h"
#include "megascale/diagnose/clock_check.h"
#include "megascale/diagnose/compute_check.h"
#include "megascale/diagnose/device_check.h"
#include "megascale/diagnose/disk_check.h"
#include "megascale/diagnose/exchange_check.h"
#include "megascale/diagnose/interface_check.h"
#include "megascale/diagnose/link_check.h"
#include "megascale/diagnose/memory_check.h"
#include "megascale/launch/process_state.h"

namespace megascale::diagnose {
namespace {

constexpr int kComputeRounds = 4;
constexpr int kRepeats = 2;
constexpr std::uint32_t kMostRanks = 16;

bool is_wanted(const HostOptions& options, std::string_view name) {
  return options.only.empty() ||
         std::find(options.only.begin(), options.only.end(), name) != options.only.end();
}

void require_known(const HostOptions& options) {
  const auto& known = check_names();
  for (const std::string& name : options.only) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw Error(ErrorCode::bad_usage, fmt::format("--only: unknown check {}; checks are {}", name,
                                                  fmt::join(known, ", ")));
  }
}

// Runs checks and judges them by the baseline.
class HostRun {
 public:
  HostRun(const HostOptions& options, HostReport& report, std::optional<Baseline> baseline)
      : options_(options), report_(report), baseline_(std::move(baseline)) {}

  void run(std::string_view name, const std::function<void(CheckReport&)>& check) {
    if (!is_wanted(options_, name)) return;
    CheckReport found = once(name, check);
    for (int i = 0; i < kRepeats && !has_rates(found); ++i) found = once(name, check);
    if (baseline_) judge_rates(*baseline_, options_.least_share, found);
    report_.checks.push_back(std::move(found));
  }
  [[nodiscard]] const std::optional<Baseline>& baseline() const noexcept { return baseline_; }

 private:
  CheckReport once(std::string_view name, const std::function<void(CheckReport&)>& check) const {
    CheckReport found = run_check(name, check);
    if (baseline_ && !report_.compute_digest.empty() && name == "compute")
      judge_digest(*baseline_, report_, found);
    return found;
  }
  // Whether a check that has passed also passes by its rates.
  [[nodiscard]] bool has_rates(const CheckReport& found) const {
    if (!baseline_ || found.outcome != CheckOutcome::passed) return true;
    CheckReport judged = found;
    judge_rates(*baseline_, options_.least_share, judged);
    return judged.outcome == CheckOutcome::passed;
  }

  const HostOptions& options_;
  HostReport& report_;
  std::optional<Baseline> baseline_;
};

}  // namespace

const std::vector<std::string_view>& check_names() {
  static const std::vector<std::string_view> names{"all_to_all", "compute", "memory", "links",
                                                   "interfaces", "devices", "disk",   "clock"};
  return names;
}

HostReport check_host(const HostOptions& options) {
  require_known(options);
  HostReport report{.host = launch::own_host_name(), .compute_kind = compute_kind(), .checks = {}};
  const ClockReading before = read_clocks();
  const auto file = options.baseline ? std::optional(baseline_file(*options.baseline, report.host))
                                     : std::nullopt;
  HostRun run(options, report, file ? read_baseline(*file) : std::nullopt);
  const std::vector<int>& cores = process_cores();
  const std::uint32_t ranks =
      options.ranks > 0
          ? options.ranks
          : std::clamp<std::uint32_t>(static_cast<std::uint32_t>(cores.size()), 2, kMostRanks);
  run.run("all_to_all", [&](CheckReport& check) { check_exchange(ranks, check); });
  run.run("compute", [&](CheckReport& check) {
    judge_cores(compute_on_cores(cores, kComputeRounds), check, report.compute_digest);
  });
  run.run("memory", [&](CheckReport& check) { check_memory(options.free_memory_nbytes, check); });
  run.run("links", [&](CheckReport& check) { check_links("/sys", check); });
  run.run("interfaces",
          [&](CheckReport& check) { check_interfaces(interface_addresses(), check); });
  run.run("devices", [&](CheckReport& check) { check_devices(check); });
  run.run("disk", [&](CheckReport& check) {
    check_disk(options.directory, options.free_disk_nbytes, check);
  });
  run.run("clock", [&](CheckReport& check) {
    judge_clocks(before, read_clocks(), run.baseline() ? run.baseline()->written_ns : 0, check);
  });
  if (file && !run.baseline() && report.passed() && options.only.empty()) {
    make_directories(file->parent_path().empty() ? "." : file->parent_path());
    write_text_atomically(*file, to_text(make_baseline(report, read_clocks().wall_ns)));
  }
  return report;
}

}  // namespace megascale::diagnose
