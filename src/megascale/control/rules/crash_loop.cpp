// Rule crash_loop: attempts fail one after the other without progress.
//
// Progress is a newer checkpoint to resume from, or a step that no earlier attempt has done. The
// driver counts the attempts without either.
#include <fmt/format.h>

#include "megascale/control/rules/rule.h"

namespace megascale::control {

std::optional<std::string> crash_loop(const JobSight& sight) {
  if (sight.state.fruitless < sight.settings.fruitless_attempts) return std::nullopt;
  return fmt::format(
      "{} attempts in a row have failed without progress (control.crash_loop_attempts "
      "= {}); find the cause of the last failure before you start the job again",
      sight.state.fruitless, sight.settings.fruitless_attempts);
}

}  // namespace megascale::control
