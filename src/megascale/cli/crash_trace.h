#ifndef MEGASCALE_CLI_CRASH_TRACE_H_
#define MEGASCALE_CLI_CRASH_TRACE_H_

namespace megascale::cli {

// Takes over SIGSEGV, SIGBUS, SIGILL and SIGFPE: the process writes the signal and the addresses of
// its calls to standard error, then ends by that signal. Call it once, at the start of main().
// UCX sets handlers of its own while it is loaded. They allocate memory: a process that crashes
// inside malloc() then waits for its own lock, and a rank that should be replaced stays for a minute.
// This handler takes no lock and allocates nothing.
void trace_crashes() noexcept;

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_CRASH_TRACE_H_
