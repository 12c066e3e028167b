#ifndef MEGASCALE_SERVE_RANK_JSON_H_
#define MEGASCALE_SERVE_RANK_JSON_H_

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "megascale/serve/rank_history.h"

// The numbers of ranks as JSON. Throws Error (bad_usage) if the run has no records.
namespace megascale::serve {

// Slow ranks are looked for in so many of the last steps: a rank is named within 20 steps.
inline constexpr std::size_t kStragglerSteps = 16;

// Throws Error (bad_usage) if no rank has numbers; the message says why.
void require_records(const RankHistory& history);
// RunView::ranks(). Columns: {"key", "group", "label", "unit", "values": one for each of "ranks"}. Only
// the columns in `keys` have values, if it is given.
using ColumnKeys = std::optional<std::set<std::string, std::less<>>>;
[[nodiscard]] nlohmann::ordered_json rank_table(const RankHistory& history, std::size_t steps,
                                                std::size_t least_steps, const ColumnKeys& keys);
// RunView::rank().
[[nodiscard]] nlohmann::ordered_json rank_by_step(const RankHistory& history, std::uint32_t rank,
                                                  std::size_t steps);
// Returns the place of a rank on the axes.
[[nodiscard]] nlohmann::ordered_json coordinates_json(const graph::Coordinates& at);
// RunView::plan().
[[nodiscard]] nlohmann::ordered_json plan_json(const job::JobPlan& job);

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_RANK_JSON_H_
