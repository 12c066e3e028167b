#ifndef MEGASCALE_STUDY_SEARCH_LAYOUT_SEARCH_H_
#define MEGASCALE_STUDY_SEARCH_LAYOUT_SEARCH_H_

#include <vector>

#include "megascale/config/config.h"
#include "megascale/simulate/cluster.h"
#include "megascale/study/search/layout.h"
#include "megascale/study/search/step_estimate.h"

namespace megascale::study {

// Returns all layouts of the job that the search goes through and the rules of the configuration
// allow. They vary
// - tensor and context size: powers of two up to the devices of a node, and those of the job;
// - pipeline stages and chunks, with the schedules 1f1b, interleaved and zb-h1. gpipe takes as long
//   as 1f1b with more memory;
// - micro-batch size: a power of two, or that of the job;
// - ZeRO stage 0, 2 or 3, or that of the job; 0 not with gradients in bfloat16, 3 not with parameters in
//   8 bits. Stage 1 has the memory of stage 2 and sends more;
// - no, selective or full recomputation, with experts also selective_moe;
// - expert size: powers of two up to the devices of a node, and that of the job; with
//   moe.token_dispatcher_type = "auto" both ways of dispatch;
// - pieces, of one kind at a time, and those of the job together:
//   tensor_pieces and context_pieces 1, 2 and 4, if there are such ranks and overlap.tensor is on;
//   expert_pieces, powers of two up to the expert ranks, where tokens are gathered, else up to the
//   experts of a rank;
// - hierarchical reductions in 4 pieces with ZeRO stage 0, if replicas lie on several nodes with
//   several of their ranks, or as the job has them.
// `job` must be resolved and valid. Pure.
[[nodiscard]] std::vector<Layout> layouts_of(const Config& job, const simulate::Cluster& cluster);

struct Candidate {
  Layout layout;
  StepEstimate estimate;  // only decides which layouts are worth a simulation
};
// Estimates layouts, and returns them by time, fastest first. Layouts that are much slower than the
// best one that fits in a device's memory, or far too large, are left out. `loads`: how the router
// spreads its choices. Pure; takes seconds.
[[nodiscard]] std::vector<Candidate> estimate_layouts(const Config& job,
                                                      const simulate::Cluster& cluster,
                                                      const std::vector<Layout>& layouts,
                                                      const simulate::ExpertLoads& loads = {});

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_SEARCH_LAYOUT_SEARCH_H_
