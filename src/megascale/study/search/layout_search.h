#ifndef MEGASCALE_STUDY_SEARCH_LAYOUT_SEARCH_H_
#define MEGASCALE_STUDY_SEARCH_LAYOUT_SEARCH_H_

#include <string>
#include <vector>

#include "megascale/config/config.h"
#include "megascale/simulate/cluster.h"

namespace megascale::study {

// One way to lay a job out on its ranks.
struct Candidate {
  Config config;                       // resolved and valid
  std::vector<std::string> overrides;  // "section.key=value": they turn the job into this one
  // Rough figures, which only decide what is worth a simulation. Seconds of a step; bytes of a
  // rank.
  double estimated_seconds = 0, estimated_nbytes = 0;
};

// All layouts of the job that the rules of the configuration allow: tensor parallelism inside a
// node of the cluster, pipeline stages and chunks, micro-batch size, recomputation. Model, global
// batch, context parallelism, ZeRO stage and number of ranks are the job's. By estimated time.
[[nodiscard]] std::vector<Candidate> candidates_of(const Config& job,
                                                   const simulate::Cluster& cluster);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_SEARCH_LAYOUT_SEARCH_H_
