#ifndef MEGASCALE_STUDY_SEARCH_STEP_ESTIMATE_H_
#define MEGASCALE_STUDY_SEARCH_STEP_ESTIMATE_H_

#include <cstdint>
#include <map>
#include <utility>

#include "megascale/graph/op.h"
#include "megascale/simulate/cluster.h"
#include "megascale/simulate/transfer_costs.h"
#include "megascale/study/search/layer_costs.h"

// A closed-form estimate of the step time and the memory of a layout: the times of its layers
// (layer_costs.h), the pipeline's bubble, and the transfers that stay exposed. It takes about a
// microsecond; a simulation of a large job takes seconds.
namespace megascale::study {

struct StepEstimate {
  double seconds = 0;  // of a step
  double nbytes = 0;   // of the rank with the largest arena
};

// Estimates layouts of one job. For one thread.
class StepEstimator {
 public:
  // `job` and `cluster` must outlive the estimator.
  StepEstimator(const Config& job, const simulate::Cluster& cluster)
      : job_(job), cluster_(cluster), meter_(job, cluster) {}
  // `layout` must be allowed (candidates_of). Throws Error.
  [[nodiscard]] StepEstimate estimate(const Layout& layout);

 private:
  // The sizes that the parts of an estimate use.
  struct Sizes {
    double stages = 1, chunks = 1, micro_batches = 1;
    double layers = 0;         // of one stage
    std::uint32_t copies = 1;  // ranks of a stage that hold the same parameters
  };
  [[nodiscard]] Sizes sizes_of(const Layout& layout) const;
  // Seconds of all micro-batches, with the bubble and the exposed sends.
  [[nodiscard]] double schedule_seconds(const Layout& layout, const Sizes& sizes,
                                        const LayerCosts& costs);
  // Seconds of the transfers of buckets that nothing hides, and of the update.
  [[nodiscard]] double update_seconds(const Layout& layout, const Sizes& sizes,
                                      const LayerCosts& costs);
  [[nodiscard]] double nbytes(const Layout& layout, const Sizes& sizes,
                              const LayerCosts& costs) const;
  // Bytes of the activation between two layers on one rank.
  [[nodiscard]] double boundary_nbytes(const Layout& layout) const;
  // Seconds of a transfer among `count` ranks that are `stride` apart.
  [[nodiscard]] double transfer_seconds(const graph::OpDef& def, double nbytes,
                                        std::uint32_t stride, std::uint32_t count);

  const Config& job_;
  const simulate::Cluster& cluster_;
  LayerMeter meter_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, simulate::Spread> spreads_;
};

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_SEARCH_STEP_ESTIMATE_H_
