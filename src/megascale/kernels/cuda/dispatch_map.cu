// A stable counting sort of slots, in three kernels. A warp counts the choices of each expert among its
// slots; one block turns the counts of all warps into first rows; then each warp goes through its slots
// again, 32 at a time in order, and lanes with the same expert take consecutive rows. Only integers are
// added, so the order of atomic additions does not matter.
#include "megascale/kernels/cuda/counted_rows-inl.h"
#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/dispatch_map.h"

namespace megascale::kernels::cuda {
namespace {

// Returns the expert of a slot, as a number among those of this map; at least a.experts if the choice is
// dropped, or an expert outside the range: numbers below `first` wrap around.
__device__ std::size_t expert_of_slot(const DispatchMap& a, std::size_t slot) {
  return static_cast<std::size_t>(static_cast<std::int64_t>(a.choice[slot]) -
                                  static_cast<std::int64_t>(a.first));
}
__device__ bool has_rows(const DispatchMap& a, std::size_t expert) {
  const std::size_t of_piece = a.experts / a.ranks / a.pieces;
  return expert / of_piece % a.pieces == a.piece;
}

// A block is one warp. Writes how often each expert is among its slots to its row of the scratch.
__global__ void count_slots_kernel(DispatchMap a) {
  auto* found = reinterpret_cast<std::int32_t*>(dynamic_shared());
  const std::size_t lane = threadIdx.x, slots = counted_rows(a.counted, a.tokens) * a.top_k;
  for (std::size_t e = lane; e < a.experts; e += 32) found[e] = 0;
  __syncthreads();
  const std::size_t begin = blockIdx.x * kSlotsOfWarp, end = begin + kSlotsOfWarp;
  for (std::size_t slot = begin + lane; slot < end && slot < slots; slot += 32) {
    const std::size_t e = expert_of_slot(a, slot);
    if (e < a.experts) atomicAdd(&found[e], 1);
  }
  __syncthreads();
  for (std::size_t e = lane; e < a.experts; e += 32)
    a.scratch[blockIdx.x * a.experts + e] = found[e];
}

// One block. Turns the counts of warps into the first row of each expert in each warp, and writes the
// counts of experts and ranks.
__global__ void place_experts_kernel(DispatchMap a, std::size_t warps) {
  auto* first =
      reinterpret_cast<std::int64_t*>(dynamic_shared());  // by expert: its rows, then its begin
  for (std::size_t e = threadIdx.x; e < a.experts; e += blockDim.x) {
    std::int64_t rows = 0;
    for (std::size_t w = 0; w < warps; ++w) rows += a.scratch[w * a.experts + e];
    first[e] = rows;
    a.counts[e] = rows;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    const auto bound = static_cast<std::int64_t>(a.bound);
    std::int64_t wanted = 0;
    for (std::size_t r = 0; r < a.ranks; ++r) a.sent[r] = 0;
    for (std::size_t e = 0; e < a.experts; ++e) {
      if (!has_rows(a, e)) continue;
      const std::int64_t rows = first[e], left = bound > wanted ? bound - wanted : 0;
      const std::int64_t kept = rows < left ? rows : left;
      a.counts[e] = kept;
      a.sent[e / (a.experts / a.ranks)] += kept;
      first[e] = wanted;
      wanted += rows;
    }
    if (wanted > bound) *a.complaint = wanted;
  }
  __syncthreads();
  for (std::size_t e = threadIdx.x; e < a.experts; e += blockDim.x) {
    std::int64_t row = first[e];
    for (std::size_t w = 0; w < warps; ++w) {
      std::int32_t& place = a.scratch[w * a.experts + e];
      const std::int32_t rows = place;
      place = static_cast<std::int32_t>(row);
      row += rows;
    }
  }
}

// A block is one warp.
__global__ void place_slots_kernel(DispatchMap a) {
  auto* next = reinterpret_cast<std::int32_t*>(dynamic_shared());  // the next row of each expert
  const unsigned lane = threadIdx.x;
  const std::size_t slots = counted_rows(a.counted, a.tokens) * a.top_k;
  for (std::size_t e = lane; e < a.experts; e += 32)
    next[e] = a.scratch[blockIdx.x * a.experts + e];
  __syncthreads();
  const std::size_t begin = blockIdx.x * kSlotsOfWarp, end = begin + kSlotsOfWarp;
  for (std::size_t tile = begin; tile < end && tile < slots; tile += 32) {
    const std::size_t slot = tile + lane;
    std::size_t e = slot < slots ? expert_of_slot(a, slot) : a.experts;
    if (e >= a.experts || !has_rows(a, e)) e = a.experts;
    // The lanes with this expert, in the order of their slots.
    const unsigned same = __match_any_sync(~0U, static_cast<unsigned>(e));
    const unsigned before = __popc(same & ((1U << lane) - 1U));
    std::int32_t row = -1;
    if (e < a.experts) row = next[e] + static_cast<std::int32_t>(before);
    __syncthreads();  // all lanes have read the next rows
    if (e < a.experts && before == 0) next[e] += static_cast<std::int32_t>(__popc(same));
    __syncthreads();
    if (slot >= slots) continue;
    const bool fits = row >= 0 && static_cast<std::size_t>(row) < a.bound;
    a.place[slot] = fits ? row : -1;
    if (fits) a.source[row] = static_cast<std::int32_t>(slot);
  }
}

// Sums of counts are exact in double. Those that no memory holds are cut.
__device__ std::int64_t count_of(double sum) {
  return static_cast<std::int64_t>(sum < 1e18 ? sum : 1e18);
}

// A warp copies the run of one (expert, rank) into both maps. It adds the counts that lie before its own
// in either order. The counts are few and in caches.
__global__ void regroup_kernel(RegroupMap a) {
  const std::size_t lane = threadIdx.x % 32, pairs = a.ranks * a.experts;
  const std::size_t stride = a.pieces * a.experts, skipped = a.piece * a.experts;
  for (std::size_t pair = grid_thread() / 32; pair < pairs; pair += grid_threads() / 32) {
    const std::size_t rank = pair % a.ranks, expert = pair / a.ranks;
    double all = 0, sorted_before = 0, arrived_before = 0, of_expert = 0, of_rank = 0, wrong = 0;
    for (std::size_t i = lane; i < pairs; i += 32) {
      const std::size_t r = i / a.experts, e = i % a.experts;
      const std::int64_t found = a.arrived[r * stride + skipped + e];
      if (found < 0) wrong += 1;
      const double count = found < 0 ? 0 : static_cast<double>(found);
      all += count;
      if (e < expert || (e == expert && r < rank)) sorted_before += count;
      if (r < rank || (r == rank && e < expert)) arrived_before += count;
      if (e == expert) of_expert += count;
      if (r == rank) of_rank += count;
    }
    all = warp_sum(all);
    sorted_before = warp_sum(sorted_before);
    arrived_before = warp_sum(arrived_before);
    of_expert = warp_sum(of_expert);
    of_rank = warp_sum(of_rank);
    const bool valid = warp_sum(wrong) == 0 && all <= static_cast<double>(a.bound);
    if (lane == 0) {
      if (rank == 0) a.groups[expert] = valid ? count_of(of_expert) : 0;
      if (expert == 0) a.received[rank] = count_of(of_rank);
      if (!valid && pair == 0) *a.complaint = all > 0 ? count_of(all) : 1;
    }
    if (!valid) continue;
    const auto to = static_cast<std::size_t>(sorted_before),
               from = static_cast<std::size_t>(arrived_before);
    const auto rows = static_cast<std::size_t>(a.arrived[rank * stride + skipped + expert]);
    for (std::size_t i = lane; i < rows; i += 32) {
      a.order[to + i] = static_cast<std::int32_t>(from + i);
      a.inverse[from + i] = static_cast<std::int32_t>(to + i);
    }
  }
}

}  // namespace

void dispatch_map(const DispatchMap& a, CUstream_st* stream) noexcept {
  const std::size_t warps = (a.tokens * a.top_k + kSlotsOfWarp - 1) / kSlotsOfWarp;
  const LaunchShape of_slots{.grid = dim3(static_cast<unsigned>(warps)),
                             .block = 32,
                             .shared_nbytes = a.experts * sizeof(std::int32_t)};
  launch(count_slots_kernel, of_slots, stream, a);
  launch(place_experts_kernel,
         {.grid = dim3(1), .block = 256, .shared_nbytes = a.experts * sizeof(std::int64_t)}, stream,
         a, warps);
  launch(place_slots_kernel, of_slots, stream, a);
}

void regroup_map(const RegroupMap& a, CUstream_st* stream) noexcept {
  launch(regroup_kernel, grid_for(a.ranks * a.experts * 32), stream, a);
}

}  // namespace megascale::kernels::cuda
