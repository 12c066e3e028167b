#ifndef MEGASCALE_STUDY_ABLATE_ABLATION_ROWS_H_
#define MEGASCALE_STUDY_ABLATE_ABLATION_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "megascale/config/config.h"

namespace megascale::study {

// Where a row's times come from: steps that run, or steps on a cluster that need not be there.
enum class Timing : std::uint8_t { measured, simulated };

// A row of the ablation table: a job with its own techniques up to this one.
struct AblationRow {
  std::string technique;
  std::vector<std::string> keys;  // "section.key = value", what the row switches on
  // "section.key=value": what turns the configuration into this row's; those of the last are none.
  std::vector<std::string> overrides;
  std::string absent;  // why the technique is not in this job: nothing to measure; empty: it is
};

// The rows of MegaScale's Table 3 (arXiv 2402.15627), in its order: a baseline without any of the
// techniques, then one more of them in every row; the last measured row is `config` itself. What
// `config`, resolved and valid, does not use is absent. Where it uses LAMB, the rows before have
// AdamW and one `batch_factor`th of its batch.
[[nodiscard]] std::vector<AblationRow> ablation_rows(const Config& config,
                                                     std::int64_t batch_factor, Timing timing);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_ABLATE_ABLATION_ROWS_H_
