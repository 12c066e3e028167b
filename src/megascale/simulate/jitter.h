#ifndef MEGASCALE_SIMULATE_JITTER_H_
#define MEGASCALE_SIMULATE_JITTER_H_

#include <cstdint>

#include "megascale/base/philox.h"

namespace megascale::simulate {

// Jitter: a compute task takes a different time whenever it runs. The simulator multiplies the
// seconds of each task of a compute lane by a factor exp(sigma z - sigma^2 / 2), where z is
// standard normal. The factor is log-normal with mean 1 and variance exp(sigma^2) - 1. Transfers
// have no jitter. docs/decisions/0016-jitter.md says how sigma is measured.
struct Jitter {
  // Largest sigma that is accepted. At 2, one task in 22 takes more than four times its mean, which
  // is more than jitter can explain.
  static constexpr double kMostSigma = 2;
  double sigma = 0;  // 0: no jitter
  std::uint64_t seed = 0;
};

// The factors of one rank. Each is a pure function of (seed, rank, step, task), so neither the
// number of threads nor other ranks change it. A value; threads may share it.
class RankJitter {
 public:
  // `rank` is an index into Job::ranks.
  RankJitter(const Jitter& jitter, std::uint32_t rank);
  // Returns the factor of a task. `task` is its number in the plan.
  [[nodiscard]] double factor(std::uint32_t step, std::uint32_t task) const noexcept;

 private:
  double sigma_;
  PhiloxStream normals_;
};

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_JITTER_H_
