#include "megascale/control/secure/limited_log.h"

#include <fmt/format.h>

namespace megascale::secure {

LimitedLog::LimitedLog(Log log, int most, std::chrono::milliseconds period)
    : log_(std::move(log)), most_(most), period_(period) {}

void LimitedLog::operator()(const std::string& line) {
  if (!log_) return;
  std::string summary;
  {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (now - began_ >= period_) {
      if (left_out_ > 0) summary = fmt::format("{} more lines like these were left out", left_out_);
      began_ = now;
      lines_ = 0;
      left_out_ = 0;
    }
    if (lines_ == most_) {
      ++left_out_;
      return;
    }
    ++lines_;
  }
  if (!summary.empty()) log_(summary);
  log_(line);
}

}  // namespace megascale::secure
