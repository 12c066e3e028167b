#ifndef MEGASCALE_BASE_STEP_OUTCOME_H_
#define MEGASCALE_BASE_STEP_OUTCOME_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace megascale {

// The most kinds of groups of ranks that hold copies of the same state: one for each set of axes
// over which gradients are summed. Dense models have at most two.
inline constexpr std::size_t kReplicaGroups = 4;

// The result of a step on one rank: its records tell when each task ran, this tells which loss,
// norms and state came of it. A ring holds the last outcomes (outcome_table_format.h).
struct StepOutcome {
  std::int64_t step = -1;  // counted from 0; -1: none
  double loss = 0;         // mean over valid tokens, nats; equal on all ranks, as the next one
  double gradient_norm = 0;
  std::int64_t step_ns = 0;      // wall time on this rank
  std::int64_t compute_ns = 0;   // in which its compute lane worked, without waiting
  std::int64_t transfer_ns = 0;  // in which bytes moved, added over all transfers
  // Digests of the state that this rank shares with others, by group; 0: none.
  std::array<std::uint64_t, kReplicaGroups> digests{};
  // The number of updates that have read other state than the updates of the step before had
  // written: memory of this rank has changed in between.
  std::int64_t damaged = 0;
  // Of compute_ns, what the rank needs whatever other programs do on its cores: the processor time of
  // a rank with one thread; all of compute_ns if a rank with several threads, or a device, was not
  // disturbed. 0: not known.
  std::int64_t work_ns = 0;
  // For how long its threads that compute were ready to run and had no core, in the whole step, added
  // over threads; -1: the system does not tell.
  std::int64_t core_wait_ns = -1;
  // The same since the end of the step before for the thread that serves its transfers, and for the one that
  // reads its batches: so much of what these do late is not the rank's own doing. -1: not known.
  std::int64_t transfer_core_wait_ns = -1;
  std::int64_t input_core_wait_ns = -1;
  bool operator==(const StepOutcome&) const = default;
};
static_assert(sizeof(StepOutcome) == 120);

}  // namespace megascale

#endif  // MEGASCALE_BASE_STEP_OUTCOME_H_
