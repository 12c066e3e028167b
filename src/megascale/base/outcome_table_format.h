#ifndef MEGASCALE_BASE_OUTCOME_TABLE_FORMAT_H_
#define MEGASCALE_BASE_OUTCOME_TABLE_FORMAT_H_

#include <array>
#include <cstdint>
#include <optional>

#include "megascale/base/record_ring_format.h"
#include "megascale/base/step_outcome.h"

// The table of outcomes that follows the last place of a record ring in its file. It holds those of
// the last `outcomes` steps; step s has the entry s mod outcomes. Rings of older versions end before
// it. An entry holds a digest of itself, so a reader that copies it while it is written notices.
namespace megascale {

struct OutcomeTableHeader {
  static constexpr std::uint64_t kMagic = 0x3354'554f'5253'4d00;  // "\0MSROUT3"
  std::uint64_t magic = kMagic;
  std::uint64_t outcomes = 0;
  // Names of the groups of ranks that share state with this rank, in the order of
  // StepOutcome::digests: equal on all ranks of a group, and different between groups. 0: none.
  std::array<std::uint64_t, kReplicaGroups> groups{};
};
struct OutcomeTableEntry {
  StepOutcome outcome;
  std::uint64_t check = 0;  // check_of(outcome)
};
// Returns the digest of an outcome, never 0.
[[nodiscard]] std::uint64_t check_of(const StepOutcome& outcome) noexcept;
// Returns the outcome of an entry; nothing if it was never used, or is being written.
[[nodiscard]] std::optional<StepOutcome> outcome_of(const OutcomeTableEntry& entry) noexcept;

// Returns where the table begins in a ring file.
[[nodiscard]] constexpr std::uint64_t outcome_table_offset(std::uint32_t tasks,
                                                           std::uint32_t steps) noexcept {
  return sizeof(RecordRingHeader) + steps * record_ring_step_nbytes(tasks);
}
[[nodiscard]] constexpr std::uint64_t outcome_table_nbytes(std::uint64_t outcomes) noexcept {
  return sizeof(OutcomeTableHeader) + outcomes * sizeof(OutcomeTableEntry);
}

}  // namespace megascale

#endif  // MEGASCALE_BASE_OUTCOME_TABLE_FORMAT_H_
