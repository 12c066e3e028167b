#ifndef MEGASCALE_STUDY_FORECAST_GROUP_TRANSFERS_H_
#define MEGASCALE_STUDY_FORECAST_GROUP_TRANSFERS_H_

#include <cstdint>
#include <map>
#include <utility>

#include "megascale/graph/op.h"
#include "megascale/simulate/cluster.h"
#include "megascale/simulate/transfer_costs.h"

namespace megascale::study {

// Times of single transfers on a described cluster, without a plan. For one thread.
class GroupTransfers {
 public:
  // `cluster` must outlive the object.
  explicit GroupTransfers(const simulate::Cluster& cluster) : cluster_(cluster) {}
  // Returns the seconds of a transfer of kind `def` among `count` ranks that are `stride` apart,
  // from rank 0 on. `nbytes`: the larger of what a rank gives and what it takes.
  [[nodiscard]] double seconds(const graph::OpDef& def, double nbytes, std::uint32_t stride,
                               std::uint32_t count);

 private:
  const simulate::Cluster& cluster_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, simulate::Spread> spreads_;
};

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_FORECAST_GROUP_TRANSFERS_H_
