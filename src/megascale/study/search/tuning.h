#ifndef MEGASCALE_STUDY_SEARCH_TUNING_H_
#define MEGASCALE_STUDY_SEARCH_TUNING_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "megascale/study/forecast/simulated_step.h"
#include "megascale/study/search/layout_search.h"

// Finds the fastest layout of a job on a described cluster (`megascale tune`). The given layout is
// simulated first, then those that promise most.
namespace megascale::study {

// A layout that was simulated.
struct TriedLayout {
  Layout layout;
  bool is_given = false;               // the layout of the job itself
  std::vector<std::string> overrides;  // settings that give the job this layout; empty: is_given
  StepEstimate estimate;
  SimulatedStep step;
  bool keeps_reserve = false;  // fits in a device's memory and leaves the reserve free
};

struct TuneOptions {
  std::size_t simulations = 24;  // most layouts to simulate
  std::uint32_t threads = 1;     // of each simulation
  // Share of a device's memory that a layout must leave free: for the libraries of kernels and
  // communication, and for what a plan does not know.
  double reserve = 0.05;
  // How the router spreads its choices, in estimates and in simulations; even unless set.
  simulate::ExpertLoads expert_loads = {};
};

// The result of a search.
struct Tuning {
  std::size_t allowed = 0;         // layouts that the rules of the configuration allow
  std::size_t estimated = 0;       // layouts that may be near the best
  std::size_t simulated = 0;       // layouts that were simulated, the given one included
  std::size_t too_large = 0;       // layouts whose plan does not leave the reserve free
  std::vector<TriedLayout> tried;  // fastest first; layouts without the reserve at the end
};

// Simulates layouts of `job`, one after the other. `job` must be resolved and valid. `on_message`
// gets one line for each simulation, on the calling thread. Throws Error (failed) if none of the
// layouts that were looked at leaves the reserve free.
[[nodiscard]] Tuning tune(const Config& job, const simulate::Cluster& cluster,
                          const TuneOptions& options,
                          const std::function<void(const std::string&)>& on_message);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_SEARCH_TUNING_H_
