// The constructors of shared libraries run before main(), and UCX's replaces the action of SIGHUP.
// Functions in the section .preinit_array of a program run before all of these constructors. The
// one here remembers the action that the program was started with. It makes a plain system call,
// since the C library and sanitizers are not initialized yet.
#include "megascale/cli/inherited_signals.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace megascale::cli {
namespace {

bool ignores_hangup = false;

// The kernel's form of struct sigaction begins with the handler; the rest is not used here.
struct KernelAction {
  void (*handler)(int);
  unsigned long rest[15];
};

__attribute__((no_sanitize("address", "undefined", "thread"))) void remember_signals() {
  KernelAction action{};
  constexpr unsigned long kSignalSetNbytes = 8;
  if (::syscall(SYS_rt_sigaction, SIGHUP, nullptr, &action, kSignalSetNbytes) == 0)
    ignores_hangup = action.handler == SIG_IGN;
}

__attribute__((section(".preinit_array"),
               used)) void (*const before_libraries)() = remember_signals;

}  // namespace

void restore_signals() noexcept {
  ::signal(SIGHUP, ignores_hangup ? SIG_IGN : SIG_DFL);
  ::signal(SIGXFSZ, SIG_IGN);
}

bool is_ignored(int signal) noexcept {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace megascale::cli
