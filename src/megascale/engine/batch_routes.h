#ifndef MEGASCALE_ENGINE_BATCH_ROUTES_H_
#define MEGASCALE_ENGINE_BATCH_ROUTES_H_

#include <cstddef>
#include <filesystem>
#include <span>

#include "megascale/config/config.h"
#include "megascale/engine/rank_rows.h"
#include "megascale/engine/route_file.h"
#include "megascale/graph/axis.h"
#include "megascale/plan/build.h"

namespace megascale::engine {

// Moves the choices of a rank's tokens between its batch (the fields routes and route_scores) and
// files, whose layout does not depend on the ranks. Immutable; any thread may use it.
class BatchRoutes {
 public:
  BatchRoutes(const Config& config, const graph::Coordinates& place, plan::BatchLayout layout);
  // The files of a training step (counted from 1) and of batch number `batch` of the evaluation after
  // `steps` steps.
  [[nodiscard]] std::filesystem::path of_step(std::int64_t step) const;
  [[nodiscard]] std::filesystem::path of_evaluation(std::int64_t steps, std::int64_t batch) const;
  // Fills the field routes of every micro-batch. If the file does not exist, all choices are unknown:
  // route stops a step that needs them. `batch` is laid out as plan::BatchLayout. Throws Error.
  void load(std::byte* batch, const std::filesystem::path& path) const;
  // Writes both fields of every micro-batch. Throws Error (io).
  void save(std::span<std::byte> batch, const std::filesystem::path& path) const;

 private:
  // Calls visit(first row, rows, first token) for runs of rows of a micro-batch whose tokens are
  // consecutive in the global batch.
  template <class Visit>
  void for_each_run(std::uint32_t micro_batch, const Visit& visit) const;
  [[nodiscard]] const plan::BatchLayout::Field* field(graph::BatchField kind,
                                                      std::int64_t layer) const;
  Config config_;
  plan::BatchLayout layout_;
  RouteShape shape_;
  std::int64_t data_rank_;
  RankRows rows_;
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_BATCH_ROUTES_H_
