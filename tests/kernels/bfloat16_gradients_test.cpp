// Gradients that travel in bfloat16: packing in place and sums, against a plain reference.
#include "megascale/kernels/cpu/bfloat16_gradients.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "megascale/kernels/cpu/elementwise.h"

namespace megascale::kernels::cpu {
namespace {

std::vector<float> random_values(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

std::vector<std::uint16_t> rounded(const std::vector<float>& values) {
  std::vector<std::uint16_t> result(values.size());
  to_bfloat16(result, values);
  return result;
}

TEST(Bfloat16GradientsTest, PackingInPlaceRoundsEveryValueOnce) {
  for (const std::size_t count :
       std::vector<std::size_t>{1, 2, 255, 256, 257, 511, 512, 513, 40'961}) {
    std::vector<float> values = random_values(count, static_cast<unsigned>(count));
    values[count / 2] = std::numeric_limits<float>::infinity();
    values[count / 3] = std::nanf("");
    const std::vector<std::uint16_t> expected = rounded(values);
    pack_bfloat16(values);
    EXPECT_EQ(std::memcmp(values.data(), expected.data(), 2 * count), 0) << count;
  }
}

// Shares at the begin, in the middle and at the end of a block; a share has up to half of it.
TEST(Bfloat16GradientsTest, SharesOfBlocksArePackedInPlaceInTheirOrder) {
  for (const std::size_t count : std::vector<std::size_t>{1, 4, 255, 1'000, 40'961}) {
    for (const std::size_t parts : std::vector<std::size_t>{2, 4}) {
      for (const std::size_t blocks : std::vector<std::size_t>{1, 2, 3, 8}) {
        for (std::size_t part = 0; part < parts; ++part) {
          const std::vector<float> all =
              random_values(blocks * parts * count, static_cast<unsigned>(count + part));
          std::vector<float> shares;
          for (std::size_t block = 0; block < blocks; ++block) {
            const auto begin =
                all.begin() + static_cast<std::ptrdiff_t>((block * parts + part) * count);
            shares.insert(shares.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
          }
          const Shares packed{.blocks = blocks, .offset = part * count, .count = count};
          std::vector<float> plain = all, narrow = all;
          pack_shares(plain, packed);
          EXPECT_EQ(std::memcmp(plain.data(), shares.data(), 4 * shares.size()), 0)
              << count << ", part " << part << " of " << parts << ", blocks " << blocks;
          pack_shares_bfloat16(narrow, packed);
          EXPECT_EQ(std::memcmp(narrow.data(), rounded(shares).data(), 2 * shares.size()), 0)
              << count << ", part " << part << " of " << parts << ", blocks " << blocks;
        }
      }
    }
  }
}

TEST(Bfloat16GradientsTest, BlocksAreAddedInFloat32InTheirOrder) {
  constexpr std::size_t kBlocks = 5, kCount = 1'000;
  const std::vector<std::uint16_t> blocks = rounded(random_values(kBlocks * kCount, 3));
  std::vector<float> sum(kCount, std::nanf(""));
  add_bfloat16_blocks(blocks, sum);
  for (std::size_t i = 0; i < kCount; ++i) {
    double exact = 0;
    float in_order = 0;
    for (std::size_t block = 0; block < kBlocks; ++block) {
      const std::uint32_t bits = std::uint32_t{blocks[block * kCount + i]} << 16U;
      float value = 0;
      std::memcpy(&value, &bits, sizeof(value));
      exact += value;
      in_order = block == 0 ? value : in_order + value;
    }
    EXPECT_EQ(sum[i], in_order) << i;
    EXPECT_NEAR(sum[i], exact, 1e-5) << i;
  }
}

}  // namespace
}  // namespace megascale::kernels::cpu
