#ifndef MEGASCALE_SERVE_PEERS_JSON_H_
#define MEGASCALE_SERVE_PEERS_JSON_H_

#include <nlohmann/json.hpp>

#include "megascale/serve/rank_history.h"

namespace megascale::serve {

// Groups with more members are counted, and their members are not listed.
inline constexpr std::size_t kMostListedMembers = 1024;

// RunView::peers(): the groups in which a rank moves bytes, from its plan. For each: name, axes, lane,
// direction, members, transfers and bytes of a step. "moving_seconds" is there if the rank has
// records, or if a rank with the same plan has them ("times_of" then names it). Throws Error
// (bad_input) if the job has no such rank.
[[nodiscard]] nlohmann::ordered_json rank_peers(const RankHistory& history, std::uint32_t rank);

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_PEERS_JSON_H_
