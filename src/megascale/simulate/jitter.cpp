// Draws log-normal factors from a counter-based generator (Philox) with one stream per rank.
#include "megascale/simulate/jitter.h"

#include <fmt/format.h>

#include <cmath>

namespace megascale::simulate {

RankJitter::RankJitter(const Jitter& jitter, std::uint32_t rank)
    : sigma_(jitter.sigma), normals_(jitter.seed, fmt::format("jitter of rank {}", rank)) {}

double RankJitter::factor(std::uint32_t step, std::uint32_t task) const noexcept {
  const double z = normals_.normal(std::uint64_t{step} << 32U | task);
  return std::exp(sigma_ * (z - sigma_ / 2));
}

}  // namespace megascale::simulate
