#include "megascale/cli/crash_trace.h"

#include <execinfo.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstring>

namespace megascale::cli {
namespace {

constexpr int kMaxCalls = 64;

void write_text(const char* text) noexcept {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, std::strlen(text));
}

const char* line_of(int signal) noexcept {
  switch (signal) {
    case SIGSEGV:
      return "megascale: crashed by signal 11 (segmentation fault); calls:\n";
    case SIGBUS:
      return "megascale: crashed by signal 7 (bus error); calls:\n";
    case SIGILL:
      return "megascale: crashed by signal 4 (illegal instruction); calls:\n";
    default:
      return "megascale: crashed by signal 8 (arithmetic error); calls:\n";
  }
}

// Runs with the default action restored (SA_RESETHAND): a fault in here ends the process, too.
void trace(int signal) {
  write_text(line_of(signal));
  std::array<void*, kMaxCalls> calls{};
  ::backtrace_symbols_fd(calls.data(), ::backtrace(calls.data(), kMaxCalls), STDERR_FILENO);
  ::raise(signal);
}

}  // namespace

void trace_crashes() noexcept {
  // The first call of backtrace() loads a library, which no handler may do.
  std::array<void*, 1> call{};
  ::backtrace(call.data(), 1);
  struct sigaction action {};
  action.sa_handler = trace;
  action.sa_flags = SA_RESETHAND | SA_NODEFER;
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) ::sigaction(signal, &action, nullptr);
}

}  // namespace megascale::cli
