#include "megascale/base/outcome_table_format.h"

#include <algorithm>
#include <span>

#include "megascale/base/digest.h"

namespace megascale {

std::uint64_t check_of(const StepOutcome& outcome) noexcept {
  return std::max<std::uint64_t>(digest64(std::as_bytes(std::span(&outcome, 1))), 1);
}

std::optional<StepOutcome> outcome_of(const OutcomeTableEntry& entry) noexcept {
  if (entry.outcome.step < 0 || entry.check != check_of(entry.outcome)) return std::nullopt;
  return entry.outcome;
}

}  // namespace megascale
