#ifndef MEGASCALE_STUDY_ABLATE_ABLATION_ROWS_H_
#define MEGASCALE_STUDY_ABLATE_ABLATION_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "megascale/config/config.h"
#include "megascale/study/ablate/techniques.h"

namespace megascale::study {

// Which techniques are switched: all that a job may use, or those of MegaScale-MoE's table 5 while the
// others stay on in every row.
enum class RowSet : std::uint8_t { all, moe };

// A row of the ablation table: the job with all its techniques up to this row's, and without the
// later ones.
struct AblationRow {
  std::string technique;
  std::vector<std::string> keys;  // "section.key = value" settings that switch the technique on
  // "section.key=value" settings that switch the later techniques off. The last row has none.
  std::vector<std::string> overrides;
  std::string absent;  // the reason why the job does not use the technique; empty: it does
};

// Returns the rows of a table. The baseline has none of the techniques of `set` (techniques.h), and
// every row adds one, in their order. The last row that is not absent is `config` itself, which must
// be resolved and valid. `batch_factor` and `timing` are for RowSet::all. Throws the errors of
// all_techniques() and moe_techniques().
[[nodiscard]] std::vector<AblationRow> ablation_rows(const Config& config,
                                                     std::int64_t batch_factor, Timing timing,
                                                     RowSet set = RowSet::all);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_ABLATE_ABLATION_ROWS_H_
