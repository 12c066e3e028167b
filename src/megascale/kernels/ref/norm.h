#ifndef MEGASCALE_KERNELS_REF_NORM_H_
#define MEGASCALE_KERNELS_REF_NORM_H_

#include <cmath>
#include <cstddef>

#include "megascale/kernels/ref/reference.h"

// References in double for kernels/cpu/norm.h. x, y, dx, dy (N, channels); gamma, beta (channels);
// mean, rstd (N).
namespace megascale::kernels::ref {

struct Norm {
  Doubles y, mean, rstd;
};
struct NormGradient {
  Doubles dx, dgamma, dbeta;
};

// LayerNorm (centered = true) or RMSNorm of x. beta may be empty. RMSNorm returns mean 0.
[[nodiscard]] inline Norm norm(const Doubles& x, const Doubles& gamma, const Doubles& beta,
                               double eps, bool centered) {
  const std::size_t channels = gamma.size(), tokens = x.size() / channels;
  Norm r{Doubles(x.size()), Doubles(tokens), Doubles(tokens)};
  for (std::size_t n = 0; n < tokens; ++n) {
    const double* row = &x[n * channels];
    double mean = 0, squares = 0;
    for (std::size_t c = 0; centered && c < channels; ++c)
      mean += row[c] / static_cast<double>(channels);
    for (std::size_t c = 0; c < channels; ++c) squares += (row[c] - mean) * (row[c] - mean);
    r.mean[n] = mean;
    r.rstd[n] = 1 / std::sqrt(squares / static_cast<double>(channels) + eps);
    for (std::size_t c = 0; c < channels; ++c) {
      r.y[n * channels + c] = (row[c] - mean) * r.rstd[n] * gamma[c] + (beta.empty() ? 0 : beta[c]);
    }
  }
  return r;
}

// Returns the gradients for dy. mean and rstd are the statistics of the forward pass; mean is 0 for
// RMSNorm.
[[nodiscard]] inline NormGradient norm_backward(const Doubles& dy, const Doubles& x,
                                                const Doubles& gamma, const Doubles& mean,
                                                const Doubles& rstd, bool centered) {
  const std::size_t channels = gamma.size(), tokens = x.size() / channels;
  NormGradient r{Doubles(x.size()), Doubles(channels), Doubles(channels)};
  for (std::size_t n = 0; n < tokens; ++n) {
    double sum_g = 0, sum_gz = 0;
    for (std::size_t c = 0; c < channels; ++c) {
      const std::size_t i = n * channels + c;
      const double z = (x[i] - mean[n]) * rstd[n], g = dy[i] * gamma[c];
      sum_g += g;
      sum_gz += g * z;
      r.dgamma[c] += dy[i] * z;
      r.dbeta[c] += dy[i];
    }
    for (std::size_t c = 0; c < channels; ++c) {
      const std::size_t i = n * channels + c;
      const double z = (x[i] - mean[n]) * rstd[n], g = dy[i] * gamma[c],
                   width = static_cast<double>(channels);
      r.dx[i] = rstd[n] * (g - (centered ? sum_g / width : 0) - z * sum_gz / width);
    }
  }
  return r;
}

}  // namespace megascale::kernels::ref

#endif  // MEGASCALE_KERNELS_REF_NORM_H_
