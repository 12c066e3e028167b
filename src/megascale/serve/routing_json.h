#ifndef MEGASCALE_SERVE_ROUTING_JSON_H_
#define MEGASCALE_SERVE_ROUTING_JSON_H_

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace megascale::serve {

// RunView::routing(): how evenly the tokens of a run went to its experts, from the field "routing" of the last
// lines of metrics.jsonl. Lists by step: "step", and one list for each layer in "imbalance",
// "rank_imbalance", "dropped", "aux_loss" and "z_loss"; "layers" has the numbers of the layers. "dropped_share" and
// "imbalance_share" have one number a step, null if the line has none. "loads" has at most `most_loads` of
// the steps whose line holds them, evenly chosen, the newest among them: {step, loads by layer and expert}.
// At most `steps` lines are read, and not more than kMostRoutingBytes. Throws Error: bad_usage if no line has
// the field; io.
inline constexpr std::size_t kMostRoutingBytes = std::size_t{8} << 20U;
[[nodiscard]] nlohmann::ordered_json routing_json(const std::filesystem::path& metrics,
                                                  std::size_t steps, std::size_t most_loads);

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_ROUTING_JSON_H_
