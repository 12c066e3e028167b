// Draws the progress bar with terminal control codes. A line of text erases the bar, takes its
// place, and draws the bar again below.
#include "megascale/cli/progress.h"

#include <fmt/format.h>

#include "megascale/cli/command.h"

namespace megascale::cli {
namespace {
constexpr std::int64_t kBarWidth = 30;  // characters; the whole line stays below 80
}  // namespace

void Progress::line(const std::string& text) {
  say(fmt::format("{}{}\n{}", terminal_ ? kEraseLine : "", text, bar_), "");
}

void Progress::message(const std::string& text) { line(text); }

void Progress::step(const train::StepMetrics& metrics, bool log, std::int64_t train_iters,
                    double eta_seconds) {
  if (terminal_) {
    const std::int64_t full = kBarWidth * metrics.step / train_iters;
    const auto eta = static_cast<std::int64_t>(eta_seconds);
    bar_ = fmt::format("[{:#>{}}{:.>{}}] {}/{}  loss {:.3f}  ETA {}:{:02}:{:02}", "", full, "",
                       kBarWidth - full, metrics.step, train_iters, metrics.loss, eta / 3600,
                       eta / 60 % 60, eta % 60);
  }
  if (log) {
    line(train::to_log_line(metrics, train_iters, eta_seconds));
  } else if (terminal_) {
    say(kEraseLine + bar_, "");
  }
}

void Progress::finish() {
  if (terminal_) say(kEraseLine, "");
  bar_.clear();
}

}  // namespace megascale::cli
