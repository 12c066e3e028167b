// Attention by its definition. For every query, the whole row of probabilities is computed and
// kept; the gradients then follow from the chain rule, one loop per index.
#include "megascale/kernels/ref/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "megascale/graph/sliding_window.h"

namespace megascale::kernels::ref {
namespace {

// Index arithmetic and masks of one sequence (`batch`) and one query head.
struct Head {
  const AttentionShape& s;
  std::size_t batch, head;

  // The first element of a row of this head in q, in o, in k and in v.
  [[nodiscard]] std::size_t query(std::size_t row) const { return query_row(row) * s.head_size; }
  [[nodiscard]] std::size_t output(std::size_t row) const {
    return query_row(row) * value_size_of(s);
  }
  [[nodiscard]] std::size_t key(std::size_t j) const { return key_row(j) * s.head_size; }
  [[nodiscard]] std::size_t value(std::size_t j) const { return key_row(j) * value_size_of(s); }
  [[nodiscard]] std::size_t query_row(std::size_t row) const {
    return (batch * s.query_count + row) * s.query_heads + head;
  }
  [[nodiscard]] std::size_t key_row(std::size_t j) const {
    return (batch * s.key_count + j) * s.kv_heads + head / (s.query_heads / s.kv_heads);
  }
  [[nodiscard]] bool sees(std::size_t row, std::size_t j,
                          std::span<const std::int32_t> segments) const {
    const std::size_t i = s.key_count - s.query_count + row;
    return graph::is_visible(i, j, s.window) &&
           (segments.empty() ||
            segments[batch * s.key_count + i] == segments[batch * s.key_count + j]);
  }
  // Returns the derivative of a capped score with respect to the product of query and key.
  [[nodiscard]] double slope(std::size_t row, std::size_t j, std::span<const double> q,
                             std::span<const double> k) const {
    if (s.soft_cap == 0) return s.scale;
    double sum = 0;
    for (std::size_t d = 0; d < s.head_size; ++d) sum += q[query(row) + d] * k[key(j) + d];
    const double tanh = std::tanh(s.scale * sum / s.soft_cap);
    return s.scale * (1 - tanh * tanh);
  }
  // Fills p with the probabilities of one query row and returns the row's logsumexp.
  double softmax(std::size_t row, std::span<const double> q, std::span<const double> k,
                 std::span<const std::int32_t> segments, std::vector<double>& p) const {
    p.assign(s.key_count, -std::numeric_limits<double>::infinity());
    for (std::size_t j = 0; j < s.key_count; ++j) {
      if (!sees(row, j, segments)) continue;
      double sum = 0;
      for (std::size_t d = 0; d < s.head_size; ++d) sum += q[query(row) + d] * k[key(j) + d];
      p[j] = s.scale * sum;
      if (s.soft_cap > 0) p[j] = s.soft_cap * std::tanh(p[j] / s.soft_cap);
    }
    const double highest = *std::max_element(p.begin(), p.end());
    double sum = 0;
    for (double& e : p) sum += e = std::exp(e - highest);
    for (double& e : p) e /= sum;
    return highest + std::log(sum);
  }
};

}  // namespace

AttentionOutput attention(const AttentionShape& s, std::span<const double> q,
                          std::span<const double> k, std::span<const double> v,
                          std::span<const std::int32_t> segments) {
  const std::size_t size = value_size_of(s), rows = s.batch * s.query_heads * s.query_count;
  AttentionOutput out{std::vector<double>(rows * size), std::vector<double>(rows)};
  std::vector<double> p;
  for (std::size_t b = 0; b < s.batch; ++b) {
    for (std::size_t h = 0; h < s.query_heads; ++h) {
      const Head head{s, b, h};
      for (std::size_t row = 0; row < s.query_count; ++row) {
        out.lse[(b * s.query_heads + h) * s.query_count + row] =
            head.softmax(row, q, k, segments, p);
        for (std::size_t j = 0; j < s.key_count; ++j) {
          for (std::size_t d = 0; d < size; ++d)
            out.o[head.output(row) + d] += p[j] * v[head.value(j) + d];
        }
      }
    }
  }
  return out;
}

AttentionGradients attention_gradients(const AttentionShape& s, std::span<const double> q,
                                       std::span<const double> k, std::span<const double> v,
                                       std::span<const double> grad_o,
                                       std::span<const std::int32_t> segments) {
  AttentionGradients out{std::vector<double>(q.size()), std::vector<double>(k.size()),
                         std::vector<double>(v.size())};
  const std::size_t size = value_size_of(s);
  std::vector<double> p, dp(s.key_count);
  for (std::size_t b = 0; b < s.batch; ++b) {
    for (std::size_t h = 0; h < s.query_heads; ++h) {
      const Head head{s, b, h};
      for (std::size_t row = 0; row < s.query_count; ++row) {
        const std::size_t i = head.query(row), o = head.output(row);
        head.softmax(row, q, k, segments, p);
        double mean = 0;  // sum_j p_j dp_j, which equals sum_d do_d o_d
        for (std::size_t j = 0; j < s.key_count; ++j) {
          dp[j] = 0;
          for (std::size_t d = 0; d < size; ++d) dp[j] += grad_o[o + d] * v[head.value(j) + d];
          mean += p[j] * dp[j];
        }
        for (std::size_t j = 0; j < s.key_count; ++j) {
          const double ds = p[j] * (dp[j] - mean) * head.slope(row, j, q, k);
          for (std::size_t d = 0; d < s.head_size; ++d) {
            out.dq[i + d] += ds * k[head.key(j) + d];
            out.dk[head.key(j) + d] += ds * q[i + d];
          }
          for (std::size_t d = 0; d < size; ++d) out.dv[head.value(j) + d] += p[j] * grad_o[o + d];
        }
      }
    }
  }
  return out;
}

}  // namespace megascale::kernels::ref
