#ifndef MEGASCALE_KERNELS_REF_OPTIMIZER_H_
#define MEGASCALE_KERNELS_REF_OPTIMIZER_H_

#include <cmath>

// References in double for kernels/cpu/optimizer.h, for one element.
namespace megascale::kernels::ref {

// `step` counts from 1. gradient_scale multiplies the gradient first.
struct AdamSettings {
  double lr, beta1, beta2, eps, weight_decay, step, gradient_scale;
};

// Updates the moments m and v of one element; returns mhat / (sqrt(vhat) + eps).
// Source: Kingma and Ba 2015 (arXiv 1412.6980), algorithm 1.
inline double adam_step(double gradient, double& m, double& v, const AdamSettings& s) {
  const double g = s.gradient_scale * gradient;
  m = s.beta1 * m + (1 - s.beta1) * g;
  v = s.beta2 * v + (1 - s.beta2) * g * g;
  const double mhat = m / (1 - std::pow(s.beta1, s.step)),
               vhat = v / (1 - std::pow(s.beta2, s.step));
  return mhat / (std::sqrt(vhat) + s.eps);
}

// One AdamW step of one element.
inline void adamw(double& param, double gradient, double& m, double& v, const AdamSettings& s) {
  const double step = adam_step(gradient, m, v, s);
  param -= s.lr * (step + s.weight_decay * param);
}

}  // namespace megascale::kernels::ref

#endif  // MEGASCALE_KERNELS_REF_OPTIMIZER_H_
