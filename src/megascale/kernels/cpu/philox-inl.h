// Philox4x32-10 by vectors: lane i computes block number `first + i`. This file is compiled once per
// vector target (included after hwy/foreach_target.h).
#if defined(MEGASCALE_KERNELS_CPU_PHILOX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MEGASCALE_KERNELS_CPU_PHILOX_INL_H_
#undef MEGASCALE_KERNELS_CPU_PHILOX_INL_H_
#else
#define MEGASCALE_KERNELS_CPU_PHILOX_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "megascale/base/philox.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr std::size_t kBlocksOfGroup = 16, kWordsOfGroup = 4 * kBlocksOfGroup;

// Sets words[16 w + i] to word w of the block with the counter (16 group + i, stream) and the key `seed`
// (megascale::philox4x32), for 16 blocks. `words` is aligned to vectors.
HWY_INLINE void philox_group(std::uint64_t seed, std::uint64_t stream, std::uint64_t group,
                             std::uint32_t* HWY_RESTRICT words) {
#if HWY_TARGET == HWY_SCALAR
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  for (std::size_t i = 0; i < kBlocksOfGroup; ++i) {
    const std::uint64_t block = group * kBlocksOfGroup + i;
    const auto four = philox4x32({low(block), low(block >> 32U), low(stream), low(stream >> 32U)},
                                 {low(seed), low(seed >> 32U)});
    for (std::size_t w = 0; w < 4; ++w) words[w * kBlocksOfGroup + i] = four[w];
  }
#else
  // A lane has 64 bits, of which only the lower 32 count: MulEven multiplies those.
  const hn::CappedTag<std::uint64_t, 8> wide;
  const hn::RepartitionToNarrow<decltype(wide)> narrow;
  const hn::Rebind<std::uint32_t, decltype(wide)> half;
  const auto product = [&](auto x, std::uint32_t factor) HWY_ATTR {
    return hn::MulEven(hn::BitCast(narrow, x), hn::BitCast(narrow, hn::Set(wide, factor)));
  };
  constexpr std::uint32_t kFactor0 = 0xD2511F53, kFactor1 = 0xCD9E8D57;  // Salmon et al., table 2
  constexpr std::uint32_t kStep0 = 0x9E3779B9, kStep1 = 0xBB67AE85;
  for (std::size_t i = 0; i < kBlocksOfGroup; i += hn::Lanes(wide)) {
    const auto block = hn::Iota(wide, group * kBlocksOfGroup + i);
    auto c0 = block, c1 = hn::ShiftRight<32>(block);
    auto c2 = hn::Set(wide, stream & 0xFFFFFFFFU), c3 = hn::Set(wide, stream >> 32U);
    auto key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32U);
    for (int round = 0; round < 10; ++round) {
      const auto product0 = product(c0, kFactor0), product1 = product(c2, kFactor1);
      c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(product1), c1), hn::Set(wide, key0));
      c1 = product1;
      c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(product0), c3), hn::Set(wide, key1));
      c3 = product0;
      key0 += kStep0;
      key1 += kStep1;
    }
    hn::StoreU(hn::TruncateTo(half, c0), half, words + i);
    hn::StoreU(hn::TruncateTo(half, c1), half, words + kBlocksOfGroup + i);
    hn::StoreU(hn::TruncateTo(half, c2), half, words + 2 * kBlocksOfGroup + i);
    hn::StoreU(hn::TruncateTo(half, c3), half, words + 3 * kBlocksOfGroup + i);
  }
#endif
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
