// A choice that competes for a place is one integer, its key: the upper half orders affinities, the lower
// half is the choice's number. All keys differ, so the set that is kept follows from them alone. A block
// finds the key of the first choice that is dropped in its group, byte by byte from the top (radix
// selection): it reads all choices eight times and moves none. Then each choice is compared with it.
#include "megascale/base/expert_capacity.h"
#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/drop_choices.h"

namespace megascale::kernels::cuda {
namespace {

constexpr std::uint64_t kNothingDropped = ~std::uint64_t{0};

// A choice as it competes. `slot` counts in the order of the gathered tokens.
struct Candidate {
  std::size_t group;  // at least `groups` if the choice is no expert
  std::uint64_t key;
  bool exempt;
};

// Smaller for choices that are kept rather: a higher affinity first, NaN last.
__device__ unsigned order_of_affinity(float affinity) {
  constexpr unsigned kSign = 0x80000000U;
  if (affinity != affinity) return ~0U;
  const unsigned bits = __float_as_uint(affinity + 0.0F);  // -0 becomes 0
  return ~((bits & kSign) != 0 ? ~bits : bits | kSign);
}

__device__ Candidate candidate_of(const DropChoices& a, std::size_t slot) {
  const auto expert = static_cast<std::size_t>(a.choice[slot]);
  if (expert >= a.experts) return {a.groups, 0, false};
  const std::size_t share = a.length / a.contexts, of_context = a.sequences * share,
                    token = slot / a.top_k, row = token % of_context;
  const std::size_t sequence = row / share;
  const std::size_t number =
      (sequence * a.length + token / of_context * share + row % share) * a.top_k + slot % a.top_k;
  return {expert / (a.experts / a.groups),
          static_cast<std::uint64_t>(order_of_affinity(a.affinity[slot])) << 32U | number,
          a.exempt != nullptr && a.exempt[sequence] != 0};
}

// Block d writes the first key of group d that is dropped.
__global__ void first_dropped_kernel(DropChoices a) {
  __shared__ unsigned found[256];           // choices by the byte that is looked at
  __shared__ unsigned exempt, others, all;  // choices of the group, and of all groups
  __shared__ std::uint64_t prefix;
  __shared__ std::size_t left;  // choices to keep among those with the prefix
  const std::size_t slots = a.sequences * a.length * a.top_k, group = blockIdx.x;
  if (threadIdx.x == 0) {
    exempt = 0;
    others = 0;
    all = 0;
  }
  __syncthreads();
  unsigned seen = 0;
  for (std::size_t slot = threadIdx.x; slot < slots; slot += blockDim.x) {
    const Candidate candidate = candidate_of(a, slot);
    if (candidate.group == group) atomicAdd(candidate.exempt ? &exempt : &others, 1U);
    if (candidate.group < a.groups) ++seen;
  }
  atomicAdd(&all, seen);
  __syncthreads();
  std::int64_t most = a.capacity < 0 ? 0 : a.capacity;
  if (a.factor > 0) {
    const std::int64_t of_choices =
        expert_capacity(a.factor, all, static_cast<std::int64_t>(a.groups));
    most = of_choices < most ? of_choices : most;
  }
  const auto capacity = static_cast<std::size_t>(most);
  const std::size_t room = capacity > exempt ? capacity - exempt : 0;
  if (others <= room) {
    if (threadIdx.x == 0) a.scratch[group] = kNothingDropped;
    return;
  }
  if (threadIdx.x == 0) {
    prefix = 0;
    left = room;
  }
  for (unsigned shift = 64; shift > 0;) {
    const unsigned above = shift;  // the bits from here on are known
    shift -= 8;
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) found[i] = 0;
    __syncthreads();
    for (std::size_t slot = threadIdx.x; slot < slots; slot += blockDim.x) {
      const Candidate candidate = candidate_of(a, slot);
      if (candidate.group != group || candidate.exempt) continue;
      if (above < 64 && candidate.key >> above != prefix >> above) continue;
      atomicAdd(&found[candidate.key >> shift & 255U], 1U);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      std::uint64_t byte = 0;
      while (found[byte] <= left) left -= found[byte++];
      prefix |= byte << shift;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) a.scratch[group] = prefix;
}

__global__ void begin_dropped_kernel(const std::int64_t* before, std::int64_t* dropped) {
  if (threadIdx.x == 0) *dropped = before != nullptr ? *before : 0;
}

__global__ void keep_choices_kernel(DropChoices a) {
  __shared__ unsigned dropped;
  if (threadIdx.x == 0) dropped = 0;
  __syncthreads();
  for (std::size_t i = grid_thread(); i < a.tokens * a.top_k; i += grid_threads()) {
    const std::size_t slot = a.first * a.top_k + i;
    const Candidate candidate = candidate_of(a, slot);
    const bool drops = candidate.group < a.groups && !candidate.exempt &&
                       candidate.key >= a.scratch[candidate.group];
    a.kept[i] = drops ? static_cast<std::int32_t>(a.experts) : a.choice[slot];
    if (drops) atomicAdd(&dropped, 1U);
  }
  __syncthreads();
  if (threadIdx.x == 0 && dropped != 0)
    atomicAdd(reinterpret_cast<unsigned long long*>(a.dropped),
              static_cast<unsigned long long>(dropped));
}

}  // namespace

void drop_choices(const DropChoices& a, CUstream_st* stream) noexcept {
  launch(first_dropped_kernel, {.grid = dim3(static_cast<unsigned>(a.groups)), .block = 256},
         stream, a);
  launch(begin_dropped_kernel, {.grid = dim3(1), .block = 32}, stream, a.before, a.dropped);
  launch(keep_choices_kernel, grid_for(a.tokens * a.top_k), stream, a);
}

}  // namespace megascale::kernels::cuda
