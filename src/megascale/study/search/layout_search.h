#ifndef MEGASCALE_STUDY_SEARCH_LAYOUT_SEARCH_H_
#define MEGASCALE_STUDY_SEARCH_LAYOUT_SEARCH_H_

#include <string>
#include <vector>

#include "megascale/config/config.h"
#include "megascale/simulate/cluster.h"

namespace megascale::study {

// One layout of a job: the sizes of the parallel axes, the micro-batch size and the recomputation.
struct Candidate {
  Config config;                       // resolved and valid
  std::vector<std::string> overrides;  // "section.key=value" settings that give the job this layout
  // Rough estimates of the seconds of a step and of the bytes on a rank. They only decide which
  // layouts are worth a simulation.
  double estimated_seconds = 0, estimated_nbytes = 0;
};

// Returns all layouts of the job that the rules of the configuration allow, sorted by estimated
// time, fastest first. It varies the tensor-parallel size (up to the devices of a node), the
// pipeline stages and chunks, the micro-batch size and the recomputation. Model, global batch,
// context parallelism, ZeRO stage and number of ranks stay as in `job`. A pure function.
[[nodiscard]] std::vector<Candidate> candidates_of(const Config& job,
                                                   const simulate::Cluster& cluster);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_SEARCH_LAYOUT_SEARCH_H_
