#ifndef MEGASCALE_CLI_CHAT_INTERRUPTS_H_
#define MEGASCALE_CLI_CHAT_INTERRUPTS_H_

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <thread>

namespace megascale::cli {

// Turns Ctrl-C (SIGINT) into the end of an answer, without a signal handler
// (docs/decisions/0004-no-signal-handlers.md): a thread of its own waits for the signal, which all other
// threads block. Before ready() is called it ends the process with exit code 130. Create it before any
// other thread, because threads inherit the blocked signals.
class ChatInterrupts {
 public:
  ChatInterrupts();
  ChatInterrupts(const ChatInterrupts&) = delete;
  ChatInterrupts& operator=(const ChatInterrupts&) = delete;
  ~ChatInterrupts();
  void ready() noexcept { ready_.store(true); }
  // Between these two calls Ctrl-C makes requested() true; otherwise it prints how to leave.
  void begin_answer() noexcept;
  void end_answer() noexcept { answering_.store(false); }
  [[nodiscard]] bool requested() const noexcept { return requested_.load(); }

 private:
  void wait() noexcept;
  sigset_t signals_{};
  std::atomic<bool> ready_{false}, answering_{false}, requested_{false}, ending_{false};
  std::thread thread_;
};

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_CHAT_INTERRUPTS_H_
