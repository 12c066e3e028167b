#ifndef MEGASCALE_STUDY_ABLATE_ABLATION_ROWS_H_
#define MEGASCALE_STUDY_ABLATE_ABLATION_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "megascale/config/config.h"

namespace megascale::study {

// The source of a row's times: steps that run on this machine, or simulated steps on a described
// cluster.
enum class Timing : std::uint8_t { measured, simulated };

// A row of the ablation table: the job with all its techniques up to this row's, and without the
// later ones.
struct AblationRow {
  std::string technique;
  std::vector<std::string> keys;  // "section.key = value" settings that switch the technique on
  // "section.key=value" settings that switch the later techniques off. The last row has none.
  std::vector<std::string> overrides;
  std::string absent;  // the reason why the job does not use the technique; empty: it does
};

// Returns the rows of MegaScale's Table 3 (arXiv 2402.15627), in its order. The baseline has none
// of the techniques, and every row adds one. The last row that is not absent is `config` itself,
// which must be resolved and valid. If `config` uses LAMB, the earlier rows have AdamW and its
// global batch divided by `batch_factor`. Throws Error (bad_usage) if `batch_factor` does not
// divide that batch.
[[nodiscard]] std::vector<AblationRow> ablation_rows(const Config& config,
                                                     std::int64_t batch_factor, Timing timing);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_ABLATE_ABLATION_ROWS_H_
