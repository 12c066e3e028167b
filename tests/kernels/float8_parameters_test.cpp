// Parameters that are kept in 8 bits: however a bucket is divided between ranks, every rank gets the codes
// and scales of the whole matrices and rows, and they read back as what products round to.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "kernels/nearest_e4m3.h"
#include "kernels/operation.h"
#include "megascale/graph/ops/float8_ops.h"
#include "megascale/graph/ops/float8_parameter_ops.h"
#include "megascale/graph/scale_runs.h"
#include "support/close.h"

namespace megascale::kernels::parameters_in_8_bits {
namespace {

namespace attribute = graph::attribute;

using graph::FlatSegment;
using testing::nearest_e4m3;
using testing::normal;
using testing::Operation;

constexpr std::uint64_t kColumns = 20, kNumel = 24576;
// A matrix of 250 rows, four experts of 60 rows, a parameter that is not quantised by this bucket's
// ops, and a matrix with a scale for each of its 150 rows.
const std::vector<FlatSegment> kSegments{{.begin = 0, .count = 250 * kColumns, .scales = 1},
                                         {.begin = 8192, .count = 4 * 60 * kColumns, .scales = 4},
                                         {.begin = 16384, .count = 77},
                                         {.begin = 20480, .count = 150 * kColumns, .scales = 150}};
constexpr std::size_t kScales = 155;

// Values of very different sizes.
std::vector<float> masters() {
  std::vector<float> values = normal(kNumel, 3);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::ldexp(values[i], static_cast<int>(i % 31 + i / kColumns * 5 % 17) - 20);
  return values;
}

struct Quantised {
  std::vector<std::uint8_t> codes = std::vector<std::uint8_t>(kNumel, 0xEE);
  std::vector<float> scales;
};

// A group of `shards` ranks that compute scales and codes together.
class Ranks {
 public:
  explicit Ranks(std::uint32_t shards)
      : shards_(shards), slots_(graph::most_scale_runs(kSegments, kNumel, shards)) {
    axes_[graph::Axis::data] = shards;
  }

  Quantised quantise(std::vector<float> values) {
    std::vector<float> amax(shards_ * slots_, -1.0F);
    const std::uint64_t shard = kNumel / shards_;
    for (std::uint32_t s = 0; s < shards_; ++s) {
      run(graph::float8_amax_op(), s, {shard * sizeof(float), slots_ * sizeof(float)},
          {bytes(&values[s * shard]), bytes(&amax[s * slots_])});
    }
    Quantised all;
    for (std::uint32_t s = 0; s < shards_; ++s) {
      std::vector<float> scales(kScales, -1.0F);
      run(graph::quantise_float8_op(), s,
          {shard * sizeof(float), amax.size() * sizeof(float), shard, kScales * sizeof(float)},
          {bytes(&values[s * shard]), bytes(amax.data()), bytes(&all.codes[s * shard]),
           bytes(scales.data())});
      if (s == 0) all.scales = scales;
      EXPECT_TRUE(testing::same_bits(scales, all.scales)) << "rank " << s;
    }
    return all;
  }

 private:
  template <class T>
  static std::byte* bytes(T* values) {
    return reinterpret_cast<std::byte*>(values);
  }
  void run(const graph::OpDef& def, std::uint32_t shard, const std::vector<std::uint64_t>& nbytes,
           const std::vector<std::byte*>& operands) {
    const graph::Attributes attributes{
        {attribute::shard_axes, std::int64_t{graph::AxisSet{graph::Axis::data}.bits()}},
        {attribute::shards, std::int64_t{shards_}}};
    const std::vector<std::optional<graph::Tensor>> tensors(nbytes.size());
    KernelSpec spec{.def = &def,
                    .attributes = &attributes,
                    .tensors = tensors,
                    .nbytes = nbytes,
                    .segments = kSegments,
                    .axes = axes_,
                    .threads = cpu::team_size()};
    spec.coordinates[static_cast<std::size_t>(graph::Axis::data)] = shard;
    const Kernel* kernel = find_kernel(def.name, Device::cpu);
    ASSERT_NE(kernel, nullptr) << def.name;
    EXPECT_EQ(prepare(*kernel, spec)->run({.operands = operands}), nullptr);
  }

  std::uint32_t shards_;
  std::uint64_t slots_;
  graph::AxisSizes axes_;
};

// Reads a parameter back, by the op that stands in programs.
std::vector<float> read_back(const Quantised& from, const FlatSegment& segment,
                             std::uint32_t first_scale) {
  const std::int64_t rows = static_cast<std::int64_t>(segment.count / kColumns);
  const std::vector<std::optional<graph::Tensor>> tensors{
      graph::Tensor{.shape = {rows, std::int64_t{kColumns}}, .dtype = DType::float8_e4m3},
      graph::Tensor{.shape = {std::int64_t{segment.scales}}},
      graph::Tensor{.shape = {rows, std::int64_t{kColumns}}}};
  std::vector<std::uint64_t> nbytes;
  for (const auto& tensor : tensors) nbytes.push_back(static_cast<std::uint64_t>(tensor->nbytes()));
  const graph::Attributes attributes;
  std::vector<std::uint8_t> codes(
      from.codes.begin() + static_cast<std::ptrdiff_t>(segment.begin),
      from.codes.begin() + static_cast<std::ptrdiff_t>(segment.begin + segment.count));
  std::vector<float> scales(from.scales.begin() + first_scale,
                            from.scales.begin() + first_scale + segment.scales),
      values(segment.count, std::numeric_limits<float>::quiet_NaN());
  const std::vector<std::byte*> operands{reinterpret_cast<std::byte*>(codes.data()),
                                         reinterpret_cast<std::byte*>(scales.data()),
                                         reinterpret_cast<std::byte*>(values.data())};
  const KernelSpec spec{.def = &graph::dequantise_float8_op(),
                        .attributes = &attributes,
                        .tensors = tensors,
                        .nbytes = nbytes,
                        .threads = cpu::team_size()};
  const Kernel* kernel = find_kernel("dequantise_float8", Device::cpu);
  EXPECT_EQ(prepare(*kernel, spec)->run({.operands = operands}), nullptr);
  return values;
}

TEST(Float8ParametersTest, EveryValueIsTheNearestOneOfItsScale) {
  const std::vector<float> values = masters();
  const Quantised got = Ranks(3).quantise(values);
  std::uint32_t first_scale = 0;
  for (const FlatSegment& segment : kSegments) {
    if (segment.scales == 0) continue;
    const std::vector<float> y = read_back(got, segment, first_scale);
    const std::uint64_t group = segment.count / segment.scales;
    for (std::uint64_t i = 0; i < segment.count; ++i) {
      double most = 0;
      for (std::uint64_t k = i / group * group; k < (i / group + 1) * group; ++k)
        most = std::max(most, std::abs(double{values[segment.begin + k]}));
      const double x = values[segment.begin + i], want = nearest_e4m3(x, most / 448);
      ASSERT_LE(std::abs(double{y[i]} - x), std::abs(want - x) + 1e-6 * std::abs(x))
          << segment.begin << " + " << i;
    }
    first_scale += segment.scales;
  }
}

// Products round by the op round_float8, with the same scales.
TEST(Float8ParametersTest, ReadsBackWhatProductsRoundTo) {
  const std::vector<float> values = masters();
  const Quantised got = Ranks(2).quantise(values);
  std::uint32_t first_scale = 0;
  for (const FlatSegment& segment : kSegments) {
    if (segment.scales == 0) continue;
    const auto rows = static_cast<std::int64_t>(segment.count / kColumns);
    const bool by_row = segment.scales == rows;
    const graph::Shape shape =
        by_row || segment.scales == 1
            ? graph::Shape{rows, std::int64_t{kColumns}}
            : graph::Shape{segment.scales, rows / segment.scales, std::int64_t{kColumns}};
    Operation rounding(
        graph::round_float8_op(), {shape, {}, shape},
        {{attribute::scales, static_cast<std::int64_t>(by_row ? graph::Float8Scales::by_row
                                                              : graph::Float8Scales::whole)},
         {attribute::ranks, by_row ? std::int64_t{1} : std::int64_t{segment.scales}}});
    std::vector<float> x(
        values.begin() + static_cast<std::ptrdiff_t>(segment.begin),
        values.begin() + static_cast<std::ptrdiff_t>(segment.begin + segment.count)),
        rounded(x.size(), -1.0F);
    rounding.run({&x, nullptr, &rounded}, true);
    EXPECT_TRUE(testing::same_bits(read_back(got, segment, first_scale), rounded)) << segment.begin;
    first_scale += segment.scales;
  }
}

TEST(Float8ParametersTest, ShardsChangeNoBit) {
  const std::vector<float> values = masters();
  const Quantised whole = Ranks(1).quantise(values);
  for (const std::uint32_t shards : {2U, 3U, 6U}) {
    const Quantised got = Ranks(shards).quantise(values);
    EXPECT_EQ(got.codes, whole.codes) << shards;
    EXPECT_TRUE(testing::same_bits(got.scales, whole.scales)) << shards;
  }
}

TEST(Float8ParametersTest, CodesBetweenParametersAreZero) {
  const Quantised got = Ranks(2).quantise(masters());
  std::vector<bool> used(kNumel, false);
  for (const graph::ScaleRun& run : graph::scale_runs(kSegments, 0, kNumel))
    std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(run.begin), run.count, true);
  for (std::size_t i = 0; i < kNumel; ++i) {
    if (!used[i]) {
      ASSERT_EQ(got.codes[i], 0) << i;
    }
  }
}

// A value that is not finite makes all values of its scale NaN, on the other ranks, too.
TEST(Float8ParametersTest, NotFiniteStaysVisible) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    for (const std::uint32_t shards : {1U, 6U}) {
      std::vector<float> values = masters();
      values[4999] = bad;                          // the last one of the first matrix
      values[8192 + 2 * 60 * kColumns + 5] = bad;  // of the third expert
      const Quantised got = Ranks(shards).quantise(values);
      const std::vector<float> matrix = read_back(got, kSegments[0], 0),
                               experts = read_back(got, kSegments[1], 1);
      for (std::size_t i = 0; i < matrix.size(); ++i) ASSERT_TRUE(std::isnan(matrix[i])) << i;
      for (std::size_t i = 0; i < experts.size(); ++i)
        ASSERT_EQ(std::isnan(experts[i]), i / (60 * kColumns) == 2) << i;
    }
  }
}

}  // namespace
}  // namespace megascale::kernels::parameters_in_8_bits
