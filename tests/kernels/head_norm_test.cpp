#include "megascale/kernels/cpu/head_norm.h"

#include <cmath>
#include <tuple>

#include "kernels/every_setup.h"
#include "megascale/kernels/ref/norm.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

using testing::kNan;
using testing::kUnit;
using testing::normal;
using testing::Outputs;
using testing::run_every_setup;

constexpr float kHeadEps = 1e-6F;

// Tokens, query heads, key heads, head size. The last one is large enough for a team of threads.
class HeadNormTest : public ::testing::TestWithParam<
                         std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>> {
 protected:
  cpu::HeadNormShape shape{std::get<0>(GetParam()), std::get<1>(GetParam()),
                           std::get<2>(GetParam()), std::get<3>(GetParam())};
  std::size_t size = shape.head_size, rows = shape.tokens * shape.row(),
              statistics = shape.tokens * shape.norms();
  std::vector<float> x = normal(rows, 1, 2.0), dy = normal(rows, 2), query_gamma = normal(size, 3),
                     key_gamma = normal(size, 4);
  double chain = static_cast<double>(size) / 64 + 8;

  // y, rstd
  [[nodiscard]] Outputs run_forward(bool in_place) const {
    Outputs out{in_place ? x : std::vector<float>(rows, kNan),
                std::vector<float>(statistics, kNan)};
    cpu::HeadNormForward args{shape};
    args.x = in_place ? out[0].data() : x.data();
    args.query_gamma = query_gamma.data();
    args.key_gamma = key_gamma.data();
    args.y = out[0].data();
    args.rstd = out[1].data();
    args.eps = kHeadEps;
    cpu::head_norm_forward(args);
    return out;
  }
  // The channels of one head of packed rows, in double.
  [[nodiscard]] ref::Doubles head(const std::vector<float>& packed, std::size_t n,
                                  std::size_t h) const {
    const auto first = packed.begin() + static_cast<std::ptrdiff_t>(n * shape.row() + h * size);
    return {first, first + static_cast<std::ptrdiff_t>(size)};
  }
  [[nodiscard]] const std::vector<float>& gamma(std::size_t h) const {
    return h < shape.query_heads ? query_gamma : key_gamma;
  }
  // Whether `got` has the values of `want` in the value heads of every row.
  [[nodiscard]] bool same_values(const std::vector<float>& got,
                                 const std::vector<float>& want) const {
    for (std::size_t n = 0; n < shape.tokens; ++n) {
      for (std::size_t i = shape.normed(); i < shape.row(); ++i) {
        if (got[n * shape.row() + i] != want[n * shape.row() + i]) return false;
      }
    }
    return true;
  }
};
INSTANTIATE_TEST_SUITE_P(Shapes, HeadNormTest,
                         ::testing::Values(std::tuple{1, 1, 1, 2}, std::tuple{3, 4, 2, 6},
                                           std::tuple{5, 3, 3, 17}, std::tuple{21, 4, 1, 64},
                                           std::tuple{1100, 4, 2, 30}, std::tuple{130, 8, 2, 128}));

TEST_P(HeadNormTest, ForwardMeetsItsBound) {
  const Outputs got = run_every_setup([&] { return run_forward(false); });
  for (std::size_t n = 0; n < shape.tokens; ++n) {
    for (std::size_t h = 0; h < shape.norms(); ++h) {
      const ref::Norm want =
          ref::norm(head(x, n, h), ref::widen(gamma(h)), {}, static_cast<double>(kHeadEps), false);
      ASSERT_LE(std::abs(got[1][n * shape.norms() + h] - want.rstd[0]),
                (chain + 6) * kUnit * want.rstd[0]);
      for (std::size_t c = 0; c < size; ++c) {
        ASSERT_LE(std::abs(got[0][n * shape.row() + h * size + c] - want.y[c]),
                  (chain + 6) * kUnit * std::abs(want.y[c]))
            << "n=" << n << " h=" << h << " c=" << c;
      }
    }
  }
  EXPECT_TRUE(same_values(got[0], x));
  EXPECT_TRUE(testing::same_bits(got, run_forward(true))) << "in place";
}

TEST_P(HeadNormTest, BackwardMeetsItsBound) {
  const Outputs saved = run_forward(false);
  const auto old_query = normal(size, 5), old_key = normal(size, 6);
  for (const bool added : {false, true}) {  // in place, and accumulating
    const Outputs got = run_every_setup([&] {
      Outputs out{added ? dy : std::vector<float>(rows, kNan),
                  added ? old_query : std::vector<float>(size, kNan),
                  added ? old_key : std::vector<float>(size, kNan)};
      std::vector<float> scratch(cpu::head_norm_backward_scratch_bytes(shape) / sizeof(float),
                                 kNan);
      cpu::HeadNormBackward args{{shape}};
      args.dy = added ? out[0].data() : dy.data();
      args.x = x.data();
      args.query_gamma = query_gamma.data();
      args.key_gamma = key_gamma.data();
      args.rstd = saved[1].data();
      args.dx = out[0].data();
      args.dquery_gamma = out[1].data();
      args.dkey_gamma = out[2].data();
      args.accumulate = added;
      args.scratch = scratch.data();
      cpu::head_norm_backward(args);
      return out;
    });
    std::vector<ref::Doubles> sums(2, ref::Doubles(size)), terms(2, ref::Doubles(size));
    for (std::size_t n = 0; n < shape.tokens; ++n) {
      for (std::size_t h = 0; h < shape.norms(); ++h) {
        const auto xs = head(x, n, h), dys = head(dy, n, h), gammas = ref::widen(gamma(h));
        const double rstd = saved[1][n * shape.norms() + h];
        const auto want = ref::norm_backward(dys, xs, gammas, {0}, {rstd}, false);
        double mean = 0;
        for (std::size_t c = 0; c < size; ++c)
          mean += std::abs(dys[c] * gammas[c] * xs[c] * rstd) / static_cast<double>(size);
        const std::size_t kind = h < shape.query_heads ? 0 : 1;
        for (std::size_t c = 0; c < size; ++c) {
          const double z = std::abs(xs[c]) * rstd, g = std::abs(dys[c] * gammas[c]);
          ASSERT_LE(std::abs(got[0][n * shape.row() + h * size + c] - want.dx[c]),
                    ((2 * chain + 14) * rstd * (g + z * mean) + std::abs(want.dx[c])) * kUnit)
              << "n=" << n << " h=" << h << " c=" << c;
          sums[kind][c] += want.dgamma[c];
          terms[kind][c] += std::abs(dys[c]) * z;
        }
      }
    }
    EXPECT_TRUE(same_values(got[0], dy));
    for (const std::size_t kind : {0, 1}) {
      const auto heads = static_cast<double>(kind == 0 ? shape.query_heads : shape.key_heads);
      const double adds = std::max(16.0, static_cast<double>(shape.tokens) / 64) * heads + 75;
      for (std::size_t c = 0; c < size; ++c) {
        const double before = !added ? 0 : (kind == 0 ? old_query : old_key)[c];
        ASSERT_LE(std::abs(got[1 + kind][c] - before - sums[kind][c]),
                  adds * kUnit * (terms[kind][c] + std::abs(before)))
            << "kind=" << kind << " c=" << c;
      }
    }
  }
}

// y, rstd, dx, dquery_gamma, dkey_gamma of rows with these weights.
Outputs run_norm(const cpu::HeadNormShape& shape, const std::vector<float>& query_gamma,
                 const std::vector<float>& key_gamma) {
  const std::size_t rows = shape.tokens * shape.row();
  const auto x = normal(rows, 1, 2.0), dy = normal(rows, 2);
  Outputs out{std::vector<float>(rows, kNan),
              std::vector<float>(shape.tokens * shape.norms(), kNan),
              std::vector<float>(rows, kNan), std::vector<float>(shape.query_channels(), kNan),
              std::vector<float>(shape.key_channels(), kNan)};
  std::vector<float> scratch(cpu::head_norm_backward_scratch_bytes(shape) / sizeof(float), kNan);
  cpu::HeadNormForward forward{shape};
  forward.x = x.data();
  forward.query_gamma = query_gamma.data();
  forward.key_gamma = key_gamma.data();
  forward.y = out[0].data();
  forward.rstd = out[1].data();
  cpu::head_norm_forward(forward);
  cpu::HeadNormBackward backward{{shape}};
  backward.dy = dy.data();
  backward.x = x.data();
  backward.query_gamma = query_gamma.data();
  backward.key_gamma = key_gamma.data();
  backward.rstd = out[1].data();
  backward.dx = out[2].data();
  backward.dquery_gamma = out[3].data();
  backward.dkey_gamma = out[4].data();
  backward.scratch = scratch.data();
  cpu::head_norm_backward(backward);
  return out;
}

// One norm of all heads is the norm of a single head that is as wide.
TEST(WholeHeadNormTest, IsTheNormOfOneWideHead) {
  for (const std::size_t tokens : {1, 5, 300}) {
    const auto query_gamma = normal(96, 3), key_gamma = normal(96, 4);
    const cpu::HeadNormShape whole{tokens, 4, 4, 24, true}, wide{tokens, 1, 1, 96};
    EXPECT_TRUE(testing::same_bits(run_norm(whole, query_gamma, key_gamma),
                                   run_norm(wide, query_gamma, key_gamma)));
  }
}

// With fewer key heads: the queries and the keys by the double reference.
TEST(WholeHeadNormTest, NormalisesKeysByThemselves) {
  const cpu::HeadNormShape shape{7, 4, 2, 10, true};
  const auto query_gamma = normal(40, 3), key_gamma = normal(20, 4);
  const auto x = normal(shape.tokens * shape.row(), 1, 2.0);
  const Outputs got = run_norm(shape, query_gamma, key_gamma);
  for (std::size_t n = 0; n < shape.tokens; ++n) {
    const auto row = x.begin() + static_cast<std::ptrdiff_t>(n * shape.row());
    const auto queries = ref::norm({row, row + 40}, ref::widen(query_gamma), {}, 1e-6, false),
               keys = ref::norm({row + 40, row + 60}, ref::widen(key_gamma), {}, 1e-6, false);
    for (std::size_t c = 0; c < 80; ++c) {
      const double want = c < 40   ? queries.y[c]
                          : c < 60 ? keys.y[c - 40]
                                   : double{x[n * shape.row() + c]};
      ASSERT_NEAR(got[0][n * shape.row() + c], want, 1e-6 * (1 + std::abs(want))) << c;
    }
  }
}

// One norm of all heads whose heads are divided over ranks, as the ops of the ranks compute it.
class DividedHeadNorm {
 public:
  static constexpr std::size_t kRanks = 3;
  // `own`: the heads of each rank.
  explicit DividedHeadNorm(const cpu::HeadNormShape& own) : own_(own) {
    own_.ranks = kRanks;
    own_.whole = true;
    const std::size_t rows = own.tokens * own.row();
    for (std::size_t r = 0; r < kRanks; ++r) {
      x_.push_back(normal(rows, 10 + r, 2.0));
      dy_.push_back(normal(rows, 20 + r));
      query_gamma_.push_back(normal(own_.query_channels(), 30 + r));
      key_gamma_.push_back(normal(own_.key_channels(), 40 + r));
    }
  }

  // Of each rank: y, rstd, dx, dquery_gamma, dkey_gamma.
  [[nodiscard]] Outputs run() const {
    const std::size_t sums = own_.tokens * 2;
    std::vector<float> squares(kRanks * sums, kNan), products(kRanks * sums, kNan);
    Outputs out;
    for (std::size_t r = 0; r < kRanks; ++r)
      cpu::head_norm_squares(own_, x_[r].data(), squares.data() + r * sums);
    for (std::size_t r = 0; r < kRanks; ++r) {
      out.emplace_back(x_[r].size(), kNan);
      out.emplace_back(sums, kNan);
      cpu::HeadNormForward forward{own_};
      forward.x = x_[r].data();
      forward.query_gamma = query_gamma_[r].data();
      forward.key_gamma = key_gamma_[r].data();
      forward.y = out[out.size() - 2].data();
      forward.rstd = out.back().data();
      forward.squares = squares.data();
      cpu::head_norm_forward(forward);
      cpu::HeadNormProducts product{{own_}};
      product.dy = dy_[r].data();
      product.x = x_[r].data();
      product.query_gamma = query_gamma_[r].data();
      product.key_gamma = key_gamma_[r].data();
      product.rstd = out.back().data();
      product.products = products.data() + r * sums;
      cpu::head_norm_products(product);
      for (const std::size_t n : {x_[r].size(), own_.query_channels(), own_.key_channels()})
        out.emplace_back(n, kNan);
    }
    for (std::size_t r = 0; r < kRanks; ++r) {
      std::vector<float> scratch(cpu::head_norm_backward_scratch_bytes(own_) / sizeof(float), kNan);
      cpu::HeadNormBackward backward{{own_}};
      backward.dy = dy_[r].data();
      backward.x = x_[r].data();
      backward.query_gamma = query_gamma_[r].data();
      backward.key_gamma = key_gamma_[r].data();
      backward.rstd = out[5 * r + 1].data();
      backward.dx = out[5 * r + 2].data();
      backward.dquery_gamma = out[5 * r + 3].data();
      backward.dkey_gamma = out[5 * r + 4].data();
      backward.scratch = scratch.data();
      backward.products = products.data();
      cpu::head_norm_backward(backward);
    }
    return out;
  }

  // Compares the queries (or the keys) of all ranks with one norm in double.
  void expect_one_norm(const Outputs& got, bool queries) const {
    const std::size_t first = queries ? 0 : own_.query_channels(),
                      count = queries ? own_.query_channels() : own_.key_channels();
    const auto of_ranks = [&](const std::vector<std::vector<float>>& rows, std::size_t begin,
                              std::size_t width, std::size_t n) {
      ref::Doubles joined;
      for (const auto& own : rows) {
        const auto row = own.begin() + static_cast<std::ptrdiff_t>(n * width + begin);
        joined.insert(joined.end(), row, row + static_cast<std::ptrdiff_t>(count));
      }
      return joined;
    };
    const ref::Doubles gamma = of_ranks(queries ? query_gamma_ : key_gamma_, 0, 0, 0);
    ref::Doubles dgamma(gamma.size());
    for (std::size_t n = 0; n < own_.tokens; ++n) {
      const auto x = of_ranks(x_, first, own_.row(), n), dy = of_ranks(dy_, first, own_.row(), n);
      const auto want = ref::norm(x, gamma, {}, double{kHeadEps}, false);
      const auto gradient = ref::norm_backward(dy, x, gamma, {0}, want.rstd, false);
      for (std::size_t c = 0; c < gamma.size(); ++c) {
        const std::size_t rank = c / count, at = n * own_.row() + first + c % count;
        ASSERT_NEAR(got[5 * rank][at], want.y[c], 2e-6 * (1 + std::abs(want.y[c])));
        ASSERT_NEAR(got[5 * rank + 2][at], gradient.dx[c], 4e-6 * (1 + std::abs(gradient.dx[c])));
        dgamma[c] += gradient.dgamma[c];
      }
    }
    for (std::size_t c = 0; c < gamma.size(); ++c) {
      const auto& of_rank = got[5 * (c / count) + (queries ? 3 : 4)];
      EXPECT_NEAR(of_rank[c % count], dgamma[c],
                  1e-6 * static_cast<double>(own_.tokens) * (1 + std::abs(dgamma[c])));
    }
  }

 private:
  cpu::HeadNormShape own_;
  std::vector<std::vector<float>> x_, dy_, query_gamma_, key_gamma_;  // by rank
};

// The last shape is large enough for a team of threads.
TEST(WholeHeadNormTest, RanksDivideOneNorm) {
  for (const cpu::HeadNormShape& own :
       {cpu::HeadNormShape{5, 2, 1, 10}, cpu::HeadNormShape{40, 3, 3, 17},
        cpu::HeadNormShape{900, 4, 2, 30}}) {
    const DividedHeadNorm norm(own);
    const Outputs got = run_every_setup([&] { return norm.run(); });
    norm.expect_one_norm(got, true);
    norm.expect_one_norm(got, false);
  }
}

TEST(WholeHeadNormTest, SumsOfARankMeetTheirBounds) {
  cpu::HeadNormShape shape{6, 5, 2, 130, true};
  shape.gamma_offset = 1;
  shape.ranks = 2;
  const std::size_t rows = shape.tokens * shape.row(), sums = shape.tokens * 2;
  const auto x = normal(rows, 1, 2.0), dy = normal(rows, 2), rstd = normal(sums, 3),
             query_gamma = normal(shape.query_channels(), 4),
             key_gamma = normal(shape.key_channels(), 5);
  const Outputs got = run_every_setup([&] {
    Outputs out{std::vector<float>(sums, kNan), std::vector<float>(sums, kNan)};
    cpu::head_norm_squares(shape, x.data(), out[0].data());
    cpu::HeadNormProducts product{{shape}};
    product.dy = dy.data();
    product.x = x.data();
    product.query_gamma = query_gamma.data();
    product.key_gamma = key_gamma.data();
    product.rstd = rstd.data();
    product.products = out[1].data();
    cpu::head_norm_products(product);
    return out;
  });
  for (std::size_t i = 0; i < sums; ++i) {
    const bool keys = i % 2 == 1;
    const std::size_t first = i / 2 * shape.row() + (keys ? shape.query_channels() : 0),
                      size = keys ? shape.key_channels() : shape.query_channels();
    double squares = 0, products = 0, terms = 0;
    for (std::size_t c = 0; c < size; ++c) {
      const double value = x[first + c], weight = (keys ? key_gamma : query_gamma)[c] + 1.0,
                   term = dy[first + c] * weight * value * rstd[i];
      squares += value * value;
      products += term;
      terms += std::abs(term);
    }
    const double chain = static_cast<double>(size) / 64;
    EXPECT_NEAR(got[0][i], squares, (chain + 8) * kUnit * squares) << i;
    EXPECT_NEAR(got[1][i], products, (chain + 12) * kUnit * terms) << i;
  }
}

// An offset of the weights gives the bits of weights that have it.
TEST(HeadNormOffsetTest, IsAddedToTheWeights) {
  for (const bool whole : {false, true}) {
    cpu::HeadNormShape shape{33, 4, 2, 18, whole};
    auto query_gamma = normal(shape.query_channels(), 3),
         key_gamma = normal(shape.key_channels(), 4);
    shape.gamma_offset = 1;
    const Outputs got = run_norm(shape, query_gamma, key_gamma);
    for (float& g : query_gamma) g += 1;
    for (float& g : key_gamma) g += 1;
    shape.gamma_offset = 0;
    EXPECT_TRUE(testing::same_bits(got, run_norm(shape, query_gamma, key_gamma)));
  }
}

}  // namespace
}  // namespace megascale::kernels
