#ifndef MEGASCALE_STUDY_SEARCH_STEP_ESTIMATE_H_
#define MEGASCALE_STUDY_SEARCH_STEP_ESTIMATE_H_

#include <cstdint>
#include <utility>

#include "megascale/simulate/cluster.h"
#include "megascale/study/forecast/group_transfers.h"
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
  // `job` and `cluster` must outlive the estimator. `loads`: how the router spreads its choices.
  StepEstimator(const Config& job, const simulate::Cluster& cluster,
                simulate::ExpertLoads loads = {})
      : job_(job), cluster_(cluster), meter_(job, cluster, std::move(loads)), transfers_(cluster) {}
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
  // Parameters of a stage that are trained: their number, and the bytes in which products read them. Scales
  // of those in 8 bits are few bytes, and left out. Frozen ones have these bytes and nothing else.
  struct Parameters {
    double elements = 0, float8_elements = 0, nbytes = 0, frozen_nbytes = 0;
  };
  // `of_rest`: the share of the model's rest that the stage has.
  [[nodiscard]] Parameters parameters_of(const Sizes& sizes, const LayerCosts& costs,
                                         double of_rest) const;
  // Seconds of all micro-batches, with the bubble and the exposed sends.
  [[nodiscard]] double schedule_seconds(const Layout& layout, const Sizes& sizes,
                                        const LayerCosts& costs);
  // Seconds of the transfers of buckets that nothing hides, and of the update.
  [[nodiscard]] double update_seconds(const Layout& layout, const Sizes& sizes,
                                      const LayerCosts& costs);
  // The number of buckets, and the seconds of the transfers of one.
  struct BucketTransfers {
    double count = 1, gather = 0, reduce = 0;
  };
  // Seconds that the gathers and reductions of ZeRO stage 3 add to a step.
  [[nodiscard]] double divided_seconds(const Sizes& sizes, const LayerCosts& costs,
                                       const BucketTransfers& of) const;
  // Seconds of an all_gather of so many bytes of parameters among them. `buckets`: how many follow one
  // another.
  [[nodiscard]] double gather_seconds(const Layout& layout, std::uint32_t copies, double nbytes,
                                      double buckets);
  // Seconds of a reduce_scatter, or of what stands for it, of so many bytes of float32 gradients among
  // the ranks with the same parameters. Packing is left out.
  [[nodiscard]] double scatter_seconds(const Layout& layout, std::uint32_t copies, double nbytes,
                                       double buckets);
  // Seconds of an all_reduce of so many bytes among the ranks with the same parameters.
  [[nodiscard]] double all_reduce_seconds(const Layout& layout, std::uint32_t copies,
                                          double nbytes);
  [[nodiscard]] double nbytes(const Layout& layout, const Sizes& sizes,
                              const LayerCosts& costs) const;
  // Bytes of the activation between two layers on one rank.
  [[nodiscard]] double boundary_nbytes(const Layout& layout) const;

  const Config& job_;
  const simulate::Cluster& cluster_;
  LayerMeter meter_;
  GroupTransfers transfers_;
};

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_SEARCH_STEP_ESTIMATE_H_
