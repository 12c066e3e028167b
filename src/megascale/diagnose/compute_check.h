#ifndef MEGASCALE_DIAGNOSE_COMPUTE_CHECK_H_
#define MEGASCALE_DIAGNOSE_COMPUTE_CHECK_H_

#include <span>
#include <string>
#include <vector>

#include "megascale/diagnose/check.h"

// The deterministic compute test: every core runs the kernels of training on fixed shapes and fixed
// values, and makes a digest of all results. A core that computes wrongly has another digest than
// the other cores, than itself before, or than another host of the same kind.
namespace megascale::diagnose {

// Describes the processor as far as the bits of kernels depend on it: vector target, and the model,
// since oneDNN divides matrix products by the sizes of its caches.
[[nodiscard]] std::string compute_kind();

// What a core has computed.
struct CoreResult {
  int core = 0;
  std::vector<std::string> digests;  // by round
  double flops = 0;                  // per second, of the fastest round
};

// Runs `rounds` rounds of the test on every core of `cores`, on all of them at the same time. A
// round takes a few hundredths of a second. Throws Error.
[[nodiscard]] std::vector<CoreResult> compute_on_cores(std::span<const int> cores, int rounds);

// Judges the results of a host's cores: names those that differ from most, or from themselves.
// Sets the report's rates and `digest`, that of most cores. `results` must not be empty.
void judge_cores(std::span<const CoreResult> results, CheckReport& report, std::string& digest);

}  // namespace megascale::diagnose

#endif  // MEGASCALE_DIAGNOSE_COMPUTE_CHECK_H_
