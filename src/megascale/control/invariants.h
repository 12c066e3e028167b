#ifndef MEGASCALE_CONTROL_INVARIANTS_H_
#define MEGASCALE_CONTROL_INVARIANTS_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "megascale/control/records.h"

// What must be true of every job, checked from its record after the fact, so that no test depends on
// the luck of its timing:
//   a  At most one epoch is active: an attempt starts only after the one before has ended, and epochs
//      grow by one.
//   b  The committed step never decreases, except after a recorded rollback.
//   c  Every step is applied once: an attempt begins at a step that earlier attempts have reached.
//   d  A state that is loaded was committed.
//   e  Every restart has a recorded cause with evidence, rule, action and outcome; every order was
//      given and carried out once.
//   g  The number of incidents is that of the faults that were injected; a clean run has none.
// Invariant f, that a resumed run has the bits of an uninterrupted one, needs both runs: tests
// compare their last checkpoints.
namespace megascale::control {

struct Violation {
  char invariant = '?';
  std::string what;
};

// `faults`: the number of injected faults; nothing if it is not known, then g is not checked. Pure.
[[nodiscard]] std::vector<Violation> check_invariants(std::span<const LogEntry> log,
                                                      std::span<const Incident> incidents,
                                                      std::optional<std::int64_t> faults);

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_INVARIANTS_H_
