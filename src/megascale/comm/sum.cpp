#include "megascale/comm/sum.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "megascale/base/error.h"

namespace megascale::comm {
namespace {

// Blocks that stay in the first-level cache while every source is added to them.
constexpr std::size_t kBlock = 1024;

template <class T>
void sum(std::span<std::byte> out, std::span<const std::byte* const> sources) noexcept {
  const std::size_t count = out.size() / sizeof(T);
  std::array<T, kBlock> total;
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t n = std::min(kBlock, count - begin);
    std::memcpy(total.data(), sources[0] + begin * sizeof(T), n * sizeof(T));
    for (const std::byte* source : sources.subspan(1)) {
      std::array<T, kBlock> term;
      std::memcpy(term.data(), source + begin * sizeof(T), n * sizeof(T));
      for (std::size_t i = 0; i < n; ++i) total[i] += term[i];
    }
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
