#include "cuda/compare_operation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>

#include "megascale/graph/ops/ops.h"

namespace megascale::testing {

std::size_t counted_elements(const OpCase& op, std::size_t operand, std::size_t numel) {
  if (std::find(op.counted.begin(), op.counted.end(), operand) == op.counted.end()) return numel;
  const std::int64_t rows = std::accumulate(op.counts.begin(), op.counts.end(), std::int64_t{0});
  return numel / static_cast<std::size_t>(op.operands[operand].shape[0].size) *
         static_cast<std::size_t>(rows);
}

void expect_close(const OpCase& op, DType storage) {
  SCOPED_TRACE(op.name + " " + std::string(to_string(storage)));
  const OpResult want = run_on_cpu(op, storage), got = run_on_device(op, storage);
  EXPECT_TRUE(got.canaries_whole);
  for (std::size_t i = 0; i < want.operands.size(); ++i) {
    ASSERT_EQ(got.operands[i].size(), want.operands[i].size());
    const std::size_t meant = counted_elements(op, i, want.operands[i].size());
    const std::span w(want.operands[i].data(), meant), g(got.operands[i].data(), meant);
    // The CPU has written it, and numbers: two rows of poison would agree.
    const bool written = op.def->operands[i].access != graph::Access::read && !w.empty();
    if (written && op.def != &graph::gradient_norm_op()) {
      ASSERT_TRUE(std::none_of(w.begin(), w.end(), [](double x) { return std::isnan(x); }))
          << "operand " << i;
    }
    const DType dtype = op.operands[i].dtype.value_or(storage);
    if (dtype == DType::int32 || dtype == DType::int64 || dtype == DType::uint8) {
      for (std::size_t n = 0; n < w.size(); ++n)
        ASSERT_EQ(g[n], w[n]) << "operand " << i << " element " << n;
      continue;
    }
    double difference = 0, norm = 0;
    for (std::size_t n = 0; n < w.size(); ++n) {
      // Poison that nobody wrote, and NaN of a damaged input, on both; bits of integers are
      // subnormal.
      if (std::isnan(w[n]) || std::isnan(g[n])) {
        ASSERT_EQ(std::isnan(w[n]), std::isnan(g[n])) << "operand " << i << " element " << n;
        continue;
      }
      if (std::isinf(w[n])) {
        ASSERT_EQ(g[n], w[n]) << "operand " << i << " element " << n;
        continue;
      }
      difference += (g[n] - w[n]) * (g[n] - w[n]);
      norm += w[n] * w[n];
    }
    const bool is_storage = !op.operands[i].dtype;
    const double bound = storage == DType::bfloat16 ? (is_storage ? 4e-3 : 2e-3) : 5e-6;
    EXPECT_TRUE(std::sqrt(difference) <= bound * std::sqrt(norm) + 1e-30)
        << "operand " << i << ": " << std::sqrt(difference / norm);
  }
}

void expect_same_bits(const OpCase& op, DType storage) {
  const OpResult a = run_on_device(op, storage), b = run_on_device(op, storage);
  for (std::size_t i = 0; i < a.operands.size(); ++i) {
    ASSERT_EQ(std::memcmp(a.operands[i].data(), b.operands[i].data(),
                          a.operands[i].size() * sizeof(double)),
              0)
        << op.name << " operand " << i;
  }
}

}  // namespace megascale::testing
