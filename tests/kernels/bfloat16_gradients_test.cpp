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
