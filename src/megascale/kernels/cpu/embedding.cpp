// Embedding: rows are gathered forward and added up backward. The backward pass divides the
// channels among the threads: each thread goes over all tokens in order, so no two threads write
// the same element and the order of additions is fixed.
#include "megascale/kernels/cpu/embedding.h"

#include <cstring>

#include "megascale/kernels/cpu/simd_targets.h"
#include "megascale/kernels/cpu/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/embedding.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

// Returns the row of the local table. For a token that another rank holds the result is at least
// vocab_count, since negative values wrap around.
HWY_INLINE std::size_t local_row(std::int32_t index, std::size_t start) {
  return static_cast<std::size_t>(static_cast<std::int64_t>(index) -
                                  static_cast<std::int64_t>(start));
}

void gather_rows(const EmbeddingForward& a, std::size_t first, std::size_t last) {
  const std::size_t channels = a.channels;
  for (std::size_t n = first; n < last; ++n) {
    float* y = a.y + n * channels;
    const std::size_t row = local_row(a.token[n], a.vocab_start);
    const float* source = row < a.vocab_count ? a.table + row * channels : nullptr;
    const float* position =
        a.position_table ? a.position_table + static_cast<std::size_t>(a.position[n]) * channels
                         : nullptr;
    if (source && position) {
      for_each_vector(0, channels, [=](auto at) HWY_ATTR {
        at.store(hn::Add(at.load(source), at.load(position)), y);
      });
    } else if (source || position) {
      std::memcpy(y, source ? source : position, channels * sizeof(float));
    } else {
      std::memset(y, 0, channels * sizeof(float));
    }
  }
}

// Adds dy to the table for the channels [first, last). The rows of the table are visited at random,
// so the rows of the next tokens are prefetched.
void scatter_channels(const EmbeddingBackward& a, std::size_t first, std::size_t last) {
  constexpr std::size_t kAhead = 4;                  // tokens
  constexpr std::size_t kLine = 64 / sizeof(float);  // floats of a cache line
  for (std::size_t n = 0; n < a.tokens; ++n) {
    if (n + kAhead < a.tokens) {
      const std::size_t next = local_row(a.index[n + kAhead], a.vocab_start);
      if (next < a.vocab_count) {
        for (std::size_t c = first; c < last; c += kLine) {
          __builtin_prefetch(a.table_gradient + next * a.channels + c, 1);
        }
      }
    }
    const std::size_t row = local_row(a.index[n], a.vocab_start);
    if (row >= a.vocab_count) continue;
    float* target = a.table_gradient + row * a.channels;
    const float* dy = a.dy + n * a.channels;
    for_each_vector(first, last, [=](auto at) HWY_ATTR {
      at.store(hn::Add(at.load(target), at.load(dy)), target);
    });
  }
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(gather_rows);
HWY_EXPORT(scatter_channels);

void embedding_forward(const EmbeddingForward& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(gather_rows);
  parallel_ranges(args.tokens, 1, args.channels * 2 * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

void embedding_backward(const EmbeddingBackward& args) noexcept {
  if (!args.accumulate) {
    const std::size_t bytes = args.channels * sizeof(float);
    parallel_ranges(args.vocab_count, 1, bytes, [&](std::size_t first, std::size_t last) {
      std::memset(args.table_gradient + first * args.channels, 0, (last - first) * bytes);
    });
  }
  const auto run = HWY_DYNAMIC_DISPATCH(scatter_channels);
  parallel_ranges(args.channels, 16, args.tokens * 3 * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

}  // namespace megascale::kernels::cpu
#endif
