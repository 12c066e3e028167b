// Attention with dropout of its probabilities, against the definition in double: whole matrices of
// probabilities and factors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/attention_case.h"
#include "megascale/base/philox.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
namespace cpu = kernels::cpu;

const std::vector<std::int64_t> kSamples{5, std::int64_t{1} << 33};

const cpu::AttentionDropout kDropout{
    .draws = {.rate = 0.2, .seed = 77, .stream = 0xABCDEF0123456789},
    .sample = kSamples.data(),
    .heads = 12,
    .first_head = 4};

// The factor of the definition (attention.h, dropout_draws.h).
double factor(const cpu::AttentionDropout& dropout, std::size_t batch, std::size_t head,
              std::size_t query, std::size_t key, std::size_t keys) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const std::uint64_t row =
      (static_cast<std::uint64_t>(kSamples[batch]) * dropout.heads + dropout.first_head + head) *
          keys +
      query;
  const std::uint64_t block = (row * ((keys + 63) / 64) + key / 64) * 16 + key % 16;
  const auto& draws = dropout.draws;
  const auto words = philox4x32(
      {low(block), low(block >> 32U), low(draws.stream), low(draws.stream >> 32U)}, {77, 0});
  const bool kept = static_cast<double>(words[key / 16 % 4]) >= std::round(draws.rate * 0x1p32);
  return kept ? 1 / (1 - draws.rate) : 0;
}

struct Expected {
  std::vector<double> o, dq, dk, dv;
};

Expected by_definition(const AttentionCase& c) {
  const Dimensions& n = c.size;
  const std::size_t length = n.sequence, hs = n.head_size;
  const double scale = 1 / std::sqrt(static_cast<double>(hs));
  Expected all{std::vector<double>(c.q.size()), std::vector<double>(c.q.size()),
               std::vector<double>(c.k.size()), std::vector<double>(c.v.size())};
  for (std::size_t b = 0; b < n.batch; ++b) {
    for (std::size_t h = 0; h < n.heads; ++h) {
      const auto of_q = [&](std::size_t i) { return ((b * length + i) * n.heads + h) * hs; };
      const auto of_k = [&](std::size_t j) {
        return ((b * length + j) * n.kv_heads + h / (n.heads / n.kv_heads)) * hs;
      };
      for (std::size_t i = 0; i < length; ++i) {
        const auto sees = [&](std::size_t j) {
          return j <= i && (c.window == 0 || j + c.window > i) &&
                 (c.segments.empty() || c.segments[b * length + i] == c.segments[b * length + j]);
        };
        std::vector<double> p(length), m(length), dp(length);
        double sum = 0, mean = 0;
        for (std::size_t j = 0; j < length; ++j) {
          if (!sees(j)) continue;
          double s = 0;
          for (std::size_t d = 0; d < hs; ++d) s += double{c.q[of_q(i) + d]} * c.k[of_k(j) + d];
          sum += p[j] = std::exp(scale * s);
        }
        for (std::size_t j = 0; j < length; ++j) {
          if (!sees(j)) continue;
          p[j] /= sum;
          m[j] = factor(c.dropout, b, h, i, j, length);
          for (std::size_t d = 0; d < hs; ++d) {
            all.o[of_q(i) + d] += m[j] * p[j] * c.v[of_k(j) + d];
            dp[j] += m[j] * c.grad_o[of_q(i) + d] * c.v[of_k(j) + d];
            all.dv[of_k(j) + d] += m[j] * p[j] * c.grad_o[of_q(i) + d];
          }
          mean += p[j] * dp[j];
        }
        for (std::size_t j = 0; j < length; ++j) {
          const double ds = scale * p[j] * (dp[j] - mean);
          for (std::size_t d = 0; d < hs; ++d) {
            all.dq[of_q(i) + d] += ds * c.k[of_k(j) + d];
            all.dk[of_k(j) + d] += ds * c.q[of_q(i) + d];
          }
        }
      }
    }
  }
  return all;
}

double distance(const std::vector<float>& got, const std::vector<double>& want) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    difference += (got[i] - want[i]) * (got[i] - want[i]);
    norm += want[i] * want[i];
  }
  return std::sqrt(difference / norm);
}

TEST(AttentionDropoutTest, ComputesWhatTheDefinitionSays) {
  for (const Dimensions& size :
       {Dimensions{.sequence = 5, .head_size = 3},
        Dimensions{.sequence = 65, .head_size = 16, .batch = 2, .heads = 4, .kv_heads = 2},
        Dimensions{.sequence = 150, .head_size = 40, .batch = 2, .heads = 3, .kv_heads = 1}}) {
    for (const std::size_t window : {0U, 20U}) {
      for (const bool segmented : {false, true}) {
        AttentionCase c(size, window, segmented);
        c.dropout = kDropout;
        SCOPED_TRACE(c.describe());
        const Expected want = by_definition(c);
        for (const std::size_t threads : {1U, 2U}) {
          const AttentionResult got = c.backward(threads);
          EXPECT_LT(distance(got.o, want.o), 3e-6);
          EXPECT_LT(distance(got.dq, want.dq), 3e-6);
          EXPECT_LT(distance(got.dk, want.dk), 3e-6);
          EXPECT_LT(distance(got.dv, want.dv), 3e-6);
        }
      }
    }
  }
}

}  // namespace
}  // namespace megascale
