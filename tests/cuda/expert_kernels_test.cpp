// Kernels of experts on a device beyond the cases that every kind has: values that are not finite, and counts
// and choices that are wrong. Without a device, skipped.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "cuda/compare_operation.h"
#include "cuda/op_cases.h"
#include "megascale/cuda/device.h"
#include "megascale/graph/attribute_names.h"
#include "megascale/graph/ops/ops.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using graph::Dim;
namespace attribute = graph::attribute;

class DeviceExperts : public ::testing::Test {
 public:
  void SetUp() override {
    if (cuda::device_count() == 0) GTEST_SKIP() << cuda::why_no_device();
  }
};

// A token with a NaN goes to valid experts, and its weights show the NaN.
TEST_F(DeviceExperts, LogitsThatAreNotFinite) {
  using enum graph::route::Operand;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const std::int64_t sigmoid : {0, 1}) {
    OperandOf of_logits = input32({6, 40}, 2);
    const auto row = [&](std::int64_t n) { return of_logits.values.begin() + n * 40; };
    row(0)[33] = NAN;
    row(1)[7] = kInfinity;
    std::fill(row(2), row(3), -kInfinity);
    std::fill(row(3), row(4), double{NAN});
    row(4)[0] = -kInfinity;
    const OpCase op{"route",
                    &graph::route_op(),
                    {of_logits,
                     absent(),
                     absent(),
                     absent(),
                     {{Dim(6), Dim(3)}, DType::int32},
                     output32({6, 3}),
                     absent(),
                     {{Dim(40)}, DType::int64}},
                    {{attribute::top_k, std::int64_t{3}},
                     {attribute::score_function, sigmoid},
                     {attribute::normalise, std::int64_t{1}}}};
    const OpResult want = run_on_cpu(op, DType::float32), got = run_on_device(op, DType::float32);
    EXPECT_EQ(got.operands[choices], want.operands[choices]) << sigmoid;
    EXPECT_EQ(got.operands[loads], want.operands[loads]) << sigmoid;
    ASSERT_TRUE(std::isnan(want.operands[weights][3 * 3]));
    for (std::size_t i = 0; i < 6 * 3; ++i) {
      const double w = want.operands[weights][i], g = got.operands[weights][i];
      EXPECT_TRUE(std::isnan(w) ? std::isnan(g) : std::abs(g - w) <= 1e-5 * std::abs(w))
          << "choice " << i << ": " << g << ", on the CPU " << w;
    }
  }
}

// Exact where the target has all values, else rounded to the nearest.
TEST_F(DeviceExperts, CastsRoundOnce) {
  for (const bool widens : {true, false}) {
    OpCase op{"cast", &graph::cast_op(), {input({7, 13}), output({7, 13})}};
    op.operands[widens ? graph::cast::output : graph::cast::input].dtype = DType::float32;
    const OpResult got = run_on_device(op, DType::bfloat16);
    EXPECT_TRUE(got.canaries_whole);
    OpCase same{"scale", &graph::scale_op(), op.operands, {{attribute::scale, 1.0}}};
    same.operands[0].dtype.reset();
    same.operands[1].dtype.reset();
    const OpResult rounded = run_on_device(same, DType::bfloat16);
    EXPECT_EQ(got.operands[1], rounded.operands[1]) << widens;
    op.counted = {graph::cast::input, graph::cast::output};
    op.counts = {2, 3};
    const OpResult counted = run_on_device(op, DType::bfloat16);
    for (std::size_t i = 0; i < 7 * 13; ++i) {
      const double y = counted.operands[1][i];
      EXPECT_TRUE(i < 5 * 13 ? y == rounded.operands[1][i] : std::isnan(y)) << "element " << i;
    }
  }
}

OpCase map_with_room_for(std::int64_t rows) {
  OperandOf choices = numbers(300, 4);
  choices.shape = {Dim(100), Dim(3)};
  return {"dispatch_map",
          &graph::dispatch_map_op(),
          {choices,
           {{Dim(rows)}, DType::int32},
           {{Dim(100), Dim(3)}, DType::int32},
           {{Dim(4)}, DType::int64},
           {{Dim(1)}, DType::int64}},
          {{attribute::experts, std::int64_t{4}}, {attribute::ranks, std::int64_t{1}}}};
}

void expect_late_error(const OpCase& op, const std::string& part) {
  try {
    (void)run_on_device(op, DType::float32);
    ADD_FAILURE() << "nothing was thrown: " << op.name;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::failed);
    EXPECT_NE(error.message().find(part), std::string::npos) << error.message();
  }
}

// Nothing is written outside, and the error says how many rows were wanted.
TEST_F(DeviceExperts, MoreRowsThanThereIsRoomFor) {
  const OpCase op = map_with_room_for(120);
  expect_late_error(op, "dispatch_map: there is room for 120 rows, but 300 arrive");
  std::optional<Error> found;
  const OpResult got = run_on_device(op, DType::float32, &found);
  EXPECT_TRUE(found.has_value());
  EXPECT_TRUE(got.canaries_whole);
  using enum graph::dispatch_map::Operand;
  EXPECT_EQ(got.operands[sent], std::vector<double>{120});
  for (const double row : got.operands[place]) EXPECT_TRUE(row >= -1 && row < 120);
  // 300 rows fit into the room for 300.
  found.reset();
  (void)run_on_device(map_with_room_for(300), DType::float32, &found);
  EXPECT_FALSE(found.has_value());
}

TEST_F(DeviceExperts, CountsOfArrivingRowsThatAreWrong) {
  for (const auto& [arrived, part] :
       {std::pair<std::vector<double>, std::string>{{30, 30, 30, 30}, "but 120 arrive"},
        {{5, -1, 2, 3}, "regroup_map: there is room for 100 rows"},
        {{1e15, 1e15, 1e15, 1e15}, "but 4000000000000000 arrive"}}) {
    const OpCase op{"regroup_map",
                    &graph::regroup_map_op(),
                    {{{Dim(4)}, DType::int64, arrived},
                     {{Dim(100)}, DType::int32},
                     {{Dim(100)}, DType::int32},
                     {{Dim(2)}, DType::int64},
                     {{Dim(2)}, DType::int64}},
                    {{attribute::ranks, std::int64_t{2}}, {attribute::rows, std::int64_t{100}}}};
    expect_late_error(op, part);
    std::optional<Error> found;
    const OpResult got = run_on_device(op, DType::float32, &found);
    EXPECT_TRUE(got.canaries_whole);
    EXPECT_EQ(got.operands[graph::regroup_map::groups], (std::vector<double>{0, 0}));
  }
}

TEST_F(DeviceExperts, ChoicesToReplayThatAreMissing) {
  OperandOf fixed{{Dim(3), Dim(2)}, DType::int32, {0, 1, 2, 3, -1, -1}};
  const OpCase op{
      "route",
      &graph::route_op(),
      {input32({3, 4}),
       absent(),
       fixed,
       absent(),
       {{Dim(3), Dim(2)}, DType::int32},
       output32({3, 2}),
       absent(),
       {{Dim(4)}, DType::int64}},
      {{attribute::top_k, std::int64_t{2}}, {attribute::score_function, std::int64_t{0}}}};
  expect_late_error(op, "expected recorded choices to replay");
}

// Groups whose sum is above the bound, or that are negative, lead to no row outside.
OpCase groups_beyond_the_bound() {
  return {"grouped_linear",
          &graph::grouped_linear_op(),
          {input({20, 8}),
           input({3, 16, 8}),
           {{Dim(3)}, DType::int64, {15, -4, 1e12}},
           output({20, 16})}};
}
TEST_F(DeviceExperts, GroupsBeyondTheBoundEndThere) {
  for (const DType storage : {DType::float32, DType::bfloat16}) {
    const OpResult got = run_on_device(groups_beyond_the_bound(), storage);
    EXPECT_TRUE(got.canaries_whole);
    const auto& y = got.operands[graph::grouped_linear::output];
    EXPECT_TRUE(std::none_of(y.begin(), y.end(), [](double x) { return std::isnan(x); }));
  }
}

// Widths that are no multiple of 8 are left to our own kernel. Skipped without CUTLASS or a Hopper.
TEST_F(DeviceExperts, ProductsByCutlass) {
  try {
    OpCase op = groups_beyond_the_bound();
    op.cutlass = true;
    const OpResult got = run_on_device(op, DType::bfloat16);
    EXPECT_TRUE(got.canaries_whole);
    const auto& y = got.operands[graph::grouped_linear::output];
    EXPECT_TRUE(std::none_of(y.begin(), y.end(), [](double x) { return std::isnan(x); }));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::unsupported) GTEST_SKIP() << error.message();
    throw;
  }
  for (const OpCase& op : cutlass_cases()) {
    expect_close(op, DType::bfloat16);
    expect_same_bits(op, DType::bfloat16);
  }
}

}  // namespace
}  // namespace megascale
