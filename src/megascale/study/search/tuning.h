#ifndef MEGASCALE_STUDY_SEARCH_TUNING_H_
#define MEGASCALE_STUDY_SEARCH_TUNING_H_

#include <cstddef>
#include <functional>
#include <vector>

#include "megascale/study/forecast/simulated_step.h"
#include "megascale/study/search/layout_search.h"

// Finds the fastest layout of a job on a described cluster (`megascale tune`). The layouts with the
// shortest estimated times are planned and simulated.
namespace megascale::study {

// A layout that was simulated and fits in the devices' memory.
struct TriedLayout {
  Candidate candidate;
  SimulatedStep step;
};

// The result of a search. Throughout, "too large" means that a rank does not fit in a device's
// memory.
struct Tuning {
  std::size_t layouts = 0;         // layouts that the rules of the configuration allow
  std::size_t simulated = 0;       // layouts that were simulated
  std::size_t too_large = 0;       // too large, by the estimate or by the plan
  std::vector<TriedLayout> tried;  // fastest first; never empty
};

// Simulates at most `simulations` layouts of `job`, one after the other, each on `threads` threads.
// `job` must be resolved and valid. `on_message` gets one line for each simulation, on the calling
// thread. Throws Error (failed) if none of the examined layouts fits in a device's memory.
[[nodiscard]] Tuning tune(const Config& job, const simulate::Cluster& cluster,
                          std::size_t simulations, std::uint32_t threads,
                          const std::function<void(const std::string&)>& on_message);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_SEARCH_TUNING_H_
