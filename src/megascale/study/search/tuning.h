#ifndef MEGASCALE_STUDY_SEARCH_TUNING_H_
#define MEGASCALE_STUDY_SEARCH_TUNING_H_

#include <cstddef>
#include <functional>
#include <vector>

#include "megascale/study/forecast/simulated_step.h"
#include "megascale/study/search/layout_search.h"

// Which layout of a job is fastest on a described cluster: the layouts of the shortest estimates
// are planned and simulated.
namespace megascale::study {

// A layout that was simulated and fits in the devices' memory.
struct TriedLayout {
  Candidate candidate;
  SimulatedStep step;
};

struct Tuning {
  std::size_t layouts = 0;         // that the rules of the configuration allow
  std::size_t simulated = 0;       // of them
  std::size_t too_large = 0;       // by estimate or by plan
  std::vector<TriedLayout> tried;  // the fastest first; never empty
};

// `job` resolved and valid. Simulates at most `simulations` layouts, each on `threads` threads;
// `on_message` is told of each. Throws Error (failed) where no layout that was looked at fits.
[[nodiscard]] Tuning tune(const Config& job, const simulate::Cluster& cluster,
                          std::size_t simulations, std::uint32_t threads,
                          const std::function<void(const std::string&)>& on_message);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_SEARCH_TUNING_H_
