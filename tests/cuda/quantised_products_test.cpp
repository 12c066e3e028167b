// Products of 8-bit codes against double precision: what is multiplied is exact there, so only the
// result is rounded. Without a device, skipped.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "cuda/device_operation.h"
#include "cuda/emulation/numbers.h"
#include "cuda/op_cases.h"
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

OpCase quantise_case(const OperandOf& matrix, std::int64_t format, std::int64_t sides = 3) {
  const std::int64_t rows = matrix.shape[0].size, columns = matrix.shape[1].size;
  return {"quantise",
          &graph::quantise_op(),
          {matrix, (sides & graph::kCodes) != 0 ? bytes(rows, columns) : absent(),
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
      return rounded(op);
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

}  // namespace
}  // namespace megascale::testing
