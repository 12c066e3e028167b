#ifndef MEGASCALE_STUDY_SEARCH_LAYOUT_H_
#define MEGASCALE_STUDY_SEARCH_LAYOUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "megascale/config/config.h"

namespace megascale::study {

// The part of a configuration that `tune` varies. The number of ranks, the global batch and the
// model stay as they are.
struct Layout {
  std::int64_t tensor = 1, context = 1, expert = 1, pipeline = 1, chunks = 1;
  std::string schedule = "1f1b";
  std::int64_t zero_stage = 0, micro_batch_size = 1;
  std::int64_t tensor_pieces = 0, context_pieces = 0, expert_pieces = 0;
  // Pieces of hierarchical reductions, and the ranks of a host for them; 0: all ranks at once.
  std::int64_t reduction_pieces = 0, ranks_per_host = 0;
  RecomputeGranularity recompute = RecomputeGranularity::none;
  TokenDispatcher dispatcher = TokenDispatcher::alltoall;  // never automatic
  bool operator==(const Layout&) const = default;
};

// Returns the layout of a resolved configuration.
[[nodiscard]] Layout layout_of(const Config& config);
// Returns the job with another layout. `job` must be resolved; the result may be invalid. Uneven
// numbers of layers and the ops of a recomputation by list are dropped, since they belong to the
// job's own layout.
[[nodiscard]] Config with_layout(Config job, const Layout& layout);
// Returns, for instance, "selective".
[[nodiscard]] std::string name_of(RecomputeGranularity granularity);
// Returns the "section.key=value" settings that give the job this layout.
[[nodiscard]] std::vector<std::string> overrides_of(const Config& job, const Layout& layout);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_SEARCH_LAYOUT_H_
