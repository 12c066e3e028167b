#ifndef MEGASCALE_CONTROL_LASTING_VERDICT_H_
#define MEGASCALE_CONTROL_LASTING_VERDICT_H_

#include <cstdint>
#include <optional>

#include "megascale/control/rules/rule.h"

namespace megascale::control {

// Holds a verdict back until what shows it has lasted: other programs that fill the caches, or that
// share the processor of a virtual machine, may make a rank need 15 % more processor time for half a
// second (the longest of 2,800 steps beside a compiler). Short steps would make an alarm of that.
class LastingVerdict {
 public:
  static constexpr std::int64_t kLastsNs = 5'000'000'000;

  // `found`: what the rule says now. Returns it if its steps and the looks since then, each of which
  // named the same rank, take kLastsNs. Long steps that show it need no further look.
  [[nodiscard]] std::optional<Verdict> look(std::optional<Verdict> found, std::int64_t now_ns) {
    if (!found || !since_ns_ || found->rank != rank_)
      since_ns_ = found ? std::optional(now_ns) : std::nullopt;
    if (!found) return std::nullopt;
    rank_ = found->rank;
    if (now_ns - *since_ns_ + found->covers_ns < kLastsNs) return std::nullopt;
    return found;
  }

 private:
  std::optional<std::int64_t> since_ns_;
  std::int64_t rank_ = -1;
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_LASTING_VERDICT_H_
