#ifndef MEGASCALE_KERNELS_CPU_OPTIMIZER_H_
#define MEGASCALE_KERNELS_CPU_OPTIMIZER_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "megascale/base/state_digest.h"
#include "megascale/kernels/cpu/block_norm.h"

// AdamW and LAMB over ranges of flat buffers. A range is a shard or a whole buffer. Shards cut
// through tensors, so a table of segments says which tensor's settings apply to which elements.
// float32; scalars are double, and bias corrections are computed in double. u = 2^-24. Bits do not
// depend on threads or vector target. The caller decides whether a step is skipped.
namespace megascale::kernels::cpu {

// The part of one tensor that lies in the range. Elements in no segment (padding) are neither read
// nor written.
struct OptimizerSegment {
  std::size_t begin = 0,
              count = 0;  // elements, from the start of the range; LAMB needs begin % 4096 == 0
  bool decay = true;      // weight decay applies
};

// The state that both optimizers update. The pointers point to the start of the range.
struct OptimizerRange {
  float* param = nullptr;
  const float* gradient = nullptr;                  // main gradient: a sum over tokens
  float* m = nullptr;                               // first moment
  float* v = nullptr;                               // second moment
  std::span<const OptimizerSegment> segments = {};  // in order of begin, disjoint
};
struct AdamScalars {
  double lr = 0, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
  std::int64_t step = 1;      // t, from 1
  double gradient_scale = 1;  // clip factor / valid tokens of the step
};

// g = gradient_scale gradient;  m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2
// param -= lr (mhat / (sqrt(vhat) + eps) + weight_decay param)
// with mhat = m / (1 - beta1^t),  vhat = v / (1 - beta2^t)
// Cost    about 15 flops and 28 bytes per element (gradient read; param, m, v read and written):
//         memory bound.
// Error   m, v: 4 u of the sum of their terms' magnitudes; param: u |param| + 16 u |change|.
// Source  Loshchilov and Hutter 2019 (arXiv 1711.05101); the step size lr multiplies both terms.
// Returns digests of the state that it has read and stored. They do not depend on the number of
//         threads, but on the vector target. They cost no memory traffic.
StateDigests adamw(const OptimizerRange& range, const AdamScalars& scalars) noexcept;

// LAMB, first pass: the moments as above, and the direction
//   r = mhat / (sqrt(vhat) + eps) + weight_decay param
// It also sums squares per 4,096-element block b of the range, in float64: param_squares[b] = sum
// of param^2, direction_squares[b] = sum of r^2, over the elements of segments. Blocks in no
// segment get 0. For each tensor, the sums of its blocks are added in block order over all its
// shards; they give its trust ratio.
// Alias   direction may be the gradient.
// Cost    about 20 flops, 28 bytes per element: memory bound.
// Error   direction: 12 u (|adam part| + |decay part|); sums: as block_square_sums, of the rounded
//         values.
// Source  You et al. 2019 (arXiv 1904.00962), algorithm 2, phi(z) = z.
struct LambDirection {
  OptimizerRange range;
  AdamScalars scalars;
  float* direction = nullptr;
  std::span<double> param_squares, direction_squares;  // each norm_blocks(end of last segment)
};
// Returns digests of the moments, as adamw().
StateDigests lamb_direction(const LambDirection& args) noexcept;

// Returns LAMB's trust ratio |param| / |r| from the sums of squares; 1 if either norm is zero.
[[nodiscard]] double lamb_trust_ratio(double param_squares, double direction_squares) noexcept;

// LAMB, second pass: param -= lr trust[s] r for every element of segment s.
// trust[s] is 1 for segments whose tensors have no trust ratio.
// Cost    2 flops, 12 bytes per element.       Error  u |param| + 3 u |change|.
// Returns digests of the parameters, as adamw().
struct LambApply {
  float* param = nullptr;
  const float* direction = nullptr;
  std::span<const OptimizerSegment> segments;
  std::span<const double> trust;  // one per segment
  double lr = 0;
};
StateDigests lamb_apply(const LambApply& args) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_OPTIMIZER_H_
