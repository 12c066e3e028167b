#ifndef MEGASCALE_KERNELS_CUDA_DISPATCH_MAP_H_
#define MEGASCALE_KERNELS_CUDA_DISPATCH_MAP_H_

#include <cstddef>
#include <cstdint>

#include "megascale/kernels/cuda/row_count.h"

struct CUstream_st;

// Maps between tokens and the rows that experts compute, on a device. kernels/cpu/dispatch_map.h
// defines their contents. N tokens, k choices per token; slot n k + j is choice j of token n. Nothing
// is ever written outside the bounds, whatever the choices and counts are. Indices are int32 (N k < 2^31),
// counts int64. Failures: see activation.h. Bits do not depend on timing: the sort is stable.
namespace megascale::kernels::cuda {

// Orders the slots by expert, then by number, for the experts [first, first + experts), of each of `ranks`
// ranks those of piece number `piece`. Rows behind the bound are dropped, and the complaint is told how
// many were wanted.
struct DispatchMap {
  std::size_t tokens = 0, top_k = 0;  // N (the bound), k
  RowCount counted = {};
  std::size_t first = 0, experts = 0;
  std::size_t ranks = 1, pieces = 1, piece = 0;
  std::size_t bound = 0;                 // the most rows
  const std::int32_t* choice = nullptr;  // (N k)
  std::int32_t* source = nullptr;        // (bound)
  std::int32_t* place = nullptr;         // (N k)
  std::int64_t* counts = nullptr;        // (experts)
  std::int64_t* sent = nullptr;          // (ranks): rows for each
  std::int32_t* scratch = nullptr;       // dispatch_map_scratch_bytes()
  std::int64_t* complaint = nullptr;     // TaskArguments::complaint
};
void dispatch_map(const DispatchMap& args, CUstream_st* stream) noexcept;
// A warp sorts so many slots.
inline constexpr std::size_t kSlotsOfWarp = 512;
[[nodiscard]] constexpr std::size_t dispatch_map_scratch_bytes(std::size_t slots,
                                                               std::size_t experts) noexcept {
  return (slots + kSlotsOfWarp - 1) / kSlotsOfWarp * experts * sizeof(std::int32_t);
}

// The order in which rows that arrived by (rank, expert) are computed: by (expert, rank), for one piece of
// the experts. If a count is below 0 or the sum is above the bound, the groups are empty, and the complaint
// is told the sum (1 if only a count is below 0). The transfer of the rows refuses such counts, too.
struct RegroupMap {
  std::size_t ranks = 0, experts = 0;  // experts of the piece
  std::size_t pieces = 1, piece = 0;
  std::size_t bound = 0;
  const std::int64_t* arrived = nullptr;  // (ranks, pieces, experts)
  std::int32_t* order = nullptr;          // (bound)
  std::int32_t* inverse = nullptr;        // (bound)
  std::int64_t* groups = nullptr;         // (experts)
  std::int64_t* received = nullptr;       // (ranks)
  std::int64_t* complaint = nullptr;      // TaskArguments::complaint
};
void regroup_map(const RegroupMap& args, CUstream_st* stream) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_DISPATCH_MAP_H_
