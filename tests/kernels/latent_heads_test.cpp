// Heads of latent attention against the rotation in double. The gradient is the transpose.
#include "megascale/kernels/cpu/latent_heads.h"

#include <cmath>
#include <tuple>

#include "kernels/every_setup.h"
#include "megascale/kernels/cpu/rope.h"
#include "megascale/kernels/ref/rope.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

using testing::kNan;
using testing::kUnit;
using testing::normal;
using testing::Outputs;
using testing::run_every_setup;

constexpr double kLatentTheta = 10000;

// Tokens, heads, channels without positions, rotated channels, channels of a value. The last one is
// large enough for a team of threads.
class LatentHeadsTest
    : public ::testing::TestWithParam<
          std::tuple<std::size_t, std::size_t, std::size_t, std::size_t, std::size_t>> {
 protected:
  LatentHeadsTest() {
    for (std::size_t n = 0; n < shape.tokens; ++n)
      position[n] = static_cast<std::int32_t>(3 * (shape.tokens - n));
    cpu::rope_table({.positions = positions, .channels = shape.rotated, .theta = kLatentTheta},
                    table);
    shape.position = position.data();
    shape.table = table.data();
  }
  // qkv
  [[nodiscard]] Outputs run_forward() const {
    Outputs out{std::vector<float>(shape.tokens * shape.row(), kNan)};
    cpu::LatentHeads args{shape};
    args.query = query.data();
    args.key_value = key_value.data();
    args.key_rope = key_rope.data();
    args.qkv = out[0].data();
    cpu::latent_heads_forward(args);
    return out;
  }
  // Gradients of query, key_value and key_rope.
  [[nodiscard]] Outputs run_backward(const std::vector<float>& grad_qkv) const {
    Outputs out{std::vector<float>(query.size(), kNan), std::vector<float>(key_value.size(), kNan),
                std::vector<float>(key_rope.size(), kNan)};
    cpu::LatentHeadsGradient args{shape};
    args.grad_qkv = grad_qkv.data();
    args.grad_query = out[0].data();
    args.grad_key_value = out[1].data();
    args.grad_key_rope = out[2].data();
    cpu::latent_heads_backward(args);
    return out;
  }
  [[nodiscard]] ref::Doubles rotated(const std::vector<float>& x, std::size_t first,
                                     std::size_t n) const {
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(first);
    return ref::rope({begin, begin + static_cast<std::ptrdiff_t>(shape.rotated)}, position[n],
                     kLatentTheta, 1);
  }
  // Expects got[at ...] to be the rotated channels of x[from ...] of token n.
  void expect_rotated(const std::vector<float>& got, std::size_t at, const std::vector<float>& x,
                      std::size_t from, std::size_t n) const {
    const ref::Doubles want = rotated(x, from, n);
    const std::size_t half = shape.rotated / 2;
    for (std::size_t i = 0; i < shape.rotated; ++i) {
      const double length = std::hypot(x[from + i % half], x[from + i % half + half]);
      ASSERT_LE(std::abs(got[at + i] - want[i]), 4 * kUnit * length) << "token " << n;
    }
  }
  static void expect_copied(const std::vector<float>& got, std::size_t at,
                            const std::vector<float>& x, std::size_t from, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(got[at + i], x[from + i]) << i;
  }

  cpu::LatentHeadShape shape{std::get<0>(GetParam()), std::get<1>(GetParam()),
                             std::get<2>(GetParam()), std::get<3>(GetParam()),
                             std::get<4>(GetParam())};
  std::size_t positions = 3 * shape.tokens + 1;
  std::vector<std::int32_t> position = std::vector<std::int32_t>(shape.tokens);
  std::vector<float> table = std::vector<float>(positions * shape.rotated, kNan),
                     query = normal(shape.tokens * shape.heads * shape.head(), 1),
                     key_value =
                         normal(shape.tokens * shape.heads * (shape.plain + shape.values), 2),
                     key_rope = normal(shape.tokens * shape.rotated, 3);
};
INSTANTIATE_TEST_SUITE_P(Shapes, LatentHeadsTest,
                         ::testing::Values(std::tuple{1, 1, 1, 2, 1}, std::tuple{3, 2, 5, 6, 7},
                                           std::tuple{4, 3, 16, 34, 20},
                                           std::tuple{200, 4, 128, 64, 128}));

TEST_P(LatentHeadsTest, MovesAndRotates) {
  const Outputs got = run_every_setup([&] { return run_forward(); });
  const std::size_t head = shape.head(), packed = shape.plain + shape.values;
  for (std::size_t n = 0; n < shape.tokens; ++n) {
    for (std::size_t h = 0; h < shape.heads; ++h) {
      const std::size_t q = n * shape.row() + h * head, k = q + shape.heads * head,
                        v = n * shape.row() + 2 * shape.heads * head + h * shape.values,
                        from = (n * shape.heads + h) * head,
                        from_packed = (n * shape.heads + h) * packed;
      expect_copied(got[0], q, query, from, shape.plain);
      expect_rotated(got[0], q + shape.plain, query, from + shape.plain, n);
      expect_copied(got[0], k, key_value, from_packed, shape.plain);
      expect_rotated(got[0], k + shape.plain, key_rope, n * shape.rotated, n);
      expect_copied(got[0], v, key_value, from_packed + shape.plain, shape.values);
    }
  }
}

// The op is linear in its three inputs: <g, f(x)> = <transpose of f applied to g, x> for each input by itself.
TEST_P(LatentHeadsTest, GradientIsTheTranspose) {
  const std::vector<float> gradient = normal(shape.tokens * shape.row(), 4);
  const Outputs got = run_every_setup([&] { return run_backward(gradient); });
  std::vector<float>* const inputs[] = {&query, &key_value, &key_rope};
  const std::vector<float> values[] = {query, key_value, key_rope};
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t j = 0; j < 3; ++j) {
      *inputs[j] = values[j];
      if (j != k) std::fill(inputs[j]->begin(), inputs[j]->end(), 0.0F);
    }
    const std::vector<float> y = run_forward()[0];
    double of_outputs = 0, of_inputs = 0, magnitude = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      of_outputs += double{gradient[i]} * y[i];
      magnitude += std::abs(double{gradient[i]} * y[i]);
    }
    for (std::size_t i = 0; i < values[k].size(); ++i)
      of_inputs += double{got[k][i]} * values[k][i];
    EXPECT_NEAR(of_inputs, of_outputs, 8 * kUnit * (magnitude + 1)) << "input " << k;
  }
}

// A NaN of one token and head reaches the gradients of that token only.
TEST_P(LatentHeadsTest, GradientsOfATokenAreItsOwn) {
  std::vector<float> gradient = normal(shape.tokens * shape.row(), 5);
  const std::size_t last = shape.tokens - 1;
  for (std::size_t i = 0; i < shape.row(); ++i) gradient[last * shape.row() + i] = kNan;
  const Outputs got = run_backward(gradient);
  for (const std::vector<float>& of_input : got) {
    const std::size_t width = of_input.size() / shape.tokens;
    for (std::size_t i = 0; i < of_input.size(); ++i)
      ASSERT_EQ(std::isnan(of_input[i]), i / width == last) << i;
  }
}

}  // namespace
}  // namespace megascale::kernels
