#ifndef MEGASCALE_STUDY_ABLATE_TECHNIQUES_H_
#define MEGASCALE_STUDY_ABLATE_TECHNIQUES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "megascale/config/config.h"

// The techniques that an ablation table switches on one after the other, and the settings of each.
// The rows of the table follow from their order (ablation_rows.h).
namespace megascale::study {

// The source of a row's times: steps that run on this machine, or simulated steps on a described
// cluster.
enum class Timing : std::uint8_t { measured, simulated };

// A key of the configuration with its values with and without a technique.
struct Setting {
  std::string key, on, off;
};

struct Technique {
  std::string name;
  std::vector<Setting> settings;
  std::string absent;  // the reason why the job does not use it; empty: it does
};

// Returns the techniques of MegaScale's table 3 (arXiv 2402.15627), in its order, and those of models
// with experts and of 8 bits between them. If the job uses LAMB, its batch is divided by
// `batch_factor` without it. Throws Error (bad_usage) if it is not a multiple of that.
[[nodiscard]] std::vector<Technique> all_techniques(const Config& config, std::int64_t batch_factor,
                                                    Timing timing);

// Returns the techniques of MegaScale-MoE's table 5 (arXiv 2505.11432): sequence parallelism and
// whole experts, overlap between operators, overlap inside operators. Throws Error (bad_usage) for a
// model without experts.
[[nodiscard]] std::vector<Technique> moe_techniques(const Config& config);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_ABLATE_TECHNIQUES_H_
