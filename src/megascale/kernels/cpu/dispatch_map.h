#ifndef MEGASCALE_KERNELS_CPU_DISPATCH_MAP_H_
#define MEGASCALE_KERNELS_CPU_DISPATCH_MAP_H_

#include <cstddef>
#include <cstdint>

// Maps between tokens and the rows that experts compute, from the router's choices. N tokens, E
// experts, k choices per token. Slot n k + j is choice j of token n. A choice outside [0, E) is
// dropped; E is the number that marks one. Indices int32 (N k < 2^31), counts int64.
// All functions run on the calling thread: they move a few dozen bytes per slot, where a row has
// thousands. Nothing overlaps unless it is said. Nothing is ever written outside the bounds,
// whatever the choices and counts are.
// Source  arXiv 2505.11432, 3 (scatter by a map) and 6.3 (order by expert, then by token).
namespace megascale::kernels::cpu {

// Marks choices as dropped until each group of E / groups consecutive experts has at most
// `capacity` rows. Choices with the lowest affinity go first; among equals, the later slot goes
// first. NaN counts as lower than every number. Slots of exempt tokens are never dropped, even if
// they alone exceed the capacity. Returns the number of choices dropped.
// With one group and the bound of rows as its capacity, the least important rows are dropped when
// the bound is exceeded.
// Alias   kept may be choice.
// Source  arXiv 2405.04434, 2.1.4.
struct DropOverCapacity {
  std::size_t tokens = 0, experts = 0, top_k = 0, groups = 0;
  std::int64_t capacity = 0;             // rows of each group
  const std::int32_t* choice = nullptr;  // (N, k)
  const float* affinity = nullptr;       // (N, k): scores of the choices (route())
  const std::uint8_t* exempt = nullptr;  // (N): not 0 for exempt tokens; or null
  std::int32_t* kept = nullptr;          // (N, k): the choice, or E
  std::uint64_t* scratch = nullptr;      // N k elements
};
std::int64_t drop_over_capacity(const DropOverCapacity& args) noexcept;

// Orders the slots by expert, then by slot number, for the experts [first, first + experts).
//   counts[e]    rows of expert first + e
//   source[row]  the slot of a row, for all rows; elements behind the rows are not written
//   place[slot]  the row of a slot; -1 if its choice is dropped, or an expert outside the range
// If the experts of each of `ranks` ranks are cut into pieces, only those of piece number `piece` get
// rows: they alone have sources and places. The counts of the others are those of their choices.
// Returns how many rows were wanted. If that is more than `bound`, the rows behind the bound are
// dropped: the counts are those of the rows that are left.
struct DispatchMap {
  std::size_t slots = 0;               // N k
  std::size_t first = 0, experts = 0;  // the experts that get rows
  std::size_t ranks = 1, pieces = 1, piece = 0;
  std::size_t bound = 0;                 // the most rows
  const std::int32_t* choice = nullptr;  // (N k)
  std::int32_t* source = nullptr;        // (bound)
  std::int32_t* place = nullptr;         // (N k)
  std::int64_t* counts = nullptr;        // (experts)
};
std::int64_t dispatch_map(const DispatchMap& args) noexcept;

// result[r] = sum of the counts of `experts` experts from counts[r stride] on, for r in 0 ... ranks - 1:
// the rows that each rank of the expert group receives.
void sum_counts(const std::int64_t* counts, std::size_t experts, std::size_t stride,
                std::size_t ranks, std::int64_t* result) noexcept;

// The order in which rows that arrived by (rank, expert) are computed: by (expert, rank).
//   groups[g]    rows of expert g from all ranks         received[r]  rows from rank r
//   order[i]     the arrival row of row i                inverse[order[i]] = i
// Returns the number of rows. Returns -1 and writes nothing if a count is below 0 or the sum is
// above `bound`. If the experts are cut into pieces, these are the rows of one piece.
struct RegroupMap {
  std::size_t ranks = 0, experts = 0;  // experts of the piece
  std::size_t pieces = 1, piece = 0;
  std::size_t bound = 0;
  const std::int64_t* arrived = nullptr;  // (ranks, pieces, experts)
  std::int32_t* order = nullptr;          // (bound)
  std::int32_t* inverse = nullptr;        // (bound)
  std::int64_t* groups = nullptr;         // (experts)
  std::int64_t* received = nullptr;       // (ranks)
};
std::int64_t regroup_map(const RegroupMap& args) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_DISPATCH_MAP_H_
