#include "megascale/diagnose/check.h"

#include <algorithm>

#include "megascale/base/clock.h"
#include "megascale/base/error.h"

namespace megascale::diagnose {

std::string_view to_string(CheckOutcome outcome) noexcept {
  switch (outcome) {
    case CheckOutcome::passed:
      return "passed";
    case CheckOutcome::failed:
      return "failed";
    case CheckOutcome::skipped:
      return "skipped";
  }
  return "";
}

void CheckReport::fail(std::string_view why) {
  outcome = CheckOutcome::failed;
  if (!text.empty()) text += "; ";
  text += why;
}

CheckReport run_check(std::string_view name, const std::function<void(CheckReport&)>& check) {
  CheckReport report{.name = std::string(name), .text = {}, .rates = {}};
  const std::int64_t begin_ns = monotonic_ns();
  try {
    check(report);
  } catch (const Error& error) {
    report.fail(error.message());
  }
  report.seconds = static_cast<double>(monotonic_ns() - begin_ns) * 1e-9;
  return report;
}

bool HostReport::passed() const noexcept {
  return std::none_of(checks.begin(), checks.end(), [](const CheckReport& check) {
    return check.outcome == CheckOutcome::failed;
  });
}

std::string HostReport::failures() const {
  std::string text;
  for (const CheckReport& check : checks) {
    if (check.outcome != CheckOutcome::failed) continue;
    if (!text.empty()) text += "; ";
    text += check.name + ": " + check.text;
  }
  return text;
}

}  // namespace megascale::diagnose
