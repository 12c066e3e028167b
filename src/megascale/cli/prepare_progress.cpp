#include "megascale/cli/prepare_progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "megascale/base/clock.h"
#include "megascale/cli/command.h"

namespace megascale::cli {
namespace {
constexpr std::int64_t kLogNs = 10'000'000'000;
}  // namespace

std::string to_line(const PrepareProgress& progress, double seconds) {
  const auto megabytes = [](std::int64_t nbytes) { return static_cast<double>(nbytes) * 1e-6; };
  const double rate =
      megabytes(progress.input_nbytes - progress.resumed_nbytes) / std::max(seconds, 1e-3);
  std::string line = fmt::format("{:.1f} MB", megabytes(progress.input_nbytes));
  if (progress.all_nbytes > 0) {
    line += fmt::format(" of {:.1f} ({} %)", megabytes(progress.all_nbytes),
                        100 * progress.input_nbytes / progress.all_nbytes);
  }
  line += fmt::format(", {:.1f} M tokens, {:.1f} MB/s", static_cast<double>(progress.tokens) * 1e-6,
                      rate);
  if (progress.all_nbytes > 0 && rate > 0) {
    const auto left =
        static_cast<std::int64_t>(megabytes(progress.all_nbytes - progress.input_nbytes) / rate);
    line += fmt::format(", ETA {}:{:02}:{:02}", left / 3600, left / 60 % 60, left % 60);
  }
  return line;
}

PrepareProgressLine::PrepareProgressLine(bool terminal)
    : terminal_(terminal), begin_ns_(monotonic_ns()), shown_ns_(begin_ns_) {}

void PrepareProgressLine::show(const PrepareProgress& progress) {
  const std::int64_t now = monotonic_ns();
  if (!terminal_ && now - shown_ns_ < kLogNs) return;
  shown_ns_ = now;
  const std::string line = to_line(progress, static_cast<double>(now - begin_ns_) * 1e-9);
  say(terminal_ ? kEraseLine + line : line, terminal_ ? "" : "\n");
}

void PrepareProgressLine::message(const std::string& text) {
  finish();
  say(text);
}

void PrepareProgressLine::finish() {
  if (terminal_) say(kEraseLine, "");
}

}  // namespace megascale::cli
