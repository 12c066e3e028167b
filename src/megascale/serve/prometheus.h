#ifndef MEGASCALE_SERVE_PROMETHEUS_H_
#define MEGASCALE_SERVE_PROMETHEUS_H_

#include <memory>
#include <span>
#include <string>

#include "megascale/serve/run_view.h"

namespace megascale::serve {

// The answer to /metrics, in the text format of Prometheus (version 0.0.4). Labels are bounded: one run
// for each directory, at most kMostRankSeries ranks.
inline constexpr std::size_t kMostRankSeries = 1024;
[[nodiscard]] std::string prometheus_text(std::span<const std::unique_ptr<RunView>> runs);

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_PROMETHEUS_H_
