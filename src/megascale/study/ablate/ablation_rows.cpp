// Builds the rows of an ablation table. A row switches off all techniques behind it. The switched-on
// values are those of the user's configuration, so the last row needs no override.
#include "megascale/study/ablate/ablation_rows.h"

namespace megascale::study {

std::vector<AblationRow> ablation_rows(const Config& config, std::int64_t batch_factor,
                                       Timing timing, RowSet set) {
  const std::vector<Technique> techniques =
      set == RowSet::moe ? moe_techniques(config) : all_techniques(config, batch_factor, timing);
  // Returns the overrides that switch the techniques from number `first` on off.
  const auto without = [&](std::size_t first) {
    std::vector<std::string> overrides;
    for (std::size_t i = first; i < techniques.size(); ++i) {
      if (!techniques[i].absent.empty()) continue;
      for (const Setting& setting : techniques[i].settings)
        overrides.push_back(setting.key + "=" + setting.off);
    }
    return overrides;
  };
  std::vector<AblationRow> rows{{.technique = "baseline", .overrides = without(0)}};
  for (std::size_t i = 0; i < techniques.size(); ++i) {
    AblationRow row{.technique = techniques[i].name,
                    .overrides = without(i + 1),
                    .absent = techniques[i].absent};
    for (const Setting& setting : techniques[i].settings)
      row.keys.push_back(setting.key + " = " + setting.on);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace megascale::study
