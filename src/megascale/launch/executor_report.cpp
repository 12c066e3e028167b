// The lines are "resumed STEP" and "copies DIRECTORY".
#include "megascale/launch/executor_report.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>

#include "megascale/base/environment.h"
#include "megascale/base/numbers.h"

namespace megascale::launch {
namespace {

constexpr std::string_view kResumed = "resumed ", kCopies = "copies ";

}  // namespace

ExecutorReport::ExecutorReport(int descriptor) : descriptor_(descriptor) {
  const char* limit = environment_variable(kLoadLimitVariable);
  if (limit != nullptr) load_at_most_ = parse_number<std::int64_t>(limit);
}

std::optional<ExecutorReport> ExecutorReport::from_environment() {
  const char* given = environment_variable(kReportVariable);
  if (given == nullptr) return std::nullopt;
  const auto descriptor = parse_number<int>(given);
  // A process that this rank starts must not report for it.
  if (!descriptor || ::fcntl(*descriptor, F_SETFD, FD_CLOEXEC) != 0) return ExecutorReport(-1);
  return ExecutorReport(*descriptor);
}

std::int64_t ExecutorReport::epoch() {
  const char* restarts = environment_variable("MEGASCALE_RESTART_COUNT");
  const auto number = restarts == nullptr ? std::nullopt : parse_number<std::int64_t>(restarts);
  return number && *number >= 0 && *number < INT64_MAX ? *number + 1 : 0;
}

void ExecutorReport::resumed(std::int64_t step) const noexcept {
  write(kResumed, std::to_string(step));
}

void ExecutorReport::copies(std::string_view directory) const noexcept {
  write(kCopies, directory);
}

void ExecutorReport::write(std::string_view word, std::string_view value) const noexcept {
  const std::string line = fmt::format("{}{}\n", word, value);
  // An executor that has ended does not read it; the rank ends with the executor.
  (void)!::write(descriptor_, line.data(), line.size());
}

std::optional<std::int64_t> resumed_step_in(std::string_view line) {
  if (!line.starts_with(kResumed)) return std::nullopt;
  return parse_number<std::int64_t>(line.substr(kResumed.size()));
}

std::optional<std::string> copies_in(std::string_view line) {
  if (!line.starts_with(kCopies)) return std::nullopt;
  return std::string(line.substr(kCopies.size()));
}

}  // namespace megascale::launch
