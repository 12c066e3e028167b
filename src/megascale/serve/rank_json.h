#ifndef MEGASCALE_SERVE_RANK_JSON_H_
#define MEGASCALE_SERVE_RANK_JSON_H_

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "megascale/serve/rank_reader.h"

// The numbers of ranks as JSON. Throws Error (bad_usage) if the run has no records.
namespace megascale::serve {

// Slow ranks are looked for in so many of the last steps: a rank is named within 20 steps.
inline constexpr std::size_t kStragglerSteps = 16;

// Throws Error (bad_usage) if no rank has numbers; the message says why.
void require_records(const RankHistory& history);
// RunView::ranks(). "rank", "host" (an index in "hosts") and "work" have one entry for each rank that has
// numbers. Columns: {"key", "group", "label", "unit", "values": one for each of these ranks}. Only the
// columns in `keys` have values, if it is given. Slow ranks are told once all rings are read; before, the
// answer has "reading": {"ranks", "all"}.
using ColumnKeys = std::optional<std::set<std::string, std::less<>>>;
struct TableOptions {
  std::size_t steps = 8, least_steps = 1;  // least_steps: of RankHistory::stragglers()
  ColumnKeys keys;
};
[[nodiscard]] nlohmann::ordered_json rank_table(const RankHistory& history,
                                                const RankReader::Progress& progress,
                                                const TableOptions& options);
// RunView::rank().
[[nodiscard]] nlohmann::ordered_json rank_by_step(const RankHistory& history, std::uint32_t rank,
                                                  std::size_t steps);
// Returns the place of a rank on the axes.
[[nodiscard]] nlohmann::ordered_json coordinates_json(const graph::Coordinates& at);
// RunView::plan().
[[nodiscard]] nlohmann::ordered_json plan_json(const job::JobPlan& job);

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_RANK_JSON_H_
