// The array operations, vectorized with Highway: each is a loop over rows that the team shares.
// They use vectors and all threads like the fused kernels, so a comparison with those shows the
// cost of the passes over memory.
#include "megascale/kernels/cpu/plain/array.h"

#include <cmath>

#include "megascale/kernels/cpu/simd_targets.h"
#include "megascale/kernels/cpu/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/plain/array.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {
namespace plain = cpu::plain;

template <class Op>
HWY_INLINE void binary_rows_of(const plain::Shape& shape, const plain::Values& left,
                               const plain::Values& right, const plain::Result& result,
                               std::size_t first, std::size_t last, Op op) {
  for (std::size_t n = first; n < last; ++n) {
    const float *a = left.data + n * left.row, *b = right.data + n * right.row;
    float* y = result.data + n * result.row;
    if (right.column == 0) {
      const Vec value = set(*b);
      for_each_vector(0, shape.columns,
                      [=](auto at) HWY_ATTR { at.store(op(at.load(a), value), y); });
    } else {
      for_each_vector(0, shape.columns,
                      [=](auto at) HWY_ATTR { at.store(op(at.load(a), at.load(b)), y); });
    }
  }
}

void binary_rows(plain::Binary op, const plain::Shape& shape, const plain::Values& left,
                 const plain::Values& right, const plain::Result& result, std::size_t first,
                 std::size_t last) {
  switch (op) {
    case plain::Binary::add:
      return binary_rows_of(shape, left, right, result, first, last,
                            [](Vec a, Vec b) HWY_ATTR { return hn::Add(a, b); });
    case plain::Binary::subtract:
      return binary_rows_of(shape, left, right, result, first, last,
                            [](Vec a, Vec b) HWY_ATTR { return hn::Sub(a, b); });
    case plain::Binary::multiply:
      return binary_rows_of(shape, left, right, result, first, last,
                            [](Vec a, Vec b) HWY_ATTR { return hn::Mul(a, b); });
  }
}

// Returns 1 / (1 + e^x), for any x.
HWY_INLINE Vec reciprocal_of_one_plus_exp(Vec x) {
  const Vec e = exp_in_range(at_most(at_least(x, kExpZero), kExpInfinity));
  return hn::Div(set(1.0F), hn::Add(set(1.0F), e));
}

template <class Op>
HWY_INLINE void unary_rows_of(const plain::Shape& shape, const plain::Values& operand,
                              const plain::Result& result, std::size_t first, std::size_t last,
                              Op op) {
  for (std::size_t n = first; n < last; ++n) {
    const float* x = operand.data + n * operand.row;
    float* y = result.data + n * result.row;
    for_each_vector(0, shape.columns, [=](auto at) HWY_ATTR { at.store(op(at.load(x)), y); });
  }
}

void unary_rows(plain::Unary op, const plain::Shape& shape, const plain::Values& operand,
                const plain::Result& result, std::size_t first, std::size_t last) {
  switch (op) {
    case plain::Unary::exp:
      return unary_rows_of(shape, operand, result, first, last, [](Vec x) HWY_ATTR {
        return exp_in_range(at_most(at_least(x, kExpZero), kExpInfinity));
      });
    case plain::Unary::tanh:
      return unary_rows_of(shape, operand, result, first, last, [](Vec x) HWY_ATTR {
        return hn::NegMulAdd(set(2.0F), reciprocal_of_one_plus_exp(hn::Add(x, x)), set(1.0F));
      });
    case plain::Unary::sigmoid:
      return unary_rows_of(shape, operand, result, first, last,
                           [](Vec x) HWY_ATTR { return reciprocal_of_one_plus_exp(hn::Neg(x)); });
    case plain::Unary::reciprocal_root:
      return unary_rows_of(shape, operand, result, first, last,
                           [](Vec x) HWY_ATTR { return hn::Div(set(1.0F), hn::Sqrt(x)); });
  }
}

void sums_of_rows(const plain::Shape& shape, const plain::Values& x, float* sums, std::size_t first,
                  std::size_t last) {
  for (std::size_t n = first; n < last; ++n) {
    const float* row = x.data + n * x.row;
    cpu::HWY_NAMESPACE::row_sums<1>(shape.columns, sums + n, [=](auto at, Vec* lanes) HWY_ATTR {
      lanes[0] = hn::Add(lanes[0], at.load(row));
    });
  }
}

HWY_INLINE float largest(const float* row, std::size_t columns) {
  Vec highest = set(row[0]);
  for (std::size_t c = 0; c + kLanes <= columns; c += kLanes)
    highest = hn::Max(highest, hn::LoadU(Tag(), row + c));
  float result = hn::GetLane(hn::MaxOfLanes(Tag(), highest));
  for (std::size_t c = columns / kLanes * kLanes; c < columns; ++c)
    result = row[c] > result ? row[c] : result;
  return result;
}

void softmax_rows(const plain::Shape& shape, const plain::Result& x, float* logsumexp,
                  std::size_t first, std::size_t last) {
  for (std::size_t n = first; n < last; ++n) {
    float* row = x.data + n * x.row;
    const float highest = largest(row, shape.columns);
    const Vec shift = set(highest);
    float sum = 0;
    cpu::HWY_NAMESPACE::row_sums<1>(shape.columns, &sum, [=](auto at, Vec* lanes) HWY_ATTR {
      const Vec e = exp_nonpositive(hn::Sub(at.load(row), shift));
      at.store(e, row);
      lanes[0] = hn::Add(lanes[0], at.keep(e));
    });
    logsumexp[n] = highest + std::log(sum);
    const Vec factor = set(1.0F / sum);
    for_each_vector(0, shape.columns,
                    [=](auto at) HWY_ATTR { at.store(hn::Mul(at.load(row), factor), row); });
  }
}

void softmax_gradient_rows(const plain::Shape& shape, const plain::Values& p,
                           const plain::Result& dp, std::size_t first, std::size_t last) {
  for (std::size_t n = first; n < last; ++n) {
    const float* probability = p.data + n * p.row;
    float* gradient = dp.data + n * dp.row;
    float sum = 0;
    cpu::HWY_NAMESPACE::row_sums<1>(shape.columns, &sum, [=](auto at, Vec* lanes) HWY_ATTR {
      lanes[0] = hn::MulAdd(at.load(probability), at.load(gradient), lanes[0]);
    });
    const Vec mean = set(sum);
    for_each_vector(0, shape.columns, [=](auto at) HWY_ATTR {
      at.store(hn::Mul(at.load(probability), hn::Sub(at.load(gradient), mean)), gradient);
    });
  }
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(binary_rows);
HWY_EXPORT(unary_rows);
HWY_EXPORT(sums_of_rows);
HWY_EXPORT(softmax_rows);
HWY_EXPORT(softmax_gradient_rows);

namespace plain {
namespace {

// Calls body(first, last) for ranges of rows.
template <class Body>
void over_rows(const Shape& shape, std::size_t arrays, const Body& body) noexcept {
  parallel_ranges(shape.rows, 1, arrays * shape.columns * sizeof(float), body);
}

}  // namespace

void apply(Binary op, const Shape& shape, Values left, Values right, Result result) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(binary_rows);
  over_rows(shape, 3, [&](std::size_t first, std::size_t last) {
    run(op, shape, left, right, result, first, last);
  });
}

void apply(Unary op, const Shape& shape, Values operand, Result result) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(unary_rows);
  over_rows(shape, 2, [&](std::size_t first, std::size_t last) {
    run(op, shape, operand, result, first, last);
  });
}

void row_sums(const Shape& shape, Values x, float* sums) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(sums_of_rows);
  over_rows(shape, 1,
            [&](std::size_t first, std::size_t last) { run(shape, x, sums, first, last); });
}

void softmax(const Shape& shape, Result x, float* logsumexp) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(softmax_rows);
  over_rows(shape, 2,
            [&](std::size_t first, std::size_t last) { run(shape, x, logsumexp, first, last); });
}

void softmax_gradient(const Shape& shape, Values p, Result dp) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(softmax_gradient_rows);
  over_rows(shape, 3, [&](std::size_t first, std::size_t last) { run(shape, p, dp, first, last); });
}

}  // namespace plain
}  // namespace megascale::kernels::cpu
#endif
