// The lines are "resumed STEP".
#include "megascale/launch/executor_report.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "megascale/base/environment.h"
#include "megascale/base/numbers.h"

namespace megascale::launch {
namespace {

constexpr std::string_view kResumed = "resumed ";

}  // namespace

std::optional<ExecutorReport> ExecutorReport::from_environment() {
  const char* given = environment_variable(kReportVariable);
  if (given == nullptr) return std::nullopt;
  const auto descriptor = parse_number<int>(given);
  // A process that this rank starts must not report for it.
  if (!descriptor || ::fcntl(*descriptor, F_SETFD, FD_CLOEXEC) != 0) return ExecutorReport(-1);
  return ExecutorReport(*descriptor);
}

void ExecutorReport::resumed(std::int64_t step) const noexcept {
  const std::string line = fmt::format("{}{}\n", kResumed, step);
  // An executor that has ended does not read it; the rank ends with the executor.
  (void)!::write(descriptor_, line.data(), line.size());
}

std::optional<std::int64_t> resumed_step_in(std::string_view line) {
  if (!line.starts_with(kResumed)) return std::nullopt;
  return parse_number<std::int64_t>(line.substr(kResumed.size()));
}

}  // namespace megascale::launch
