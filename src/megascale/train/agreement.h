#ifndef MEGASCALE_TRAIN_AGREEMENT_H_
#define MEGASCALE_TRAIN_AGREEMENT_H_

#include <exception>
#include <span>
#include <string>
#include <string_view>

#include "megascale/base/error.h"
#include "megascale/comm/coordination.h"

// Ranks exchange text messages through rank 0. A rank that has failed sends its error as a message
// that begins with "!", so that all ranks learn the outcome and none waits for it.
namespace megascale::train {

// Returns the message with which a rank reports a failure. Other messages do not begin with "!".
[[nodiscard]] std::string failure_message(const std::exception& error);
// Throws the Error of the first message that reports a failure. messages[r] is of rank r.
void require_success(std::span<const std::string> messages);
// Calls a function that returns a message. Returns that, or the message of its failure.
template <class F>
[[nodiscard]] std::string message_of(const F& action) {
  try {
    return action();
  } catch (const std::exception& error) {
    return failure_message(error);
  }
}
// All ranks call it. Throws the Error of the first rank whose message reports a failure, on all.
void agree(comm::Coordination& coordination, const std::string& message, std::string_view about);
// Calls `action` on this rank, and agrees with the others on its outcome.
template <class F>
void agree_on(comm::Coordination& coordination, std::string_view about, const F& action) {
  agree(coordination, message_of([&] {
          action();
          return std::string();
        }),
        about);
}

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_AGREEMENT_H_
