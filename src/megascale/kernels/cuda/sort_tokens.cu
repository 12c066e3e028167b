// A stable radix sort by 8 bits at a time. Each time, one kernel counts the digits of every tile of
// tokens, and a second one adds these counts to the place of each tile's first token of a digit and
// moves the tokens there. A warp has consecutive tokens of a tile, and ranks those of one digit by
// votes of its threads, so no atomic addition is needed.
#include <utility>

#include "megascale/kernels/cuda/counted_rows-inl.h"
#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/sort_tokens.h"

namespace megascale::kernels::cuda {
namespace {

constexpr unsigned kBits = 8, kDigits = kSortDigits, kThreads = 256, kWarps = kThreads / 32;
constexpr unsigned kRounds = kSortTile / kThreads;  // tokens of a thread
static_assert(kThreads == kDigits && (1U << kBits) == kDigits);

struct Digits {
  SortTokens a;
  const std::uint32_t* row = nullptr;  // null: those of a.index, in order
  const std::uint32_t* token = nullptr;
  std::uint32_t* next_row = nullptr;
  std::uint32_t* next_token = nullptr;
  std::uint32_t* counts = nullptr;  // [tiles][kDigits]
  unsigned shift = 0;               // of the digit within a row

  [[nodiscard]] __device__ std::uint32_t row_at(std::size_t place, std::size_t counted) const {
    if (row != nullptr) return row[place];
    const long long here =
        place < counted ? a.index[place] - static_cast<long long>(a.vocab_start) : -1;
    const bool is_row = here >= 0 && here < static_cast<long long>(a.vocab_count);
    return static_cast<std::uint32_t>(is_row ? here : static_cast<long long>(a.vocab_count));
  }
};

// Rows and ranks of the tokens of a thread, one token per round.
struct Ranked {
  std::uint32_t row[kRounds];
  unsigned rank[kRounds];  // among the tokens of the warp with the same digit
};

// Returns the first token of this warp; thread `lane` has the tokens first + 32 round + lane.
__device__ std::size_t first_of_warp() {
  return (static_cast<std::size_t>(blockIdx.x) * kWarps + threadIdx.x / 32) * 32 * kRounds;
}

// Counts the digits of each warp, and ranks its tokens. All threads of the block must call it.
__device__ void rank_tokens(const Digits& d, unsigned (*counts)[kDigits], Ranked& mine) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (unsigned w = 0; w < kWarps; ++w) counts[w][threadIdx.x] = 0;
  __syncthreads();
  const std::size_t first = first_of_warp(), counted = counted_rows(d.a.counted, d.a.tokens);
#pragma unroll
  for (unsigned r = 0; r < kRounds; ++r) {
    if (first + std::size_t{32} * r >= d.a.tokens) break;
    const std::size_t place = first + std::size_t{32} * r + lane;
    const bool is_token = place < d.a.tokens;
    mine.row[r] = is_token ? d.row_at(place, counted) : 0;
    const unsigned digit = (mine.row[r] >> d.shift) % kDigits;
    unsigned equal = __ballot_sync(~0U, is_token);  // bit l: thread l has a token of this digit
    for (unsigned bit = 0; bit < kBits; ++bit) {
      const bool is_set = (digit >> bit & 1U) != 0;
      const unsigned votes = __ballot_sync(~0U, is_set);
      equal &= is_set ? votes : ~votes;
    }
    const unsigned before = __popc(equal & ((1U << lane) - 1U)), sum = counts[warp][digit];
    mine.rank[r] = sum + before;
    __syncwarp();  // all threads have read the counts
    if (is_token && before == 0) counts[warp][digit] = sum + __popc(equal);
    __syncwarp();
  }
  __syncthreads();
}

__global__ void __launch_bounds__(kThreads) count_digits_kernel(Digits d) {
  __shared__ unsigned counts[kWarps][kDigits];
  Ranked mine;
  rank_tokens(d, counts, mine);
  unsigned sum = 0;
  for (unsigned w = 0; w < kWarps; ++w) sum += counts[w][threadIdx.x];
  d.counts[blockIdx.x * kDigits + threadIdx.x] = sum;
}

// Returns the sum of the values of all threads before this one.
__device__ unsigned sum_before(unsigned value) {
  __shared__ unsigned sums[2][kThreads];
  unsigned from = 0;
  sums[from][threadIdx.x] = value;
  __syncthreads();
  for (unsigned distance = 1; distance < kThreads; distance *= 2) {
    unsigned sum = sums[from][threadIdx.x];
    if (threadIdx.x >= distance) sum += sums[from][threadIdx.x - distance];
    sums[1 - from][threadIdx.x] = sum;
    from = 1 - from;
    __syncthreads();
  }
  return sums[from][threadIdx.x] - value;
}

__global__ void __launch_bounds__(kThreads) move_tokens_kernel(Digits d) {
  __shared__ unsigned places[kWarps][kDigits];
  Ranked mine;
  rank_tokens(d, places, mine);
  // From here on a thread handles the digit of its number: all smaller ones come before, then this
  // one of earlier tiles, then of earlier warps.
  unsigned earlier_tiles = 0, all = 0;
  for (unsigned tile = 0; tile < gridDim.x; ++tile) {
    const unsigned count = d.counts[tile * kDigits + threadIdx.x];
    if (tile < blockIdx.x) earlier_tiles += count;
    all += count;
  }
  unsigned place = sum_before(all) + earlier_tiles;
  for (unsigned w = 0; w < kWarps; ++w) {
    const unsigned count = places[w][threadIdx.x];
    places[w][threadIdx.x] = place;
    place += count;
  }
  __syncthreads();
  const std::size_t first = first_of_warp() + threadIdx.x % 32;
#pragma unroll
  for (unsigned r = 0; r < kRounds; ++r) {
    const std::size_t from = first + std::size_t{32} * r;
    if (from >= d.a.tokens) break;
    const unsigned to = places[threadIdx.x / 32][(mine.row[r] >> d.shift) % kDigits] + mine.rank[r];
    d.next_row[to] = mine.row[r];
    d.next_token[to] = d.token != nullptr ? d.token[from] : static_cast<std::uint32_t>(from);
  }
}

}  // namespace

TokenOrder sort_tokens(const SortTokens& args, CUstream_st* stream) noexcept {
  auto* words = reinterpret_cast<std::uint32_t*>(args.scratch);
  Digits d{.a = args,
           .next_row = words,
           .next_token = words + args.tokens,
           .counts = words + 4 * args.tokens};
  std::uint32_t* other_row = words + 2 * args.tokens;
  std::uint32_t* other_token = words + 3 * args.tokens;
  const LaunchShape shape{
      .grid = dim3(static_cast<unsigned>((args.tokens + kSortTile - 1) / kSortTile)),
      .block = kThreads};
  for (; d.shift == 0 || args.vocab_count >> d.shift != 0; d.shift += kBits) {
    launch(count_digits_kernel, shape, stream, d);
    launch(move_tokens_kernel, shape, stream, d);
    d.row = d.next_row;
    d.token = d.next_token;
    std::swap(d.next_row, other_row);
    std::swap(d.next_token, other_token);
  }
  return {d.row, d.token};
}

}  // namespace megascale::kernels::cuda
