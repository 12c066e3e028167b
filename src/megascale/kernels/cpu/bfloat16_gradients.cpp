// Packing in place: the results of a range of values, whose length is that of everything before it,
// lie where values lay that are packed already. So such a range is converted at once, and the next
// one is twice as long.
#include "megascale/kernels/cpu/bfloat16_gradients.h"

#include <algorithm>
#include <array>
#include <bit>

#include "megascale/kernels/cpu/elementwise.h"

namespace megascale::kernels::cpu {
namespace {

constexpr std::size_t kFirst = 256;  // values that are copied before they are packed

float widened(std::uint16_t value) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16U);
}

}  // namespace

void pack_bfloat16(std::span<float> values) noexcept {
  // The bytes of the buffer are read as float32 and written as bfloat16, both through the kernels.
  auto* const packed = reinterpret_cast<std::uint16_t*>(values.data());
  std::array<float, kFirst> copied{};
  const std::size_t first = std::min(kFirst, values.size());
  std::copy_n(values.begin(), first, copied.begin());
  to_bfloat16({packed, first}, std::span<const float>(copied).first(first));
  for (std::size_t begin = kFirst; begin < values.size(); begin *= 2) {
    const std::size_t count = std::min(begin, values.size() - begin);
    to_bfloat16({packed + begin, count}, values.subspan(begin, count));
  }
}

// A share ends, packed, in front of the next block, so only the first one may lie where it is packed to.
void pack_shares(std::span<float> values, const Shares& shares) noexcept {
  const std::size_t stride = values.size() / shares.blocks;
  for (std::size_t block = shares.offset == 0 ? 1 : 0; block < shares.blocks; ++block) {
    std::copy_n(values.data() + block * stride + shares.offset, shares.count,
                values.data() + block * shares.count);
  }
}

void pack_shares_bfloat16(std::span<float> values, const Shares& shares) noexcept {
  const std::size_t stride = values.size() / shares.blocks;
  auto* const packed = reinterpret_cast<std::uint16_t*>(values.data());
  for (std::size_t block = 0; block < shares.blocks; ++block) {
    const std::size_t begin = block * stride + shares.offset;
    if (begin == 0) {
      pack_bfloat16(values.first(shares.count));
    } else {
      to_bfloat16({packed + block * shares.count, shares.count},
                  values.subspan(begin, shares.count));
    }
  }
}

void add_bfloat16_blocks(std::span<const std::uint16_t> blocks, std::span<float> sum) noexcept {
  const std::size_t count = sum.size(), number = blocks.size() / count;
  const std::uint16_t* const from = blocks.data();
  float* const to = sum.data();
#pragma omp parallel for schedule(static) default(none) shared(from, to, count, number)
  for (std::size_t i = 0; i < count; ++i) {
    float all = widened(from[i]);
    for (std::size_t block = 1; block < number; ++block) all += widened(from[block * count + i]);
    to[i] = all;
  }
}

}  // namespace megascale::kernels::cpu
