#ifndef MEGASCALE_GRAPH_OPS_NORM_OPS_H_
#define MEGASCALE_GRAPH_OPS_NORM_OPS_H_

#include "megascale/graph/op.h"

// The op kinds of norms; letters and form are explained in ops.h.
namespace megascale::graph {

// x[N,C], gamma[C], beta[C] -> y[N,C], mean[N], rstd[N]
namespace layer_norm {
enum Operand : std::size_t { input, gamma, beta, output, mean, rstd };
}
const OpKind<layer_norm::Operand>& layer_norm_op();

// dy, x, gamma, mean, rstd, (addend) -> dx = gradient of the norm + addend, (dgamma), (dbeta)
namespace layer_norm_gradient {
enum Operand : std::size_t {
  gradient,
  input,
  gamma,
  mean,
  rstd,
  addend,
  input_gradient,
  gamma_gradient,
  beta_gradient
};
}
const OpKind<layer_norm_gradient::Operand>& layer_norm_gradient_op();

// x[N,C], gamma[C] -> y[N,C], rstd[N]
namespace rms_norm {
enum Operand : std::size_t { input, gamma, output, rstd };
}
const OpKind<rms_norm::Operand>& rms_norm_op();

// dy, x, gamma, rstd, (addend) -> dx = gradient of the norm + addend, (dgamma)
namespace rms_norm_gradient {
enum Operand : std::size_t { gradient, input, gamma, rstd, addend, input_gradient, gamma_gradient };
}
const OpKind<rms_norm_gradient::Operand>& rms_norm_gradient_op();

// The steps of a norm without fusion (unfused_norm.cpp).
// x[N,C] -> mean[N]
namespace norm_mean {
enum Operand : std::size_t { input, mean };
}
const OpKind<norm_mean::Operand>& norm_mean_op();

// x[N,C], mean[N] -> x - mean
namespace norm_centre {
enum Operand : std::size_t { input, mean, centred };
}
const OpKind<norm_centre::Operand>& norm_centre_op();

// centred x[N,C] -> rstd[N]
namespace norm_rstd {
enum Operand : std::size_t { centred, rstd };
}
const OpKind<norm_rstd::Operand>& norm_rstd_op();

// centred x[N,C], rstd[N] -> normalised[N,C]
namespace norm_normalise {
enum Operand : std::size_t { centred, rstd, normalised };
}
const OpKind<norm_normalise::Operand>& norm_normalise_op();

// normalised[N,C], gamma[C], (beta[C]) -> y[N,C]
namespace norm_scale {
enum Operand : std::size_t { normalised, gamma, beta, output };
}
const OpKind<norm_scale::Operand>& norm_scale_op();

// dy, normalised, gamma -> gradient of normalised, (dgamma), (dbeta)
namespace norm_scale_gradient {
enum Operand : std::size_t {
  gradient,
  normalised,
  gamma,
  normalised_gradient,
  gamma_gradient,
  beta_gradient
};
}
const OpKind<norm_scale_gradient::Operand>& norm_scale_gradient_op();

// The means over channels that the gradient of a norm needs.
// g[N,C] = gradient of normalised, z[N,C] = normalised -> means[N,2]: of g, and of g z
namespace norm_gradient_means {
enum Operand : std::size_t { gradient, normalised, means };
}
const OpKind<norm_gradient_means::Operand>& norm_gradient_means_op();

// gradient of normalised, normalised, means, rstd -> dx[N,C]
namespace norm_gradient {
enum Operand : std::size_t { gradient, normalised, means, rstd, input_gradient };
}
const OpKind<norm_gradient::Operand>& norm_gradient_op();

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_OPS_NORM_OPS_H_
