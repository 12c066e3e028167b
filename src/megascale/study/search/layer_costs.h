#ifndef MEGASCALE_STUDY_SEARCH_LAYER_COSTS_H_
#define MEGASCALE_STUDY_SEARCH_LAYER_COSTS_H_

#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "megascale/config/config.h"
#include "megascale/simulate/cluster.h"
#include "megascale/simulate/expert_loads.h"
#include "megascale/study/search/layout.h"

// Times and bytes of the parts of a model on one rank. They are taken from simulations of models of
// one and two layers, so they have the tiles, the exposed transfers and the recomputation of the
// simulator's own plans. The estimates of the layout search are sums of them (step_estimate.h).
namespace megascale::study {

// The costs of one layer, and those of the rest of the model: embedding, last norm, head and loss.
// The rank has its tensor- and context-parallel share. Times are without pipeline and data
// parallelism.
struct LayerCosts {
  struct Part {
    double seconds = 0;          // forward and backward of one micro-batch
    double update_seconds = 0;   // the optimizer's update of the whole state
    double elements = 0;         // parameters that are trained
    double frozen_elements = 0;  // others, beside adapters
    double float8_elements = 0;  // those of them that are kept in 8 bits, beside float32 masters
    double retained_nbytes = 0;  // activations of one micro-batch, kept until its backward
  };
  Part layer, rest;
  double transient_nbytes = 0;  // activations that are not kept, and scratch
};

// Measures LayerCosts by simulation and remembers them. For one thread.
class LayerMeter {
 public:
  // `job` and `cluster` must outlive the meter. `loads`: of the job's experts. All layers have the same
  // costs, so the simulated layers get the mean of all loads, taken separately for the busiest expert
  // rank of each layer, the second busiest and so on: another rank is the busiest in each layer.
  LayerMeter(const Config& job, const simulate::Cluster& cluster, simulate::ExpertLoads loads = {})
      : job_(job), cluster_(cluster), loads_(std::move(loads)) {}
  // Returns the costs for a layout of the job. They depend on its tensor, context and expert size,
  // micro-batch size, pieces of products, recomputation and dispatch only. Throws Error.
  const LayerCosts& costs_of(const Layout& layout);

 private:
  // The layout with all that does not count at its default, as numbers.
  using Key = std::array<std::int64_t, 9>;
  [[nodiscard]] LayerCosts measure(Layout layout) const;

  const Config& job_;
  const simulate::Cluster& cluster_;
  simulate::ExpertLoads loads_;
  std::map<Key, LayerCosts> known_;
};

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_SEARCH_LAYER_COSTS_H_
