// Products of 8-bit codes against double precision: what is multiplied is exact there, so only the
// result is rounded. Without a device, skipped.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "cuda/device_operation.h"
#include "cuda/emulation/numbers.h"
#include "cuda/op_cases.h"
#include "megascale/base/error.h"
#include "megascale/cuda/device.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/graph/ops/quantised_ops.h"
#include "support/close.h"

namespace megascale::testing {
namespace {

using graph::Dim;
using Values = std::vector<double>;

class DeviceQuantisedProducts : public ::testing::Test {
 public:
  void SetUp() override {
    if (cuda::device_count() == 0) GTEST_SKIP() << cuda::why_no_device();
  }
};

constexpr std::int64_t kValues = 0, kGradients = 1;  // formats

// A matrix, rounded by the device.
struct Rounded {
  OperandOf codes, transposed, scale;
  Values values;  // what the codes mean
};

OperandOf bytes(std::int64_t rows, std::int64_t columns, Values values = {}) {
  return {{Dim(rows), Dim(columns)}, DType::uint8, std::move(values)};
}
OperandOf scale_of(Values values = {}) {
  return {{Dim(graph::kScaleNumbers)}, DType::float32, std::move(values)};
}

OpCase quantise_case(const OperandOf& matrix, std::int64_t format, std::int64_t sides = 3,
                     OperandOf amax = absent()) {
  const std::int64_t rows = matrix.shape[0].size, columns = matrix.shape[1].size;
  return {"quantise",
          &graph::quantise_op(),
          {matrix, std::move(amax), (sides & graph::kCodes) != 0 ? bytes(rows, columns) : absent(),
           (sides & graph::kTransposed) != 0 ? bytes(columns, rows) : absent(), scale_of()},
          {{"format", format}, {"sides", sides}}};
}

Rounded rounded(const OpCase& op) {
  using enum graph::quantise::Operand;
  const std::int64_t rows = op.operands[input].shape[0].size,
                     columns = op.operands[input].shape[1].size;
  const OpResult found = run_on_device(op, DType::bfloat16);
  EXPECT_TRUE(found.canaries_whole);
  Rounded result{bytes(rows, columns, found.operands[codes]),
                 bytes(columns, rows, found.operands[transposed]),
                 scale_of(found.operands[scale]),
                 {}};
  const bool is_gradient = op.attributes.integer("format") == kGradients;
  for (const double code : found.operands[codes]) {
    result.values.push_back(
        static_cast<double>(emulation::of_float8(static_cast<std::uint8_t>(code), is_gradient)) *
        found.operands[scale][0]);
  }
  return result;
}
Rounded rounded(std::int64_t rows, std::int64_t columns, std::int64_t format, double stddev) {
  return rounded(quantise_case(input({rows, columns}, stddev), format));
}

Values transpose(const Values& x, std::int64_t rows) {
  const std::int64_t columns = static_cast<std::int64_t>(x.size()) / rows;
  Values result(x.size());
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j)
      result[static_cast<std::size_t>(j * rows + i)] = x[static_cast<std::size_t>(i * columns + j)];
  }
  return result;
}
// Returns left right^T, both with `terms` columns.
Values product(const Values& left, const Values& right, std::int64_t terms) {
  const std::size_t k = static_cast<std::size_t>(terms), rows = left.size() / k,
                    columns = right.size() / k;
  Values result(rows * columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      for (std::size_t t = 0; t < k; ++t)
        result[i * columns + j] += left[i * k + t] * right[j * k + t];
    }
  }
  return result;
}

void expect_result(const OpCase& op, std::size_t result, const Values& want, double bound) {
  SCOPED_TRACE(op.name);
  const OpResult found = run_on_device(op, DType::bfloat16);
  EXPECT_TRUE(found.canaries_whole);
  ASSERT_EQ(found.operands[result].size(), want.size());
  EXPECT_LE(relative_norm_error(found.operands[result], want), bound);
}
// Hopper aligns the products of 8-bit values and cuts their sum to about 14 bits: DeepSeek-V3
// (arXiv 2412.19437), section 3.3.2. An H200 had errors of up to 6e-5.
constexpr double kOfBfloat16 = 4e-3, kOfSumsOfEightBits = 3e-4;

constexpr std::int64_t kN = 48, kI = 80, kO = 112;

TEST_F(DeviceQuantisedProducts, CodesAreNearTheMatrixAndTransposedAreTheSame) {
  for (const std::int64_t format : {kValues, kGradients}) {
    const OperandOf matrix = input({kN, kI}, 1e-4);
    const Rounded found = rounded(quantise_case(matrix, format));
    EXPECT_EQ(transpose(found.codes.values, kN), found.transposed.values);
    // 4 significant digits, of gradients 3.
    const double error = relative_norm_error(found.values, matrix.values);
    EXPECT_LE(error, format == kValues ? 0.035 : 0.07);
    EXPECT_GE(error, 0.01) << "8 bits were used";
    // One side by itself.
    for (const auto& [side, operand] :
         {std::pair(graph::kCodes, graph::quantise::codes),
          std::pair(graph::kTransposed, graph::quantise::transposed)}) {
      const OpResult one = run_on_device(quantise_case(matrix, format, side), DType::bfloat16);
      EXPECT_EQ(one.operands[operand],
                side == graph::kCodes ? found.codes.values : found.transposed.values);
      EXPECT_TRUE(one.canaries_whole);
    }
  }
}

// Tensor ranks round their own rows (plan/passes/gather_codes.h).
TEST_F(DeviceQuantisedProducts, RowsOfARankHaveTheCodesOfTheWholeMatrix) {
  for (const std::int64_t format : {kValues, kGradients}) {
    const OperandOf whole = input({kN, kI}, 1e-4);
    const OpResult together = run_on_device(quantise_case(whole, format), DType::bfloat16);
    const Values& exact = together.operands[graph::quantise::input];  // as the device has them
    const std::int64_t rows_of_ranks[] = {16, kN - 16};
    std::vector<OperandOf> parts;
    Values amax;
    std::int64_t first = 0;
    for (const std::int64_t rows : rows_of_ranks) {
      OperandOf part = input({rows, kI});
      part.values.assign(exact.begin() + first * kI, exact.begin() + (first + rows) * kI);
      first += rows;
      const OpResult found =
          run_on_device({"amax", &graph::matrix_amax_op(), {part, {{Dim(1)}, DType::float32, {}}}},
                        DType::bfloat16);
      EXPECT_TRUE(found.canaries_whole);
      amax.push_back(found.operands[graph::matrix_amax::amax][0]);
      parts.push_back(std::move(part));
    }
    EXPECT_NE(amax[0], amax[1]);
    Values codes;
    for (const OperandOf& part : parts) {
      const OpResult found = run_on_device(
          quantise_case(part, format, graph::kCodes, {{Dim(2)}, DType::float32, amax}),
          DType::bfloat16);
      EXPECT_TRUE(found.canaries_whole);
      for (const std::size_t number : {0U, 1U}) {
        EXPECT_EQ(found.operands[graph::quantise::scale][number],
                  together.operands[graph::quantise::scale][number]);
      }
      const Values& of_part = found.operands[graph::quantise::codes];
      codes.insert(codes.end(), of_part.begin(), of_part.end());
    }
    EXPECT_EQ(codes, together.operands[graph::quantise::codes]);
    const OpResult turned = run_on_device(
        {"transpose", &graph::transpose_codes_op(), {bytes(kN, kI, codes), bytes(kI, kN)}},
        DType::bfloat16);
    EXPECT_TRUE(turned.canaries_whole);
    EXPECT_EQ(turned.operands[graph::transpose_codes::transposed],
              together.operands[graph::quantise::transposed]);
  }
}

// A rank whose rows are not finite spoils the products of all.
TEST_F(DeviceQuantisedProducts, AnAmaxThatIsNotFiniteSpoilsTheScale) {
  OperandOf matrix = input({kN, kI});
  matrix.values.assign(static_cast<std::size_t>(kN * kI), 1.0);
  matrix.values[77] = std::nan("");
  const OpResult found =
      run_on_device({"amax", &graph::matrix_amax_op(), {matrix, {{Dim(1)}, DType::float32, {}}}},
                    DType::bfloat16);
  const double amax = found.operands[graph::matrix_amax::amax][0];
  EXPECT_EQ(amax, std::numeric_limits<double>::infinity());
  const OpResult rounding = run_on_device(
      quantise_case(input({kN, kI}), kValues, graph::kCodes, {{Dim(2)}, DType::float32, {1, amax}}),
      DType::bfloat16);
  EXPECT_TRUE(std::isnan(rounding.operands[graph::quantise::scale][0]));
}

TEST_F(DeviceQuantisedProducts, Forward) {
  const Rounded x = rounded(kN, kI, kValues, 1), w = rounded(kO, kI, kValues, 0.02);
  const Values plain = product(x.values, w.values, kI);
  for (const bool adds : {false, true}) {
    for (const bool has_bias : {false, true}) {
      const OpResult exact =  // both as the device has them
          run_on_device(
              {"add", &graph::add_op(), {input({kN, kO}), input({kN, kO}), output({kN, kO})}},
              DType::bfloat16);
      OperandOf addend = adds ? output({kN, kO}) : absent(),
                bias = has_bias ? output({kO}) : absent();
      Values want = plain;
      if (adds) addend.values = exact.operands[0];
      if (has_bias) bias.values.assign(exact.operands[1].begin(), exact.operands[1].begin() + kO);
      for (std::size_t i = 0; i < want.size(); ++i) {
        if (adds) want[i] += addend.values[i];
        if (has_bias) want[i] += bias.values[i % kO];
      }
      expect_result({"forward",
                     &graph::quantised_linear_op(),
                     {x.codes, x.scale, w.codes, w.scale, bias, addend, output({kN, kO})}},
                    graph::quantised_linear::output, want, kOfBfloat16);
    }
  }
}

TEST_F(DeviceQuantisedProducts, InputGradient) {
  const Rounded dy = rounded(kN, kO, kGradients, 1e-6), w = rounded(kO, kI, kValues, 1);
  expect_result({"input gradient",
                 &graph::quantised_input_gradient_op(),
                 {dy.codes, dy.scale, w.transposed, w.scale, absent(), output({kN, kI})}},
                graph::quantised_input_gradient::input_gradient,
                product(dy.values, transpose(w.values, kO), kO), kOfBfloat16);
}

// Rows beyond the count hold NaN: neither the scale nor a sum over rows may see them.
TEST_F(DeviceQuantisedProducts, WeightGradientOfCountedRows) {
  for (const std::int64_t rows : {kN, std::int64_t{29}}) {
    const auto counted = [rows](std::int64_t columns, std::int64_t format, double stddev) {
      OperandOf matrix = input({kN, columns}, stddev);
      std::fill(matrix.values.begin() + rows * columns, matrix.values.end(), NAN);
      OpCase op = quantise_case(matrix, format);
      if (rows < kN) {
        op.counts = {rows - 7, 7};
        op.counted = {graph::quantise::input, graph::quantise::codes};
      }
      Rounded result = rounded(op);
      // Codes beyond the count are not written; transposed ones are zero, so they add nothing.
      std::fill(result.values.begin() + rows * columns, result.values.end(), 0);
      return result;
    };
    const Rounded dy = counted(kO, kGradients, 1e-6), x = counted(kI, kValues, 1);
    const Values fresh = product(transpose(dy.values, kN), transpose(x.values, kN), kN);
    ASSERT_TRUE(std::all_of(fresh.begin(), fresh.end(), [](double v) { return std::isfinite(v); }));
    const OperandOf old = input32({kO, kI}, 1e-6);
    for (const bool first : {true, false}) {
      Values want = fresh;
      for (std::size_t i = 0; !first && i < want.size(); ++i) want[i] += old.values[i];
      OpCase op{"weight gradient",
                &graph::quantised_weight_gradient_op(),
                {dy.transposed, dy.scale, x.transposed, x.scale, first ? output32({kO, kI}) : old}};
      op.first = first;
      expect_result(op, graph::quantised_weight_gradient::weight_gradient, want,
                    kOfSumsOfEightBits);
    }
  }
}

// Rounds a matrix [outputs, inputs] for each expert. Those of later experts are larger, so a scale
// of another one shows.
struct RoundedExperts {
  OperandOf codes, transposed, scales;
  std::vector<Values> values;  // of each expert
};
RoundedExperts rounded_experts(std::int64_t experts, std::int64_t outputs, std::int64_t inputs) {
  using enum graph::quantise::Operand;
  OperandOf weights = testing::input({experts, outputs, inputs}, 0.02);
  const auto each = static_cast<std::size_t>(outputs * inputs);
  for (std::size_t i = 0; i < weights.values.size(); ++i)
    weights.values[i] *= std::ldexp(1.0, static_cast<int>(i / each % 8));
  const auto stack = [&](std::int64_t rows, std::int64_t columns) {
    return OperandOf{{Dim(experts), Dim(rows), Dim(columns)}, DType::uint8};
  };
  const OpResult found = run_on_device(
      {"quantise_weight",
       &graph::quantise_weight_op(),
       {weights, absent(), stack(outputs, inputs), stack(inputs, outputs),
        OperandOf{{Dim(experts), Dim(graph::kScaleNumbers)}, DType::float32}},
       {{"format", kValues}, {"sides", std::int64_t{graph::kCodes | graph::kTransposed}}}},
      DType::bfloat16);
  EXPECT_TRUE(found.canaries_whole);
  RoundedExperts result{stack(outputs, inputs),
                        stack(inputs, outputs),
                        {{Dim(experts), Dim(graph::kScaleNumbers)}, DType::float32},
                        {}};
  result.codes.values = found.operands[codes];
  result.transposed.values = found.operands[transposed];
  result.scales.values = found.operands[scale];
  for (std::size_t e = 0; e < static_cast<std::size_t>(experts); ++e) {
    const double inverse = found.operands[scale][e * graph::kScaleNumbers];
    const auto part = [&](const Values& all) {
      return Values(all.begin() + static_cast<std::ptrdiff_t>(e * each),
                    all.begin() + static_cast<std::ptrdiff_t>((e + 1) * each));
    };
    const Values own = part(found.operands[codes]), matrix = part(found.operands[input]);
    EXPECT_EQ(transpose(own, outputs), part(found.operands[transposed])) << "expert " << e;
    Values values;
    for (const double code : own) {
      values.push_back(
          static_cast<double>(emulation::of_float8(static_cast<std::uint8_t>(code), false)) *
          inverse);
    }
    double most = 0;
    for (const double x : matrix) most = std::max(most, std::abs(x));
    EXPECT_NEAR(inverse, most / 448, 1e-6 * most) << "its own largest value; expert " << e;
    EXPECT_LE(relative_norm_error(values, matrix), 0.035) << "expert " << e;
    result.values.push_back(std::move(values));
  }
  return result;
}

TEST_F(DeviceQuantisedProducts, WeightsOfExpertsHaveAScaleEach) {
  (void)rounded_experts(3, 48, 80);
  (void)rounded_experts(1030, 16, 16);  // more than partial maxima
}

// A block of rows of experts, more rows than there are, and as many products.
struct ExpertRowsCase {
  std::vector<double> counts;
  std::int64_t bound;
};
const std::vector<ExpertRowsCase> kExpertRows{
    {{0, 130, 0, 3, 40, 0}, 201},  // experts without rows; more rows than a tile has
    {{0, 0, 77}, 77},              // all rows go to one
    {{0, 0}, 10},
    {{1, 1, 1}, 5}};

// Goal: both products of experts meet the bound of bfloat16.  Method: rows beyond the count hold NaN
// and the result poison. So a scale or a product that reads too far shows, and a row that nobody
// wrote.
void expect_products_of_experts(bool by_cutlass, std::int64_t outputs, std::int64_t inputs,
                                const ExpertRowsCase& rows) {
  const std::int64_t experts = std::ssize(rows.counts);
  std::int64_t counted = 0;
  for (const double count : rows.counts) counted += static_cast<std::int64_t>(count);
  const RoundedExperts w = rounded_experts(experts, outputs, inputs);
  for (const bool forward : {true, false}) {
    SCOPED_TRACE(forward ? "forward" : "input gradient");
    const std::int64_t terms = forward ? inputs : outputs, columns = forward ? outputs : inputs;
    OperandOf matrix = input({rows.bound, terms}, forward ? 1 : 1e-6);
    std::fill(matrix.values.begin() + counted * terms, matrix.values.end(), NAN);
    OpCase rounding = quantise_case(matrix, forward ? kValues : kGradients, graph::kCodes);
    rounding.counts = {counted};
    rounding.counted = {graph::quantise::input, graph::quantise::codes};
    const Rounded left = rounded(rounding);
    using enum graph::quantised_grouped_linear::Operand;
    OpCase op{"product of experts",
              forward ? static_cast<const graph::OpDef*>(&graph::quantised_grouped_linear_op())
                      : &graph::quantised_grouped_input_gradient_op(),
              {left.codes, forward ? w.codes : w.transposed, integers(rows.counts), left.scale,
               w.scales, testing::output({rows.bound, columns})}};
    op.counts = {counted};
    op.counted = {input, output};
    op.cutlass = by_cutlass;
    const OpResult found = run_on_device(op, DType::bfloat16);
    EXPECT_TRUE(found.canaries_whole);
    const Values& result = found.operands[output];
    std::int64_t row = 0;
    for (std::size_t e = 0; e < rows.counts.size(); ++e) {
      const auto count = static_cast<std::int64_t>(rows.counts[e]);
      if (count == 0) continue;
      const auto part = [&](const Values& all, std::int64_t width) {
        return Values(all.begin() + row * width, all.begin() + (row + count) * width);
      };
      const Values right = forward ? w.values[e] : transpose(w.values[e], outputs);
      EXPECT_LE(relative_norm_error(part(result, columns),
                                    product(part(left.values, terms), right, terms)),
                kOfBfloat16)
          << "expert " << e;
      row += count;
    }
    EXPECT_TRUE(std::all_of(result.begin() + counted * columns, result.end(), [](double x) {
      return std::isnan(x);
    })) << "a row beyond the count was written";
  }
}

TEST_F(DeviceQuantisedProducts, OfExperts) {
  for (const ExpertRowsCase& rows : kExpertRows) {
    expect_products_of_experts(false, 48, 80, rows);
    expect_products_of_experts(false, 144, 272, rows);
  }
}

// Skipped without CUTLASS or a Hopper. The largest has several tiles in each direction.
TEST_F(DeviceQuantisedProducts, OfExpertsByCutlass) {
  try {
    for (const ExpertRowsCase& rows : kExpertRows) {
      expect_products_of_experts(true, 48, 80, rows);
      expect_products_of_experts(true, 528, 336, rows);
    }
    expect_products_of_experts(true, 272, 320, {{300, 0, 129, 33}, 500});
  } catch (const Error& error) {
    if (error.code() == ErrorCode::unsupported) GTEST_SKIP() << error.message();
    throw;
  }
}

// The step is then skipped, as it would be without 8 bits.
TEST_F(DeviceQuantisedProducts, WhatIsNotFiniteSpoilsTheProductsOfExperts) {
  const RoundedExperts w = rounded_experts(2, 16, 32);
  OperandOf matrix = input({6, 32});
  matrix.values[40] = INFINITY;
  const Rounded x = rounded(quantise_case(matrix, kValues, graph::kCodes));
  using enum graph::quantised_grouped_linear::Operand;
  const OpResult found = run_on_device(
      {"product of experts",
       &graph::quantised_grouped_linear_op(),
       {x.codes, w.codes, integers({2, 4}), x.scale, w.scales, testing::output({6, 16})}},
      DType::bfloat16);
  EXPECT_TRUE(std::all_of(found.operands[output].begin(), found.operands[output].end(),
                          [](double y) { return std::isnan(y); }));
}

}  // namespace
}  // namespace megascale::testing
