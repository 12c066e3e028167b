// Adds the arrays of several ranks, element by element, in a fixed order. The loop works on blocks
// that fit in the first-level cache and reads up to three sources per pass.
#include "megascale/comm/sum.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "megascale/base/error.h"

namespace megascale::comm {
namespace {

// Elements per block. The sums of a block stay in the first-level cache until all sources are
// added. They are not written to `out` directly: `out` may be one of the sources, and the compiler
// could then not vectorise the loop.
constexpr std::size_t kBlock = 1024;

// Returns element i of a source, which need not be aligned.
template <class T>
T at(const std::byte* source, std::size_t i) noexcept {
  T value;
  std::memcpy(&value, source + i * sizeof(T), sizeof(T));
  return value;
}

// Adds a block of one to three more sources in one pass, so that each is read once. The prefetcher
// of the CPU can follow three streams.
template <class T>
void add(std::array<T, kBlock>& total, std::span<const std::byte* const> more, std::size_t begin,
         std::size_t n) noexcept {
  const std::byte* a = more[0] + begin * sizeof(T);
  const std::byte* b = more.size() > 1 ? more[1] + begin * sizeof(T) : nullptr;
  const std::byte* c = more.size() > 2 ? more[2] + begin * sizeof(T) : nullptr;
  if (more.size() == 1) {
    for (std::size_t i = 0; i < n; ++i) total[i] += at<T>(a, i);
  } else if (more.size() == 2) {
    for (std::size_t i = 0; i < n; ++i) total[i] = (total[i] + at<T>(a, i)) + at<T>(b, i);
  } else {
    for (std::size_t i = 0; i < n; ++i)
      total[i] = ((total[i] + at<T>(a, i)) + at<T>(b, i)) + at<T>(c, i);
  }
}

template <class T>
void sum(std::span<std::byte> out, std::span<const std::byte* const> sources) noexcept {
  const std::size_t count = out.size() / sizeof(T);
  std::array<T, kBlock> total;
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t n = std::min(kBlock, count - begin);
    std::memcpy(total.data(), sources[0] + begin * sizeof(T), n * sizeof(T));
    for (std::size_t s = 1; s < sources.size(); s += 3)
      add<T>(total, sources.subspan(s, std::min<std::size_t>(3, sources.size() - s)), begin, n);
    std::memcpy(out.data() + begin * sizeof(T), total.data(), n * sizeof(T));
  }
}

}  // namespace

void sum_in_order(std::span<std::byte> out, std::span<const std::byte* const> sources,
                  DType dtype) noexcept {
  switch (dtype) {
    case DType::float32:
      return sum<float>(out, sources);
    case DType::float64:
      return sum<double>(out, sources);
    case DType::int64:
      return sum<std::int64_t>(out, sources);
    default:
      MEGASCALE_CHECK(false, "sums over ranks are float32, float64 or int64");
  }
}

}  // namespace megascale::comm
