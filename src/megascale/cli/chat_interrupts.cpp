#include "megascale/cli/chat_interrupts.h"

#include <unistd.h>

#include "megascale/cli/command.h"
#include "megascale/cli/stop_signals.h"

namespace megascale::cli {

ChatInterrupts::ChatInterrupts() {
  ::sigemptyset(&signals_);
  ::sigaddset(&signals_, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  thread_ = std::thread([this] { wait(); });
}

ChatInterrupts::~ChatInterrupts() {
  ending_.store(true);
  ::pthread_kill(thread_.native_handle(), SIGINT);
  thread_.join();
}

void ChatInterrupts::begin_answer() noexcept {
  requested_.store(false);
  answering_.store(true);
}

void ChatInterrupts::wait() noexcept {
  for (int signal = 0;;) {
    if (::sigwait(&signals_, &signal) != 0) continue;
    if (ending_.load()) return;
    if (!ready_.load()) ::_exit(StopSignals::kInterrupted);
    if (answering_.load()) {
      requested_.store(true);
    } else {
      say("\n/exit or Ctrl-D leaves");
    }
  }
}

}  // namespace megascale::cli
