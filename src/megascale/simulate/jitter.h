#ifndef MEGASCALE_SIMULATE_JITTER_H_
#define MEGASCALE_SIMULATE_JITTER_H_

#include <cstdint>

#include "megascale/base/philox.h"

namespace megascale::simulate {

// Computation does not take the same time twice: every task of a compute lane takes its time by a
// factor of its own, exp(sigma z - sigma^2 / 2) with z standard normal. So the factor is
// log-normal, of mean 1 and variance exp(sigma^2) - 1. Transfers have none.
struct Jitter {
  // Here one task in 22 takes more than four times its mean: no jitter any more.
  static constexpr double kMostSigma = 2;
  double sigma = 0;  // 0: none
  std::uint64_t seed = 0;
};

// The factors of one rank: pure functions of (seed, rank, step, task), so that neither threads nor
// other ranks change them. A value; threads may share it.
class RankJitter {
 public:
  // `rank`: index into Job::ranks.
  RankJitter(const Jitter& jitter, std::uint32_t rank);
  // `task`: the plan's number of it.
  [[nodiscard]] double factor(std::uint32_t step, std::uint32_t task) const noexcept;

 private:
  double sigma_;
  PhiloxStream normals_;
};

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_JITTER_H_
